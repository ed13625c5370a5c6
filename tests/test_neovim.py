"""The Neovim plugin in a real Neovim, with the real server: what a user of it does and sees."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pynvim")

from editors.headless import PLUGIN, ROOT, Neovim, binary

pytestmark = [
    pytest.mark.editor,
    pytest.mark.timeout(120),
    pytest.mark.skipif(binary() is None, reason="there is no nvim here"),
]
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="there is no torch here")
SCRIPT = ROOT / "tests" / "scripts" / "train_shapes.py"
SYNTAX_RULES = {"einsum-with-bmm-equivalent", "loss-accumulated-with-graph", "softmax-before-cross-entropy"}
FACT_RULES = {"linear-in-features-mismatch"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    """One Neovim for all tests that do not start or end one."""
    neovim = Neovim(tmp_path_factory.mktemp("home"), python=sys.executable)
    yield neovim
    neovim.close()


@pytest.fixture
def neovim(running: Neovim, tmp_path: Path) -> Iterator[Neovim]:
    """The script opened from a folder of its own, so that a test may change it."""
    script = Path(shutil.copy(SCRIPT, tmp_path / "train_shapes.py"))
    running.open(script)
    yield running
    running.rpc.input("<Esc>")
    running.close_floats()
    running.rpc.command("silent %bwipeout!")


def test_hover_shows_the_handbook(neovim: Neovim) -> None:
    text = neovim.hover("self.conv1 = nn.Conv2d", "Conv2d")
    assert "in_channels" in text
    assert "⚠" in text


def test_completion_marks_pitfalls(neovim: Neovim) -> None:
    neovim.go("return F.softmax", "return")
    neovim.rpc.input("Ox = F.so<C-x><C-o>")
    neovim.until("vim.fn.mode() == 'i' and #vim.fn.complete_info({ 'items' }).items > 0")
    items = {item["word"]: item for item in neovim.lua("return vim.fn.complete_info({ 'items' }).items")}
    assert "⚠" in items["softmax"]["menu"]


OFFERED = """
    function offered()
      local client = vim.lsp.get_clients({ name = "torch_handbook" })[1]
      local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
      local answer, names = client:request_sync("textDocument/completion", params, 20000), {}
      for _, item in ipairs(answer.result.items) do names[item.label] = true end
      return names
    end
"""
OTHER = """
    return vim.lsp.start({ name = "other", filetypes = { "python" }, cmd = function(dispatchers)
      local closing = false
      return {
        request = function(method, _, callback)
          callback(nil, method == "initialize" and { capabilities = { completionProvider = {} } } or nil)
          return true, 1
        end,
        notify = function(method)
          if method == "exit" then closing = true; dispatchers.on_exit(0, 0) end
          return true
        end,
        is_closing = function() return closing end,
        terminate = function() closing = true end,
      }
    end })
