"""`explain`, `show` and `search`, and what the command line says to wrong names, wrong options and folders without code."""

from __future__ import annotations

import json
import subprocess
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
    [("shape-mismach", "shape-mismatch"), ("torch.nn.Conv2", "torch.nn.Conv2d"), ("Conv2q", "torch.nn.Conv2d")],
)
def test_explain_knows_what_was_meant(wrong: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", wrong]) == 2
    assert f"no page called {wrong}; did you mean" in (said := capsys.readouterr().err)
    assert meant in said


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


LOGS = Path(__file__).parent / "tracebacks"


def test_explain_reads_a_log_from_a_pipe() -> None:
    command = [sys.executable, "-m", "torch_handbook", "explain"]
    for extra in ([], ["-"]):
        done = subprocess.run([*command, *extra], input=(LOGS / "plain.txt").read_bytes(), capture_output=True, timeout=60)
        said = done.stdout.decode("utf-8")
        assert done.returncode == 0 and done.stderr == b""
        assert said.startswith("# mat1 and mat2 shapes cannot be multiplied\n")
        assert "256 features arrive in each row, the layer or matrix takes 400" in said
        assert "`/home/ann/net/plain.py:11` (`forward`)" in said and "return self.fc1(x)" in said


def test_explain_lists_the_rules_where_nothing_comes_in() -> None:
    command = [sys.executable, "-m", "torch_handbook", "explain"]
    for given in ({"stdin": subprocess.DEVNULL}, {"input": b""}):
        done = subprocess.run(command, capture_output=True, timeout=60, **given)  # type: ignore[call-overload]
        assert b"shape-mismatch" in done.stdout and done.returncode == 0


def test_explain_takes_a_file_and_a_message(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["explain", "--file", str(LOGS / "ddp.txt")]) == 0
    assert "Your line: `/home/ann/net/ddp.py:8`" in capsys.readouterr().out
    assert main(["explain", "Found dtype Long but expected Float"]) == 0
    assert "Long arrives where Float is wanted." in capsys.readouterr().out
    assert main(["explain", "--file", str(tmp_path / "none.txt")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    (tmp_path / "calm.txt").write_text("", "utf-8")
    assert main(["explain", "--file", str(tmp_path / "calm.txt")]) == 0
    assert "there is no error in what was read" in capsys.readouterr().err


def test_explain_says_when_it_does_not_know_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "RuntimeError: the softmax of my cat is upside down"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("# The handbook has no page on this message\n")
    assert "softmax`: " in said.partition("The nearest pages:")[2]


def test_show_finds_names_by_their_ends(capsys: pytest.CaptureFixture[str]) -> None:
    for name, page in {"Conv2d": "torch.nn.Conv2d", "nn.linear": "torch.nn.Linear", "concat": "torch.cat"}.items():
        assert main(["show", name]) == 0
        assert capsys.readouterr().out.startswith(f"# {page}\n")
    assert main(["show", "CONV2D"]) == 2
    assert "CONV2D may be torch.nn.Conv2d or torch.nn.functional.conv2d" in capsys.readouterr().err
    assert main(["show", "torch.nn.Conv2q"]) == 2
    assert "did you mean torch.nn.Conv2d" in capsys.readouterr().err


def test_pages_in_chinese(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["show", "torch.stack", "--locale", "zh-CN"]) == 0
    assert "## 常见错误" in capsys.readouterr().out
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert main(["search", "堆叠张量", "--count", "1"]) == 0
    assert capsys.readouterr().out.startswith("torch.stack  把形状完全相同的张量")


def test_search_prints_names_and_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "join", "tensors", "along", "a", "new", "axis", "--locale", "en"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split()[:3] == ["torch.stack", "Puts", "tensors"]
    assert main(["search", "np.stack", "--json", "--count", "2"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["name"] == "torch.stack" and len(rows) == 2
    assert main(["search", "zyxwv"]) == 1
    assert "no page has any of these words" in capsys.readouterr().err


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
def test_shapes_are_written_into_the_source_as_editors_show_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    one, two = tmp_path / "a.py", tmp_path / "b.py"
    one.write_text(
        "import torch\n\n\ndef pair(x):\n    é = x.view(20, 30)  # ü\n    return é, é.T\n\n\npair(torch.zeros(600))\n", "utf-8"
    )
    two.write_text("import torch\r\nz = torch.zeros(2).double()", "utf-8")
    shown = (
        "import torch\n\n\ndef pair(x: [600]):\n    é: [20, 30] = x.view(20, 30)  # ü\n"
        "    return é, é.T: ([20, 30], [30, 20])\n\n\npair(torch.zeros(600))\n"
    )
    assert main(["shapes", str(one), "--python", sys.executable]) == 0
    assert capsys.readouterr().out == shown
    assert main(["shapes", str(one), str(two), "--python", sys.executable]) == 0
    second = "import torch\r\nz: [2] float64 = torch.zeros(2).double()\n"
    assert capsys.readouterr().out == f"==> {one} <==\n{shown}==> {two} <==\n{second}"
