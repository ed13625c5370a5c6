"""`bench` in a terminal: its words and its exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from torch_handbook.cli.main import main


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    return str(folder)


@pytest.mark.torch
def test_bench_prints_a_report_and_remembers_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "products.py"
    file.write_text(
        "import torch\na = torch.randn(4, 5, 6)\nb = torch.randn(4, 6, 7)\nc = torch.einsum('bij,bjk->bik', a, b)\n", "utf-8"
    )
    command = ["bench", str(file), "--line", "4", "--python", sys.executable, "--output-format", "markdown"]
    assert main(command) == 0
    first = capsys.readouterr().out
    assert first.startswith("# Benchmark of products.py, line 4\n") and "| einsum |" in first and "| torch.bmm |" in first
    assert "Both give the same result" in first and "The last time" not in first
    assert main([*command[:-1], "text"]) == 0
    assert "The last time, on 2" in capsys.readouterr().out


@pytest.mark.torch
def test_bench_of_failing_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "broken.py"
    file.write_text("import torch\nx = torch.zeros(2).view(3)\n", "utf-8")
    assert main(["bench", str(file), "--line", "2", "--python", sys.executable, "--output-format", "markdown"]) == 1
    assert f'File "{file}", line 2, in <module>' in capsys.readouterr().out


def test_bench_misused(tmp_path: Path, capsys: pytest.CaptureFixture[str], bare_python: str) -> None:
    assert main(["bench", str(tmp_path / "none.py"), "--line", "1"]) == 2
    assert "none.py cannot be read" in capsys.readouterr().err
    for line in ("0", "x", "5:3"):
        with pytest.raises(SystemExit) as caught:
            main(["bench", str(tmp_path / "none.py"), "--line", line])
        assert caught.value.code == 2
    file = tmp_path / "a.py"
    file.write_text("x = 1\n", "utf-8")
    assert main(["bench", str(file), "--line", "1", "--python", "/no/python"]) == 2
    assert "--python names /no/python, but there is no such file" in capsys.readouterr().err
    assert main(["bench", str(file), "--line", "1", "--python", bare_python, "--output-format", "markdown"]) == 1
    assert "torch is not installed in" in capsys.readouterr().out
