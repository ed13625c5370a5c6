"""`torch-handbook try` prints what an editor would show, with torch and without."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "scripts" / "train_shapes.py"
MISTAKES = (
    "linear-in-features-mismatch",
    "softmax-before-cross-entropy",
    "loss-accumulated-with-graph",
    "einsum-with-bmm-equivalent",
)


def tour(*arguments: str, script: Path = SCRIPT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torch_handbook", "try", str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=170, encoding="utf-8")


@pytest.mark.torch
def test_the_tour_shows_everything() -> None:
    pytest.importorskip("torch")
    done = tour("--python", sys.executable)
    assert done.returncode == 0, done.stderr
    diagnostics = done.stdout.split("Diagnostics", 1)[1].split("Hover", 1)[0]
    for mistake in MISTAKES:
        assert diagnostics.count(mistake) == 1, mistake
    assert "fix  " in done.stdout  # at least one quick fix, as a difference
    assert "+        self.fc1 = nn.Linear(" in done.stdout
    assert "[batch, 3, 32, 32]" in done.stdout
    assert "Conv2d" in done.stdout and "⚠" in done.stdout
    benchmark = unframed(done.stdout.split("Benchmark", 1)[1])
    assert "µs" in benchmark and "torch 2" in benchmark


def unframed(shown: str) -> str:
    """The words in a frame: where its lines break depends on how long the processor's name is."""
    return " ".join(shown.replace("│", " ").split())


def test_without_torch_it_says_what_is_missing(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "bare" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    done = tour("--python", str(python))
    assert done.returncode == 0, done.stderr
    assert "einsum-with-bmm-equivalent" in done.stdout  # what needs no torch is still found
    assert "pip install torch" in done.stdout  # and how to get the rest


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "torch_handbook", "try", str(tmp_path / "no.py")], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "no.py cannot be read" in done.stderr


@pytest.mark.torch
def test_what_cannot_be_timed_is_passed_over(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "script.py"
    script.write_text(
        "import no_such_package\nimport torch\nfrom torch import nn\n\n"
        "data = torch.utils.data.DataLoader(no_such_package.load())\n"
        "noise = torch.randn(int(no_such_package.SIZE), 4)\nlayer = nn.Linear(4, 2)\nx = torch.randn(3, 4)\ny = layer(x)\n",
        "utf-8",
    )
    done = tour("--python", sys.executable, script=script)
    assert done.returncode == 0, done.stderr
    assert "Benchmark  line 8" in done.stdout and "Traceback" not in done.stdout


def test_without_the_shipped_script_a_file_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from torch_handbook.cli import main, try_

    monkeypatch.setattr(try_, "EXAMPLE", Path("no such folder/train_shapes.py"))
    assert main.main(["try"]) == 2
    assert capsys.readouterr().err == "torch-handbook try: name a Python file of yours, such as train.py\n"
