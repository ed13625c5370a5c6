"""What a name in a file refers to, through its imports, scopes and re-bindings, told as a dotted name."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torch_handbook.source.bindings import part_of
from torch_handbook.source.imports import Export, Imports, Search
from torch_handbook.source.names import canonical
from torch_handbook.source.reach import reaching
from torch_handbook.source.scopes import Binding
from torch_handbook.source.torch_names import has_star
from torch_handbook.source.tree import Tree

DEPTH = 40


@dataclass(eq=False)
class Names:
    """Answers for one tree, remembered."""

    tree: Tree
    imports: Imports
    search: Search
    known: dict[ast.AST, str | None] = field(default_factory=dict[ast.AST, "str | None"])

    def of(self, node: ast.expr) -> str | None:
        """The public dotted name that a name or an attribute refers to; None for local things and for what is not certain.

        What the workspace's own modules only pass on is called by its name: "torch.nn" for the `nn` of `from .common import nn`.
        """
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        if node in self.known:
            return self.known[node]
        with self.search.lock:
            key = (self, node)
            if key in self.search.busy or self.search.depth > DEPTH:
                return None  # what refers to itself has no name
            self.search.busy.add(key)
            self.search.depth += 1
            try:
                found = self.of_name(node) if isinstance(node, ast.Name) else self.of_attribute(node)
            finally:
                self.search.depth -= 1
                self.search.busy.discard(key)
            self.known[node] = found = canonical(found) if found else None
        return found

    def of_attribute(self, node: ast.Attribute) -> str | None:
        owner = self.of(node.value)
        if self.imports.surroundings and not (owner and is_torch(owner)):
            found = self.elsewhere(node)
            through = self.of_export(found) if found else None
            if through:
                return through
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

    def seen(self, node: ast.Name) -> list[Binding]:
        """The bindings that a name may mean, without what is only there for when an import fails."""
        bindings = self.made_by(node) if isinstance(node.ctx, ast.Store) else self.bindings(node)
        return [binding for binding in bindings if not is_fallback(self.tree, binding)]

    def of_name(self, node: ast.Name) -> str | None:
        home = self.tree.scope_of(node)
        if home.find(node.id) is None:
            return self.of_star(node.id)
        names = {self.of_binding(binding) for binding in self.seen(node)}
        return names.pop() if len(names) == 1 else None

    def of_binding(self, binding: Binding) -> str | None:
        if binding.kind == "import":
            if binding.imported and is_torch(binding.imported):
                return canonical(binding.imported)
            found = self.imports.of(self.tree, binding)
            through = self.of_export(found) if found else None
            return through or (canonical(binding.imported) if binding.imported else None)
        if binding.kind != "assign" or binding.path is None or binding.value is None:
            return None
        found = part_of(binding.value, binding.path)
        return self.of(found[0]) if found and not found[1] else None

    def of_star(self, name: str) -> str | None:
        """A name that nothing binds may come from `import *`, of torch or of a module of the workspace."""
        found = self.torch_stars(name)
        if len(found) == 1:
            return found[0]
        stars = self.tree.module.stars
        export = self.imports.star(self.tree, self.tree.module, name) if stars and not found else None
        return self.of_export(export) if export else None

    def torch_stars(self, name: str) -> list[str]:
        """What a name is by the lines like `from torch.nn import *` that have it."""
        stars = self.tree.module.stars
        return [star.imported[:-1] + name for star in stars if star.imported and has_star(star.imported[:-2], name)]

    def of_export(self, export: Export) -> str | None:
        """What a name of another file is called, unless it is that file's own."""
        if export.node is None:
            return None
        names = export.file.names
        found = names.of(export.node)
        return found if found and (is_torch(found) or names.elsewhere(export.node) is None) else None

    def elsewhere(self, node: ast.expr) -> Export | None:
        """The name in another file of the workspace that an expression means, or that file itself."""
        if self.imports.surroundings is None:
            return None
        key = ("elsewhere", node)
        with self.search.lock:
            if key in self.search.busy:
                return None
            self.search.busy.add(key)
            try:
                if isinstance(node, ast.Name):
                    return self.name_elsewhere(node)
                return self.member_elsewhere(node) if isinstance(node, ast.Attribute) else None
            finally:
                self.search.busy.discard(key)

    def member_elsewhere(self, node: ast.Attribute) -> Export | None:
        owner = self.elsewhere(node.value)
        if owner:
            return self.imports.inside(owner, node.attr)
        written = self.of(node.value)
        return self.imports.dotted(f"{written}.{node.attr}") if written and not is_torch(written) else None

    def name_elsewhere(self, node: ast.Name) -> Export | None:
        if self.tree.scope_of(node).find(node.id) is None:
            return self.imports.star(self.tree, self.tree.module, node.id)
        seen = self.seen(node)
        if len(seen) != 1:
            return None
        if seen[0].kind == "import":
            return self.imports.of(self.tree, seen[0])
        simple = seen[0].kind == "assign" and seen[0].path == ()
        return self.elsewhere(seen[0].value) if simple and isinstance(seen[0].value, (ast.Name, ast.Attribute)) else None


def is_torch(name: str) -> bool:
    return name == "torch" or name.startswith("torch.")


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