"""


def test_beside_another_python_server_only_annotated_names_are_completed(neovim: Neovim) -> None:
    neovim.go("return F.softmax", "return")
    line, _ = neovim.rpc.current.window.cursor
    neovim.rpc.current.buffer[line - 1] = "        nn. "
    neovim.rpc.current.window.cursor = (line, len("        nn."))
    neovim.lua(OFFERED)
    neovim.until("offered().Linear and offered().LPPool3d")
    other = neovim.lua(OTHER)
    neovim.until("offered().Linear and not offered().LPPool3d")
    neovim.lua("vim.lsp.stop_client(...)", other)
    neovim.until("offered().Linear and offered().LPPool3d")


def test_mistakes_are_warnings(neovim: Neovim) -> None:
    neovim.diagnosed(SYNTAX_RULES)
    assert {row["source"] for row in neovim.lua("return vim.diagnostic.get(0)")} == {"torch-handbook"}


@needs_torch
def test_mistakes_that_need_shapes_are_warnings(neovim: Neovim) -> None:
    neovim.diagnosed(SYNTAX_RULES | FACT_RULES)
    shown = [row["code"] for row in neovim.lua("return vim.diagnostic.get(0)")]
    assert sorted(shown) == sorted(SYNTAX_RULES | FACT_RULES)  # each once, though both sides know two ways to send them


def test_quick_fix_is_applied(neovim: Neovim) -> None:
    neovim.diagnosed({"loss-accumulated-with-graph"})
    neovim.go("running_loss += loss", "loss")
    neovim.lua("vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title:find('detach', 1, true) end })")
    neovim.until("vim.fn.search('running_loss += loss.detach()', 'nw') > 0")
    neovim.until("not vim.iter(vim.diagnostic.get(0)):any(function(d) return d.code == 'loss-accumulated-with-graph' end)")


@needs_torch
def test_shapes_stand_in_the_text(neovim: Neovim) -> None:
    neovim.until("#vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0", 60)
    hints = [hint["inlay_hint"] for hint in neovim.lua("return vim.lsp.inlay_hint.get({ bufnr = 0 })")]
    labels = {neovim.lines[hint["position"]["line"]].strip(): hint["label"] for hint in hints}
    assert labels["tokens = x.flatten(2).transpose(1, 2)"].endswith(", 25, 16]")
    assert labels["shapes = torch.stack([circle, square, triangle])"] == ": [3, 32, 32]"


@needs_torch
def test_benchmark_of_a_selection_ends_in_a_report(neovim: Neovim) -> None:
    neovim.lua("reports = {}")
    number = neovim.line("return torch.einsum")
    neovim.rpc.command(f"{number}TorchBenchmark")
    report = neovim.float(90)
    assert "edian" in report
    assert "einsum" in report
    kinds = [value["kind"] for value in neovim.lua("return reports")]
    assert kinds[0] == "begin"
    assert "report" in kinds


@needs_torch
def test_before_code_is_run_for_the_first_time_there_is_a_question(neovim: Neovim, tmp_path: Path) -> None:
    neovim.lua("notices, reports, questions = {}, {}, {}")
    neovim.lua("selects = vim.ui.select; vim.ui.select = function(items, _, choose) offered = items; choose(items[2]) end")
    neovim.rpc.command("TorchBenchmark")
    assert neovim.lua("return offered[2]") == "Do not run it"
    assert neovim.lua("return require('torch_handbook.benchmark').is_running()") is False
    neovim.lua("vim.ui.select = selects")
    for _ in range(2):
        neovim.go("return torch.einsum", "return")
        neovim.rpc.command("TorchBenchmark")
        assert "einsum" in neovim.float(90)
        neovim.close_floats()
    (question,) = neovim.lua("return questions")
    assert str(tmp_path) in question and "runs code" in question


@needs_torch
def test_lens_runs_the_benchmark(neovim: Neovim) -> None:
    neovim.until("#vim.lsp.codelens.get(0) > 0", 60)
    neovim.go("return torch.einsum", "return")
    neovim.lua("vim.lsp.codelens.run()")
    assert "bmm" in neovim.float(90)
    neovim.close_floats()
    neovim.until("#vim.lsp.codelens.get(0) > 0")


@needs_torch
def test_benchmark_is_cancelled(neovim: Neovim) -> None:
    neovim.lua("notices, reports = {}, {}")
    neovim.go("weights = scores.softmax", "weights")
    neovim.rpc.command("TorchBenchmark")
    neovim.until("#reports > 0")
    neovim.rpc.command("TorchBenchmarkCancel")
    neovim.until("reports[#reports].kind == 'end'")
    assert neovim.floats() == []
    assert neovim.lua("return notices") == ["Torch Handbook: benchmark cancelled"]
    assert "softmax" in neovim.hover("weights = scores.softmax", "softmax")


def test_page_opens_beside_the_text(neovim: Neovim) -> None:
    neovim.rpc.command("TorchPage torch.nn.Conv2d")
    neovim.until("vim.bo.filetype == 'markdown' and vim.fn.search('padding', 'nw') > 0")
    assert len(neovim.rpc.windows) == 2
    assert not neovim.rpc.current.buffer.options["modifiable"]
    neovim.rpc.input("q")
    neovim.until("vim.bo.filetype == 'python'")


def test_page_names_are_completed(neovim: Neovim) -> None:
    assert "torch.nn.Conv2d" in neovim.lua("return vim.fn.getcompletion('TorchPage conv2', 'cmdline')")
    assert neovim.lua("return vim.fn.getcompletion('TorchPage guides/in-p', 'cmdline')") == ["guides/in-place"]


@pytest.mark.parametrize(("columns", "wide"), [(150, 82), (100, 49)])
def test_page_is_as_wide_as_its_text_or_its_text_flows(neovim: Neovim, columns: int, wide: int) -> None:
    neovim.rpc.options["columns"] = columns
    neovim.rpc.command("TorchPage nn.Conv2d")
    neovim.until("vim.bo.filetype == 'markdown' and vim.fn.search('padding', 'nw') > 0")
    summary = next(line for line in neovim.rpc.current.buffer[:] if line.startswith("Slides a bank"))
    assert abs(neovim.rpc.current.window.width - wide) <= 1
    assert summary.endswith("input channels.") is (wide < 82)  # in a narrow window the whole paragraph is one line
    neovim.rpc.input("q")
    neovim.until("vim.bo.filetype == 'python'")
    neovim.rpc.options["columns"] = 140


def test_search_lists_pages_and_opens_the_chosen_one(neovim: Neovim) -> None:
    neovim.lua(
        "selects = vim.ui.select; vim.ui.select = function(items, options, choose) "
        "shown = vim.tbl_map(options.format_item, items); choose(items[1]) end"
    )
    neovim.rpc.command("TorchSearch join tensors along a new axis")
    neovim.until("vim.bo.filetype == 'markdown' and vim.fn.search('torch.stack', 'nw') > 0")
    assert neovim.lua("return shown[1]").startswith("torch.stack  Puts tensors")
    neovim.rpc.input("q")
    neovim.until("vim.bo.filetype == 'python'")
    neovim.lua("vim.ui.select = selects")


def test_a_message_is_explained_in_a_page(neovim: Neovim) -> None:
    message = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)"
    neovim.rpc.command(f"TorchExplain {message}")
    neovim.until("vim.bo.filetype == 'markdown' and vim.fn.search('256 features arrive', 'nw') > 0")
    neovim.rpc.input("q")
    neovim.until("vim.bo.filetype == 'python'")
    neovim.rpc.command(f"let @\" = '{message}'")
    neovim.lua("vim.fn.setreg('+', '')")
    neovim.rpc.command("TorchExplain")
    neovim.until("vim.bo.filetype == 'markdown' and vim.fn.search('256 features arrive', 'nw') > 0")
    neovim.rpc.input("q")
    neovim.until("vim.bo.filetype == 'python'")


def test_page_that_is_not_there_is_said(neovim: Neovim) -> None:
    neovim.lua("notices = {}")
    neovim.rpc.command("TorchPage torch.no.such.name")
    neovim.until("#notices > 0")
    assert "torch.no.such.name" in neovim.lua("return notices[1]")
    assert len(neovim.rpc.windows) == 1


def test_restart_brings_everything_back(neovim: Neovim) -> None:
    neovim.diagnosed(SYNTAX_RULES)
    before = neovim.lua("return vim.lsp.get_clients()[1].id")
    neovim.rpc.command("TorchRestart")
    neovim.until(f"vim.iter(vim.lsp.get_clients()):any(function(c) return c.id ~= {before} and c.initialized end)")
    neovim.diagnosed(SYNTAX_RULES)


def test_health_says_what_is_there(neovim: Neovim) -> None:
    neovim.rpc.command("checkhealth torch_handbook")
    text = "\n".join(neovim.lines)
    assert "OK Neovim 0." in text
    assert "OK torch-handbook " in text
    assert "train_shapes.py" in text
    assert "OK worker: " in text
    assert "ERROR" not in text


def test_nothing_that_goes_away_is_used(neovim: Neovim) -> None:
    """What other tests used stands in this report, too, as all share one Neovim; it is of no interest where tests call it."""
    neovim.lua("vim.lsp.codelens.run()")
    neovim.rpc.command("checkhealth vim.deprecated")
    neovim.until("vim.bo.filetype == 'checkhealth'")
    text = "\n".join(neovim.lines)
    assert "vim.deprecated" in text and "editors/neovim" not in text, text


def test_help_is_found(neovim: Neovim) -> None:
    for tag in ("torch_handbook", ":TorchBenchmark", ":TorchPage", "torch_handbook-options"):
        neovim.rpc.command(f"help {tag}")
        assert neovim.rpc.current.buffer.name.endswith("doc/torch_handbook.txt")
        assert f"*{tag}*" in neovim.rpc.current.line


def test_help_tags_are_up_to_date(running: Neovim, tmp_path: Path) -> None:
    folder = shutil.copytree(PLUGIN / "doc", tmp_path / "doc", ignore=shutil.ignore_patterns("tags"))
    running.rpc.command(f"helptags {folder}")
    assert (Path(folder) / "tags").read_text() == (PLUGIN / "doc" / "tags").read_text()


def test_without_a_server_one_notice_says_how_to_get_it(tmp_path: Path) -> None:
    neovim = Neovim(tmp_path / "home", path="/usr/bin:/bin")
    try:
        for name in ("one.py", "two.py"):
            (tmp_path / name).write_text("import torch\n")
            neovim.rpc.command(f"edit {tmp_path / name}")
        neovim.until("#notices > 0")
        assert len(neovim.lua("return notices")) == 1
        assert f"pipx install '{ROOT}'" in neovim.lua("return notices[1]")
        neovim.rpc.command("checkhealth torch_handbook")
        assert "ERROR Torch Handbook: the server is not installed" in "\n".join(neovim.lines)
    finally:
        neovim.close()


def test_server_that_was_set_wrong_is_named(tmp_path: Path) -> None:
    neovim = Neovim(tmp_path / "home", server="/nowhere/torch-handbook")
    try:
        (tmp_path / "one.py").write_text("import torch\n")
        neovim.rpc.command(f"edit {tmp_path / 'one.py'}")
        neovim.until("#notices > 0")
        assert "/nowhere/torch-handbook" in neovim.lua("return notices[1]")
    finally:
        neovim.close()


NAMES = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return self.conv(x.view(-1, 3, 32, 32)).mean((2, 3))  # torch-handbook: ignore[shape-mismatch]


def train(model, loader, optimizer):
    for images, labels in loader:
        loss = torch.sum(model(images) - labels)
        loss.backward()
        optimizer.step()


model = Net()
out = model(torch.randn(8, 3, 32, 32))
print(model, out)
"""
HOVERS = [
    ("loss = torch.sum", "sum", ("torch.sum(", "dim")),
    ("self.conv = nn.Conv2d", "Conv2d", ("torch.nn.Conv2d(", "in_channels", "⚠")),
    ("return self.conv(x.view", "view", ("torch.Tensor.view(", "⚠")),  # x is a parameter without an annotation
    ("loss.backward", "backward", ("torch.Tensor.backward(", "⚠")),
    ("optimizer.step", "step", ("torch.optim.Optimizer.step(", "closure")),
    ("return self.conv(x.view", "shape-mismatch", ("# shape-mismatch",)),
]


