"""Between a cell and its notebook: requests in the lines of the notebook's text, answers back in the cell's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import attrs
from lsprotocol import types as lsp

from torch_handbook.lsp.arguments import Lines
from torch_handbook.open_notebook import OpenNotebook

if TYPE_CHECKING:
    from torch_handbook.session import Session

Message = TypeVar("Message")
END = 2**31 - 1  # past the last character of every line


def lines(asked: Lines | None, session: Session) -> Lines | None:
    """The lines of a cell as those of its notebook; others as they are."""
    found = session.notebook_of(asked.uri) if asked else None
    if asked is None or found is None:
        return asked
    notebook, index = found
    first = notebook.joined.firsts[index] - 1
    return replace(asked, uri=notebook.uri, line=first + asked.line, end_line=first + asked.end_line)


def inward(params: Message, notebook: OpenNotebook, index: int) -> Message:
    """A request about a cell as one about the notebook."""
    first, last = extent(notebook, index)

    def change(value: Any) -> Any:
        if isinstance(value, lsp.Position):
            return lsp.Position(first + value.line, value.character) if first + value.line <= last else lsp.Position(last, END)
        if isinstance(value, lsp.TextDocumentIdentifier):
            return lsp.TextDocumentIdentifier(notebook.uri)
        return None

    return mapped(params, change)


def outward(answer: Message, notebook: OpenNotebook, index: int) -> Message:
    """An answer about the notebook as one about a cell; what lies in other cells is left out of lists."""

    def change(value: Any) -> Any:
        if isinstance(value, lsp.Range):
            return range_in(value, notebook, index)
        if isinstance(value, lsp.Position):
            return position_in(value, notebook, index)
        if isinstance(value, lsp.Location):
            return located(value, notebook)
        if isinstance(value, lsp.WorkspaceEdit):
            return edited(value, notebook)
        if isinstance(value, lsp.CompletionList):  # thousands of items, and none has a place
            return value
        if isinstance(value, list):
            return [mapped(item, change) for item in cast("list[Any]", value) if is_in(item, notebook, index)]
        return None

    return mapped(answer, change)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A copy in which `change` has replaced all for which it does not answer None."""
    changed = change(value)
    if changed is not None:
        return changed
    if isinstance(value, (list, tuple)):
        return [mapped(item, change) for item in cast("Sequence[Any]", value)]
    kind = cast("type[Any]", type(value))
    if attrs.has(kind):
        return attrs.evolve(value, **{one.name: mapped(getattr(value, one.name), change) for one in attrs.fields(kind)})
    return value


def extent(notebook: OpenNotebook, index: int) -> tuple[int, int]:
    """The first and the last line of a cell in the notebook's text, from 0 as in the protocol."""
    return notebook.joined.firsts[index] - 1, notebook.joined.last(index) - 1


def is_in(item: Any, notebook: OpenNotebook, index: int) -> bool:
    """Whether something that has a place has it in this cell."""
    place = getattr(item, "position", None) or getattr(getattr(item, "range", None), "start", None)
    if isinstance(item, lsp.Location) or not isinstance(place, lsp.Position):
        return True
    first, last = extent(notebook, index)
    return first <= place.line <= last


def position_in(place: lsp.Position, notebook: OpenNotebook, index: int) -> lsp.Position:
    """A place in a cell; what lies before or behind it is moved to its edge."""
    first, last = extent(notebook, index)
    if place.line < first:
        return lsp.Position(0, 0)
    return lsp.Position(place.line - first, place.character) if place.line <= last else lsp.Position(last - first, END)


def range_in(area: lsp.Range, notebook: OpenNotebook, index: int) -> lsp.Range:
    return lsp.Range(position_in(area.start, notebook, index), position_in(area.end, notebook, index))


def located(location: lsp.Location, notebook: OpenNotebook) -> lsp.Location:
    """A place in the notebook as one in the cell where it is."""
    if location.uri != notebook.uri:
        return location
    cell = notebook.joined.place(location.range.start.line + 1).cell
    return lsp.Location(notebook.cells[cell].uri, range_in(location.range, notebook, cell))


def edited(edit: lsp.WorkspaceEdit, notebook: OpenNotebook) -> lsp.WorkspaceEdit:
    """Edits of the notebook as edits of its cells."""
    changes = {uri: edits for uri, edits in (edit.changes or {}).items() if uri != notebook.uri}
    changes.update(dealt((edit.changes or {}).get(notebook.uri, ()), notebook))
    documents: list[Any] = []
    for change in edit.document_changes or ():
        if isinstance(change, lsp.TextDocumentEdit) and change.text_document.uri == notebook.uri:
            versions = {cell.uri: cell.version for cell in notebook.cells}
            for uri, edits in dealt(change.edits, notebook).items():
                identifier = lsp.OptionalVersionedTextDocumentIdentifier(uri=uri, version=versions[uri])
                documents.append(lsp.TextDocumentEdit(identifier, list(edits)))
        else:
            documents.append(change)
    return lsp.WorkspaceEdit(changes=changes or None, document_changes=documents or None)


def dealt(edits: Iterable[Any], notebook: OpenNotebook) -> dict[str, list[lsp.TextEdit]]:
    """The edits of each cell."""
    found: dict[str, list[lsp.TextEdit]] = {}
    for edit in edits:
        cell, own = placed(edit, notebook)
        found.setdefault(notebook.cells[cell].uri, []).append(own)
    return found


def placed(edit: lsp.TextEdit, notebook: OpenNotebook) -> tuple[int, lsp.TextEdit]:
    """An edit in the cell where it begins. Lines that are put behind a cell's last one, before the next one's title, end it."""
    start, end = edit.range.start, edit.range.end
    cell = notebook.joined.place(start.line + 1).cell
    if start == end and cell and start.line < extent(notebook, cell)[0]:
        last = position_in(start, notebook, cell - 1)
        return cell - 1, lsp.TextEdit(lsp.Range(last, last), "\n" + edit.new_text.removesuffix("\n"))
    return cell, lsp.TextEdit(range_in(edit.range, notebook, cell), edit.new_text)
