"""Notebooks as the editor sends them: cells that come, go, move and change."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp

from torch_handbook.lsp import convert
from torch_handbook.lsp.server import Server
from torch_handbook.open_notebook import Cell, OpenNotebook
from torch_handbook.source.text import Text


def opened(ls: Server, params: lsp.DidOpenNotebookDocumentParams) -> None:
    """A notebook was opened, with the texts of its cells."""
    given = params.notebook_document
    texts = texts_of(params.cell_text_documents)
    cells = tuple(texts[cell.document] for cell in given.cells if is_code(cell) and cell.document in texts)
    ls.session.keep(OpenNotebook(given.uri, convert.path_of(given.uri), given.version, cells))
    ls.publisher.open(given.uri)


def changed(ls: Server, params: lsp.DidChangeNotebookDocumentParams) -> None:
    """Cells were added, removed or moved, or their texts were edited."""
    notebook = ls.session.notebooks.get(params.notebook_document.uri)
    if notebook is None:
        return
    before, change = notebook, params.change.cells
    if change and change.structure:
        notebook = restructured(notebook, change.structure)
    for edit in (change.text_content if change else None) or ():
        index = notebook.index(edit.document.uri)
        if index is not None:
            text = notebook.cells[index].text
            for part in edit.changes:
                text = convert.changed(text, part, ls.client.encoding)
            notebook = notebook.with_text(edit.document.uri, text, edit.document.version)
    ls.session.keep(notebook.with_cells(notebook.cells, params.notebook_document.version))
    ls.publisher.clear({cell.uri for cell in before.cells} - {cell.uri for cell in notebook.cells})
    ls.publisher.edit(notebook.uri)


def restructured(notebook: OpenNotebook, structure: lsp.NotebookDocumentCellChangeStructure) -> OpenNotebook:
    """The notebook with other cells; a cell that was only moved keeps its text."""
    texts = {cell.uri: cell for cell in notebook.cells} | texts_of(structure.did_open or ())
    change = structure.array
    added = [texts[cell.document] for cell in change.cells or () if is_code(cell) and cell.document in texts]
    return notebook.spliced(change.start, change.delete_count, added)


def texts_of(documents: Iterable[lsp.TextDocumentItem]) -> dict[str, Cell]:
    return {one.uri: Cell(one.uri, one.version, Text(one.text)) for one in documents if one.language_id == "python"}


def is_code(cell: lsp.NotebookCell) -> bool:
    return cell.kind == lsp.NotebookCellKind.Code
