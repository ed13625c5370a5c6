"""What a name in a file refers to, through its imports, scopes and re-bindings, told as a dotted name."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torch_handbook.source.bindings import part_of
from torch_handbook.source.names import canonical
from torch_handbook.source.reach import reaching
from torch_handbook.source.scopes import Binding, Scope
from torch_handbook.source.torch_names import has_star
from torch_handbook.source.tree import Tree

DEPTH = 40


@dataclass(eq=False)
class Names:
    """Answers for one tree, remembered."""

    tree: Tree
    known: dict[ast.AST, str | None] = field(default_factory=dict[ast.AST, "str | None"])
    depth: int = 0

    def of(self, node: ast.expr) -> str | None:
        """The public dotted name that a name or an attribute refers to; None for local things and for what is not certain."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        if node in self.known:
            return self.known[node]
        if self.depth > DEPTH:
            return None
        self.known[node] = None  # what refers to itself has no name
        self.depth += 1
        try:
            found = self.of_name(node) if isinstance(node, ast.Name) else self.of_attribute(node)
        finally:
            self.depth -= 1
        self.known[node] = found = canonical(found) if found else None
        return found

    def of_attribute(self, node: ast.Attribute) -> str | None:
        owner = self.of(node.value)
        return f"{owner}.{node.attr}" if owner else None

    def bindings(self, node: ast.Name) -> list[Binding]:
        """The places that may have given the name its value; empty for builtins and unknown names."""
        home = self.tree.scope_of(node)
        scope = home.find(node.id)
        return reaching(self.tree, scope, node.id, node, home) if scope else []

    def made_by(self, target: ast.Name) -> list[Binding]:
        """The binding that an assigned name makes."""
        scope = self.tree.scope_of(target).find(target.id)
        return [binding for binding in (scope.bindings.get(target.id, []) if scope else []) if binding.node is target]

    def of_name(self, node: ast.Name) -> str | None:
        home = self.tree.scope_of(node)
        if home.find(node.id) is None:
            return self.of_star(node.id, home.module)
        bindings = self.made_by(node) if isinstance(node.ctx, ast.Store) else self.bindings(node)
        names = {self.of_binding(binding) for binding in bindings if not is_fallback(self.tree, binding)}
        return names.pop() if len(names) == 1 else None

    def of_binding(self, binding: Binding) -> str | None:
        if binding.kind == "import":
            return canonical(binding.imported) if binding.imported else None
        if binding.kind != "assign" or binding.path is None or binding.value is None:
            return None
        found = part_of(binding.value, binding.path)
        return self.of(found[0]) if found and not found[1] else None

    def of_star(self, name: str, module: Scope) -> str | None:
        """A name that nothing binds may come from `from torch.nn import *`, where there is one such line that has it."""
        found = [star.imported[:-1] + name for star in module.stars if star.imported and has_star(star.imported[:-2], name)]
        return found[0] if len(found) == 1 else None


def is_fallback(tree: Tree, binding: Binding) -> bool:
    """Whether this is what an `except ImportError:` puts in the place of a missing import: None, or another module."""
    handler = next(
        (
            node
            for node in tree.ancestors(binding.node)
            if isinstance(node, (ast.ExceptHandler, ast.stmt)) and not is_simple(node)
        ),
        None,
    )
    if not isinstance(handler, ast.ExceptHandler):
        return False
    words = ast.unparse(handler.type) if handler.type else ""
    return "ImportError" in words or "ModuleNotFoundError" in words


def is_simple(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt) and not hasattr(node, "body")
