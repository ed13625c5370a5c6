"""What can be typed at a place, told from the text before it, which need not be whole."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from torch_handbook.source.api import called
from torch_handbook.source.before import REACH, Before, field_of, read
from torch_handbook.source.flow import Flow
from torch_handbook.source.layout import width
from torch_handbook.source.names import canonical
from torch_handbook.source.place import Slot, descend
from torch_handbook.source.site import plant, statement_start
from torch_handbook.source.text import Position, Span, Text

PREFIX = re.compile(r"(?:[^\W\d]\w*)?$")
BEGUN = re.compile(r"\s*((?:[^\W\d]\w*)?)")
COMMENT = re.compile(r"#.*")
NUMBER = re.compile(r"(?<![\w.)\]])\d[\w.]*$")
IMPORT = re.compile(r"\s*import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*(?P<path>[\w.]*)$")
FROM = re.compile(r"\s*from\s+(?P<path>[\w.]*)$")
FROM_NAME = re.compile(r"\s*from\s+(?P<module>[\w.]+)\s+import\s+[\s(\\]*(?:\w+(?:\s+as\s+\w+)?\s*,[\s\\]*)*(?P<name>\w*)$")


def slot_at(text: Text, flow: Flow, position: Position) -> Slot | None:
    """What is being typed at a position; None inside of comments, numbers, and strings that are no arguments."""
    site = site_at(text, flow, position)
    if site.before.comment:
        return None
    return site.string() if site.before.string is not None else site.imported() or site.typed()


def statement_begun_at(text: Text, flow: Flow, position: Position) -> str | None:
    """The word with which a statement begins at a position, "" where nothing stands there yet; None where none can begin."""
    if any(isinstance(node, ast.expr) and node.lineno < position.line for node in descend(flow.tree.root, position)):
        return None  # in a long string, or in brackets
    before = site_at(text, flow, position).before
    begun = None if before.comment or before.string is not None else BEGUN.fullmatch(before.statement)
    return begun[1] if begun else None


def site_at(text: Text, flow: Flow, position: Position) -> Site:
    """The statement that a position is in, read as far as the position."""
    row = min(position.line, text.line_count)
    start = statement_start(flow.tree, text, row)
    begin, end = text.starts[start - 1], text.offset(position)
    before = read(text.content[begin:end])
    return Site(text, flow, position, begin, field_of(before) or before, width(text.line(start)))


@dataclass(frozen=True)
class Site:
    """A cursor, the statement before it, and the file around it."""

    text: Text
    flow: Flow
    position: Position
    begin: int
    before: Before
    indent: int

    def span(self, prefix: str) -> Span:
        end = self.begin + len(self.before.statement)
        return Span(*self.text.position(end - len(prefix)), *self.text.position(end))

    def string(self) -> Slot | None:
        """Inside a string that is an argument: one of the values that it can have."""
        prefix = self.before.statement[self.before.string :]
        call = self.call()
        if call is None or "\n" in prefix:
            return None
        return Slot("value", prefix, self.span(prefix), call=call, keyword=self.before.keyword(), index=self.index)

    def imported(self) -> Slot | None:
        """In an import statement: modules, or what a module has."""
        statement = self.before.statement
        found = IMPORT.match(statement) or FROM.match(statement)
        if found:
            owner, _, prefix = found["path"].rpartition(".")
            return Slot("module", prefix, self.span(prefix), canonical(owner) if owner else None)
        named = FROM_NAME.match(statement)
        if named is None or named["module"].startswith("."):
            return None
        return Slot("import", named["name"], self.span(named["name"]), canonical(named["module"]))

    def typed(self) -> Slot | None:
        """A name, a member of what is before the dot, or an argument."""
        statement = self.before.statement
        if NUMBER.search(statement):
            return None
        found = PREFIX.search(statement)
        prefix = found[0] if found else ""
        head = statement[: len(statement) - len(prefix)].rstrip()
        if head.endswith("."):
            return self.member(head[:-1], prefix)
        call = self.call()
        if call is None:
            return Slot("name", prefix, self.span(prefix))
        written = statement[self.before.brackets[-1].arguments[-1] : len(statement) - len(prefix)]
        kind = "name" if COMMENT.sub("", written).strip() else "argument"
        given = self.before.given(self.after())
        return Slot(kind, prefix, self.span(prefix), call=call, keyword=self.before.keyword(), given=given, index=self.index)

    def after(self) -> str:
        """The rest of the statement, as far as the indentation tells where it ends."""
        rest = self.text.content[self.begin + len(self.before.statement) :][:REACH].split("\n")
        end = next((row for row, line in enumerate(rest[1:], 1) if line.strip() and width(line) <= self.indent), len(rest))
        return "\n".join(rest[:end])

    def member(self, head: str, prefix: str) -> Slot | None:
        receiver = self.plant(self.before.expression(len(head)))
        if receiver is None:
            return None
        return Slot("member", prefix, self.span(prefix), self.owner_of(receiver), receiver)

    def owner_of(self, receiver: ast.expr) -> str | None:
        """The module or class whose members can follow: "torch.nn" for `nn`, "torch.Tensor" for a tensor."""
        name = self.flow.names.of(receiver)
        if name:
            return name
        value = self.flow.of(receiver)
        if value is None or value.kind not in ("instance", "tensor", "class"):
            return None
        return value.base or (None if value.written else value.name)

    @property
    def index(self) -> int:
        """How many arguments the innermost call has before the cursor's."""
        return len(self.before.brackets[-1].arguments) - 1 if self.before.brackets else 0

    def call(self) -> str | None:
        """The public name of the function whose arguments the cursor is in."""
        if not self.before.brackets:
            return None
        offset = self.before.brackets[-1].offset
        callee = self.before.expression(offset) if self.before.statement[offset] == "(" else ""
        function = self.plant(callee) if callee.strip() else None
        return called(self.flow, ast.Call(function, [], [])) if function else None

    def plant(self, source: str) -> ast.expr | None:
        return (
            plant(self.flow.tree, source.strip(), Position(*self.text.position(self.begin)), self.indent)
            if source.strip()
            else None
        )
