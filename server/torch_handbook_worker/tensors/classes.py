"""The user's classes, as real classes whose methods are walked."""

from __future__ import annotations

import ast
import types
from typing import Any, Callable, Dict, List, Sequence

from torch import nn

from torch_handbook_worker.tensors.expressions import evaluate
from torch_handbook_worker.tensors.scopes import Frame, Scope
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import Opaque, Unknown, unique, unknown_in

Execute = Callable[[Frame, Sequence[ast.stmt]], str]
# Base classes of other libraries that are modules.
MODULES = frozenset({"Module", "LightningModule", "PreTrainedModel", "PyTorchModelHubMixin", "FairseqModel", "BaseModule"})


class OpaqueModule(nn.Module):
    """The base of a user's module whose own base is not known: what it does not define itself is unknown."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("__") and name.endswith("__"):
                raise
            return Unknown(name=name)


def build_class(frame: Frame, node: Any, execute: Execute) -> Any:
    """A class statement's class, or an unknown where it cannot be made."""
    bases = [evaluate(frame, base) for base in node.bases if not isinstance(base, ast.Starred)]
    keywords = {row.arg: evaluate(frame, row.value) for row in node.keywords if row.arg}
    inner = Frame(frame.session, frame.source, Scope("class", frame.scope), node.name)
    execute(inner, node.body)
    names = inner.scope.names
    if unknown_in(list(keywords.values())) is not None:
        keywords = {}
    try:
        made = _make(node.name, _known_bases(node, bases, names), keywords, names)
    except Exception as error:
        frame.session.trace.gap(span_of(node), f"class {node.name}: {error}", frame.source.path)
        return Unknown(name=node.name)
    for function in inner.functions:
        function.owner = made
    return made


def _make(name: str, bases: List[Any], keywords: Dict[str, Any], names: Dict[str, Any]) -> Any:
    def fill(namespace: Any) -> None:
        namespace["__module__"] = "builtins"
        namespace["written"] = True
        for key, value in names.items():
            namespace[key] = value

    if any(isinstance(base, type) and _is_enumeration(base) for base in bases):
        return types.new_class(name, tuple(bases), keywords, lambda space: _fill_plain(space, names))
    return types.new_class(name, tuple(bases), keywords, fill)


def _fill_plain(namespace: Any, names: Dict[str, Any]) -> None:
    for key, value in names.items():
        if key != "__annotations__":
            namespace[key] = value


def _is_enumeration(base: type) -> bool:
    return any(
        kind.__module__ in ("enum", "typing") and kind.__name__ in ("Enum", "NamedTuple", "TypedDict") for kind in base.__mro__
    )


def _known_bases(node: Any, bases: List[Any], names: Dict[str, Any]) -> List[Any]:
    if not any(isinstance(base, Unknown) for base in bases):
        return bases
    known = [base for base in bases if not isinstance(base, Unknown)]
    module = any(isinstance(base, type) and issubclass(base, nn.Module) for base in known)
    named = any(isinstance(base, Unknown) and base.name in MODULES for base in bases)
    stand_in: Any = OpaqueModule if module or named or "forward" in names else Opaque
    made = unique([stand_in if isinstance(base, Unknown) else base for base in bases])
    if stand_in is OpaqueModule:
        made = [base for base in made if base is not nn.Module and base is not object]
        made = [base for base in made if base is not OpaqueModule] + [OpaqueModule]
    return made
