"""One file at one moment: its text, its tree, and the questions that everything else asks of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from functools import cached_property

from torch_handbook.source.api import api_of
from torch_handbook.source.expressions import FINDERS
from torch_handbook.source.flow import Flow
from torch_handbook.source.imports import Imports, Search, Surroundings, public_names
from torch_handbook.source.index import Index
from torch_handbook.source.notebook import is_shown
from torch_handbook.source.open_call import OpenCall, open_call_at
from torch_handbook.source.parse import Parsed, Problem, parse
from torch_handbook.source.place import Place, Slot, place_at
from torch_handbook.source.resolve import Names
from torch_handbook.source.scopes import Scope
from torch_handbook.source.site import plant_name
from torch_handbook.source.slot import slot_at, statement_begun_at
from torch_handbook.source.text import Position, Text
from torch_handbook.source.tree import Tree, grow
from torch_handbook.source.value import Value


@dataclass(frozen=True)
class File:
    """The text of a file and what follows from it and what it imports; all of it is computed when it is first asked for.

    `surroundings` gives it the workspace's other modules; without them the file is taken alone.
    """

    path: str
    text: Text
    parsed: Parsed
    surroundings: Surroundings | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def read(path: str, content: str, previous: File | None = None, surroundings: Surroundings | None = None) -> File:
        """Parse a text; `previous` is the same file before the last edits, which helps while the text is broken."""
        text = Text(content)
        return File(path, text, parse(text, previous.parsed if previous else None), surroundings)

    def afresh(self) -> File:
        """The same text where other files of the workspace have changed."""
        return replace(self)

    @property
    def tree(self) -> ast.Module:
        return self.parsed.tree

    @property
    def problem(self) -> Problem | None:
        """The syntax error that was worked around, if there was one."""
        return self.parsed.problem

    @cached_property
    def grown(self) -> Tree:
        return grow(self.tree)

    @cached_property
    def imports(self) -> Imports:
        """What it imports from the workspace."""
        return Imports(self.path, self.surroundings)

    @cached_property
    def names(self) -> Names:
        return Names(self.grown, self.imports, self.surroundings.search if self.surroundings else Search())

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.grown, self.names, FINDERS)

    @cached_property
    def public(self) -> frozenset[str] | None:
        """The names in `__all__`, where it is written out."""
        return public_names(self.tree)

    def is_shown(self, statement: ast.Expr) -> bool:
        """Whether a cell shows the value of this statement, which then is not thrown away."""
        return is_shown(statement, self.tree, self.text)

    @property
    def index(self) -> Index:
        """The nodes of the tree by kind, by word and by where they are."""
        return self.grown.index

    def exports(self, name: str) -> bool:
        """Whether other files can import a name from this one, as far as can be seen."""
        scope = self.grown.module
        if name in scope.bindings or len(self.names.torch_stars(name)) == 1:
            return True
        return self.imports.star(self.grown, scope, name) is not None

    def offers(self, name: str) -> bool:
        """Whether `import *` brings a name."""
        if self.public is not None:
            return name in self.public and self.exports(name)
        return not name.startswith("_") and self.exports(name)

    def export(self, name: str) -> ast.Name:
        """A name as it is when the whole file has been run: an expression at its end."""
        return plant_name(self.grown, name)

    def name_of(self, node: ast.expr) -> str | None:
        """The public dotted name that an expression refers to through the file's imports and re-bindings.

        "torch.nn.functional.relu" for `F.relu`; "numpy.zeros" for `np.zeros`; None for local things, and wherever
        several bindings can be meant that disagree.
        """
        return self.flow.name_of(node)

    def value_of(self, node: ast.expr) -> Value | None:
        """What the value of an expression is, from what the file says; None where it does not."""
        return self.flow.of(node)

    def api_of(self, node: ast.expr) -> str | None:
        """As `name_of`, and for members of values the name that they are documented by: "torch.Tensor.view" for `x.view`.

        Only what is certain; `place_at` also tells what is very likely.
        """
        found = api_of(self.flow, node)
        return found.name if found and found.sure else None

    def place_at(self, position: Position) -> Place | None:
        """What stands under a cursor."""
        return place_at(self.text, self.flow, position)

    def slot_at(self, position: Position) -> Slot | None:
        """What is being typed at a position, in broken text as well."""
        return slot_at(self.text, self.flow, position)

    def statement_begun_at(self, position: Position) -> str | None:
        """The word with which a statement begins at a position, in broken text as well; None where none can begin."""
        return statement_begun_at(self.text, self.flow, position)

    def open_call_at(self, position: Position) -> OpenCall | None:
        """The call whose arguments are being typed at a position, in broken text as well."""
        return open_call_at(self.text, self.flow, position)

    def parent_of(self, node: ast.AST) -> ast.AST | None:
        return self.grown.parents.get(node)

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope in which a node is evaluated."""
        return self.grown.scope_of(node)

    def enclosing(self, node: ast.AST, *kinds: type[ast.AST]) -> ast.AST | None:
        """The innermost node of these kinds that the node lies in."""
        return next((around for around in self.grown.ancestors(node) if isinstance(around, kinds)), None)
