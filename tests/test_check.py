"""`torch-handbook check` as a person or a script calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from check_command import EINSUM, FINE, check, rows, run, write


def test_a_clean_file(tmp_path: Path) -> None:
    write(tmp_path / "a.py", FINE)
    done = check("a.py", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_modules_in_the_folder_are_not_taken_for_pythons_own(tmp_path: Path) -> None:
    for name in ("json", "random", "argparse", "tomllib", "jedi"):
        write(tmp_path / f"{name}.py", "raise SystemExit('this was run')\n")
    write(tmp_path / "a.py", FINE)
    done = check("a.py", "--output-format", "json", folder=tmp_path)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


def test_text_is_a_line_a_finding(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM)
    done = check("a.py", folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout == (
        'a.py:3:5: information: "i,i->" is a dot product: torch.dot(torch.ones(3), torch.ones(3)) computes it directly '
        "[einsum-with-dot-equivalent]\n"
    )


def test_json_is_what_the_readme_says(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM.replace("x =", "数 = '😀',"))
    done = check("a.py", "--output-format", "json", folder=tmp_path)
    assert done.returncode == 1
    (row,) = rows(done)
    assert set(row) == {"path", "rule", "group", "severity", "message", "range", "fix"}
    assert (row["path"], row["severity"]) == ("a.py", "information")
    assert (row["rule"], row["group"]) == ("einsum-with-dot-equivalent", "einsum-with-bmm-equivalent")
    assert row["range"] == {"start": {"line": 3, "column": 10}, "end": {"line": 3, "column": 61}}
    (edit,) = row["fix"]["edits"]
    assert edit == {"range": row["range"], "text": "torch.dot(torch.ones(3), torch.ones(3))"} and row["fix"]["safe"] is True
    assert rows(check("--output-format", "json", write(tmp_path / "b.py", FINE), folder=tmp_path)) == []


def test_folders_are_walked_without_what_is_not_ours(tmp_path: Path) -> None:
    for name in ("pkg/a.py", "pkg/deep/b.pyw", ".hidden/c.py", "venv/x.py", "node_modules/d.py", "build/e.py", "pkg/notes.txt"):
        write(tmp_path / name, EINSUM)
    write(tmp_path / "myenv" / "pyvenv.cfg", "")
    write(tmp_path / "myenv" / "lib" / "f.py", EINSUM)
    found = rows(check(".", "--output-format", "json", folder=tmp_path))
    assert [row["path"] for row in found] == [str(Path("pkg/a.py")), str(Path("pkg/deep/b.pyw"))]


def test_a_file_is_read_in_its_own_encoding(tmp_path: Path) -> None:
    write(tmp_path / "latin.py", ("# -*- coding: latin-1 -*-\ns = 'é'\n" + EINSUM).encode("latin-1"))
    write(tmp_path / "bom.py", b"\xef\xbb\xbf" + EINSUM.encode())
    write(tmp_path / "crlf.py", EINSUM.replace("\n", "\r\n"))
    lines = [row["range"]["start"]["line"] for row in rows(check(".", "--output-format", "json", folder=tmp_path))]
    assert lines == [3, 3, 5]


def test_what_cannot_be_read_below_a_folder_is_named_and_the_rest_is_checked(tmp_path: Path) -> None:
    write(tmp_path / "bytes.py", b"x = '\xff'\n")
    write(tmp_path / "coding.py", "# coding: klingon\n")
    write(tmp_path / "good.py", EINSUM)
    done = check(".", folder=tmp_path)
    assert done.returncode == 1
    assert "good.py:3:5" in done.stdout
    assert "bytes.py cannot be read" in done.stderr and "coding.py cannot be read: unknown encoding" in done.stderr
    write(tmp_path / "good.py", FINE)
    assert check(".", folder=tmp_path).returncode == 0 and check("*.py", folder=tmp_path).returncode == 0


@pytest.mark.parametrize("more", [(), ("--exit-zero",), ("--fix",), ("--write-baseline", "known.json"), ("--statistics",)])
def test_a_named_file_that_cannot_be_read_is_an_error(tmp_path: Path, more: tuple[str, ...]) -> None:
    write(tmp_path / "bytes.py", b"x = '\xff'\n")
    write(tmp_path / "good.py", EINSUM)
    done = check("bytes.py", "good.py", *more, folder=tmp_path)
    assert done.returncode == 2 and "bytes.py cannot be read" in done.stderr
    assert "einsum-with-dot-equivalent" in done.stdout or "--fix" in more or "--write-baseline" in more


def test_standard_input_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    done = check("-", "--stdin-filename", "a.py", folder=tmp_path, data=b"x = '\xff'\n")
    assert done.returncode == 2 and "a.py cannot be read" in done.stderr


@pytest.mark.parametrize("content", [b"", b"\0\0", b"def f(:\n", b"<html>\n", b"x = 1\n" * 50_001])
def test_any_bytes_are_survived(tmp_path: Path, content: bytes) -> None:
    done = check(write(tmp_path / "a.py", content), folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    broken = content.startswith((b"def", b"<"))
    assert done.stderr.endswith("only what can be read around it was checked\n") if broken else done.stderr == ""


def test_a_broken_file_about_torch_is_not_taken_for_a_clean_one(tmp_path: Path) -> None:
    write(tmp_path / "broken.py", "import torch\nx = torch.zeros(3\ny = 1\n")
    done = check("broken.py", "--select", "shape-mismatch", folder=tmp_path)
    assert done.returncode == 1 and done.stderr == ""
    assert done.stdout.startswith("broken.py:2:16: error: '(' was never closed (read as Python ")
    assert done.stdout.endswith("only what can be read around it was checked [syntax-error]\n")
    assert rows(check(".", "--output-format", "json", folder=tmp_path))[0]["rule"] == "syntax-error"
    assert ",line=2," in check(".", "--output-format", "github", folder=tmp_path).stdout
    (rule,) = json.loads(check(".", "--output-format", "sarif", folder=tmp_path).stdout)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "syntax-error" and rule["help"]["text"]
    done = check(".", "--write-baseline", "known.json", folder=tmp_path)
    assert done.returncode == 0 and "broken.py:2:16" in done.stderr and "0 findings" in done.stderr
    assert check(".", "--baseline", "known.json", folder=tmp_path).returncode == 1


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python takes them")
@pytest.mark.parametrize("line", ["type X = int", "def f[T](x: T) -> T: ...", "x = f'{d['a']}'", "class A[T]: ..."])
def test_what_a_newer_python_takes_is_no_error(tmp_path: Path, line: str) -> None:
    write(tmp_path / "a.py", f"import torch\n{line}\n")
    done = check("a.py", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "") and f"read as Python 3.{sys.version_info.minor}" in done.stderr


def test_a_file_that_goes_by_two_names_is_checked_once(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM)
    (tmp_path / "sub").mkdir()
    done = check("a.py", "sub/../a.py", tmp_path / "a.py", "*.py", ".", folder=tmp_path)
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["a.py"]


def test_standard_input(tmp_path: Path) -> None:
    done = check("-", folder=tmp_path, data=EINSUM.encode())
    assert done.returncode == 1
    assert done.stdout.startswith("-:3:5: information")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.py"], "there is no file or folder nowhere.py"),
        (["--select", "no-such-rule", "."], "there is no rule called no-such-rule"),
        (["src/**/*.py"], "nothing matches src/**/*.py"),
        (["--baseline", "none.json", "."], "the baseline none.json cannot be read: No such file"),
        (["--per-file-ignores", "all", "."], "'all' is not PATTERN:RULE"),
        (["--extend-select", "shape-mismatsch", "."], "there is no rule called shape-mismatsch: did you mean shape-mismatch?"),
        (["--output-format", "xml", "."], "invalid choice: 'xml'"),
        (["--config", "none.toml", "."], "there is no file none.toml"),
    ],
)
def test_misuse_is_said_with_status_2(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = check(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr and done.stdout == ""


def test_an_unknown_command_is_misuse(tmp_path: Path) -> None:
    done = run("chekc", folder=tmp_path)
    assert done.returncode == 2
    assert "there is no command 'chekc'" in done.stderr


def test_rules_are_chosen_on_the_command_line_and_in_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM)
    assert check("a.py", "--ignore", "einsum-with-bmm-equivalent", folder=tmp_path).returncode == 0
    assert check("a.py", "--select", "unregistered-submodules", folder=tmp_path).returncode == 0
    write(tmp_path / "pyproject.toml", '[tool.torch-handbook.severity]\neinsum-with-bmm-equivalent = "error"\n')
    assert ": error: " in check("a.py", folder=tmp_path).stdout
    write(tmp_path / "pyproject.toml", '[tool.torch-handbook]\nignore = ["performance"]\n')
    assert check("a.py", folder=tmp_path).returncode == 0
    write(tmp_path / "pyproject.toml", '[tool.torch-handbook]\nselect = ["data"]\nextend-ignore = ["dat"]\n')
    done = check("a.py", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith("pyproject.toml: extend-ignore: there is no rule called dat: did you mean data?\n")
    assert check("a.py", "--extend-select", "einsum-with-dot-equivalent", folder=tmp_path).returncode == 1
    assert (
        check("a.py", "--select", "performance", "--extend-ignore", "einsum-with-dot-equivalent", folder=tmp_path).returncode == 0
    )
    write(tmp_path / "pyproject.toml", "[tool.torch-handbook]\nfacts = 3\n")
    done = check("a.py", folder=tmp_path)
    assert done.returncode == 1 and "facts must be true or false" in done.stderr


def test_hints_are_shown_on_demand(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM.replace("i,i->", "ki,kj->ij"))
    assert check("a.py", folder=tmp_path).returncode == 0
    assert ": hint: " in check("a.py", "--hints", folder=tmp_path).stdout


def test_without_torch_it_says_so_once_and_goes_on(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM)
    write(tmp_path / "b.py", EINSUM)
    done = run("check", ".", "--python", str(tmp_path / "no-python"), folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout.count("einsum-with-dot-equivalent") == 2
    assert len(done.stderr.splitlines()) == 1 and "left out" in done.stderr


@pytest.mark.torch
def test_with_torch_facts_are_used(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write(tmp_path / "a.py", "import torch\n\nx = torch.ones(3) + torch.ones(4)\n")
    done = run("check", "a.py", "--python", sys.executable, folder=tmp_path)
    assert done.returncode == 1
    assert "[add-shape-mismatch]" in done.stdout


@pytest.mark.torch
def test_shapes_are_printed(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write(tmp_path / "a.py", "import torch\n\n\ndef f(x):\n    return x.T\n\n\ny = f(torch.ones(3, 4))\n")
    done = run("shapes", "a.py", "--output-format", "json", "--python", sys.executable, folder=tmp_path)
    found = {(row["line"], row["expression"]): row["shape"] for row in rows(done)}
    assert found == {(4, "x"): [3, 4], (5, "return"): [4, 3], (5, "x"): [3, 4], (8, "y"): [4, 3]}


@pytest.mark.torch
def test_shapes_follow_imports_of_each_project_and_say_dtype_and_device(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    for name, size in (("one", 3), ("two", 5)):
        write(tmp_path / name / "pkg" / "__init__.py", "")
        write(tmp_path / name / "pkg" / "sizes.py", f"WIDTH = {size}\n")
        write(
            tmp_path / name / "pkg" / "net.py", "import torch\nfrom pkg.sizes import WIDTH\nx = torch.ones(WIDTH).half().cuda()\n"
        )
    done = run("shapes", "one", "two", "--output-format", "json", "--python", sys.executable, folder=tmp_path)
    found = [(Path(row.pop("path")).parts[0], row) for row in rows(done)]
    told = {"line": 3, "expression": "x", "dtype": "float16", "device": "cuda"}
    assert found == [("one", {**told, "shape": [3]}), ("two", {**told, "shape": [5]})]


def test_explain_prints_a_page(tmp_path: Path) -> None:
    done = run("explain", "einsum-with-dot-equivalent", folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("# einsum-with-dot-equivalent\n\nThis is found by the rule `einsum-with-bmm-equivalent`")
    assert run("explain", "einsum-with-bmm-equivalent", folder=tmp_path).stdout.startswith("# einsum-with-bmm-equivalent\n\nAn ")
    assert run("explain", "nothing", folder=tmp_path).returncode == 2
    assert "shape-mismatch" in run("explain", folder=tmp_path).stdout


def test_check_imports_neither_the_protocol_nor_jedi(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM)
    unwanted = ["pygls", "lsprotocol", "jedi", "parso", "torch", "rich", "yaml", "asyncio"]
    code = (
        "import sys; from torch_handbook.cli.main import main; main(['check', '--no-facts', 'a.py']);"
        f"print(sorted({{name.split('.')[0] for name in sys.modules}} & set({unwanted})))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines()[-1] == "[]"


def test_classes_of_other_files_are_known_to_the_rules(tmp_path: Path) -> None:
    write(
        tmp_path / "net" / "layers.py",
        "from torch import nn\n\nclass Block(nn.Module):\n    def __init__(self):\n        self.a = nn.Linear(1, 1)\n",
    )
    write(
        tmp_path / "net" / "model.py",
        "from torch import nn\nfrom .layers import Block\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.blocks = [Block(), Block()]\n\n    def forward(self, x):\n"
        "        for block in self.blocks:\n            x = block(x)\n        return x\n",
    )
    done = check("net/model.py", "--select", "unregistered-submodules", folder=tmp_path)
    assert "net/model.py:7:" in done.stdout
