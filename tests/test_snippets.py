"""Snippets are programs that run, that no rule flags, and that are offered where a statement can begin."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import pytest
from feature_snapshots import at, handbook, snapshot
from test_entries_rules import findings
from torch_handbook.features.completion import resolve
from torch_handbook.features.offers import SNIPPET, Item
from torch_handbook.features.snippets import offers
from torch_handbook.handbook import snippets
from torch_handbook.settings import Settings
from torch_handbook.torchdocs.docs import TorchDocs

ROOT = Path(__file__).parents[1] / "entries"
FILES = sorted((ROOT / "snippets").glob("*.py"))
SNIPPETS = snippets.load(ROOT)
STOP = re.compile(r"\$\{(\d+):((?:\\.|[^}\\])*)\}|\$(\d+)")

each = pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.name)


def expanded(template: str) -> str:
    """What an editor makes of a template when nothing is filled in."""
    words = {number: word for number, word, _ in STOP.findall(template) if number}
    text = STOP.sub(lambda match: match[2] if match[1] else words.get(match[3], ""), template)
    return re.sub(r"\\([\\$}])", r"\1", text)


@pytest.mark.torch
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_snippet_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.setenv(name, "0")  # so that what the snippet sets is gone after it
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    benchmark = torch.backends.cudnn.benchmark
    try:
        with torch.random.fork_rng(devices=[]):
            exec(compile(path.read_text("utf-8"), str(path), "exec"), module.__dict__)
    finally:
        torch.use_deterministic_algorithms(False)
        torch.backends.cudnn.benchmark = benchmark


@pytest.mark.torch
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_rule_flags_a_snippet(path: Path) -> None:
    pytest.importorskip("torch")
    assert [f"line {found.span.line}: {found.id}: {found.message}" for found in findings(path.read_text("utf-8"))] == []


@each
def test_a_template_is_its_code_with_places_to_fill_in(snippet: snippets.Snippet) -> None:
    assert snippet.stops and len(snippet.title) > 20
    assert expanded(snippet.template) == snippet.code.rstrip("\n")
    numbers = {int(number) for number, _, _ in STOP.findall(snippet.template) if number}
    assert numbers == set(range(1, len(snippet.stops) + 1)), "each stop stands in the code"
    assert snippet.template.endswith("$0")


def test_a_stop_is_a_word_of_its_own() -> None:
    code = 'model.to(device)\nmy_model = self.model\nsave({"model": model}, f"$ {x}")\n'
    assert snippets.template(code, ("model",)) == (
        '${1:model}.to(device)\nmy_model = self.model\nsave({"model": $1}, f"\\$ {x}")$0'
    )


def at_cursor(code: str, *, settings: Settings | None = None, alone: bool = False) -> list[Item]:
    text, place = at(code)
    return offers(snapshot(text, torch=False, settings=settings), place, alone=alone)


@pytest.mark.parametrize(
    "code", ["|", "tr|", "import torch\ntra|", "def f(x):\n    e|", "for x in y:\n    a = 1\n    am|\n    b = 2\n"]
)
def test_offered_where_a_statement_can_begin(code: str) -> None:
    found = at_cursor(code)
    assert {"train", "eval", "amp", "accumulate", "collate", "dataset", "checkpoint", "ddp", "function", "seed", "profile"} <= {
        item.label for item in found
    }
    assert {item.kind for item in found} == {SNIPPET}


@pytest.mark.parametrize(
    "code",
    [
        "x = tr|",
        "f(tr|",
        "f(\n    tr|",
        "# tr|",
        '"""tr|',
        '"""\ntr|\n"""',
        "x.tr|",
        "if tr|",
        "import tr|",
        "x = 1 + \\\n  tr|",
        "def tr|",
        "@tr|",
    ],
)
def test_not_offered_elsewhere(code: str) -> None:
    assert at_cursor(code) == []


def test_not_offered_where_completion_is_off() -> None:
    assert at_cursor("tr|", settings=Settings(completion_mode="off")) == []


def offer(name: str, code: str, *, alone: bool = False) -> Item:
    return next(item for item in at_cursor(code, alone=alone) if item.label == name)


def test_missing_imports_go_to_the_top() -> None:
    assert offer("collate", "import os\n\nprint(1)\nco|").above == (
        2,
        "import torch\nfrom torch.nn.utils.rnn import pad_sequence\n",
    )
    assert offer("collate", '"""Doc."""\nimport torch\n\nx = 1\nco|').above == (
        3,
        "from torch.nn.utils.rnn import pad_sequence\n",
    )
    assert offer("train", "import os\nx = 1\ntr|").above is None
    assert offer("amp", "import torch\nfrom torch import nn\nx = 1\nam|").above is None


def test_imports_stand_in_the_text_where_there_is_no_top() -> None:
    for item in (offer("collate", "co|"), offer("collate", "x = 1\nco|", alone=True)):
        assert item.above is None
        assert item.insert.startswith("import torch\nfrom torch.nn.utils.rnn import pad_sequence\n\ndef ${1:collate}(batch):")


def test_what_is_shown_beside_an_offer() -> None:
    text = resolve(handbook(), TorchDocs.open(None, None, Path()), "snippets/train")
    assert text and text.startswith("Training loop, with the mean loss of each epoch.\n\n```python\nmodel.train()\n")
    assert resolve(handbook(), TorchDocs.open(None, None, Path()), "snippets/none") is None
