"""`torch-handbook doctor`: what it says where all is well, and of everything that can be wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from torch_handbook.cli import installation, user_python
from torch_handbook.cli.main import main
from torch_handbook.version import __version__
from torch_handbook_worker.protocol import Machine


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setattr(installation.knowledge, "CACHE", tmp_path / "cache")


def environment(folder: Path) -> Path:
    """A Python with nothing installed, and where packages go in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    return next(iter([*folder.glob("lib/python*/site-packages"), *folder.glob("Lib/site-packages")]))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bare")
    environment(folder)
    return str(folder)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python whose torch is there and cannot be imported, as after an installation that was cut off."""
    folder = tmp_path_factory.mktemp("broken")
    site = environment(folder)
    (site / "torch").mkdir()
    (site / "torch" / "__init__.py").write_text("raise ImportError('libtorch_cpu.so: cannot open shared object file')\n", "utf-8")
    (site / "torch" / "version.py").write_text("__version__ = '2.9.0+cu128'\ncuda: str = '12.8'\nhip = None\n", "utf-8")
    (site / "numpy-2.1.0.dist-info").mkdir()
    return str(folder)


def doctor(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = main(["doctor", *map(str, arguments)])
    return status, capsys.readouterr().out


@pytest.mark.torch
def test_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    status, said = doctor(capsys, tmp_path, "--python", sys.executable)
    assert status == 0 and "✗" not in said
    assert f"torch {torch.__version__} in " in said and "worker: answered in" in said and "benchmarks run on" in said
    assert f"Torch Handbook {__version__} in " in said and "jedi " in said and f"settings: none in {tmp_path}" in said
    assert ("built for the CPU" in said) == (torch.version.cuda is None and torch.version.hip is None)
    pages = int(said.partition("handbook: ")[2].partition(" pages")[0])
    assert pages > 500


def test_no_torch(tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str) -> None:
    status, said = doctor(capsys, tmp_path, "--python", bare)
    assert status == 1
    assert "✗ torch: not installed there" in said and "-m pip install torch" in said
    assert "· beside it: numpy not installed, einops not installed" in said


def test_a_broken_torch(tmp_path: Path, capsys: pytest.CaptureFixture[str], broken: str) -> None:
    status, said = doctor(capsys, tmp_path, "--python", broken)
    assert status == 1
    assert "✓ torch 2.9.0+cu128 in " in said and "built for CUDA 12.8" in said
    (wrong,) = [line for line in said.splitlines() if line.startswith("✗")]
    assert "cannot be imported: ImportError: libtorch_cpu.so: cannot open shared object file" in wrong
    assert "install torch again" in said and "beside it: numpy 2.1.0" in said


def test_a_wrong_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said = doctor(capsys, tmp_path, "--python", "/no/python")
    assert status == 1 and "✗ --python names /no/python, but there is no such file" in said
    (tmp_path / "pyproject.toml").write_text('[tool.torch-handbook]\npython = "gone/bin/python"\n', "utf-8")
    status, said = doctor(capsys, tmp_path)
    assert status == 1 and f"✗ the setting names {tmp_path}/gone/bin/python, but there is no such file" in said
    assert "also looked at: " in said, "what could be named instead"


def test_a_python_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no; exit 3\n", "utf-8")
    program.chmod(0o755)
    status, said = doctor(capsys, tmp_path, "--python", program)
    assert status == 1 and "see whether that Python starts by itself" in said


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("[tool.torch-handbook\n", "is not valid TOML"),
        ("[tool.torch-handbook]\nfacs = true\n", "there is no setting called 'facs': did you mean facts?"),
        ('[tool.torch-handbook]\nignore = ["no-such-rule"]\n', "ignore: there is no rule called no-such-rule"),
        ('[tool.torch-handbook]\nbaseline = "gone.json"\n', "there is no baseline"),
    ],
)
def test_settings_with_mistakes(content: str, wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str) -> None:
    (tmp_path / "pyproject.toml").write_text(content, "utf-8")
    _, said = doctor(capsys, tmp_path, "--python", bare)
    assert any(line.startswith("✗") and wrong in line for line in said.splitlines()), said
    assert f"→ mend it in {tmp_path / 'pyproject.toml'}" in said


def test_settings_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    _, said = doctor(capsys, tmp_path, "--python", bare)
    assert f"✗ {tmp_path}/pyproject.toml cannot be read (Is a directory)" in said


def test_settings_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torch-handbook]\nlocale = "zh-CN"\ncompletion.mode = "off"\n', "utf-8")
    _, said = doctor(capsys, tmp_path, "--python", bare)
    assert f"settings: {tmp_path}/pyproject.toml chooses completion.mode, locale" in said and "shown in zh-CN" in said


def test_folders_that_cannot_be_written(tmp_path: Path, bare: str) -> None:
    """In a process of its own: the folders are those that the server really uses."""
    occupied = tmp_path / "file"
    occupied.touch()
    variables = {**os.environ, "XDG_CACHE_HOME": str(occupied), "XDG_DATA_HOME": str(occupied)}
    command = [sys.executable, "-m", "torch_handbook", "doctor", str(tmp_path), "--python", bare]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == ""
    wrong = [line for line in done.stdout.splitlines() if line.startswith("✗ ") and str(occupied) in line]
    assert len(wrong) == 2 and all("cannot be written (Not a directory)" in line for line in wrong)
    assert "✓ handbook: " in done.stdout, "it is read all the same"


def test_a_package_that_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "NEEDED", (*installation.NEEDED, "no-such-package"))
    _, said = doctor(capsys, tmp_path, "--python", bare)
    assert "✗ no-such-package: not installed beside the server" in said


def test_a_handbook_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("torch_handbook.handbook.handbook._default_root", lambda: tmp_path / "none")
    status, said = doctor(capsys, tmp_path, "--python", bare)
    assert status == 1 and "✗ handbook: 0 pages" in said and "→ install Torch Handbook again" in said


def test_the_command_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    remark = installation.on_path()
    assert remark.good is None and str(Path(sys.executable).parent) in remark.advice
    program = tmp_path / "torch-handbook"
    program.touch(0o755)
    assert installation.on_path().words == f"editors start: {program}"


def test_devices() -> None:
    gpu = Machine("cuda:0", "NVIDIA H100", "3.12.1", "2.9.0", "12.8", 16, ["cuda:0, NVIDIA H100", "cuda:1, NVIDIA H100"])
    said = [remark.words for remark in user_python.devices(gpu, "built for CUDA 12.8")]
    assert said == [
        "sees cuda:0, NVIDIA H100",
        "sees cuda:1, NVIDIA H100",
        "benchmarks run on cuda:0 (NVIDIA H100), CUDA 12.8, 16 threads",
    ]
    none = Machine("cpu", "Some Processor", "3.12.1", "2.9.0")
    (first, *_) = user_python.devices(none, "built for CUDA 12.8")
    assert first.good is None and first.words == "sees no accelerator, though it is built for CUDA 12.8"
    assert len(list(user_python.devices(none, "built for the CPU"))) == 1


def test_other_programs_can_read_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str) -> None:
    status, said = doctor(capsys, tmp_path, "--python", bare, "--output-format", "json")
    found = json.loads(said)
    assert status == 1 and found["ok"] is False and found["version"] == __version__
    assert {row["state"] for row in found["remarks"]} == {"well", "wrong", "note"}
    assert {"server", "settings", "handbook", "folders", "python", "worker", "torch", "packages"} <= {
        row["topic"] for row in found["remarks"]
    }
    (wrong,) = [row for row in found["remarks"] if row["state"] == "wrong"]
    assert wrong["topic"] == "torch" and "pip install torch" in wrong["advice"]


def test_a_report_does_not_say_who_the_user_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    _, said = doctor(capsys, tmp_path, "--python", bare)
    assert str(tmp_path) not in said and "cache: ~" in said


def test_the_status_alone_says_whether_torch_is_there(tmp_path: Path, bare: str) -> None:
    torch_here = find_spec("torch") is not None
    assert main(["doctor", str(tmp_path), "--torch", "--python", sys.executable]) == (0 if torch_here else 1)
    assert main(["doctor", str(tmp_path), "--torch", "--python", bare]) == 1
    assert main(["doctor", str(tmp_path / "none"), "--torch"]) == 2
    assert main(["doctor", str(tmp_path / "none")]) == 2
