"""What stands under the cursor."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeGuard

from torch_handbook.source.api import api_of, called
from torch_handbook.source.flow import Flow
from torch_handbook.source.names import canonical
from torch_handbook.source.site import BLOCKS, line_of
from torch_handbook.source.text import Position, Span, Text, span_of
from torch_handbook.source.torch_names import base_of, members

PlaceKind: TypeAlias = Literal["name", "attribute", "keyword", "string", "import", "definition"]
SlotKind: TypeAlias = Literal["member", "name", "argument", "value", "import", "module"]
Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"
# What has no place of its own, or in f-strings before Python 3.12 the place of the whole string.
CLEAR = (ast.arguments, ast.comprehension, ast.withitem, ast.match_case, ast.FormattedValue, ast.JoinedStr)
ITEMS = ("keys", "values", "elts", "args", "keywords")
WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Place:
    """One thing in the text, and what it is called where the file alone tells.

    `name` is the public name of the thing itself; for a keyword and a string it is that of the call they stand in.
    `sure` is false where that is only very likely.
    """

    kind: PlaceKind
    node: ast.AST
    span: Span
    name: str | None = None
    receiver: ast.expr | None = None  # what is before the dot
    attribute: str | None = None
    call: ast.Call | None = None
    keyword: str | None = None
    sure: bool = True


@dataclass(frozen=True)
class Slot:
    """Where something is being typed, and what could go there."""

    kind: SlotKind
    prefix: str  # what is there of it already
    span: Span  # of the prefix
    owner: str | None = None  # the module or class whose members can come: "torch.nn", "torch.Tensor"
    receiver: ast.expr | None = None
    call: str | None = None  # the public name of the function whose argument this is
    keyword: str | None = None
    given: frozenset[str] = field(default_factory=frozenset[str])  # the keywords that the call has already
    index: int = 0  # how many arguments are before this one


def place_at(text: Text, flow: Flow, position: Position) -> Place | None:
    """What a cursor is on, or right behind of."""
    found = on(text, flow, position)
    if found is None and position.column > 0:
        before = text.position(text.offset(position) - 1)
        found = on(text, flow, before) if before.line == position.line else None
    return found


def on(text: Text, flow: Flow, position: Position) -> Place | None:
    """What the character behind a position belongs to."""
    path = list(descend(flow.tree.root, position))
    for node in reversed(path[-2:]):
        place = place_of(text, flow, node, position)
        if place and place.span.start <= position < place.span.end and is_there(text, place):
            return place
    return None


def descend(root: ast.AST, position: Position) -> Iterator[ast.AST]:
    """The nodes that a position lies in, from the outside in."""
    node: ast.AST | None = root
    while node is not None:
        yield node
        node = child_at(node, position)


def child_at(node: ast.AST, position: Position) -> ast.AST | None:
    for child in candidates(node, position.line):
        if isinstance(child, CLEAR):
            inner = child_at(child, position)
            if inner is not None:
                return inner
        elif hasattr(child, "lineno") and not isinstance(node, ast.JoinedStr) and is_in(child, position):
            return child
    return None


def is_in(node: ast.AST, position: Position) -> bool:
    """Whether a position is in a node, or in the decorators of one, which its own span leaves out."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return span_of(node).start <= position < span_of(node).end or any(span_of(one).contains(position) for one in decorators)


def candidates(node: ast.AST, line: int) -> Iterator[ast.AST]:
    """The children of a node that may be on a line: of a long block only those around it, and the next for its decorators."""
    for name in node._fields:
        value: object = getattr(node, name, None)
        if isinstance(value, ast.AST):
            yield value
        elif is_block(value, name):
            yield from value[max(bisect_left(value, line, key=line_of) - 1, 0) : bisect_right(value, line, key=line_of) + 1]
        elif is_nodes(value):
            yield from (item for item in value if isinstance(item, ast.AST))


def is_block(value: object, name: str) -> TypeGuard[list[ast.AST]]:
    """Whether it is a list in the order of the text: of statements, or the items of a long display or call."""
    return is_nodes(value) and (name in BLOCKS or (name in ITEMS and len(value) > 8 and None not in value))


