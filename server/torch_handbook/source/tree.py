"""A syntax tree with what `ast` leaves out: parents, the block that each statement is in, and scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeGuard

from torch_handbook.source.bindings import FINDERS, of_parameters
from torch_handbook.source.index import Index
from torch_handbook.source.scopes import Binding, Scope

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
REGISTERING = ("register_buffer", "register_parameter", "add_module", "register_module")
BARE = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)  # shared between trees, without a place
NOTHING, LIST, NAME, STATEMENT, OTHER = range(5)  # what a walk does with the value of a field


class Roles(dict[type, int]):
    """What each type of value is to a walk over a tree: a file has ten thousands of values, of a hundred types."""

    def __missing__(self, kind: type) -> int:
        role = NOTHING
        if issubclass(kind, ast.AST) and not issubclass(kind, BARE):
            above = issubclass(kind, (ast.stmt, ast.ExceptHandler, ast.match_case))
            role = STATEMENT if above else NAME if kind is ast.Name else OTHER
        self[kind] = LIST if kind is list else role
        return self[kind]


ROLES = Roles()
CHILDLESS = (ast.Name, ast.Constant, ast.alias)


@dataclass(eq=False)
class Tree:
    """Made by `grow`, and not changed after."""

    root: ast.Module
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict[ast.AST, ast.AST])
    blocks: dict[ast.AST, str] = field(default_factory=dict[ast.AST, str])  # of statements: "body", "orelse", "handlers", …
    homes: dict[ast.AST, Scope] = field(default_factory=dict[ast.AST, Scope])  # of statements, names, and where scopes begin
    scopes: dict[ast.AST, Scope] = field(default_factory=dict[ast.AST, Scope])  # that a node opens
    attributes: list[Binding] = field(default_factory=list[Binding])  # what is assigned to: `self.conv`
    ends: dict[str, ast.Name] = field(default_factory=dict[str, ast.Name])  # names as they are when the file was run
    registrations: list[ast.Call] = field(default_factory=list[ast.Call])  # `self.register_buffer("mask", …)` and its like

    nodes: list[ast.AST] = field(default_factory=list[ast.AST])  # in document order, parents first

    @cached_property
    def index(self) -> Index:
        """The nodes by kind, by word and by where they are."""
        return Index(self.nodes)

    @cached_property
    def imported(self) -> dict[str, str]:
        """What each name is that is imported once at the top of the file and bound by nothing else in all of it."""
        inner = {name for scope in self.scopes.values() if scope is not self.module for name in scope.bindings}
        top = {name: rows[0].imported for name, rows in self.module.bindings.items() if len(rows) == 1 and name not in inner}
        return {name: imported for name, imported in top.items() if imported}

    @property
    def module(self) -> Scope:
        return self.scopes[self.root]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """What the node lies in, from the inside out."""
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def graft(self, root: ast.expr, parent: ast.AST, place: tuple[int, int] | None = None) -> None:
        """Give an expression that was parsed apart a place in the tree, so that its names mean what they do there."""
        line, column = place or (getattr(parent, "lineno", 1), getattr(parent, "col_offset", 0))
        for node in ast.walk(root):
            if isinstance(node, ast.expr):
                node.lineno = node.end_lineno = line
                node.col_offset = node.end_col_offset = column
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        self.parents[root] = parent

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope in which the node is evaluated."""
        here: ast.AST | None = node
        while here is not None and here not in self.homes:
            here = self.parents.get(here)
        return self.homes[here] if here else self.scopes[self.root]


