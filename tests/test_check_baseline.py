"""The baseline: what is known is not reported, wherever it has moved; what is gone is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from check_command import EINSUM, check, rows, write

RANK = "y = torch.matrix_rank(torch.ones(2, 2))\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "pyproject.toml", '[tool.torch-handbook]\nbaseline = "known.json"\n')
    write(tmp_path / "src" / "a.py", EINSUM + EINSUM.splitlines()[-1] + "\n" + RANK)
    write(tmp_path / "src" / "b.py", EINSUM)
    done = check(".", "--write-baseline", "known.json", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "4 findings in 2 files are known now: known.json\n")
    return tmp_path


def test_an_old_project_starts_clean(project: Path) -> None:
    for arguments, folder in (([], project), (["."], project / "src"), (["a.py", "--jobs", "2"], project / "src")):
        done = check(*arguments, folder=folder)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    written = json.loads((project / "known.json").read_text())
    assert list(written["files"]) == ["src/a.py", "src/b.py"]
    line = 'x = torch.einsum("i,i->", torch.ones(3), torch.ones(3))'
    assert written["files"]["src/a.py"] == [
        {"rule": "einsum-with-dot-equivalent", "line": line, "count": 2},
        {"rule": "removed-linalg-function", "line": RANK.strip()},
    ]


def test_what_has_moved_is_known_and_what_is_new_is_not(project: Path) -> None:
    content = (project / "src" / "a.py").read_text()
    indented = "import torch\n\nif True:\n    " + content.replace("\n", "\n    ").rstrip() + "\n"
    write(project / "src" / "a.py", "# new lines\n\n" + indented)
    assert check(folder=project).returncode == 0
    write(project / "src" / "a.py", content + EINSUM.splitlines()[-1] + "\n" + RANK.replace("y", "z"))
    found = rows(check("--output-format", "json", folder=project))
    assert [row["range"]["start"]["line"] for row in found] == [6, 7], "a third of what were two, and another line"


def test_what_is_gone_is_said(project: Path) -> None:
    write(project / "src" / "a.py", EINSUM + RANK)
    done = check(folder=project)
    words = "in vain: --write-baseline writes it anew\n"
    assert done.returncode == 0 and done.stderr == f"torch-handbook: 1 entry is in {project / 'known.json'} {words}"
    # Nobody looked for it: it may be there.
    assert check("--select", "data", folder=project).stderr == ""
    assert check("src/b.py", folder=project).stderr == ""
    (project / "src" / "b.py").unlink()
    assert check(folder=project).stderr.startswith("torch-handbook: 2 entries are in ")
    assert check("--write-baseline", "known.json", folder=project).stderr.startswith("2 findings in 1 files are known now")
    assert check(folder=project).stderr == ""


def test_writing_again_keeps_what_was_not_looked_at(project: Path) -> None:
    before = (project / "known.json").read_text()
    check("src/b.py", "--write-baseline", "known.json", folder=project)
    check("--select", "performance", "--write-baseline", "known.json", folder=project)
    assert (project / "known.json").read_text() == before


def test_the_command_line_names_another(project: Path) -> None:
    write(project / "empty.json", '{"files": {}}')
    assert len(rows(check("--baseline", "empty.json", "--output-format", "json", folder=project))) == 4
    assert len(rows(check("--baseline", "../empty.json", "--output-format", "json", folder=project / "src"))) == 4


def test_a_name_of_the_rule_is_good_for_its_kinds(project: Path) -> None:
    text = (project / "known.json").read_text().replace("einsum-with-dot-equivalent", "einsum-with-bmm-equivalent")
    write(project / "known.json", text)
    assert (check(folder=project).returncode, check(folder=project).stderr) == (0, "")


def test_known_findings_are_not_mended(project: Path) -> None:
    content = (project / "src" / "a.py").read_text()
    done = check("--fix", folder=project)
    assert done.stdout == "0 fixed, 0 left\n" and (project / "src" / "a.py").read_text() == content


@pytest.mark.parametrize("content", ["[]", "{", '{"files": 3}', '{"files": {"a.py": [{"rule": "x"}]}}'])
def test_a_file_that_is_no_baseline_is_refused_and_not_overwritten(tmp_path: Path, content: str) -> None:
    write(tmp_path / "a.py", EINSUM)
    write(tmp_path / "other.json", content)
    for option in ("--baseline", "--write-baseline"):
        done = check(".", option, "other.json", folder=tmp_path)
        assert done.returncode == 2 and "other.json is not a baseline" in done.stderr
    assert (tmp_path / "other.json").read_text() == content
