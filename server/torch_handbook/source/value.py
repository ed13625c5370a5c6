"""What an expression's value is, as far as the text of one file tells."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from torch_handbook.source.torch_names import base_of

if TYPE_CHECKING:
    from torch_handbook.source.flow import Flow

ValueKind: TypeAlias = Literal["instance", "class", "function", "module_import", "tensor", "literal", "sequence"]


@dataclass(frozen=True, eq=False)
class Definition:
    """A class or function of another file of the workspace, or that file's root, and what is known there."""

    flow: Flow
    node: ast.AST


@dataclass(frozen=True)
class Value:
    """What something is.

    `name` is the public name of a torch class or function ("torch.nn.Conv2d"), else the name in this file; for literals the
    builtin type ("int", "None"); for sequences "tuple" (each item is known), "list" (all items are like the first) or "dict"
    (all values are).
    `bases` are the torch classes that a class of the workspace derives from. `sure` is false where this is only likely: an
    unannotated parameter of `forward`, what a loader yields, what an unknown network returns.
    """

    kind: ValueKind
    name: str
    bases: tuple[str, ...] = ()
    sure: bool = True
    items: tuple[Value | None, ...] = ()
    node: ast.AST | None = field(default=None, compare=False)  # the definition in this file
    away: Definition | None = field(default=None, compare=False, repr=False)  # the definition in another one

    @property
    def written(self) -> bool:
        """Whether it is of a class or function of the workspace, and not of torch's."""
        return self.node is not None or self.away is not None

    @property
    def base(self) -> str | None:
        """The documented torch class whose members it has: "torch.nn.Module" for a Conv2d and for a network of this file."""
        if self.kind == "tensor":
            return "torch.Tensor"
        return next((base for base in map(base_of, (self.name, *self.bases)) if base), None)

    def is_a(self, name: str) -> bool:
        """Whether it is an instance of that documented torch class."""
        return self.kind in ("instance", "tensor") and (self.name == name or name in self.bases or self.base == name)

    def unsure(self) -> Value:
        return replace(self, sure=False)


TENSOR = Value("tensor", "torch.Tensor")
LIKELY_TENSOR = TENSOR.unsure()
MODULE = Value("instance", "torch.nn.Module", sure=False)
PARAMETER = Value("tensor", "torch.nn.Parameter")


def literal(name: str) -> Value:
    return Value("literal", name)


def several(*items: Value | None) -> Value:
    """A tuple of these values."""
    return Value("sequence", "tuple", items=items)


def many(item: Value | None) -> Value:
    """A list, or something else to iterate over, of such values."""
    return Value("sequence", "list", items=(item,))


def mapping(item: Value | None) -> Value:
    """A dict whose values are all like this one."""
    return Value("sequence", "dict", items=(item,)) if item else literal("dict")


def join(values: Iterable[Value | None]) -> Value | None:
    """What is certain of something that is one of these: None where they disagree. `None` itself only makes it less sure."""
    found = list(values)
    kept = [value for value in found if value is None or value.name != "None"]
    if not kept:
        return found[0] if found else None
    result = kept[0]
    for value in kept[1:]:
        result = meet(result, value)
    return result.unsure() if result and len(kept) < len(found) else result


def meet(one: Value | None, other: Value | None) -> Value | None:
    if one is None or other is None:
        return None
    sure = one.sure and other.sure
    if (one.kind, one.name) == (other.kind, other.name):
        same = len(one.items) == len(other.items)
        items = tuple(map(meet, one.items, other.items)) if same else ()
        return replace(one, sure=sure, items=items)
    if one.kind == other.kind == "literal":
        return Value("literal", "object", sure=sure)
    if one.base and one.base == other.base and {one.kind, other.kind} <= {"instance", "tensor"}:
        return Value("tensor" if one.base == "torch.Tensor" else "instance", one.base, sure=one.kind == "tensor" and sure)
    return None


def carried(value: Value | None, there: Flow, here: Flow) -> Value | None:
    """What one file knows, as another file has it: a `node` is always one of the file that asks."""
    if value is None or not (value.written or value.items):
        return value
    items = tuple(carried(item, there, here) for item in value.items)
    away = Definition(there, value.node) if value.node else value.away
    if away and away.flow is here:
        return replace(value, items=items, node=away.node, away=None)
    return replace(value, items=items, node=None, away=away)


def doubt(value: Value | None, sure: bool) -> Value | None:
    """The value, with what is only likely about where it came from."""
    if value is None or sure:
        return value
    return replace(value, sure=False, items=tuple(doubt(item, False) for item in value.items))


def element(value: Value | None) -> Value | None:
    """What iterating over it gives."""
    if value is None:
        return None
    if value.kind == "tensor":
        return replace(value, name="torch.Tensor")
    if value.kind == "sequence" and value.name != "dict":
        return join(value.items) if value.items else None
    if value.name == "torch.Size":
        return literal("int")
    if value.is_a("torch.utils.data.DataLoader"):
        return Value("sequence", "batch", sure=False, items=(LIKELY_TENSOR,))
    if value.name in ("torch.nn.ModuleList", "torch.nn.Sequential"):
        return join(value.items) if value.items else MODULE
    return PARAMETER if value.name == "torch.nn.ParameterList" else None


def project(value: Value | None, path: tuple[int, ...] | None) -> Value | None:
    """The part of it that unpacking gives: `(1,)` is the second of `a, b = value`."""
    if path is None:
        return None
    for index in path:
        if value and value.kind == "sequence" and value.name == "tuple":
            value = value.items[index] if index < len(value.items) else None
        else:
            value = element(value)
    return value
