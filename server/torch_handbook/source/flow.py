"""What values are, told from the file alone: constructors, annotations, results of torch's functions, `self`, loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from torch_handbook.source import results
from torch_handbook.source.annotations import Annotations
from torch_handbook.source.bindings import part_of
from torch_handbook.source.classes import METHODS, Classes, Method, kind_of
from torch_handbook.source.imports import Export
from torch_handbook.source.narrowing import Checks
from torch_handbook.source.parameters import Parameters
from torch_handbook.source.resolve import Names
from torch_handbook.source.scopes import Binding
from torch_handbook.source.torch_names import members, words
from torch_handbook.source.tree import Tree
from torch_handbook.source.value import (
    LIKELY_TENSOR,
    PARAMETER,
    TENSOR,
    Value,
    carried,
    doubt,
    element,
    join,
    literal,
    many,
    project,
)

DEPTH = 60
WEIGHTS = {"weight": PARAMETER, "bias": PARAMETER, "running_mean": TENSOR, "running_var": TENSOR, "in_proj_weight": PARAMETER}
PLAIN = words("T H mT mH data grad real imag shape dtype device layout ndim is_leaf requires_grad")  # no methods
METHOD_NAMES = members("torch.Tensor") - PLAIN


@dataclass(eq=False)
class Flow:
    """Answers for one tree, remembered.

    While a loop feeds a binding into itself, that binding says nothing yet; what was found meanwhile is only remembered
    until the outermost question is answered.
    """

    tree: Tree
    names: Names
    finders: Mapping[type[ast.expr], Callable[[Flow, Any], Value | None]]
    known: dict[ast.AST, Value | None] = field(default_factory=dict[ast.AST, "Value | None"])
    called: dict[ast.AST, str | None] = field(default_factory=dict[ast.AST, "str | None"])
    torch: bool | None = None  # whether the file imports it, once that is known

    def __post_init__(self) -> None:
        self.search = self.names.search
        self.classes = Classes(self)
        self.annotations = Annotations(self.of, self.tree.graft)
        self.checks = Checks(self.tree)
        self.parameters = Parameters(self.tree, self.classes)

    def of(self, node: ast.expr) -> Value | None:
        """What the value of an expression is; None where the file does not say."""
        if node in self.known:
            return self.known[node]
        with self.search.lock:
            return self.find(node)

    def find(self, node: ast.expr) -> Value | None:
        search = self.search
        for memory in (self.known, search.tentative):
            if node in memory:
                return memory[node]
        finder = self.finders.get(type(node))
        if finder is None or search.depth > DEPTH:
            search.skipped = search.skipped or finder is not None
            return None
        search.depth += 1
        before, search.skipped = search.skipped, False
        try:
            value = finder(self, node)
        finally:
            search.depth -= 1
        memory = search.tentative if search.skipped and search.depth else self.known
        memory[node] = value
        search.skipped = search.skipped or before
        if not search.depth:
            search.tentative.clear()
            search.skipped = False
        return value

    def guarded(self, key: object, find: Callable[[], Value | None]) -> Value | None:
        """What `find` says, or nothing where the question has come back to itself."""
        self.search.busy.add(key)
        try:
            return find()
        finally:
            self.search.busy.discard(key)

    def joined(self, bindings: Iterable[Binding]) -> Value | None:
        """What a name or attribute is that all of these may have bound."""
        values: list[Value | None] = []
        for binding in bindings:
            if binding in self.search.busy:
                self.search.skipped = True
                continue
            values.append(self.guarded(binding, lambda binding=binding: self.of_binding(binding)))
        return join(values)

    def of_binding(self, binding: Binding) -> Value | None:
        if binding.annotation is not None and binding.kind != "parameter":
            found = self.annotations.read(binding.annotation)
            return found if found or binding.value is None else self.of(binding.value)
        if binding.kind == "assign" and binding.value:
            return self.unpacked(binding.value, binding.path)
        if binding.kind == "for" and binding.value:
            return project(element(self.of(binding.value)), binding.path)
        if binding.kind == "with" and binding.value:
            return project(self.of(binding.value), binding.path)
        if binding.kind == "parameter":
            return self.of_parameter(binding)
        if binding.kind == "augment" and isinstance(binding.node, (ast.Name, ast.Attribute)) and binding.value:
            return arithmetic(self.of(binding.node), self.of(binding.value))
        if binding.kind == "import":
            return self.of_export(self.names.imports.of(self.tree, binding))
        return self.of_definition(binding.node)

    def of_export(self, export: Export | None) -> Value | None:
        """What a name of another file of the workspace is."""
        if export is None or export.node is None:
            return None
        return carried(export.file.flow.of(export.node), export.file.flow, self)

    def home_of(self, value: Value) -> tuple[Flow, ast.AST | None]:
        """Where a value's class or function is defined, and its definition there."""
        return (value.away.flow, value.away.node) if value.away else (self, value.node)

    def brought(self, value: Value | None, home: Flow) -> Value | None:
        """What another file, or this one, says of something, as this file has it."""
        return value if home is self else carried(value, home, self)

    def member(self, owner: Value, name: str) -> tuple[Flow, list[Binding]] | None:
        """What gives an attribute of an instance of a class of the workspace its value, and the file that it is in."""
        home, node = self.home_of(owner)
        return home.classes.member(node, name) if isinstance(node, ast.ClassDef) else None

    def unpacked(self, value: ast.expr, path: tuple[int, ...] | None) -> Value | None:
        """The part of a value that an assignment gives to one of its targets."""
        if path is None:
            return None
        found = part_of(value, path)
        return project(self.of(found[0]), found[1]) if found else None

    def of_definition(self, node: ast.AST) -> Value | None:
        """A class or function of this file; imports are answered by their names before."""
        if isinstance(node, ast.ClassDef):
            bases, sure = self.classes.torch_bases(node)
            return Value("class", node.name, bases, sure, node=node)
        return Value("function", node.name, node=node) if isinstance(node, METHODS) else None

    def of_parameter(self, binding: Binding) -> Value | None:
        """A parameter: by its annotation, as `self`, or as the tensor that `forward` is given."""
        if binding.path is None:
            return None
        if binding.annotation is not None:
            return self.annotations.read(binding.annotation)
        role = self.parameters.role_of(binding)
        if role in ("self", "cls"):
            owner = self.of_definition(self.parameters.class_of(binding))
            return replace(owner, kind="instance" if role == "self" else "class") if owner else None
        if role == "context":
            return Value("instance", "torch.autograd.function.FunctionCtx")
        return LIKELY_TENSOR if role == "tensor" else None

    def name_of(self, node: ast.expr) -> str | None:
        """The public dotted name that an expression refers to through imports, re-bindings and attributes of `self`."""
        if node in self.called:  # most rules ask this of every call
            return self.called[node]
        found = self.names.of(node) or self.name_held(node)
        if not self.search.depth:
            self.called[node] = found
        return found

    def name_held(self, node: ast.expr) -> str | None:
        """The function or class that an attribute of `self` holds: "torch.relu" for `self.act` after `self.act = torch.relu`."""
        if not isinstance(node, ast.Attribute):
            return None
        owner = self.of(node.value)
        member = self.member(owner, node.attr) if owner else None
        found = {member[0].names.of_binding(binding) for binding in member[1]} if member else set[str | None]()
        return found.pop() if len(found) == 1 else None

    def attribute(self, owner: Value, name: str) -> Value | None:
        """What an attribute of a value is, methods left out."""
        if owner.kind == "tensor":
            return doubt(results.of_tensor(name, None), owner.sure) if name not in METHOD_NAMES else None
        if owner.kind == "sequence" and owner.name != "dict" and owner.items and name in ("values", "indices", "min", "max"):
            return owner.items[0]
        if member := self.member(owner, name):
            home, found = member
            return self.brought(home.of_member(found), home)
        if owner.name == "torch.autograd.function.FunctionCtx" and name == "saved_tensors":
            return many(TENSOR)
        return WEIGHTS.get(name) if owner.base == "torch.nn.Module" and owner.kind == "instance" else None

    def of_member(self, found: list[Binding]) -> Value | None:
        """What the bindings of an attribute make of it; a property is what its function returns."""
        function = found[0].node
        if len(found) == 1 and isinstance(function, METHODS) and kind_of(function) == "property":
            return self.returned(function)
        return self.joined(found)

    def contradicts(self, function: Method) -> bool:
        """Whether a function is annotated to return None, and yet returns something that it makes."""
        annotated = isinstance(function.returns, ast.Constant) and function.returns.value is None
        return annotated and any(isinstance(one, ast.Call) for one in self.parameters.returns_of(function) or ())

    def returned(self, function: Method) -> Value | None:
        """What a function of this file returns: by its annotation, else what all its `return` statements agree on."""
        annotated = function.returns is not None and not self.contradicts(function)
        if annotated and function.returns is not None:
            found = self.annotations.read(function.returns)
            if found or isinstance(function, ast.AsyncFunctionDef):
                return found
        if function in self.search.busy:
            self.search.skipped = True
            return None
        expressions = self.parameters.returns_of(function)
        if expressions is None:
            return None
        result = self.guarded(function, lambda: join([self.of(one) if one else literal("None") for one in expressions]))
        # Where the annotation says something else, a guess is not worth much.
        return None if annotated and result and result.kind == "tensor" and not result.sure else result


def arithmetic(left: Value | None, right: Value | None) -> Value | None:
    """The result of an operator: a tensor as soon as one side is; likely one where the left side, which decides, is not known."""
    tensors = [side for side in (left, right) if side and side.kind == "tensor"]
    if tensors:
        return TENSOR if left and any(side.sure for side in tensors) else LIKELY_TENSOR
    if left and right and left.kind == right.kind == "literal":
        return literal(left.name if left.name == right.name else "number")
    return None
