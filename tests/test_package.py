"""What is installed: the wheel holds all that the product needs and no more, and works where nothing else is."""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from torch_handbook.version import __version__

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "server"
LOSS = "import torch.nn as nn\n\nloss = nn.CrossEntropyLoss()\n"
BAD = "import torch\n\na, b = torch.randn(2, 3, 4), torch.randn(2, 4, 5)\nc = torch.einsum('bij,bjk->bik', a, b)\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The source archive, the wheel that is built from it, and the wheel that is built from the checkout."""
    pytest.importorskip("hatchling")
    folder, other = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("direct")
    for options in (["--outdir", str(folder)], ["--outdir", str(other), "--wheel"]):
        command = [sys.executable, "-m", "build", "--no-isolation", *options, str(ROOT)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    (source,), (wheel,), (direct,) = folder.glob("*.tar.gz"), folder.glob("*.whl"), other.glob("*.whl")
    return {"source": source, "wheel": wheel, "direct": direct}


@pytest.fixture(scope="module")
def program(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`torch-handbook` of an environment that holds the wheel, and sees the packages that it depends on."""
    environment = tmp_path_factory.mktemp("empty") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--no-compile", str(built["wheel"])], check=True)
    (site,) = [*environment.glob("lib/python*/site-packages"), *environment.glob("Lib/site-packages")]
    # A folder that a .pth file adds is searched last, and its own .pth files, such as that of an editable install, are not read.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return scripts / "torch-handbook"


def names(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def below(folder: Path) -> set[str]:
    """The files below a folder, as paths from it, without caches."""
    return {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__"
    }


def test_the_wheel_holds_the_server_the_worker_the_handbook_the_plugin_and_nothing_else(built: dict[str, Path]) -> None:
    held = {name for name in names(built["wheel"]) if ".dist-info/" not in name}
    code = below(SERVER) - {"README.md"}
    pages = {f"torch_handbook/entries/{name}" for name in below(ROOT / "entries")}
    assert len(code) > 300 and len(pages) > 800
    plugin = {f"torch_handbook/editors/neovim/{name}" for name in below(ROOT / "editors" / "neovim")}
    assert held == code | pages | plugin


def test_the_source_archive_builds_the_same_wheel(built: dict[str, Path]) -> None:
    assert names(built["wheel"]) == names(built["direct"])
    with tarfile.open(built["source"]) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    assert tops == {"server", "entries", "editors", "README.md", "LICENSE", "pyproject.toml", "PKG-INFO", ".gitignore"}


def test_the_wheel_says_what_it_is(built: dict[str, Path]) -> None:
    held = names(built["wheel"])
    (metadata,) = [content for name, content in held.items() if name.endswith(".dist-info/METADATA")]
    said = email.message_from_bytes(metadata)
    assert said["Version"] == __version__ and said["License-Expression"] == "MIT"
    assert "Torch Handbook" in said.get_payload()
    needed = {re.split(r"[^\w-]", row)[0] for row in said.get_all("Requires-Dist", []) if "extra ==" not in row}
    assert "pygls" in needed and "torch" not in needed
    assert any(name.endswith("/licenses/LICENSE") for name in held)


def test_the_version_stands_in_one_place() -> None:
    """Others read it from there, but for the manifest of the extension, which must say the same."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'dynamic = ["version"]' in project and 'path = "server/torch_handbook/version.py"' in project
    extension = ROOT / "editors" / "vscode"
    manifest, lock = (json.loads((extension / name).read_text("utf-8")) for name in ("package.json", "package-lock.json"))
    assert {manifest["version"], lock["version"], lock["packages"][""]["version"]} == {__version__}


def run(program: Path, folder: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The installed command, with a home of its own and nothing of this checkout on its path."""
    return subprocess.run(
        [str(program), *arguments], cwd=folder, env=environment(folder), capture_output=True, text=True, check=False, **options
    )


def environment(home: Path) -> Mapping[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home), "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}


def test_the_installed_command_explains(program: Path, tmp_path: Path) -> None:
    said = run(program, tmp_path, "--version")
    assert said.stdout == f"torch-handbook {__version__}\n", said.stderr
    code = "import torch_handbook as server, torch_handbook_worker as worker; print(server, worker)"
    where = run(program.with_name("python"), tmp_path, "-c", code)
    assert str(ROOT) not in where.stdout and where.stdout.count("site-packages") == 2
    log = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x400 and 576x10)\n"
    explained = run(program, tmp_path, "explain", input=log)
    assert explained.returncode == 0 and "400" in explained.stdout and "576" in explained.stdout, explained
    shown = run(program, tmp_path, "show", "nn.CrossEntropyLoss", "--locale", "zh-CN")
    summary = (ROOT / "entries/torch/nn/CrossEntropyLoss.zh-CN.yaml").read_text("utf-8").partition("\n")[0]
    sentence = summary.removeprefix("summary: ").strip('"').replace(" ", "")
    assert sentence in "".join(shown.stdout.split()), "the translations are there"


def test_the_installed_command_checks(program: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD, encoding="utf-8")
    done = run(program, tmp_path, "check", "--no-facts", "bad.py")
    assert done.returncode == 1 and "einsum" in done.stdout, done


def test_the_installed_server_answers_a_hover(program: Path, tmp_path: Path) -> None:
    uri = (tmp_path / "loss.py").as_uri()
    command = [str(program), "serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    ) as process:
        initialize = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
        assert ask(process, 1, "initialize", initialize)["serverInfo"]["version"] == __version__
        send(process, {"method": "initialized", "params": {}})
        opened = {"uri": uri, "languageId": "python", "version": 1, "text": LOSS}
        send(process, {"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        hover = ask(process, 2, "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 12}})
        assert "CrossEntropyLoss" in str(hover["contents"]) and "⚠" in str(hover["contents"])
        ask(process, 3, "shutdown", None)
        send(process, {"method": "exit"})
        assert process.wait(20) == 0


def send(process: subprocess.Popen[bytes], message: Mapping[str, Any]) -> None:
    assert process.stdin
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    process.stdin.flush()


def ask(process: subprocess.Popen[bytes], number: int, method: str, params: Any) -> Any:
    """The answer to a request; what the server says or asks in between is passed over."""
    assert process.stdout
    send(process, {"id": number, "method": method, **({"params": params} if params is not None else {})})
    while True:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += process.stdout.read(1) or pytest.fail("the server ended")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        message = json.loads(process.stdout.read(length))
        if message.get("id") == number and "method" not in message:
            return message["result"]
