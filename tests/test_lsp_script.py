"""The shipped script through the real server: what an editor shows of it, and what happens while somebody works on it."""

from __future__ import annotations

import ast
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsp_editor import Buffer, Editor, connected, profile, until
from lsprotocol import types as lsp

pytest.importorskip("torch")
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.torch]

SCRIPT = Path(__file__).parent / "scripts" / "train_shapes.py"
MISTAKES = {
    "einsum-with-bmm-equivalent": 'torch.einsum("bqk,bkc->bqc", weights, v)',
    "linear-in-features-mismatch": "self.fc1(tokens",
    "softmax-before-cross-entropy": "criterion(logits, labels)",
    "loss-accumulated-with-graph": "running_loss += loss",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    folder = tmp_path_factory.mktemp("script")
    async with connected(profile("visual-studio-code"), folder, settings={"python": sys.executable}) as editor:
        yield editor
        status = await editor.status()
        assert status["errors"] == 0 and editor.messages() == []


@pytest.fixture
def buffer(editor: Editor, request: pytest.FixtureRequest) -> Buffer:
    return editor.open(f"untitled:{request.node.name}", SCRIPT.read_text("utf-8"))


async def test_the_four_mistakes_and_nothing_else(buffer: Buffer) -> None:
    rows = await buffer.diagnostics(lambda rows: len(rows) >= len(MISTAKES))
    assert {str(row.code) for row in rows} == set(MISTAKES) and len(rows) == len(MISTAKES)
    for row in rows:
        line = buffer.text.split("\n")[row.range.start.line]
        assert MISTAKES[str(row.code)] in line
        assert row.source == "torch-handbook" and row.message
        assert row.range.start.line == row.range.end.line


async def test_each_fix_mends_its_mistake(buffer: Buffer) -> None:
    rows = await buffer.diagnostics(lambda rows: len(rows) >= len(MISTAKES))
    for code in [str(row.code) for row in rows]:
        now = await buffer.diagnostics(lambda rows, code=code: code in {row.code for row in rows})
        (row,) = [row for row in now if row.code == code]
        context = lsp.CodeActionContext([row], [lsp.CodeActionKind.QuickFix])
        params = lsp.CodeActionParams(buffer.id, row.range, context)
        answer = await buffer.editor.client.text_document_code_action_async(params) or []
        fixes = [action for action in answer if isinstance(action, lsp.CodeAction) and action.is_preferred]
        if not fixes:
            continue
        text = buffer.edited(fixes[0])
        ast.parse(text)
        buffer.set(text)
        await buffer.diagnostics(lambda rows, code=code: code not in {row.code for row in rows})
    left = await buffer.diagnostics(lambda rows: "linear-in-features-mismatch" not in {row.code for row in rows})
    assert {row.code for row in left} <= {"softmax-before-cross-entropy"}


HOVERS = {
    "nn.Conv|2d(3": "torch.nn.Conv2d(",
    "F.re|lu(self.conv1": "torch.nn.functional.relu(",
    "torch.st|ack([circle": "torch.stack(",
    "Data|Loader(dataset": "torch.utils.data.DataLoader(",
    "shuf|fle=True": "`shuffle`",
    "loss.back|ward()": "torch.Tensor.backward(",
    "optimizer.st|ep()": "step(",
    "q.si|ze(-1)": "torch.Tensor.size(",
    "self.con|v1(x)": "Conv2d(3, 6, kernel_size=(5, 5)",
    "tok|ens.flatten(1)": "Tensor [batch, 25, 16] float32",
    "scores.soft|max": "softmax(",
}


async def test_hovers(buffer: Buffer) -> None:
    await buffer.editor.settle()
    found = {words: await buffer.hover(words) or "" for words in HOVERS}
    assert [words for words, wanted in HOVERS.items() if wanted not in found[words]] == [], found


async def test_shapes(buffer: Buffer) -> None:
    await until(buffer.hints, lambda hints: len(hints) > 20)
    lines = buffer.text.split("\n")
    found = {lines[hint.position.line].strip(): hint.label for hint in await buffer.hints()}
    assert found["x = self.pool(F.relu(self.conv2(x)))"] == ": [batch, 16, 5, 5]"
    assert found["shapes = torch.stack([circle, square, triangle])"] == ": [3, 32, 32]"
    assert found["loss = criterion(logits, labels)"] == ": []"
    tooltip = next(hint.tooltip for hint in await buffer.hints() if hint.label == ": []")
    assert isinstance(tooltip, lsp.MarkupContent) and "Requires a gradient" in tooltip.value


async def test_hints_of_the_visible_lines_alone(buffer: Buffer) -> None:
    await until(buffer.hints, lambda hints: len(hints) > 20)
    area = lsp.Range(buffer.find("rows = "), buffer.find("circle = "))
    params = lsp.InlayHintParams(buffer.id, area)
    answer = await buffer.editor.client.text_document_inlay_hint_async(params) or []
    assert [hint.label for hint in answer] == [": [32, 1]", ": [1, 32]"]


async def test_facts_come_with_a_refresh(editor: Editor, buffer: Buffer) -> None:
    editor.refreshed.clear()
    await until(buffer.hints, lambda hints: len(hints) > 20)
    await until(editor.status, lambda _: lsp.WORKSPACE_INLAY_HINT_REFRESH in editor.refreshed)


async def test_an_edit_keeps_the_shapes_of_other_lines_and_mends_its_own(buffer: Buffer) -> None:
    await until(buffer.hints, lambda hints: len(hints) > 20)
    buffer.replace("CLASSES = 3\n", "CLASSES = 3\nSIZE = 1\n\n")
    assert await labels_at(buffer, "shapes = torch.stack") == [": [3, 32, 32]"]
    buffer.replace("nn.Conv2d(6, 16, 5)", "nn.Conv2d(6, 16, 3)")
    await until(lambda: labels_at(buffer, "x = self.pool(F.relu(self.conv2"), lambda labels: labels == [": [batch, 16, 6, 6]"])
    rows = await buffer.diagnostics(lambda rows: "linear-in-features-mismatch" not in {row.code for row in rows})
    assert len(rows) == len(MISTAKES) - 1  # 16 * 6 * 6 is right now


async def test_a_half_typed_line_takes_no_shapes_from_the_others(editor: Editor, buffer: Buffer) -> None:
    before = len(await until(buffer.hints, lambda hints: len(hints) > 20))
    for typed in ("y = ", "y = torch.", "torch.stack([q, "):
        buffer.replace("        scores = ", f"        {typed}\n        scores = ")
        await editor.settle()  # the worker has looked at the broken text
        assert len(await buffer.hints()) >= before - 2
        rows = await buffer.diagnostics(lambda rows: len(rows) > 0)
        assert "linear-in-features-mismatch" in {row.code for row in rows}
        buffer.replace(f"        {typed}\n", "")
        await editor.settle()


async def labels_at(buffer: Buffer, words: str) -> list[str]:
    line = buffer.find(words).line
    return [str(hint.label) for hint in await buffer.hints() if hint.position.line == line]


async def test_completions_are_marked_and_told_when_asked(editor: Editor, buffer: Buffer) -> None:
    for typed, label in (("nn.", "Conv2d"), ("torch.", "einsum"), ("F.", "cross_entropy"), ("optim.", "SGD")):
        buffer.append(f"\n{typed}")
        items = {item.label: item for item in await buffer.complete()}
        item = items[label]
        assert item.label_details and "pitfall" in (item.label_details.description or "") and item.detail is None
        assert item.documentation is None and isinstance(item.data, str)
        told = await editor.client.completion_item_resolve_async(item)
        assert isinstance(told.documentation, lsp.MarkupContent) and "⚠" in told.documentation.value


async def test_the_mark_is_in_the_detail_for_a_client_without_label_details(tmp_path: Path) -> None:
    async with connected(profile("emacs"), tmp_path, settings={"facts": False}) as editor:
        buffer = editor.open("untitled:a", "import torch.nn as nn\nnn.")
        item = next(item for item in await buffer.complete() if item.label == "Linear")
        assert item.label_details is None and item.detail and "pitfall" in item.detail


async def test_lens_and_silence(buffer: Buffer) -> None:
    await buffer.diagnostics(lambda rows: len(rows) >= len(MISTAKES))
    assert [lens.range.start for lens in await buffer.lenses()] == [
        buffer.find("def make_pictures"),
        buffer.find("def forward(self, x):\n        q, k"),
        buffer.find("return torch.einsum"),
        buffer.find("class ShapeNet"),
        buffer.find("def forward(self, x):\n        x = "),
        buffer.find("def train"),
        buffer.find("if __name__"),
    ]
    silence = next(item for item in await buffer.actions("running_loss +=") if item.title.startswith("Silence"))
    buffer.set(buffer.edited(silence))
    rows = await buffer.diagnostics(lambda rows: len(rows) == len(MISTAKES) - 1)
    assert "loss-accumulated-with-graph" not in {row.code for row in rows}
