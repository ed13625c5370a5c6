"""Finding the user's Python: the order, what files tell of its torch, and sentences for wrong settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from torch_handbook import interpreter
from torch_handbook.interpreter import Interpreter, candidates, find

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the folders here are those of POSIX")


def environment(folder: Path, torch: str | None = None, python: str = "3.11") -> Path:
    """A virtual environment as far as files tell; returns its interpreter."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch(mode=0o755)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n", "utf-8")
    site = folder / "lib" / f"python{python}" / "site-packages"
    site.mkdir(parents=True)
    if torch is not None:
        install(site, torch)
    return folder / "bin" / "python"


def install(site: Path, version: str) -> None:
    (site / "torch").mkdir(parents=True)
    (site / "torch" / "__init__.py").touch()
    (site / "torch" / "version.py").write_text(
        f"from typing import Optional\n\n__version__ = '{version}'\ndebug = False\n", "utf-8"
    )


@pytest.fixture(autouse=True)
def no_server_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The Python that runs the tests, and the home folder, must not decide anything."""
    monkeypatch.setattr(interpreter.sys, "executable", str(tmp_path / "nowhere" / "python"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_the_order(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    pythons = {
        name: environment(tmp_path / name, "2.6.0") for name in ("option", "setting", "editor", "active", "conda", "tools")
    }
    own = [environment(workspace / name, "2.6.0") for name in (".venv", "venv")]
    (tmp_path / "tools" / "bin" / "python3").touch(mode=0o755)
    environ = {
        "VIRTUAL_ENV": str(tmp_path / "active"),
        "CONDA_PREFIX": str(tmp_path / "conda"),
        "PATH": str(tmp_path / "tools" / "bin"),
    }
    found = candidates(str(pythons["setting"]), workspace, environ, option=str(pythons["option"]), editor=str(pythons["editor"]))
    expected = [pythons[name] for name in ("option", "setting", "editor", "active", "conda")] + own
    expected += [tmp_path / "tools" / "bin" / "python3", pythons["tools"]]
    assert [Path(item.path) for item in found[: len(expected)]] == expected
    assert found[5].how == ".venv in the workspace" and found[7].how == "python3 on PATH"
    assert all(item.torch_version == "2.6.0" for item in found[: len(expected)])


def test_the_first_with_torch_is_preferred(tmp_path: Path) -> None:
    environment(tmp_path / "active")
    python = environment(tmp_path / "work" / ".venv", "2.7.1+cu128")
    found = find("", tmp_path / "work", {"VIRTUAL_ENV": str(tmp_path / "active")})
    assert found is not None and found.path == str(python) and found.torch_version == "2.7.1+cu128"
    assert found.torch_path == tmp_path / "work" / ".venv" / "lib" / "python3.11" / "site-packages" / "torch"


def test_a_setting_is_obeyed_even_without_torch(tmp_path: Path) -> None:
    bare = environment(tmp_path / "bare")
    environment(tmp_path / "work" / ".venv", "2.6.0")
    found = find(str(bare), tmp_path / "work", {})
    assert found is not None and (found.path, found.torch_path, found.problem) == (str(bare), None, None)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("/no/such/python", "the setting names /no/such/python, but there is no such file"),
        ("missing/bin/python", "missing/bin/python, but there is no such file"),
        ("empty", "empty, but no Python is in it"),
        ("notes.txt", "notes.txt, but that is not a program"),
        ("~nobody-of-this-name/python", "the setting names ~nobody-of-this-name/python, which cannot be looked at: "),
        ("x" * 300, "x, which cannot be looked at: File name too long"),
    ],
)
def test_a_wrong_setting_is_said(tmp_path: Path, setting: str, words: str) -> None:
    (tmp_path / "work" / "empty").mkdir(parents=True)
    (tmp_path / "work" / "notes.txt").touch(mode=0o644)
    environment(tmp_path / "work" / ".venv", "2.6.0")
    found = find(setting, tmp_path / "work", {})
    assert found is not None and found.problem is not None and words in found.problem


@pytest.mark.parametrize("setting", ["mine", "mine/bin/python", "${workspaceFolder}/mine/bin/python"])
def test_a_setting_may_be_a_folder_and_relative(tmp_path: Path, setting: str) -> None:
    python = environment(tmp_path / "mine", "2.6.0")
    found = find(setting, tmp_path, {})
    assert found is not None and Path(found.path) == python and found.problem is None


def test_a_user_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    python = tmp_path / "bin" / "python3.11"
    python.parent.mkdir()
    python.touch(mode=0o755)
    assert find(str(python)) == Interpreter(str(python), "the setting")


def test_upwards_within_the_workspace_only(tmp_path: Path) -> None:
    outer = environment(tmp_path / ".venv", "2.6.0")
    package = environment(tmp_path / "work" / "package" / ".venv", "2.6.0")
    (tmp_path / "work" / "package" / "src").mkdir()
    file = tmp_path / "work" / "package" / "src" / "train.py"
    paths = [item.path for item in candidates("", tmp_path / "work", {}, near=file)]
    assert paths[0] == str(package) and str(outer) not in paths
    assert str(outer) in [item.path for item in candidates("", tmp_path, {}, near=file)]


def test_packages_shared_with_the_parent(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "bin").mkdir(parents=True)
    (base / "bin" / "python3").touch(mode=0o755)
    install(base / "lib" / "python3.12" / "site-packages", "2.5.1")
    python = environment(tmp_path / "child", python="3.12")
    config = tmp_path / "child" / "pyvenv.cfg"
    config.write_text(f"home = {base / 'bin'}\ninclude-system-site-packages = false\n", "utf-8")
    assert find(str(python), None, {}).torch_version is None  # type: ignore[union-attr]
    config.write_text(f"home = {base / 'bin'}\ninclude-system-site-packages = true\n", "utf-8")
    assert find(str(python), None, {}).torch_version == "2.5.1"  # type: ignore[union-attr]


def test_torch_installed_for_development(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    install(tmp_path / "pytorch", "2.10.0a0+git1234")
    site = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    (site / "easy-install.pth").write_text(f"# made by setup.py develop\nimport nothing\n{tmp_path / 'pytorch'}\n", "utf-8")
    found = find(str(python), None, {})
    assert found is not None and found.torch_version == "2.10.0a0+git1234"


def test_a_folder_called_torch_is_not_torch(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    (tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "torch").mkdir()
    found = find(str(python), None, {})
    assert found is not None and found.torch_path is None


def test_nothing_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = find("", tmp_path, {"PATH": "", "VIRTUAL_ENV": str(tmp_path / "gone")})
    assert found is None or found.torch_path is None


@pytest.mark.torch
def test_the_torch_that_runs_these_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.undo()
    found = find(sys.executable, None, os.environ)
    assert found is not None and found.torch_path == Path(torch.__file__).parent
    assert found.torch_version == str(torch.__version__)


def test_the_command_line_is_relative_to_where_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / "bin").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    python = tmp_path / "here" / "bin" / "python"
    python.touch(mode=0o755)
    monkeypatch.chdir(tmp_path / "here")
    found = find("", tmp_path / "project", {}, option="bin/python")
    assert found is not None and (found.path, found.problem) == (str(python), None)


def test_a_python_of_the_system_gets_no_packages(tmp_path: Path) -> None:
    python = tmp_path / "usr" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.touch()
    assert f"`{python} -m pip install torch`" in interpreter.way_to_torch(python)
    marked = tmp_path / "usr" / "lib" / "python3.11" / "EXTERNALLY-MANAGED"
    marked.parent.mkdir(parents=True)
    marked.touch()
    assert f"`{python} -m venv .venv && .venv/bin/python -m pip install torch`" in interpreter.way_to_torch(python)
    (tmp_path / "usr" / "pyvenv.cfg").write_text("home = /usr/bin\n", "utf-8")
    assert f"`{python} -m pip install torch`" in interpreter.way_to_torch(python), "an environment takes them"
