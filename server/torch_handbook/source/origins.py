"""Which operation made a value: looked for behind names, unpacking, helper functions and the networks of the file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_handbook.source.callers import FUNCTIONS, Callers, Function
from torch_handbook.source.scopes import Binding
from torch_handbook.source.value import Value

if TYPE_CHECKING:
    from torch_handbook.source.file import File

# Methods of a tensor that change neither its values nor their meaning.
RETYPED = frozenset({"to", "float", "double", "half", "bfloat16", "type", "cuda", "cpu", "contiguous", "clone"})
RESHAPED = frozenset({"view", "reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose"})
DEPTH = 12
Path = tuple[int, ...]


@dataclass(frozen=True)
class Origin:
    """One operation that may have made a value: its public name, "" where it is not known, and the expression that does it."""

    name: str
    node: ast.expr


@dataclass(frozen=True, eq=False)
class Origins:
    """Answers for one file."""

    file: File
    callers: Callers

    def of(self, node: ast.expr, path: Path = (), depth: int = 0) -> list[Origin]:
        """All operations that may have made the value of an expression, or the part of it that unpacking at `path` gives."""
        if depth > DEPTH:
            return [Origin("", node)]
        if isinstance(node, ast.Name):
            return self.of_name(node, path, depth)
        if isinstance(node, (ast.Tuple, ast.List)) and path and path[0] < len(node.elts):
            return self.of(node.elts[path[0]], path[1:], depth + 1)
        if isinstance(node, ast.NamedExpr):
            return self.of(node.value, path, depth + 1)
        if isinstance(node, ast.IfExp):
            return [*self.of(node.body, path, depth + 1), *self.of(node.orelse, path, depth + 1)]
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
            return self.of(node.value, (node.slice.value, *path), depth + 1)
        return self.of_call(node, path, depth) if isinstance(node, ast.Call) else [Origin("", node)]

    def of_name(self, node: ast.Name, path: Path, depth: int) -> list[Origin]:
        bindings = self.file.names.bindings(node)
        found: list[Origin] = []
        for binding in bindings:
            if binding.kind != "assign" or binding.value is None or binding.path is None:
                return [Origin("", node)]
            found += self.of(binding.value, (*binding.path, *path), depth + 1)
        return found or [Origin("", node)]

    def of_call(self, call: ast.Call, path: Path, depth: int) -> list[Origin]:
        name = self.file.name_of(call.func)
        if name is not None:
            return [Origin("" if path else name, call)]
        function = self.function_of(call)
        if function is not None:
            return self.of_returns(function, path, depth) or [Origin("", call)]
        if isinstance(call.func, ast.Attribute):
            owner = self.file.value_of(call.func.value)
            if owner is not None and owner.kind == "tensor":
                if call.func.attr in RETYPED | RESHAPED and not path:
                    return self.of(call.func.value, (), depth + 1)
                return [Origin("" if path else f"torch.Tensor.{call.func.attr}", call)]
        return self.of_instance_call(call, path, depth)

    def of_instance_call(self, call: ast.Call, path: Path, depth: int) -> list[Origin]:
        found: list[Origin] = []
        for value in self.instances(call.func):
            found += self.of_called(value, call, path, depth)
        return found or [Origin("", call)]

    def of_called(self, value: Value, call: ast.expr, path: Path, depth: int) -> list[Origin]:
        """What calling an instance gives: the result of its forward, of its last layer, or of the torch module that it is."""
        if isinstance(value.node, ast.ClassDef):
            forward = next(iter(self.file.flow.classes.lookup(value.node, "forward")), None)
            if forward is not None and isinstance(forward.node, FUNCTIONS):
                return self.of_returns(forward.node, path, depth) or [Origin("", call)]
            return [Origin("", call)]
        if value.written:
            return [Origin("", call)]
        if value.name == "torch.nn.Sequential":
            last = value.items[-1] if value.items else None
            inside = call.func if isinstance(call, ast.Call) else call
            return self.of_called(last, inside, path, depth + 1) if last is not None else [Origin("", call)]
        return [Origin("" if path else value.name, call)]

    def of_returns(self, function: Function, path: Path, depth: int) -> list[Origin]:
        expressions = self.file.flow.parameters.returns_of(function) or []
        found: list[Origin] = []
        for expression in expressions:
            if expression is not None:
                found += self.of(expression, path, depth + 1)
        return found

    def function_of(self, call: ast.Call) -> Function | None:
        """The function or method of this file that a call runs."""
        if isinstance(call.func, ast.Name):
            meant = self.file.names.bindings(call.func)
            node = meant[0].node if len(meant) == 1 else None
            return node if isinstance(node, FUNCTIONS) else None
        if isinstance(call.func, ast.Attribute):
            owner = self.file.value_of(call.func.value)
            if owner is not None and owner.kind == "instance" and isinstance(owner.node, ast.ClassDef):
                found = self.file.flow.classes.lookup(owner.node, call.func.attr)
                node = found[0].node if len(found) == 1 else None
                return node if isinstance(node, FUNCTIONS) else None
        return None

    def instances(self, node: ast.expr) -> list[Value]:
        """The objects that an expression may be; a parameter is what the calls in the file give. Empty where one is unknown."""
        value = self.file.value_of(node)
        given = [self.given(binding) for binding in self.parameters(node)]
        if given and all(given):
            return [one for values in given for one in values]
        return [value] if value is not None and value.kind == "instance" and value.sure else []

    def parameters(self, node: ast.expr) -> Iterator[Binding]:
        """The parameters that a name may be, if it can be nothing else."""
        bindings = self.file.names.bindings(node) if isinstance(node, ast.Name) else []
        if all(binding.kind == "parameter" for binding in bindings):
            yield from bindings

    def given(self, parameter: Binding) -> list[Value]:
        arguments = self.callers.arguments_of(parameter)
        values = [self.file.value_of(argument) for argument in arguments or ()]
        return [value for value in values if value is not None and value.kind == "instance"] if None not in values else []


def given_by(binding: Binding) -> ast.expr | None:
    """The expression that a binding takes its value from: the 0 of `a, b = 0, []` for `a`."""
    value = binding.value
    for index in binding.path or ():
        if not isinstance(value, (ast.Tuple, ast.List)) or index >= len(value.elts):
            return None
        value = value.elts[index]
    return value if binding.path is not None else None
