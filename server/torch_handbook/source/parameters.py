"""What a function's parameters are for when nothing is annotated, and what the function returns."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from torch_handbook.source.classes import METHODS, Classes, Method, first_parameter, kind_of
from torch_handbook.source.scopes import Binding
from torch_handbook.source.torch_names import members
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

    def function_of(self, binding: Binding) -> ast.AST | None:
        arguments = self.tree.parents.get(binding.node)
        return self.tree.parents.get(arguments) if arguments else None

    def class_of(self, binding: Binding) -> ast.ClassDef:
        function = self.function_of(binding)
        owner = self.classes.class_of(function) if function else None
        assert owner is not None, "only asked for `self` and `cls`"
        return owner

    def role_of(self, binding: Binding) -> Role | None:
        """`self`, `cls`, the `ctx` of an autograd function, or a tensor that `forward` most likely gets."""
        function = self.function_of(binding)
        if not isinstance(function, METHODS):
            return None
        owner = self.classes.class_of(function)
        if owner is None:
            return None
        kind, first = kind_of(function), first_parameter(function) == binding.name
        if first and kind != "staticmethod":
            return "cls" if kind == "classmethod" else "self"
        bases, _ = self.classes.torch_bases(owner)
        if "torch.autograd.Function" in bases and function.name in ("forward", "backward"):
            return "context" if first else "tensor" if self.used_as_tensor(binding, function) else None
        derived = any(base.startswith("torch.nn.") for base in bases)
        return "tensor" if function.name == "forward" and derived and self.used_as_tensor(binding, function) else None

    def used_as_tensor(self, binding: Binding, function: Method) -> bool:
        """Whether nothing in the function speaks against it: a default, a key, a call, or a member that no tensor has."""
        if isinstance(binding.value, ast.Constant) and binding.value.value is not None:
            return False
        if isinstance(binding.value, (ast.Tuple, ast.List, ast.Dict)):
            return False
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id == binding.name and not self.fits(node):
                return False
        return True

    def fits(self, node: ast.Name) -> bool:
        """Whether this use of a name may be one of a tensor."""
        parent = self.tree.parents.get(node)
        if isinstance(parent, ast.Attribute):
            return parent.attr in members("torch.Tensor")
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return not (isinstance(parent.slice, ast.Constant) and isinstance(parent.slice.value, str))
        if isinstance(parent, ast.Call) and parent.func is node:
            return False
        return not isinstance(parent, (ast.Starred, ast.BoolOp)) and not (isinstance(parent, ast.keyword) and parent.arg is None)

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
