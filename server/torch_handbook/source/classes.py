"""The classes of a file: what they derive from, which attributes their methods set, and whose `self` a parameter is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from torch_handbook.source.resolve import Names
from torch_handbook.source.scopes import Binding
from torch_handbook.source.tree import Tree
from torch_handbook.source.value import Value

if TYPE_CHECKING:
    from torch_handbook.source.flow import Flow

Method: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
ANCESTORS = 60
# Classes of other packages that are known to derive from torch's, by the last part of their names.
ELSEWHERE = {
    "LightningModule": "torch.nn.Module",
    "PreTrainedModel": "torch.nn.Module",
    "ModelMixin": "torch.nn.Module",
    "BaseModule": "torch.nn.Module",
    "VisionDataset": "torch.utils.data.Dataset",
    "LightningDataModule": "",
}


@dataclass(frozen=True)
class Bases:
    """What a class derives from: classes of the workspace in the order in which they are written, and classes of torch.

    `complete` is false where a base is neither.
    """

    written: tuple[Value, ...] = ()
    torch: tuple[str, ...] = ()
    complete: bool = True
    torch_first: bool = False  # the first of all


@dataclass(eq=False)
class Classes:
    """The classes of one tree."""

    flow: Flow
    parents: dict[ast.ClassDef, Bases] = field(default_factory=dict[ast.ClassDef, Bases])

    @property
    def tree(self) -> Tree:
        return self.flow.tree

    @property
    def names(self) -> Names:
        return self.flow.names

    @cached_property
    def attributes(self) -> dict[ast.ClassDef, dict[str, list[Binding]]]:
        """What the methods of each class assign to `self`."""
        found: dict[ast.ClassDef, dict[str, list[Binding]]] = {}
        for binding in self.tree.attributes:
            owner = self.owner_of(binding.node.value) if isinstance(binding.node, ast.Attribute) else None
            if owner:
                found.setdefault(owner, {}).setdefault(binding.name, []).append(binding)
        for call in self.tree.registrations:
            owner = self.owner_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
            if owner and len(call.args) > 1 and isinstance(call.args[0], ast.Constant):
                name = str(call.args[0].value)
                found.setdefault(owner, {}).setdefault(name, []).append(registered(name, call))
        return found

    def owner_of(self, node: ast.expr) -> ast.ClassDef | None:
        """The class whose `self` a name is."""
        if not isinstance(node, ast.Name):
            return None
        scope = self.tree.scope_of(node).find(node.id)
        if scope is None or scope.kind != "function" or not isinstance(scope.node, METHODS):
            return None
        owner = self.class_of(scope.node)
        return owner if owner and first_parameter(scope.node) == node.id and kind_of(scope.node) == "method" else None

    def class_of(self, method: ast.AST) -> ast.ClassDef | None:
        """The class that a function is a method of."""
        home = self.tree.homes.get(method)
        return home.node if home and home.kind == "class" and isinstance(home.node, ast.ClassDef) else None

    def lineage(self, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """The class and those of this file that it derives from, nearest first."""
        return (here for home, here in self.ancestry(node) if home is self)

    def ancestry(self, node: ast.ClassDef) -> Iterator[tuple[Classes, ast.ClassDef]]:
        """The class and those of the workspace that it derives from, nearest first, each with the classes of its file."""
        waiting: list[tuple[Classes, ast.ClassDef]] = [(self, node)]
        seen = set[ast.ClassDef]()
        while waiting and len(seen) < ANCESTORS:
            home, here = waiting.pop(0)
            if here in seen:
                continue
            seen.add(here)
            yield home, here
            above = [home.flow.home_of(base) for base in home.bases_of(here).written]
            waiting = [(flow.classes, base) for flow, base in above if isinstance(base, ast.ClassDef)] + waiting

    def torch_bases(self, node: ast.ClassDef) -> tuple[tuple[str, ...], bool]:
        """The classes of torch that it derives from, and whether that is more than a guess from its `forward` method."""
        found: dict[str, None] = {}
        known = True
        for home, here in self.ancestry(node):
            bases = home.bases_of(here)
            found.update(dict.fromkeys(bases.torch))
            known = known and bases.complete
        if not found and not known and self.looks_like_module(node):
            return ("torch.nn.Module",), False
        return tuple(found), True

    def looks_like_module(self, node: ast.ClassDef) -> bool:
        """Whether a class with a base from elsewhere has what networks have: `forward` and layers of its own."""
        if "forward" not in self.tree.scopes[node].bindings:
            return False
        values = [binding.value for found in self.attributes.get(node, {}).values() for binding in found]
        called = [self.names.of(value.func) or "" for value in values if isinstance(value, ast.Call)]
        return any(name.startswith("torch.nn.") for name in called)

    def bases_of(self, node: ast.ClassDef) -> Bases:
        """What a class derives from directly."""
        if node not in self.parents:
            self.parents[node] = Bases()  # while it is being found out, since a class may name itself
            self.parents[node] = self.find_bases(node)
        return self.parents[node]

    def find_bases(self, node: ast.ClassDef) -> Bases:
        written: list[Value] = []
        torch: list[str] = []
        complete = True
        for base in node.bases:
            name = self.names.of(base) or ""
            found = None if name.startswith("torch.") else self.definition_of(base)
            elsewhere = ELSEWHERE.get((name or ast.unparse(base)).rpartition(".")[2])
            if name.startswith("torch."):
                torch.append(name)
            elif found:
                written.append(found)
            elif elsewhere:
                torch.append(elsewhere)
            elif not (isinstance(base, ast.Name) and base.id == "object"):
                complete = False
        first = self.names.of(node.bases[0]) if node.bases else None
        return Bases(tuple(written), tuple(torch), complete, first is not None and first.startswith("torch."))

    def definition_of(self, node: ast.expr) -> Value | None:
        """The class of the workspace that a name means, if it can mean nothing else."""
        bindings = self.names.bindings(node) if isinstance(node, ast.Name) else []
        found = bindings[0].node if len(bindings) == 1 else None
        if isinstance(found, ast.ClassDef):
            return Value("class", found.name, node=found)
        value = self.flow.of_export(self.names.elsewhere(node))
        return value if value and value.kind == "class" and value.away and isinstance(value.away.node, ast.ClassDef) else None

    def own(self, node: ast.ClassDef, name: str) -> list[Binding]:
        """What a class itself gives an attribute of its instances, in its methods or its body."""
        inside = self.tree.scopes[node].bindings.get(name, [])
        return self.attributes.get(node, {}).get(name, []) + [binding for binding in inside if not binding.foreign]

    def lookup(self, node: ast.ClassDef, name: str) -> list[Binding]:
        """What gives an attribute of an instance its value: the nearest class of this file that sets it."""
        found = (self.own(here, name) for here in self.lineage(node))
        return next((bindings for bindings in found if bindings), list[Binding]())

    def member(self, node: ast.ClassDef, name: str) -> tuple[Flow, list[Binding]] | None:
        """The same in all files of the workspace, with what is known in the file where it was found."""
        found = ((home.flow, home.own(here, name)) for home, here in self.ancestry(node))
        return next((one for one in found if one[1]), None)


def registered(name: str, call: ast.Call) -> Binding:
    return Binding(name, "assign", call.args[0], call.lineno, call.col_offset, call.args[1])


def first_parameter(function: Method) -> str | None:
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[0].arg if positional else None


def kind_of(function: Method) -> str:
    """Whether a function in a class is a plain method, or "staticmethod", "classmethod", "property"."""
    for decorator in function.decorator_list:
        name = decorator.id if isinstance(decorator, ast.Name) else decorator.attr if isinstance(decorator, ast.Attribute) else ""
        if name in ("staticmethod", "classmethod", "property", "cached_property"):
            return "property" if name == "cached_property" else name
    return "classmethod" if function.name in ("__init_subclass__", "__class_getitem__", "__new__") else "method"
