"""What is said of a name: the values that everything else here makes, keeps or reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

DocKind: TypeAlias = Literal["function", "class", "method", "attribute", "module"]
ParameterKind: TypeAlias = Literal["positional", "keyword", "var", "kw"]


@dataclass(frozen=True)
class Parameter:
    """One parameter; `default` and `annotation` as they are written, `...` where a stub does not tell."""

    name: str
    default: str | None = None
    annotation: str | None = None
    kind: ParameterKind = "positional"


@dataclass(frozen=True)
class Doc:
    """What the installed torch says of one public name.

    `signature` is the first way to call it, `overloads` are the others; `parameters` are those of all together.
    `docstring` is reStructuredText without its signature lines; where it only pointed elsewhere, what stands there follows.
    """

    name: str
    kind: DocKind
    signature: str
    docstring: str
    parameters: tuple[Parameter, ...] = ()
    deprecated: str | None = None
    overloads: tuple[str, ...] = ()
    see: str | None = None  # the name whose docstring follows its own


class Outline(NamedTuple):
    """What a list of names shows of one: "" where it has no signature."""

    kind: str
    deprecated: bool
    signature: str