def is_nodes(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def is_there(text: Text, place: Place) -> bool:
    """Whether the text has this word at this place: inside of f-strings, Python before 3.12 counts wrongly."""
    word = place.attribute or place.keyword if place.kind in ("attribute", "keyword") else None
    word = place.node.id if isinstance(place.node, ast.Name) else word
    return word is None or text.slice(place.span) == word


def place_of(text: Text, flow: Flow, node: ast.AST, position: Position) -> Place | None:
    if isinstance(node, ast.Name):
        api = api_of(flow, node)
        return Place("name", node, span_of(node), api.name if api else None)
    if isinstance(node, ast.arg):
        width = len(node.arg.encode())
        return Place("name", node, Span(node.lineno, node.col_offset, node.lineno, node.col_offset + width))
    if isinstance(node, ast.Attribute):
        return of_attribute(flow, node)
    if isinstance(node, ast.keyword):
        return of_keyword(flow, node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return of_string(flow, node)
    if isinstance(node, (ast.alias, ast.ImportFrom)):
        return of_import(text, flow, node, position)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return of_definition(text, flow, node)
    return None


def of_attribute(flow: Flow, node: ast.Attribute) -> Place:
    line, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    span = Span(line, column - len(node.attr.encode()), line, column)
    api = api_of(flow, node)
    return Place("attribute", node, span, api.name if api else None, node.value, node.attr, sure=api.sure if api else True)


def of_keyword(flow: Flow, node: ast.keyword) -> Place | None:
    call = flow.tree.parents.get(node)
    if node.arg is None or not isinstance(call, ast.Call):
        return None
    span = Span(node.lineno, node.col_offset, node.lineno, node.col_offset + len(node.arg.encode()))
    return Place("keyword", node, span, called(flow, call), call=call, keyword=node.arg)


def of_string(flow: Flow, node: ast.Constant) -> Place | None:
    """A string that is an argument."""
    parent = flow.tree.parents.get(node)
    call = flow.tree.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or call.func is node:
        return None
    keyword = parent.arg if isinstance(parent, ast.keyword) else None
    return Place("string", node, span_of(node), called(flow, call), call=call, keyword=keyword)


def of_import(text: Text, flow: Flow, node: ast.alias | ast.ImportFrom, position: Position) -> Place | None:
    """The word of an import statement that the cursor is on, with the path that leads to it."""
    line = text.line(position.line)
    column = len(line.encode("utf-8", "surrogatepass")[: position.column].decode("utf-8", "ignore"))
    word = next((found for found in WORD.finditer(line) if found.start() <= column < found.end()), None)
    statement = node if isinstance(node, ast.ImportFrom) else flow.tree.parents.get(node)
    if word is None or word[0] in ("import", "from", "as"):
        return None
    head = text.position(text.starts[position.line - 1] + word.start())
    span = Span(*head, position.line, head.column + len(word[0].encode()))
    path = re.search(r"[\w.]*$", line[: word.end()])
    written = path[0] if path else word[0]
    if isinstance(node, ast.ImportFrom):
        return Place("import", node, span, None if node.level else canonical(written))
    if isinstance(statement, ast.ImportFrom):
        name = f"{statement.module}.{node.name}" if statement.module and not statement.level else None
    else:
        name = written if node.name.startswith(written) else node.name
    return Place("import", node, span, canonical(name) if name else None)


def of_definition(text: Text, flow: Flow, node: Definition) -> Place | None:
    """The name in a `def` or `class` line; a method that torch's class has too is called by that."""
    found = re.compile(rf"\b(?:def|class)\s+({re.escape(node.name)})\b").search(text.content, text.offset(span_of(node).start))
    if found is None:
        return None
    start = text.position(found.start(1))
    span = Span(*start, start.line, start.column + len(node.name.encode()))
    owner = flow.classes.class_of(node)
    if owner is None or isinstance(node, ast.ClassDef):
        return Place("definition", node, span)
    bases = [base for base in map(base_of, flow.classes.torch_bases(owner)[0]) if base and node.name in members(base)]
    return Place("definition", node, span, f"{bases[0]}.{node.name}" if bases else None)
