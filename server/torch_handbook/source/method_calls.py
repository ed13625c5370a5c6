"""What the methods of a file's classes are given, by the calls in the same file."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from torch_handbook.source.callers import FUNCTIONS, argument_of
from torch_handbook.source.scopes import Binding

if TYPE_CHECKING:
    from torch_handbook.source.file import File


@dataclass(frozen=True, eq=False)
class MethodCalls:
    """Answers for one file. A method may be called from other files as well: what is found is some of what it is given."""

    file: File

    @cached_property
    def calls(self) -> dict[ast.AST, list[ast.Call]]:
        """The calls of each method: `model(x)` for `forward`, `self.pool(x)` for `pool`."""
        found: dict[ast.AST, list[ast.Call]] = {}
        for node in self.file.grown.nodes:
            method = self.method_of(node) if isinstance(node, ast.Call) else None
            if method is not None and isinstance(node, ast.Call):
                found.setdefault(method, []).append(node)
        return found

    def method_of(self, call: ast.Call) -> ast.AST | None:
        value = self.file.value_of(call.func)
        if value is not None and value.kind == "instance" and isinstance(value.node, ast.ClassDef):
            return self.lookup(value.node, "forward" if value.base == "torch.nn.Module" else "__call__")
        if not isinstance(call.func, ast.Attribute):
            return None
        owner = self.file.value_of(call.func.value)
        if owner is not None and owner.kind == "instance" and isinstance(owner.node, ast.ClassDef):
            return self.lookup(owner.node, call.func.attr)
        return None

    def lookup(self, owner: ast.ClassDef, name: str) -> ast.AST | None:
        found = self.file.flow.classes.lookup(owner, name)
        return found[0].node if len(found) == 1 else None

    def given(self, parameter: Binding) -> list[ast.expr]:
        """What the calls in the file give for a parameter of a method."""
        arguments = self.file.parent_of(parameter.node)
        function = self.file.parent_of(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS) or parameter.path is None or function not in self.calls:
            return []
        rows = [argument_of(shifted(call), function, parameter.name) for call in self.calls[function]]
        return [row for row in rows if row is not None]


def shifted(call: ast.Call) -> ast.Call:
    """The call with `self` in the first place."""
    return ast.Call(call.func, [call.func, *call.args], call.keywords)
