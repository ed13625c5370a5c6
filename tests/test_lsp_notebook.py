"""Notebooks in an editor: names and tensors flow from cell to cell, and each cell is told what is its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from lsp_editor import Buffer, Editor, connected, profile, until
from lsprotocol import types as lsp

pytest.importorskip("torch")
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.torch]

CELLS = [
    "%matplotlib inline\nimport torch\nfrom torch import nn",
    'net = nn.Linear(8, 4)\nx = torch.randn(32, 8)  # "é😀"',
    "y = net(x)\ny.shape",
    "!nvidia-smi\nz = torch.einsum('bi,ij->bj', y, torch.ones(4, 3))",
]


@dataclass
class Notebook:
    """An open notebook."""

    editor: Editor
    uri: str
    cells: list[Buffer] = field(default_factory=list)
    version: int = 1

    def change(self, cells: lsp.NotebookDocumentCellChanges) -> None:
        self.version += 1
        identifier = lsp.VersionedNotebookDocumentIdentifier(self.version, self.uri)
        event = lsp.NotebookDocumentChangeEvent(cells=cells)
        self.editor.client.notebook_document_did_change(lsp.DidChangeNotebookDocumentParams(identifier, event))

    def replace(self, index: int, old: str, new: str) -> None:
        cell = self.cells[index]
        area = lsp.Range(cell.find(old), cell.find(old, len(old)))
        cell.text, cell.version = cell.text.replace(old, new, 1), cell.version + 1
        identifier = lsp.VersionedTextDocumentIdentifier(cell.version, cell.uri)
        content = lsp.NotebookDocumentCellContentChanges(identifier, [lsp.TextDocumentContentChangePartial(area, new)])
        self.change(lsp.NotebookDocumentCellChanges(text_content=[content]))

    def splice(self, start: int, deleted: int, *texts: str) -> None:
        fresh = [Buffer(self.editor, f"{self.uri}#new{self.version}{number}", text) for number, text in enumerate(texts)]
        array = lsp.NotebookCellArrayChange(start, deleted, [cell_of(one) for one in fresh])
        closed = [one.id for one in self.cells[start : start + deleted]]
        self.cells[start : start + deleted] = fresh
        structure = lsp.NotebookDocumentCellChangeStructure(array, [item_of(one) for one in fresh], closed)
        self.change(lsp.NotebookDocumentCellChanges(structure=structure))


def cell_of(buffer: Buffer) -> lsp.NotebookCell:
    return lsp.NotebookCell(lsp.NotebookCellKind.Code, buffer.uri)


def item_of(buffer: Buffer) -> lsp.TextDocumentItem:
    return lsp.TextDocumentItem(buffer.uri, "python", buffer.version, buffer.text)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    capabilities = profile("visual-studio-code")
    capabilities.notebook_document = lsp.NotebookDocumentClientCapabilities(lsp.NotebookDocumentSyncClientCapabilities())
    folder = tmp_path_factory.mktemp("books")
    async with connected(capabilities, folder, settings={"python": sys.executable}) as editor:
        assert editor.result.capabilities.notebook_document_sync
        yield editor
        assert (await editor.status())["errors"] == 0 and editor.messages() == []


@pytest.fixture
def book(editor: Editor, request: pytest.FixtureRequest, tmp_path: Path) -> Notebook:
    book = Notebook(editor, (tmp_path / f"{request.node.name}.ipynb").as_uri())
    book.cells = [Buffer(editor, f"{book.uri}#{number}", text) for number, text in enumerate(CELLS)]
    document = lsp.NotebookDocument(book.uri, "jupyter-notebook", 1, [cell_of(one) for one in book.cells])
    opened = lsp.DidOpenNotebookDocumentParams(document, [item_of(one) for one in book.cells])
    editor.client.notebook_document_did_open(opened)
    return book


async def taken_back(cell: Buffer) -> None:
    """Wait until nothing is said about a cell any more."""

    async def last() -> bool:
        return not [list(row.diagnostics) for row in cell.editor.published if row.uri == cell.uri][-1]

    await until(last, bool)


async def test_names_come_from_the_cells_above(book: Notebook) -> None:
    assert "torch.nn.Linear" in (await book.cells[1].hover("Linear") or "")
    assert {"Linear", "Conv2d"} <= {item.label for item in await book.cells[1].complete("nn.|Linear")}
    await book.editor.settle()
    assert "[32, 4]" in (await book.cells[2].hover("y = net") or "")


async def test_shapes_stand_in_their_own_cells(book: Notebook) -> None:
    await book.editor.settle()
    shown = [[(hint.position.line, hint.label) for hint in await cell.hints()] for cell in book.cells]
    assert shown[0] == [] and [line for line, _ in shown[1]] == [1] and [line for line, _ in shown[2]] == [0]
    assert "[32, 4]" in str(shown[2]) and [line for line, _ in shown[3]] == [1]


async def test_a_mistake_is_told_in_its_cell_and_mended_there(book: Notebook) -> None:
    last = book.cells[3]
    (row,) = await last.diagnostics(lambda rows: len(rows) == 1)
    assert row.code == "einsum-with-bmm-equivalent" and row.range.start == last.find("torch.einsum")
    for cell in book.cells[:3]:
        assert await cell.diagnostics() == []
    fix = next(one for one in await last.actions("torch.einsum") if isinstance(one, lsp.CodeAction) and one.is_preferred)
    assert last.edited(fix) == "!nvidia-smi\nz = torch.mm(y, torch.ones(4, 3))"


async def test_a_cell_that_is_half_typed_does_not_keep_the_others_from_being_mended(book: Notebook) -> None:
    book.splice(3, 0, "x = torch.einsum('i,i->', ")
    last = book.cells[4]
    await last.diagnostics(lambda rows: len(rows) == 1)
    context = lsp.CodeActionContext([], only=[lsp.CodeActionKind("source.fixAll")])
    params = lsp.CodeActionParams(last.id, last.whole(), context)
    (action,) = await book.editor.client.text_document_code_action_async(params) or []
    assert isinstance(action, lsp.CodeAction) and action.kind == "source.fixAll.torch-handbook"
    assert last.edited(action) == "!nvidia-smi\nz = torch.mm(y, torch.ones(4, 3))"


async def test_an_id_in_a_comment_leads_to_its_page(book: Notebook) -> None:
    book.splice(1, 0, "x = 1", "y = 2  # torch-handbook: ignore[shape-mismatch]")
    params = [lsp.DocumentLinkParams(cell.id) for cell in book.cells]
    found = [list(await book.editor.client.text_document_document_link_async(one) or []) for one in params]
    assert [len(links) for links in found] == [0, 0, 1, 0, 0, 0]
    assert found[2][0].range.start == book.cells[2].find("shape-mismatch")


async def test_cells_come_go_and_change(book: Notebook) -> None:
    last = book.cells[3]
    await last.diagnostics(lambda rows: len(rows) == 1)
    book.replace(3, "torch.einsum('bi,ij->bj', y, torch.ones(4, 3))", "y")
    await last.diagnostics(lambda rows: rows == [])
    book.splice(2, 1, "y = net(x.view(16, 16))", "w = torch.einsum('i,i->', x[0], x[0])")
    (wrong,) = await book.cells[2].diagnostics(lambda rows: len(rows) == 1)
    assert wrong.code == "linear-in-features-mismatch"
    (waste,) = await book.cells[3].diagnostics(lambda rows: len(rows) == 1)
    assert waste.range.start == book.cells[3].find("torch.einsum")
    gone = book.cells[3]
    book.splice(2, 2)
    await taken_back(gone)


async def test_a_benchmark_in_a_cell_uses_those_above(book: Notebook) -> None:
    line = book.cells[2].find("y = net").line
    report = await book.editor.command("benchmark", book.cells[2].uri, {"line": line, "endLine": line})
    assert report["ok"], report
    lenses = [await cell.lenses() for cell in book.cells]
    for cell, found in zip(book.cells, lenses, strict=True):
        assert all(one.range.start.line <= cell.text.count("\n") for one in found)


async def test_a_closed_notebook_takes_its_diagnostics_along(book: Notebook) -> None:
    last = book.cells[3]
    await last.diagnostics(lambda rows: len(rows) == 1)
    closing = lsp.DidCloseNotebookDocumentParams(lsp.NotebookDocumentIdentifier(book.uri), [one.id for one in book.cells])
    book.editor.client.notebook_document_did_close(closing)
    assert await last.hover("einsum") is None
    await taken_back(last)
