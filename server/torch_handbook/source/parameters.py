"""What a function's parameters are for when nothing is annotated, and what the function returns."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from torch_handbook.source.classes import METHODS, Classes, Method, first_parameter, kind_of
from torch_handbook.source.evidence import Evidence
from torch_handbook.source.scopes import Binding
from torch_handbook.source.tree import COMPREHENSIONS, Tree

Role: TypeAlias = Literal["self", "cls", "tensor", "context"]
PLAIN = frozenset(
    ("staticmethod", "classmethod", "property", "cached_property", "override", "no_grad", "inference_mode", "enable_grad")
)
OPAQUE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, *COMPREHENSIONS)


@dataclass(eq=False)
class Parameters:
    """The parameters and returns of one tree's functions."""

    tree: Tree
    classes: Classes
    ends: dict[ast.AST, list[ast.expr | None] | None] = field(default_factory=dict[ast.AST, "list[ast.expr | None] | None"])

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.tree, self.classes.names)

    def function_of(self, binding: Binding) -> ast.AST | None:
        arguments = self.tree.parents.get(binding.node)
        return self.tree.parents.get(arguments) if arguments else None

    def class_of(self, binding: Binding) -> ast.ClassDef:
        function = self.function_of(binding)
        owner = self.classes.class_of(function) if function else None
        assert owner is not None, "only asked for `self` and `cls`"
        return owner

    def role_of(self, binding: Binding) -> Role | None:
        """`self`, `cls`, the `ctx` of an autograd function, or a tensor, which is what the function's own use of it shows."""
        function = self.function_of(binding)
        if not isinstance(function, METHODS):
            return None
        owner = self.classes.class_of(function)
        if owner is None:
            return "tensor" if self.is_used_as_tensor(binding, function, False) else None
        kind, first = kind_of(function), first_parameter(function) == binding.name
        if first and kind != "staticmethod":
            return "cls" if kind == "classmethod" else "self"
        bases, _ = self.classes.torch_bases(owner)
        if "torch.autograd.Function" in bases and function.name in ("forward", "backward"):
            return "context" if first else "tensor" if self.can_be_tensor(binding, function) else None
        network = any(base.startswith("torch.nn.") for base in bases) and function.name != "__init__"
        if network and function.name == "forward":
            return "tensor" if self.can_be_tensor(binding, function) else None
        return "tensor" if self.is_used_as_tensor(binding, function, network) else None

    def can_be_tensor(self, binding: Binding, function: Method) -> bool:
        """Whether neither the default nor any use speaks against it."""
        if isinstance(binding.value, ast.Constant) and binding.value.value is not None:
            return False
        if isinstance(binding.value, (ast.Tuple, ast.List, ast.Dict)):
            return False
        return self.evidence.may_be_tensor(function, binding.name)

    def is_used_as_tensor(self, binding: Binding, function: Method, in_network: bool) -> bool:
        """The same, and some use speaks for it."""
        name = binding.name
        arrays = in_network or self.evidence.without_numpy
        return self.evidence.speaks_for_tensor(function, name, arrays) and self.can_be_tensor(binding, function)

    def returns_of(self, function: Method) -> list[ast.expr | None] | None:
        """The expressions that a function returns; None where calling it gives something else, as for generators."""
        if function not in self.ends:
            plain = not isinstance(function, ast.AsyncFunctionDef) and all(map(is_plain, function.decorator_list))
            self.ends[function] = returned(function) if plain else None
        return self.ends[function]


def is_plain(decorator: ast.expr) -> bool:
    """Whether a decorator leaves alone what the function returns."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "") in PLAIN


def returned(function: Method) -> list[ast.expr | None] | None:
    found: list[ast.expr | None] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return None
        if isinstance(node, ast.Return):
            found.append(node.value)
        if not isinstance(node, OPAQUE):
            waiting.extend(ast.iter_child_nodes(node))
    return found or [None]