@needs_torch
def test_hovers_where_a_reader_of_the_file_alone_could_not_tell(running: Neovim, tmp_path: Path) -> None:
    script = tmp_path / "names.py"
    script.write_text(NAMES, encoding="utf-8")
    running.open(script)
    for line, word, wanted in HOVERS:
        text = running.hover(line, word)
        assert [part for part in wanted if part not in text] == [], text


@needs_torch
def test_hover_on_a_network_and_on_a_tensor(running: Neovim, tmp_path: Path) -> None:
    script = tmp_path / "values.py"
    script.write_text(NAMES, encoding="utf-8")
    running.open(script)
    running.until("#vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0", 60)
    network = running.hover("print(model, out)", "model")
    assert "| conv  | Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1)) | 224" in network and "[8, 3, 32, 32] → [8, 8]" in network
    tensor = running.hover("print(model, out)", "out")
    assert "out: Tensor [8, 8] float32" in tensor and "From line 22: `model(torch.randn(8, 3, 32, 32))`." in tensor


@needs_torch
def test_summary_of_a_network_at_the_cursor_by_name_and_by_its_lens(running: Neovim, tmp_path: Path) -> None:
    script = tmp_path / "summary.py"
    script.write_text(NAMES, encoding="utf-8")
    running.open(script)
    running.rpc.command("TorchSummary Net")
    running.until("vim.bo.filetype == 'markdown' and vim.fn.search('224 parameters', 'nw') > 0", 60)
    text = "\n".join(running.lines)
    assert "[8, 8, 30, 30]" in text and "AdamW" in text and "kept, batch 8" in text
    running.rpc.input("q")
    running.until("vim.iter(vim.lsp.codelens.get(0)):any(function(l) return l.command.title == 'Layers and memory' end)", 60)
    running.go("class Net", "Net")
    running.lua("vim.lsp.codelens.run()")
    running.until("vim.bo.filetype == 'markdown' and vim.fn.search('224 parameters', 'nw') > 0", 60)
    running.rpc.input("q")
    running.until("vim.bo.filetype == 'python'")


