"""Python's own scoping: which names each module, function, class and comprehension binds, and by what."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

BindingKind: TypeAlias = Literal[
    "import", "assign", "function", "class", "parameter", "for", "with", "except", "match", "delete", "augment", "annotate"
]
ScopeKind: TypeAlias = Literal["module", "function", "class", "comprehension"]
Borrowed: TypeAlias = Literal["global", "nonlocal"]


@dataclass(frozen=True, eq=False)
class Binding:
    """One place where a name, or an attribute of one, gets a value.

    `node` is what binds: the target, parameter, alias or definition. `value` is the expression that the value comes from,
    where there is one; `path` leads into it for unpacking, `(1,)` for the `b` of `a, b = value`, None where that is unknown.
    """

    name: str
    kind: BindingKind
    node: ast.AST
    line: int  # the name means this from here on
    column: int
    value: ast.expr | None = None
    path: tuple[int, ...] | None = ()
    annotation: ast.expr | None = None
    imported: str | None = None  # for imports: the dotted name as it is written; None for relative ones
    foreign: bool = False  # bound through `global` or `nonlocal` in another function


@dataclass(eq=False)
class Scope:
    """What one module, function, class or comprehension binds."""

    kind: ScopeKind
    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    borrowed: dict[str, Borrowed] = field(default_factory=dict[str, Borrowed])
    stars: list[Binding] = field(default_factory=list[Binding])  # `from … import *`

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent:
            scope = scope.parent
        return scope

    def find(self, name: str) -> Scope | None:
        """The scope that a use of the name here means; None for builtins and unknown names."""
        if self.borrowed.get(name) == "global":
            return self.module if name in self.module.bindings else None
        if name in self.bindings and name not in self.borrowed:
            return self
        scope = self.parent
        while scope:
            if scope.borrowed.get(name) == "global":
                return self.module if name in self.module.bindings else None
            if scope.kind != "class" and name in scope.bindings:
                return scope
            scope = scope.parent
        return None

    def owner_of(self, name: str) -> Scope:
        """The scope that a binding of the name made here belongs to."""
        how = self.borrowed.get(name)
        if how == "global":
            return self.module
        scope = self.parent
        while how == "nonlocal" and scope:
            if scope.kind == "function" and name in scope.bindings:
                return scope
            scope = scope.parent
        return self

    @property
    def function(self) -> Scope:
        """This scope, or for a comprehension the function or module that it stands in: what `:=` binds in."""
        scope = self
        while scope.kind == "comprehension" and scope.parent:
            scope = scope.parent
        return scope