def grow(root: ast.Module) -> Tree:
    """Walk the tree once, without recursion, since a long chain of operators is deep."""
    tree = Tree(root)
    module = Scope("module", root, None)
    tree.scopes[root] = tree.homes[root] = module
    made: list[tuple[Scope, Binding]] = []
    waiting: list[tuple[ast.AST, Scope]] = [(root, module)]
    while waiting:
        node, scope = waiting.pop()
        tree.nodes.append(node)
        if isinstance(node, CHILDLESS):
            continue
        if find := FINDERS.get(type(node)):
            made.extend((scope, binding) for binding in find(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in REGISTERING:
            tree.registrations.append(node)
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            scope.borrowed.update(dict.fromkeys(node.names, "global" if isinstance(node, ast.Global) else "nonlocal"))
        inner = open_scope(tree, node, scope, made)
        special = inner or isinstance(node, ast.comprehension)
        waiting.extend(reversed(list(scoped_children(tree, node, scope, inner)) if special else children(tree, node, scope)))
    settle(tree, made)
    return tree


def children(tree: Tree, node: ast.AST, scope: Scope) -> list[tuple[ast.AST, Scope]]:
    """The children of a node that opens no scope; notes their parents, blocks and homes. Most of a walk's time is spent here."""
    found: list[tuple[ast.AST, Scope]] = []
    for name in node._fields:
        value: Any = getattr(node, name, None)
        role = ROLES[type(value)]
        for child in value if role == LIST else (value,) if role else ():
            role = ROLES[type(child)]
            if role > LIST:
                tree.parents[child] = node
                if role == STATEMENT:
                    tree.blocks[child] = name
                if role < OTHER:
                    tree.homes[child] = scope
                found.append((child, scope))
    return found


def scoped_children(tree: Tree, node: ast.AST, scope: Scope, inner: Scope | None) -> Iterator[tuple[ast.AST, Scope]]:
    """The same for a node that opens a scope, or loops in a comprehension: each child with the scope that it is evaluated in."""
    for name in node._fields:
        value: object = getattr(node, name, None)
        for child in value if is_list(value) else (value,):
            if not isinstance(child, ast.AST) or isinstance(child, BARE):
                continue
            home = scope if inner is None or is_outside(node, name) else inner
            if is_first_source(tree, node, name) and scope.parent:
                home = scope.parent
            tree.parents[child] = node
            tree.homes[child] = home
            if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                tree.blocks[child] = name
            yield child, home


def is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def open_scope(tree: Tree, node: ast.AST, scope: Scope, made: list[tuple[Scope, Binding]]) -> Scope | None:
    """The scope that the node opens, if it does, with its parameters bound."""
    if isinstance(node, FUNCTIONS):
        inner = Scope("function", node, scope)
        made.extend((inner, binding) for binding in of_parameters(node))
    elif isinstance(node, ast.ClassDef):
        inner = Scope("class", node, scope)
    elif isinstance(node, COMPREHENSIONS):
        inner = Scope("comprehension", node, scope)
    else:
        return None
    tree.scopes[node] = inner
    return inner


def is_outside(node: ast.AST, name: str) -> bool:
    """Whether a part of what opens a scope is evaluated outside of it: decorators, bases, annotations, defaults."""
    return not isinstance(node, COMPREHENSIONS) and name not in ("body", "type_params")


def is_first_source(tree: Tree, node: ast.AST, name: str) -> bool:
    """Whether the child is what a comprehension loops over first: that is evaluated before its own scope exists."""
    parent = tree.parents.get(node)
    return isinstance(node, ast.comprehension) and name == "iter" and getattr(parent, "generators", [None])[0] is node


def settle(tree: Tree, made: list[tuple[Scope, Binding]]) -> None:
    """Put each binding where it belongs, now that all `global` and `nonlocal` are known; the borrowed ones last."""
    for scope, binding in sorted(made, key=lambda one: one[1].name in one[0].borrowed):
        if isinstance(binding.node, ast.Attribute):
            tree.attributes.append(binding)
            continue
        here = scope.function if isinstance(tree.parents.get(binding.node), ast.NamedExpr) else scope
        owner = here.owner_of(binding.name)
        found = binding if owner is here else replace(binding, foreign=True)
        (owner.stars if binding.name == "*" else owner.bindings.setdefault(binding.name, [])).append(found)
