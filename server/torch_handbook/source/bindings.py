"""From a node to the names that it binds: imports, assignments, loops, parameters, patterns, definitions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from torch_handbook.source.scopes import Binding, BindingKind

Place = tuple[int, int]


def end_of(node: ast.AST) -> Place:
    return getattr(node, "end_lineno", None) or 1, getattr(node, "end_col_offset", None) or 0


def targets(
    target: ast.AST, kind: BindingKind, value: ast.expr | None, place: Place, path: tuple[int, ...] | None = ()
) -> Iterator[Binding]:
    """The names and attributes in the target of an assignment, a loop or a `with`."""
    if isinstance(target, ast.Name):
        yield Binding(target.id, kind, target, *place, value, path)
    elif isinstance(target, ast.Attribute):
        yield Binding(target.attr, kind, target, *place, value, path)
    elif isinstance(target, ast.Starred):
        yield from targets(target.value, kind, None, place, None)
    elif isinstance(target, (ast.Tuple, ast.List)):
        starred = False
        for index, item in enumerate(target.elts):
            starred = starred or isinstance(item, ast.Starred)
            yield from targets(item, kind, value, place, None if starred or path is None else (*path, index))


def part_of(value: ast.expr, path: tuple[int, ...]) -> tuple[ast.expr, tuple[int, ...]] | None:
    """Follow a path into a tuple or list that is written out; what is left of it leads into the value of what is found."""
    while path and isinstance(value, (ast.Tuple, ast.List)):
        index = path[0]
        if index >= len(value.elts) or any(isinstance(item, ast.Starred) for item in value.elts[: index + 1]):
            return None
        value, path = value.elts[index], path[1:]
    return value, path


def of_assign(node: ast.Assign) -> Iterator[Binding]:
    place = end_of(node)
    for target in node.targets:
        yield from targets(target, "assign", node.value, place)


def of_annotated(node: ast.AnnAssign) -> Iterator[Binding]:
    for binding in targets(node.target, "assign" if node.value else "annotate", node.value, end_of(node)):
        yield replace(binding, annotation=node.annotation)


def of_augmented(node: ast.AugAssign) -> Iterator[Binding]:
    return targets(node.target, "augment", node.value, end_of(node))


def of_loop(node: ast.For | ast.AsyncFor | ast.comprehension) -> Iterator[Binding]:
    return targets(node.target, "for", node.iter, end_of(node.iter))


def of_with(node: ast.With | ast.AsyncWith) -> Iterator[Binding]:
    for item in node.items:
        if item.optional_vars:
            yield from targets(item.optional_vars, "with", item.context_expr, end_of(item.optional_vars))


def of_walrus(node: ast.NamedExpr) -> Iterator[Binding]:
    return targets(node.target, "assign", node.value, end_of(node))


def of_handler(node: ast.ExceptHandler) -> Iterator[Binding]:
    if node.name:
        yield Binding(node.name, "except", node, *(end_of(node.type) if node.type else (node.lineno, node.col_offset)))


def of_delete(node: ast.Delete) -> Iterator[Binding]:
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield Binding(target.id, "delete", target, *end_of(node))


def of_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[Binding]:
    yield Binding(node.name, "class" if isinstance(node, ast.ClassDef) else "function", node, *end_of(node))


def of_import(node: ast.Import) -> Iterator[Binding]:
    for alias in node.names:
        top = alias.name.split(".")[0]
        yield Binding(alias.asname or top, "import", alias, *end_of(node), imported=alias.name if alias.asname else top)


def of_from(node: ast.ImportFrom) -> Iterator[Binding]:
    for alias in node.names:
        imported = None if node.level or not node.module else f"{node.module}.{alias.name}"
        yield Binding(alias.asname or alias.name, "import", alias, *end_of(node), imported=imported)


def of_pattern(node: ast.MatchAs | ast.MatchStar) -> Iterator[Binding]:
    if node.name:
        yield Binding(node.name, "match", node, *end_of(node))


def of_mapping(node: ast.MatchMapping) -> Iterator[Binding]:
    if node.rest:
        yield Binding(node.rest, "match", node, *end_of(node))


def parameters(arguments: ast.arguments) -> Iterable[ast.arg]:
    """All parameters of a function in the order in which they are written."""
    yield from arguments.posonlyargs
    yield from arguments.args
    if arguments.vararg:
        yield arguments.vararg
    yield from arguments.kwonlyargs
    if arguments.kwarg:
        yield arguments.kwarg


def defaults(arguments: ast.arguments) -> dict[ast.arg, ast.expr]:
    """The default of each parameter that has one."""
    positional = [*arguments.posonlyargs, *arguments.args]
    found = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    found.update({name: value for name, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value})
    return found


def of_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[Binding]:
    """What a function binds in its own scope before its body begins."""
    values = defaults(node.args)
    for parameter in parameters(node.args):
        plain = parameter is not node.args.vararg and parameter is not node.args.kwarg
        yield Binding(
            parameter.arg,
            "parameter",
            parameter,
            node.lineno,
            node.col_offset,
            values.get(parameter),
            () if plain else None,
            parameter.annotation,
        )


# What the nodes of each type bind in the scope that they stand in.
FINDERS: dict[type[ast.AST], Callable[[Any], Iterator[Binding]]] = {
    ast.Assign: of_assign,
    ast.AnnAssign: of_annotated,
    ast.AugAssign: of_augmented,
    ast.For: of_loop,
    ast.AsyncFor: of_loop,
    ast.comprehension: of_loop,
    ast.With: of_with,
    ast.AsyncWith: of_with,
    ast.NamedExpr: of_walrus,
    ast.ExceptHandler: of_handler,
    ast.Delete: of_delete,
    ast.FunctionDef: of_definition,
    ast.AsyncFunctionDef: of_definition,
    ast.ClassDef: of_definition,
    ast.Import: of_import,
    ast.ImportFrom: of_from,
    ast.MatchAs: of_pattern,
    ast.MatchStar: of_pattern,
    ast.MatchMapping: of_mapping,
}
