"""Which files `check` looks at: patterns, what git ignores, what is excluded, and whose settings hold."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest
from check_command import EINSUM, check, rows, write
from torch_handbook.cli.discovery import Filter, walk
from torch_handbook.workspace import Workspace


def checked(*arguments: str | Path, folder: Path) -> list[str]:
    """The files in which something was found."""
    return [row["path"] for row in rows(check("--output-format", "json", *arguments, folder=folder))]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.py", "src/b.py", "src/deep/c.py", "src/gen/d.py", "venv/e.py", "src/notes.txt"):
        write(tmp_path / name, EINSUM)
    write(tmp_path / "pyproject.toml", "")
    return tmp_path


def test_the_present_folder_is_checked_if_nothing_is_named(tree: Path) -> None:
    assert checked(folder=tree) == ["a.py", "src/b.py", "src/deep/c.py", "src/gen/d.py"]


def test_a_pattern_is_one_where_no_shell_expands_it(tree: Path) -> None:
    assert checked("src/**/*.py", folder=tree) == ["src/b.py", "src/deep/c.py", "src/gen/d.py"]
    assert checked("*.py", "src/[a-d]*", folder=tree) == ["a.py", "src/b.py", "src/deep/c.py"]
    assert "venv/e.py" not in checked("**/*.py", folder=tree)
    write(tree / "[x].py", EINSUM)
    assert checked("[x].py", folder=tree) == ["[x].py"]


def test_exclude_and_extend_exclude(tree: Path) -> None:
    assert checked("--extend-exclude", "gen,src/deep", folder=tree) == ["a.py", "src/b.py"]
    assert checked("--exclude", "src/*.py", folder=tree) == ["a.py", "src/deep/c.py", "src/gen/d.py", "venv/e.py"]
    write(tree / "pyproject.toml", '[tool.torch-handbook]\nextend-exclude = ["gen", "a.py"]\n')
    assert checked(folder=tree) == ["src/b.py", "src/deep/c.py"]
    assert checked("src/gen/d.py", folder=tree) == ["src/gen/d.py"]
    assert checked("--force-exclude", "src/gen/d.py", "a.py", "src/b.py", folder=tree) == ["src/b.py"]
    assert checked("..", folder=tree / "src") == ["../src/b.py", "../src/deep/c.py"]
    write(tree / "pyproject.toml", "[tool.torch-handbook]\nexclude = 3\n")
    assert "exclude must be a list of patterns" in check(folder=tree).stderr


def test_what_git_ignores_is_passed_over_unless_it_is_named(tree: Path) -> None:
    write(tree / ".gitignore", "# generated\ngen/\n/a.py\n*.pyw\n")
    write(tree / "src" / ".gitignore", "deep/*\n!deep/k*.py\n")
    write(tree / "src/deep/keep.py", EINSUM)
    assert checked(folder=tree) == ["src/b.py", "src/deep/keep.py"]
    assert checked("src", folder=tree) == ["src/b.py", "src/deep/keep.py", "src/gen/d.py"]  # no repository joins the two
    (tree / ".git").mkdir()
    assert checked("src", folder=tree) == ["src/b.py", "src/deep/keep.py"]
    assert checked(".", folder=tree / "src") == ["b.py", "deep/keep.py"]
    assert checked("a.py", "src/deep/c.py", folder=tree) == ["a.py", "src/deep/c.py"]
    assert len(checked("--no-respect-gitignore", folder=tree)) == 5
    write(tree / "pyproject.toml", "[tool.torch-handbook]\nrespect-gitignore = false\n")
    assert len(checked(folder=tree)) == 5 and len(checked("--respect-gitignore", folder=tree)) == 2


# Parts of patterns. Git reads "a**/" in its own way, which nobody means: it is not among them.
PARTS = (
    "a",
    "b",
    "ab",
    "*",
    "?",
    "**",
    "a*",
    "*.py",
    "[ab]",
    "[!a]",
    "[^b]*",
    "[]a]",
    "a\\*",
    "x.py",
    "!",
    "#a",
    "\\!a",
    " ",
    "\\ ",
)
NAMES = ("a", "b", "ab", "c", "x", "!a", "a*", "#a", "]", " ")


def pattern(chance: random.Random) -> str:
    text = "/".join(chance.choice(PARTS) for _ in range(chance.randint(1, 3)))
    before, slash = chance.choice(("", "", "!")), chance.choice(("", "", "/"))
    return f"{before}{slash}{text}{chance.choice(('', '', '/'))}{chance.choice(('', '  '))}"


@pytest.mark.parametrize("seed", range(12))
def test_gitignore_is_read_as_git_reads_it(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    git = ("git", "-C", str(tmp_path))
    subprocess.run([*git, "init", "-q"], check=True)
    folders = [tmp_path]
    for _ in range(8):
        folders.append(chance.choice(folders) / chance.choice(NAMES))
    for folder in folders:
        for _ in range(4):
            write(folder / f"{chance.choice(NAMES)}.py", "")
        if chance.random() < 0.6:
            write(folder / ".gitignore", "\n".join(pattern(chance) for _ in range(chance.randint(1, 4))))
    listed = subprocess.run(
        [*git, "ls-files", "-z", "-co", "--exclude-standard"], check=True, capture_output=True
    ).stdout.decode()
    ours = [path.relative_to(tmp_path).as_posix() for path in walk(tmp_path, Filter(tmp_path, ()))]
    assert sorted(ours) == sorted(name for name in listed.split("\0") if name.endswith(".py"))


def test_each_project_has_its_own_settings(tmp_path: Path) -> None:
    write(tmp_path / "one" / "pyproject.toml", '[tool.torch-handbook]\nignore = ["performance"]\n')
    write(tmp_path / "one" / "a.py", EINSUM)
    write(tmp_path / "one" / "lib" / "pyproject.toml", "[project]\n")  # it says nothing of us
    write(tmp_path / "one" / "lib" / "b.py", EINSUM)
    write(tmp_path / "two" / "pyproject.toml", "")
    write(tmp_path / "two" / "a.py", EINSUM)
    assert checked("one", "two", "one/lib/b.py", folder=tmp_path) == ["two/a.py"]


def test_rules_are_ignored_by_the_path_from_the_project(tree: Path) -> None:
    write(tree / "pyproject.toml", '[tool.torch-handbook.per-file-ignores]\n"src/*" = ["einsum-with-dot-equivalent"]\n')
    assert checked(folder=tree) == ["a.py"]
    assert checked(".", folder=tree / "src") == []
    assert checked("--per-file-ignores", "a.py:all,b.py:performance", folder=tree) == ["src/deep/c.py", "src/gen/d.py"]
    assert tree.name not in ("src", "tests")  # the folders above the project do not count
    write(tree / "pyproject.toml", f'[tool.torch-handbook.per-file-ignores]\n"{tree.parent.name}/*" = ["all"]\n')
    assert len(checked(folder=tree)) == 4


def test_settings_of_a_file_that_is_named(tree: Path) -> None:
    write(tree / "pyproject.toml", '[tool.torch-handbook]\nignore = ["performance"]\n')
    write(tree / "ci" / "strict.toml", '[tool.torch-handbook]\nextend-exclude = ["src/gen"]\nextend-ignore = ["speed"]\n')
    assert checked(folder=tree) == []
    assert checked("--config", "ci/strict.toml", folder=tree) == ["a.py", "src/b.py", "src/deep/c.py"]
    done = check("--config", "../ci/strict.toml", "gen", "../a.py", "deep", folder=tree / "src")
    assert done.returncode == 1 and "gen/d.py" in done.stdout and done.stderr.count("there is no rule called speed") == 1
    write(tree / "ci" / "other.toml", "[tool.other]\n")
    done = check("--config", "ci/other.toml", folder=tree)
    assert done.returncode == 2 and "ci/other.toml has no table [tool.torch-handbook]" in done.stderr


def test_outside_of_a_project_patterns_are_about_the_present_folder(tmp_path: Path) -> None:
    write(tmp_path / "tests" / "a.py", EINSUM)
    write(tmp_path / "src" / "a.py", EINSUM)
    assert checked("--per-file-ignores", "tests/*:all", "src", "tests", "tests/a.py", folder=tmp_path) == ["src/a.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_below_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path / "a.py", f"from pipe import X\n{EINSUM}X(x)\n")
    os.mkfifo(tmp_path / "pipe.py")
    assert Workspace((str(tmp_path),)).text(str(tmp_path / "pipe.py")) is None  # what it is imported from is not, either
    assert checked(".", folder=tmp_path) == ["a.py"]
