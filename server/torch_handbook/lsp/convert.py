"""Between our words and the protocol's: positions in the client's encoding, and plain values as protocol types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp

from torch_handbook.source.text import Position, Span, Text, head_of

if TYPE_CHECKING:
    from torch_handbook.engine.rule import Edit

UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"  # plain strings: lsprotocol's enum hashes by its member's name

# How many units of each encoding one character takes.
UNITS: dict[str, Callable[[str], int]] = {
    UTF8: lambda character: len(character.encode("utf-8", "surrogatepass")),
    UTF16: lambda character: 2 if ord(character) > 0xFFFF else 1,
    UTF32: lambda character: 1,
}


def negotiated(offered: Iterable[lsp.PositionEncodingKind | str] | None) -> str:
    """The first encoding of the client's list that we speak; UTF-16 is what silence means."""
    known = [str(getattr(name, "value", name)) for name in offered or ()]
    return next((name for name in known if name in UNITS), UTF16)


def position(text: Text, place: lsp.Position, encoding: str) -> Position:
    """A client's position in our terms; what lies past the line or the file is moved to its end."""
    if place.line >= text.line_count:
        return text.position(len(text.content))
    line = text.line(place.line + 1)
    return Position(place.line + 1, _byte_column(line, place.character, encoding))


def span(text: Text, area: lsp.Range, encoding: str) -> Span:
    """A client's range in our terms."""
    return Span(*position(text, area.start, encoding), *position(text, area.end, encoding))


def place(text: Text, where: Position, encoding: str) -> lsp.Position:
    """Our position in the client's terms."""
    line = text.line(where.line)
    if line.isascii() or encoding == UTF8:
        return lsp.Position(max(where.line - 1, 0), max(where.column, 0))
    return lsp.Position(max(where.line - 1, 0), _length(head_of(line, where.column), encoding))


def area(text: Text, where: Span, encoding: str) -> lsp.Range:
    """Our span in the client's terms."""
    return lsp.Range(place(text, where.start, encoding), place(text, where.end, encoding))


def changed(text: Text, change: lsp.TextDocumentContentChangeEvent, encoding: str) -> Text:
    """The text after one change of a didChange. Each change counts on the text that the one before it left."""
    if isinstance(change, lsp.TextDocumentContentChangeWholeDocument):
        return Text(change.text)
    where = span(text, change.range, encoding)
    start, end = text.offset(where.start), text.offset(where.end)
    return Text(text.content[:start] + change.text + text.content[max(start, end) :])


def text_edits(text: Text, edits: Iterable[Edit], encoding: str) -> list[lsp.TextEdit]:
    """Edits as the client applies them."""
    return [lsp.TextEdit(area(text, edit.span, encoding), text.ended(edit.text)) for edit in edits]


def path_of(uri: str) -> str:
    """The file path of a `file:` URI; other URIs (untitled, notebook cells) are their own path."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # "http://[": whatever it is, it is no file
        return uri
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    drive = len(path) > 2 and path[0] == "/" and path[2] == ":"  # file:///c:/models/net.py
    return (f"//{parts.netloc}" if parts.netloc else "") + (path[1:] if drive else path)


def _byte_column(line: str, units: int, encoding: str) -> int:
    """How many UTF-8 bytes the first `units` units of a line take; a position inside a character is moved to its start."""
    if line.isascii():
        return min(max(units, 0), len(line))
    size, column = UNITS[encoding], 0
    for character in line:
        units -= size(character)
        if units < 0:
            break
        column += len(character.encode("utf-8", "surrogatepass"))
    return column


def _length(head: str, encoding: str) -> int:
    """How many units of an encoding a piece of text takes."""
    return len(head) + sum(ord(character) > 0xFFFF for character in head) if encoding == UTF16 else len(head)
