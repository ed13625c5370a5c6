"""What a file imports from its own workspace: which file of it, and which name there."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from torch_handbook.source.scopes import Binding, Scope
from torch_handbook.source.tree import Tree
from torch_handbook.source.value import Value

if TYPE_CHECKING:
    from torch_handbook.source.file import File

STARS = 24  # `from … import *` lines of one file that are followed
STEPS = 20  # from file to file, to the one that a name is from
FILES = 120  # other files that one file may ask for


@dataclass(eq=False)
class Search:
    """A question that is being answered, through however many files of a workspace; one at a time.

    `busy` is what is being found out. Where a question comes back to it, it says nothing yet (`skipped`), and what is found
    meanwhile is only `tentative` until the outermost question is answered. `passed` are the files that were asked already
    for the name that some `import *` may bring.
    """

    lock: RLock = field(default_factory=RLock)
    busy: set[object] = field(default_factory=set[object])
    tentative: dict[ast.AST, Value | None] = field(default_factory=dict[ast.AST, "Value | None"])
    passed: set[object] = field(default_factory=set[object])
    skipped: bool = False
    depth: int = 0


class Surroundings(Protocol):
    """The modules that the files of a workspace can import from each other. Who it is decides which may be read."""

    @property
    def search(self) -> Search: ...

    def find(self, path: str, level: int, name: str) -> File | None:
        """The module that `from ..name import x` (level 2) means in the file at a path."""
        ...


@dataclass(frozen=True)
class Export:
    """A name of another file, as an expression at its end; the file itself where `node` is None."""

    file: File
    node: ast.Name | None = None


@dataclass(eq=False)
class Imports:
    """Answers for one file."""

    path: str
    surroundings: Surroundings | None = None
    modules: dict[tuple[int, str], File | None] = field(default_factory=dict[tuple[int, str], "File | None"])
    starred: dict[str, Export | None] = field(default_factory=dict[str, "Export | None"])

    @property
    def paths(self) -> frozenset[str]:
        """The files that answers so far are made of."""
        return frozenset(file.path for file in self.modules.values() if file)

    def module(self, level: int, name: str) -> File | None:
        """A module of the workspace; None for those of others."""
        if self.surroundings is None or (not level and name.split(".")[0] == "torch"):
            return None
        key = level, name
        if key not in self.modules:
            if sum(file is not None for file in self.modules.values()) >= FILES:
                return None
            found = self.surroundings.find(self.path, level, name)
            self.modules[key] = found if found and found.path != self.path else None
        return self.modules[key]

    def of(self, tree: Tree, binding: Binding) -> Export | None:
        """What an import statement brings in under a name."""
        statement, alias = tree.parents.get(binding.node), binding.node
        if self.surroundings is None or not isinstance(alias, ast.alias):
            return None
        if isinstance(statement, ast.ImportFrom):
            return self.member(statement, alias.name)
        found = self.module(0, binding.imported or alias.name)
        return Export(found) if found else None

    def member(self, statement: ast.ImportFrom, name: str) -> Export | None:
        """A name of the module that a statement imports from, or a module in it."""
        module = self.module(statement.level, statement.module or "")
        if module and module.exports(name):
            return Export(module, module.export(name))
        inner = self.module(statement.level, f"{statement.module}.{name}" if statement.module else name)
        return Export(inner) if inner else None

    def inside(self, owner: Export, name: str) -> Export | None:
        """What a module that was imported has under a name: one of its own, or a module in it."""
        module: Export | None = owner
        for _ in range(STEPS):  # a name there may be that of an imported module
            if module is None or module.node is None:
                break
            module = module.file.names.elsewhere(module.node)
        return self.of_module(module.file, name) if module and module.node is None else None

    def of_module(self, module: File, name: str) -> Export | None:
        if module.exports(name):
            return Export(module, module.export(name))
        inner = module.imports.module(1, name) if is_package(module.path) else None
        return Export(inner) if inner else None

    def dotted(self, name: str) -> Export | None:
        """What a dotted name leads to whose first parts may be folders without a file: "models.layers.Block"."""
        owner, _, last = name.rpartition(".")
        module = self.module(0, owner) if owner else None
        if module and module.exports(last):
            return Export(module, module.export(last))
        whole = self.module(0, name)
        return Export(whole) if whole else None

    def star(self, tree: Tree, scope: Scope, name: str) -> Export | None:
        """A name that the workspace's modules bring in with `import *`: the last line that does is the one that counts."""
        if self.surroundings is None or name in self.starred:
            return self.starred.get(name)
        search = self.surroundings.search
        with search.lock:
            if self in search.passed:
                return None  # a file that was asked has no more to say, by whichever way it is reached again
            outermost = not search.passed
            search.passed.add(self)
            try:
                found = self.last_star(tree, scope, name)
            finally:
                if outermost:
                    search.passed.clear()
        if outermost:
            self.starred[name] = found
        return found

    def last_star(self, tree: Tree, scope: Scope, name: str) -> Export | None:
        for binding in reversed(scope.stars[-STARS:]):
            statement = tree.parents.get(binding.node)
            module = self.module(statement.level, statement.module or "") if isinstance(statement, ast.ImportFrom) else None
            if module and module.offers(name):
                return Export(module, module.export(name))
        return None


def is_package(path: str) -> bool:
    return path.replace("\\", "/").endswith("/__init__.py")


def public_names(tree: ast.Module) -> frozenset[str] | None:
    """What `__all__` says, where it is written out; None where it is not, or made of other lists."""
    found: set[str] = set()
    said = False
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
            targets = [statement.target]
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            continue
        words = words_of(getattr(statement, "value", None))
        if words is None:
            return None
        said = True
        found |= words
    return frozenset(found) if said else None


def words_of(node: ast.expr | None) -> set[str] | None:
    """The strings in a list that is written out."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        return None
    words = {item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)}
    return words if len(words) == len(node.elts) else None
