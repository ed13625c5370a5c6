"""Where names live while a function or a module is walked."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from torch_handbook_worker.tensors.values import MISSING

if TYPE_CHECKING:
    from torch_handbook_worker.tensors.session import Session


class Scope:
    """The names of a module, a class body or a function, and the scope around it."""

    def __init__(self, kind: str, parent: Optional[Scope] = None) -> None:
        self.kind = kind  # "module", "class", "function"
        self.parent = parent
        self.names: Dict[str, Any] = {}
        self.lenders: List[Scope] = []  # the scopes of modules whose names were all imported
        self.elsewhere: Dict[str, Scope] = {}  # names that `global` and `nonlocal` send to another scope

    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def home(self, name: str) -> Scope:
        """The scope that an assignment to `name` changes."""
        return self.elsewhere.get(name, self)

    def own(self, name: str) -> Any:
        """The value of a name in this very scope, or MISSING."""
        value = self.names.get(name, MISSING)
        return self.borrowed(name) if value is MISSING and self.lenders else value

    def borrowed(self, name: str) -> Any:
        """The value of a name that came with `from module import *`, or MISSING."""
        for lender in self.lenders:
            value = lender.own(name) if not name.startswith("_") else MISSING
            if value is not MISSING:
                return value
        return MISSING

    def find(self, name: str) -> Any:
        """The value of a name, or MISSING."""
        scope: Optional[Scope] = self.home(name)
        first = True
        while scope is not None:
            if first or scope.kind != "class":
                value = scope.names.get(name, MISSING)
                if value is MISSING:
                    value = scope.own(name)
                if value is not MISSING:
                    return value
            scope, first = scope.parent, False
        return MISSING

    def declare(self, names: List[str], kind: str) -> None:
        """`global` or `nonlocal` names."""
        for name in names:
            if kind == "global":
                self.elsewhere[name] = self.module()
                continue
            scope = self.parent
            while scope is not None and not (scope.kind == "function" and name in scope.names):
                scope = scope.parent
            if scope is not None:
                self.elsewhere[name] = scope


@dataclass(frozen=True)
class Source:
    """A file that is being walked."""

    path: str
    name: str  # "__main__", or the dotted name that it was imported by
    tree: ast.Module
    text: str
    package: str = ""

    @cached_property
    def lines(self) -> List[str]:
        """The lines as the tree counts them: a form feed ends none."""
        return re.split(r"\r\n|\r|\n", self.text)

    def segment(self, node: Any) -> str:
        """The text of a node."""
        first, last = node.lineno - 1, node.end_lineno - 1
        pieces = [line.encode() for line in self.lines[first : last + 1]]
        if not pieces:
            return ""
        pieces[-1] = pieces[-1][: node.end_col_offset]
        pieces[0] = pieces[0][node.col_offset :]
        return b"\n".join(pieces).decode(errors="replace")


@dataclass
class Frame:
    """One activation of a function, or of a module's or class's body."""

    session: Session
    source: Source
    scope: Scope
    name: str = ""
    owner: Any = None  # the class whose body holds the function, for `super()`
    first: Any = None  # the function's first argument, for `super()`
    returned: List[Any] = field(default_factory=list)
    yielded: Optional[List[Any]] = None
    functions: List[Any] = field(default_factory=list)  # the functions that were defined in this very body

    def get(self, name: str) -> Any:
        """The value of a name, or MISSING."""
        return self.scope.find(name)

    def bind(self, name: str, value: Any) -> None:
        """Assign a name."""
        names = self.scope.home(name).names
        self.session.journal.item(names, name)
        names[name] = value

    def unbind(self, name: str) -> None:
        """Delete a name."""
        names = self.scope.home(name).names
        self.session.journal.item(names, name)
        names.pop(name, None)
