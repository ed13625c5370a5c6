"""`torch-handbook install EDITOR`: put the plugin that comes with this server into Neovim or VS Code."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from torch_handbook.cli import editors
from torch_handbook.cli.editors import Neovim, NotAnswering
from torch_handbook.cli.installation import on_path
from torch_handbook.version import __version__

EXTENSION = "torch-handbook.vsix"


class Refused(Exception):
    """It cannot be installed; the words are for the user."""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("install", help="put the plugin into an editor; again after an update of the server")
    parser.add_argument("editor", choices=("neovim", "vscode"))
    parser.add_argument("--command", default="", help="the editor's program, such as codium or cursor; else the first on PATH")


def run(options: argparse.Namespace) -> int:
    """0: it is installed; 1: it could not be, and why is said."""
    try:
        print(into_neovim() if options.editor == "neovim" else into_vscode(options.command))
    except (Refused, NotAnswering, OSError) as reason:
        print(f"torch-handbook install: {reason}", file=sys.stderr)
        return 1
    remark = on_path()
    if remark.advice:
        print(f"Note: {remark.words} ({remark.advice}).")
    return 0


def into_neovim() -> str:
    """Copy the plugin to where Neovim loads it from. An older one is replaced as a whole."""
    found = editors.neovim()
    if found is None:
        raise Refused("there is no nvim on PATH; Neovim 0.11 or later is needed")
    if not found.new_enough:
        raise Refused(f"{found.program} is Neovim {found.version}, and the plugin needs 0.11 or later")
    replace(found)
    return (
        f"The plugin is in {found.plugin}, for Neovim {found.version}.\n"
        "Open a Python file that imports torch and press K on a name; `:checkhealth torch_handbook` says whether all is well."
    )


def replace(found: Neovim) -> None:
    source, target = editors.part("neovim"), found.plugin
    if target.is_symlink() or (target.exists() and not (target / "lua" / "torch_handbook").is_dir()):
        raise Refused(f"{target} is there already and was not made by this command: remove it, and try again")
    fresh = target.with_name(f"{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    for name in editors.PARTS:
        shutil.copytree(source / name, fresh / name)
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def into_vscode(command: str) -> str:
    """Have VS Code install the extension that the package carries."""
    found = next(editors.codes(command), None)
    if found is None and command:
        raise Refused(f"there is no program {command}")
    if found is None:
        names = ", ".join(name for name, _, _ in editors.PRODUCTS)
        advice = "“Shell Command: Install 'code' command in PATH” in VS Code puts it there, or name it with --command"
        raise Refused(f"none of {names} is on PATH: {advice}")
    extension = checked(editors.part("vscode") / EXTENSION)
    done = subprocess.run([found.program, "--install-extension", str(extension), "--force"], check=False)
    if done.returncode != 0:
        raise Refused(f"{found.program} did not install the extension; it lies in {extension}")
    return f"The extension is in {found.name} ({found.program}).\nOpen a Python file that imports torch and point at a name."


def checked(extension: Path) -> Path:
    """The extension's file, if it is there and of this version: it is built apart from the server."""
    if not extension.is_file():
        raise Refused(
            "this package was made without the extension of VS Code; in a checkout, `make install-vscode` builds and installs it"
        )
    with zipfile.ZipFile(extension) as archive:
        version = json.loads(archive.read("extension/package.json"))["version"]
    if version != __version__:
        raise Refused(f"{extension} is of version {version}, and the server of {__version__}: build it again")
    return extension