@needs_torch
def test_signature_of_an_own_network(running: Neovim, tmp_path: Path) -> None:
    script = tmp_path / "calls.py"
    script.write_text(NAMES, encoding="utf-8")
    running.open(script)
    running.go("out = model(", "torch.randn")
    running.lua("vim.lsp.buf.signature_help()")
    assert "forward(x)" in running.float()
    running.close_floats()


def test_declaration_opens_the_page(neovim: Neovim) -> None:
    neovim.go("self.conv1 = nn.Conv2d", "Conv2d")
    neovim.lua("vim.lsp.buf.declaration()")
    neovim.until("vim.api.nvim_buf_get_name(0):find('pages/torch.nn._Conv2d.md', 1, true)")
    assert neovim.lines[0] == "# torch.nn.Conv2d"


@needs_torch
def test_script_from_elsewhere(running: Neovim, tmp_path: Path) -> None:
    """A training script that was not written for these tests: one that comes with torch."""
    import torch

    source = Path(torch.__file__).parent / "testing/_internal/distributed/rpc/examples/parameter_server_test.py"
    script = Path(shutil.copy(source, tmp_path / "parameter_server.py"))
    running.open(script)
    assert "in_features" in running.hover("nn.Linear", "Linear")
    assert "zero_grad" in running.hover("optimizer.zero_grad", "zero_grad")
