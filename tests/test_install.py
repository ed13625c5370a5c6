"""`torch-handbook install`: the plugin is where the editor loads it from, or the reason why not is said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from torch_handbook.cli import editors, installation
from torch_handbook.cli.main import main
from torch_handbook.version import __version__

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the editors here are shell scripts")
ROOT = Path(__file__).parents[1]
Program = Callable[..., Path]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Puts a shell script on a PATH that has nothing else, with a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def made(name: str, script: str) -> Path:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)
        return path

    return made


def nvim(program: Program, data: Path, version: str = "0.11.4+v0.11.4", new_enough: int = 1) -> None:
    program("nvim", f"printf '%s' '{json.dumps([version, str(data), new_enough])}'")


def install(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["install", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def words_of_doctor(remarks: Callable[[], object]) -> list[tuple[bool | None, str, str]]:
    return [(remark.good, remark.words, remark.advice) for remark in remarks()]  # type: ignore[attr-defined]


def test_the_plugin_goes_where_neovim_loads_it(tmp_path: Path, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    nvim(program, tmp_path / "data")
    ((good, _, advice),) = words_of_doctor(editors.remarks_on_neovim)
    assert good is None and "torch-handbook install neovim" in advice
    status, said, _ = install(capsys, "neovim")
    plugin = tmp_path / "data/site/pack/torch-handbook/start/torch-handbook"
    assert status == 0 and f"The plugin is in {plugin}, for Neovim 0.11.4" in said
    for folder in editors.PARTS:
        there = {path.relative_to(plugin) for path in (plugin / folder).rglob("*")}
        assert there == {path.relative_to(ROOT / "editors/neovim") for path in (ROOT / "editors/neovim" / folder).rglob("*")}
    ((good, words, advice),) = words_of_doctor(editors.remarks_on_neovim)
    assert good is True and str(plugin) in words and advice == ""


def test_an_older_plugin_is_replaced_as_a_whole(tmp_path: Path, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    nvim(program, tmp_path)
    assert install(capsys, "neovim")[0] == 0
    plugin = tmp_path / "site/pack/torch-handbook/start/torch-handbook"
    gone = plugin / "lua/torch_handbook/of_an_older_version.lua"
    gone.touch()
    (plugin / "plugin/torch_handbook.lua").write_text("-- older\n", "utf-8")
    ((good, words, advice),) = words_of_doctor(editors.remarks_on_neovim)
    assert good is None and "another than the server's" in words and "renews it" in advice
    assert install(capsys, "neovim")[0] == 0
    assert not gone.exists() and editors.is_current(plugin)
    assert [path.name for path in plugin.parent.iterdir()] == ["torch-handbook"]


def test_what_somebody_else_put_there_stays(tmp_path: Path, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    nvim(program, tmp_path)
    plugin = tmp_path / "site/pack/torch-handbook/start/torch-handbook"
    plugin.mkdir(parents=True)
    (plugin / "mine").touch()
    status, _, error = install(capsys, "neovim")
    assert status == 1 and "was not made by this command" in error and (plugin / "mine").exists()
    shutil.rmtree(plugin)
    plugin.symlink_to(ROOT / "editors/neovim")
    status, _, error = install(capsys, "neovim")
    assert status == 1 and "was not made by this command" in error and plugin.is_symlink()


def test_a_neovim_that_cannot_be_used(tmp_path: Path, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, error = install(capsys, "neovim")
    assert status == 1 and "there is no nvim on PATH" in error
    assert words_of_doctor(editors.remarks_on_neovim) == []
    nvim(program, tmp_path, "0.9.5", 0)
    status, _, error = install(capsys, "neovim")
    assert status == 1 and "is Neovim 0.9.5, and the plugin needs 0.11 or later" in error
    ((_, words, _),) = words_of_doctor(editors.remarks_on_neovim)
    assert "0.9.5" in words and "too old" in words
    program("nvim", "echo broken; exit 1")
    status, _, error = install(capsys, "neovim")
    assert status == 1 and "does not say which Neovim it is" in error
    ((_, words, _),) = words_of_doctor(editors.remarks_on_neovim)
    assert "does not say which Neovim it is" in words


@pytest.mark.editor
def test_a_real_neovim_loads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = os.environ.get("NVIM_BINARY") or shutil.which(
        "nvim", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if found is None:
        pytest.skip("there is no nvim")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvim").symlink_to(found)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("NVIM_APPNAME", "mine")
    assert install(capsys, "neovim")[0] == 0
    ((good, words, _),) = words_of_doctor(editors.remarks_on_neovim)
    assert good is True and str(tmp_path / "mine/site/pack") in words
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    command = ["nvim", "--headless", "-c", "lua io.stdout:write(vim.fn.exists(':TorchBenchmark'))", "-c", "qa!"]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout == "2"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the extension in an installed package; it holds a manifest alone."""
    monkeypatch.setattr(editors, "PACKAGE", tmp_path / "package")
    extension = tmp_path / "package/editors/vscode/torch-handbook.vsix"
    extension.parent.mkdir(parents=True)
    with zipfile.ZipFile(extension, "w") as archive:
        archive.writestr("extension/package.json", json.dumps({"version": __version__}))
    return extension


