"""The editors of this machine that have a plugin of ours: where they are, and whether the plugin is in them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torch_handbook.cli.remark import Remark
from torch_handbook.version import __version__

NEOVIM, VSCODE = "`torch-handbook install neovim`", "`torch-handbook install vscode`"
PARTS = ("doc", "lsp", "lua", "plugin")  # of the plugin
PACKAGE = Path(__file__).parents[1]
SECONDS = 30.0
ASK = "lua io.stdout:write(vim.json.encode({tostring(vim.version()), vim.fn.stdpath('data'), vim.fn.has('nvim-0.11')}))"
# The command, where it keeps extensions below the user's home, and what the product is called.
PRODUCTS = (
    ("code", ".vscode", "VS Code"),
    ("code-insiders", ".vscode-insiders", "VS Code Insiders"),
    ("codium", ".vscode-oss", "VSCodium"),
    ("cursor", ".cursor", "Cursor"),
    ("windsurf", ".windsurf", "Windsurf"),
    ("positron", ".positron", "Positron"),
    ("code-server", ".local/share/code-server", "code-server"),
)
MAC = "/Applications/Visual Studio Code.app/Contents/Resources/app/bin"  # `code` is there before anybody puts it on PATH


@dataclass(frozen=True)
class Neovim:
    """A Neovim, as it says itself."""

    program: str
    version: str
    data: Path
    new_enough: bool

    @property
    def plugin(self) -> Path:
        """Where our plugin goes: Neovim loads what lies below `start` by itself."""
        return self.data / "site" / "pack" / "torch-handbook" / "start" / "torch-handbook"


@dataclass(frozen=True)
class Code:
    """VS Code, or what is made of it."""

    program: str
    name: str
    folder: Path

    @property
    def extension(self) -> Path | None:
        """Our extension, where it is installed."""
        return next(iter(sorted(self.folder.glob("extensions/torch-handbook.torch-handbook-*"))), None)


class NotAnswering(Exception):
    """A program that is there and cannot be asked: the words are for the user."""


def neovim() -> Neovim | None:
    """The Neovim on PATH. Raises NotAnswering."""
    program = shutil.which("nvim")
    if program is None:
        return None
    command = [program, "--clean", "--headless", "--cmd", ASK, "--cmd", "qa!"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL, check=False)
        version, data, new_enough = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise NotAnswering(f"{program} does not say which Neovim it is: {error}") from error
    return Neovim(program, version.partition("+")[0], Path(data), bool(new_enough))


def codes(command: str = "") -> Iterator[Code]:
    """Every VS Code on PATH, or the one that was named."""
    path = os.pathsep.join([os.environ.get("PATH", ""), MAC])
    rows = [row for row in PRODUCTS if command in ("", row[0])] or [(command, ".vscode", Path(command).name)]
    for name, folder, title in rows:
        program = shutil.which(name, path=path)
        if program is not None:
            yield Code(program, title, Path.home() / folder)


def remarks_on_neovim() -> Iterator[Remark]:
    """Whether the Neovim of this machine has the plugin."""
    try:
        found = neovim()
    except NotAnswering as error:
        yield Remark("editors", None, str(error))
        return
    if found is None:
        return
    said = f"Neovim {found.version} ({found.program})"
    if not found.new_enough:
        yield Remark("editors", None, f"{said} is too old for the plugin", "install Neovim 0.11 or later")
    elif not found.plugin.is_dir():
        yield Remark(
            "editors",
            None,
            f"{said}: the plugin is not in {found.plugin}",
            f"{NEOVIM} puts it there, unless a plugin manager has it",
        )
    elif not is_current(found.plugin):
        yield Remark("editors", None, f"{said}: the plugin in {found.plugin} is another than the server's", f"{NEOVIM} renews it")
    else:
        yield Remark("editors", True, f"{said}: the plugin is in {found.plugin}")


def is_current(plugin: Path) -> bool:
    """Whether an installed plugin is the one that this server brings, file by file."""
    source = part("neovim")
    files = [path.relative_to(source) for name in PARTS for path in (source / name).rglob("*") if path.is_file()]
    return all((plugin / file).is_file() and (plugin / file).read_bytes() == (source / file).read_bytes() for file in files)


def remarks_on_code() -> Iterator[Remark]:
    """Whether the VS Code of this machine has the extension."""
    for found in codes():
        said, extension = f"{found.name} ({found.program})", found.extension
        if extension is None:
            yield Remark("editors", None, f"{said}: the extension is not installed", f"{VSCODE} installs it")
        elif not extension.name.endswith(f"-{__version__}"):
            yield Remark(
                "editors", None, f"{said}: the extension is {extension.name}, another than the server's", f"{VSCODE} renews it"
            )
        else:
            yield Remark("editors", True, f"{said}: the extension is installed")


def part(name: str) -> Path:
    """What the package carries for editors; in a checkout, what lies in its folder."""
    inside = PACKAGE / "editors" / name
    return inside if inside.exists() else PACKAGE.parents[1] / "editors" / name
