"""Who calls the functions of a file, and what their parameters are given."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from torch_handbook.source.scopes import Binding

if TYPE_CHECKING:
    from torch_handbook.source.file import File

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, eq=False)
class Callers:
    """Answers for one file. They hold for functions that are only ever called by their plain name."""

    file: File

    @cached_property
    def names(self) -> dict[str, list[ast.Name]]:
        """Every place where a name is read, by the name."""
        found: dict[str, list[ast.Name]] = {}
        for name, nodes in self.file.index.names.items():
            found[name] = [node for node in nodes if isinstance(node.ctx, ast.Load)]
        return found

    def calls_of(self, function: Function) -> list[ast.Call] | None:
        """The calls of a function; None where it is also used in another way, or a name may mean something else."""
        if function.decorator_list and not all(map(self.is_gradient_mode, function.decorator_list)):
            return None
        if not isinstance(self.file.parent_of(function), (ast.Module, ast.If, ast.FunctionDef)):
            return None  # a method: it may be called from anywhere
        calls: list[ast.Call] = []
        for name in self.names.get(function.name, ()):
            meant = [binding.node for binding in self.file.names.bindings(name)]
            if function not in meant:
                continue
            parent = self.file.parent_of(name)
            if len(meant) > 1 or not isinstance(parent, ast.Call) or parent.func is not name:
                return None
            calls.append(parent)
        return calls

    def is_gradient_mode(self, decorator: ast.expr) -> bool:
        """Whether a decorator leaves alone what the function takes and gives."""
        name = self.file.name_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
        return name in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode")

    def arguments_of(self, parameter: Binding) -> list[ast.expr] | None:
        """What all calls in the file give for a parameter; None where that is not certain, or nobody calls."""
        arguments = self.file.parent_of(parameter.node)
        function = self.file.parent_of(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS) or parameter.path is None:
            return None
        calls = self.calls_of(function)
        if not calls:
            return None
        given = [argument_of(call, function, parameter.name) for call in calls]
        return None if None in given else [one for one in given if one is not None]


def argument_of(call: ast.Call, function: Function, name: str) -> ast.expr | None:
    """What a call gives for a parameter, its default included; None where a star may hold it."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if any(keyword.arg is None for keyword in call.keywords) or any(isinstance(item, ast.Starred) for item in call.args):
        return None
    positional = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if name not in positional:
        return None
    index = positional.index(name)
    if index < len(call.args):
        return call.args[index]
    default = index - len(positional)
    return function.args.defaults[default] if -default <= len(function.args.defaults) else None