def test_vs_code_installs_the_extension(
    tmp_path: Path, program: Program, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / ".vscode/extensions" / f"torch-handbook.torch-handbook-{__version__}"
    code = program("code", f'echo "$@" >"{tmp_path}/arguments"; /bin/mkdir -p "{made}"')
    program("cursor", "exit 9")
    first, second = words_of_doctor(editors.remarks_on_code)
    assert first == (None, f"VS Code ({code}): the extension is not installed", "`torch-handbook install vscode` installs it")
    assert second[1].startswith("Cursor (")
    status, said, _ = install(capsys, "vscode")
    assert status == 0 and f"The extension is in VS Code ({code})" in said
    assert (tmp_path / "arguments").read_text() == f"--install-extension {package} --force\n"
    first, _ = words_of_doctor(editors.remarks_on_code)
    assert first == (True, f"VS Code ({code}): the extension is installed", "")
    made.rename(made.with_name("torch-handbook.torch-handbook-0.0.1"))
    first, _ = words_of_doctor(editors.remarks_on_code)
    assert "another than the server's" in first[1]


def test_a_code_that_is_named(tmp_path: Path, program: Program, package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program("code", "exit 9")
    cursor, other = program("cursor", "exit 0"), program("theirs", "exit 0")
    assert f"The extension is in Cursor ({cursor})" in install(capsys, "vscode", "--command", "cursor")[1]
    assert f"The extension is in theirs ({other})" in install(capsys, "vscode", "--command", str(other))[1]
    status, _, error = install(capsys, "vscode", "--command", "none")
    assert status == 1 and "there is no program none" in error
    status, _, error = install(capsys, "vscode")
    assert status == 1 and f"did not install the extension; it lies in {package}" in error


def test_an_extension_that_cannot_be_installed(
    tmp_path: Path, program: Program, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, error = install(capsys, "vscode")
    assert status == 1 and "none of code, code-insiders" in error
    program("code", "exit 9")
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("extension/package.json", json.dumps({"version": "0.0.1"}))
    status, _, error = install(capsys, "vscode")
    assert status == 1 and f"is of version 0.0.1, and the server of {__version__}" in error
    package.unlink()
    status, _, error = install(capsys, "vscode")
    assert status == 1 and "`make install-vscode` builds and installs it" in error


def test_where_editors_find_the_server(tmp_path: Path, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    nvim(program, tmp_path)
    assert "Note: torch-handbook is not on PATH" in install(capsys, "neovim")[1]
    own = tmp_path / ".local/bin/torch-handbook"
    own.parent.mkdir(parents=True)
    own.touch(0o755)
    assert f"Note: editors start: {own}, which is not on PATH" in install(capsys, "neovim")[1]
    found = program("torch-handbook", "exit 0")
    assert installation.on_path().words == f"editors start: {found}"
    assert "Note" not in install(capsys, "neovim")[1]
