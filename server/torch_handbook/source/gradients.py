"""Where a file turns gradients off, and what it calls backward on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from torch_handbook.source.scopes import Binding

if TYPE_CHECKING:
    from torch_handbook.source.file import File

OFF = frozenset({"torch.no_grad", "torch.inference_mode", "torch.set_grad_enabled"})
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEPTH = 8


@dataclass(frozen=True, eq=False)
class Gradients:
    """Answers for one file."""

    file: File

    @cached_property
    def never(self) -> bool:
        """Whether the file switches gradients off for good, somewhere: `torch.set_grad_enabled(False)` as a statement."""
        return any(
            isinstance(self.file.parent_of(call), ast.Expr) and self.file.name_of(call.func) == "torch.set_grad_enabled"
            for call in self.calls
        )

    @cached_property
    def calls(self) -> list[ast.Call]:
        return self.file.index.all(ast.Call)

    def off_at(self, node: ast.AST) -> bool:
        """Whether a statement runs, or may run, without gradients: by a `with` around it or by a decorator."""
        if self.never:
            return True
        for around in self.file.grown.ancestors(node):
            if isinstance(around, (ast.With, ast.AsyncWith)) and any(self.is_off(item.context_expr) for item in around.items):
                return True
            if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return any(self.is_off(decorator) for decorator in around.decorator_list)
        return False

    def is_off(self, expression: ast.expr) -> bool:
        """Whether a context manager turns gradients off; a local name that speaks of gradients counts as well."""
        call = expression.func if isinstance(expression, ast.Call) else expression
        name = self.file.name_of(call)
        if isinstance(expression, ast.IfExp):
            return self.is_off(expression.body) or self.is_off(expression.orelse)
        return name in OFF or (name is None and isinstance(call, ast.Name) and "grad" in call.id)

    @cached_property
    def backwards(self) -> list[ast.Call]:
        """Every call that runs a graph backward, or may: `loss.backward()`, `accelerator.backward(loss)`, `autograd.grad(…)`."""
        return [call for call in self.calls if self.is_backward(call)]

    def is_backward(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute) and "backward" in call.func.attr and "hook" not in call.func.attr:
            return True
        return self.file.name_of(call.func) in ("torch.autograd.grad", "torch.autograd.backward")

    def keeps_graph(self, call: ast.Call) -> bool:
        """Whether a backward leaves the graph as it is, for another one."""
        return any(keyword.arg in ("retain_graph", "create_graph", None) for keyword in call.keywords)

    def freed_by(self, call: ast.Call) -> set[Binding]:
        """The bindings of the names whose graph a backward runs through: the loss, and the parts that it was summed from."""
        found: set[Binding] = set()
        for expression in (call.func, *call.args):
            for name in self.summands(
                expression.value if expression is call.func and isinstance(expression, ast.Attribute) else expression
            ):
                self.follow(name, found, DEPTH)
        return found

    def follow(self, name: ast.Name, found: set[Binding], depth: int) -> None:
        for binding in self.file.names.bindings(name):
            if binding in found or depth == 0:
                continue
            found.add(binding)
            if binding.kind in ("assign", "augment") and binding.path == () and binding.value is not None:
                for part in self.summands(binding.value):
                    self.follow(part, found, depth - 1)

    def summands(self, node: ast.expr) -> Iterator[ast.Name]:
        """The names that arithmetic in an expression adds up or scales."""
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.BinOp):
            yield from self.summands(node.left)
            yield from self.summands(node.right)
        elif isinstance(node, ast.UnaryOp):
            yield from self.summands(node.operand)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "scale":
                for argument in node.args:
                    yield from self.summands(argument)
            elif node.func.attr in ("mean", "sum", "squeeze", "view", "to", "float"):
                yield from self.summands(node.func.value)
