"""`explain`, and what the command line says to wrong names, wrong options and folders without code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from torch_handbook.cli.main import main


def test_explain_prints_rules_names_and_guides(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("shape-mismatch", "torch.nn.Conv2d", "nn.Conv2d", "guides/in-place"):
        assert main(["explain", name]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith("# ") and len(printed) > 500, name


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("shape-mismach", "shape-mismatch"), ("torch.nn.Conv2", "torch.nn.Conv2d"), ("Conv2d", "torch.nn.Conv2d")],
)
def test_explain_knows_what_was_meant(wrong: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", wrong]) == 2
    assert f"no page called {wrong}; did you mean" in (said := capsys.readouterr().err)
    assert meant in said


def test_an_unknown_option_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["check", "--bad", "x.py"])
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert said == "torch-handbook check: there is no option --bad; `torch-handbook check --help` lists what it takes\n"


@pytest.mark.parametrize("command", ["check", "shapes"])
def test_a_folder_without_python_files_is_said(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("nothing here\n", "utf-8")
    assert main([command, str(tmp_path)]) == 0
    assert f"there are no Python files in {tmp_path}" in capsys.readouterr().err


@pytest.mark.torch
def test_shapes_are_written_as_editors_show_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.zeros(600)\ny = x.view(20, 30)\nz = y.sum()\n", "utf-8")
    assert main(["shapes", str(tmp_path / "a.py"), "--python", sys.executable]) == 0
    shapes = [line.rpartition(": ")[2] for line in capsys.readouterr().out.splitlines()]
    assert shapes == ["[600]", "[20, 30]", "[]"]
