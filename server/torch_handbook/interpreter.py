"""Finds the user's Python, and the torch in it, by looking at files: nothing is started."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which

WINDOWS = sys.platform == "win32"
FOLDERS = (".venv", "venv", "env", ".env")
VERSION = re.compile(r"""^__version__\s*(?::[^=]+)?=\s*["']([^"']+)""", re.MULTILINE)


@dataclass(frozen=True)
class Interpreter:
    """A Python that may be the user's: where, why it was thought of, and the torch that its folders hold."""

    path: str
    how: str  # "the setting", "the active environment VIRTUAL_ENV", ".venv in the workspace", "python3 on PATH"
    torch_path: Path | None = None
    torch_version: str | None = None
    problem: str | None = None  # a sentence for the user: it was asked for and cannot be used


def candidates(
    setting: str = "",
    workspace: Path | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    option: str = "",
    editor: str = "",
    near: Path | None = None,
) -> list[Interpreter]:
    """Every Python that may be meant, the likeliest first.

    `option` is what the command line says, `editor` what the editor has selected, `near` a file whose folders are searched
    upwards, within the workspace, for an environment.
    """
    environ = {} if environ is None else environ
    # What is typed on the command line is relative to where it is typed; a setting, to the workspace.
    asked = [(option, "--python", Path.cwd()), (setting, "the setting", workspace)]
    found = [explicit(path, how, base) for path, how, base in asked if path]
    if editor:
        found.append(explicit(editor, "the editor's selection", workspace))
    for path, how in discovered(workspace, environ, near):
        found.append(looked_at(path, how))
    return without_repeats(found)


def find(
    setting: str = "",
    workspace: Path | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    option: str = "",
    editor: str = "",
    near: Path | None = None,
) -> Interpreter | None:
    """The Python to use: the one asked for, be it wrong; else the first with torch; else the first of all."""
    found = candidates(setting, workspace, environ, option=option, editor=editor, near=near)
    if (option or setting) and found:
        return found[0]
    usable = [item for item in found if item.problem is None]
    return next((item for item in usable if item.torch_path is not None), usable[0] if usable else None)


def explicit(path: str, how: str, workspace: Path | None) -> Interpreter:
    """A Python that somebody named, which need not even be a path."""
    try:
        return named(path, how, workspace)
    except (OSError, RuntimeError) as error:  # a folder that may not be entered, a name too long, a ~user that there is not
        reason = (isinstance(error, OSError) and error.strerror) or error
        return wrong(Path(path), how, f"{how} names {path}, which cannot be looked at: {reason}")


def named(path: str, how: str, workspace: Path | None) -> Interpreter:
    """A path, the folder of an environment, or a command on PATH."""
    place = Path(path.replace("${workspaceFolder}", str(workspace or ""))).expanduser()
    if not place.is_absolute() and len(place.parts) == 1 and not (workspace and (workspace / place).exists()):
        command = which(path)
        if command is not None:
            return looked_at(Path(command), how)
    place = place if place.is_absolute() or workspace is None else workspace / place
    if place.is_dir():
        python = python_of(place)
        return looked_at(python, how) if python else wrong(place, how, f"{how} names the folder {place}, but no Python is in it")
    if not place.is_file():
        return wrong(place, how, f"{how} names {place}, but there is no such file")
    if not os.access(place, os.X_OK):
        return wrong(place, how, f"{how} names {place}, but that is not a program")
    return looked_at(place, how)


def wrong(path: Path, how: str, sentence: str) -> Interpreter:
    return Interpreter(str(path), how, problem=sentence)


def discovered(workspace: Path | None, environ: Mapping[str, str], near: Path | None) -> Iterator[tuple[Path, str]]:
    """What the environment, the workspace and PATH offer, and at last the server's own Python."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environ.get(name) and (python := python_of(Path(environ[name]))):
            yield python, f"the active environment {name}"
    for folder in upwards(near.parent if near else workspace, workspace):
        for name in FOLDERS:
            if python := python_of(folder / name):
                yield python, f"{name} in {'the workspace' if folder == workspace else folder}"
    for name in ("python3", "python"):
        if command := which(name, path=environ.get("PATH", "")):
            yield Path(command), f"{name} on PATH"
    yield Path(sys.executable), "the server's own Python"


def upwards(start: Path | None, workspace: Path | None) -> Iterator[Path]:
    """The folder and those above it, up to the workspace and no further."""
    if start is None:
        return
    inside = workspace is not None and start.is_relative_to(workspace)
    yield start
    if inside and start != workspace:
        yield from upwards(start.parent, workspace)
    elif workspace is not None and not inside:
        yield workspace


def python_of(prefix: Path) -> Path | None:
    """The interpreter of an environment's folder."""
    names = ("Scripts/python.exe", "python.exe") if WINDOWS else ("bin/python", "bin/python3")
    return next((prefix / name for name in names if is_file(prefix / name)), None)


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that may not be looked into
        return False


def looked_at(path: Path, how: str) -> Interpreter:
    """The interpreter at a path, with its torch."""
    torch = next((folder / "torch" for folder in package_folders(path) if is_file(folder / "torch" / "__init__.py")), None)
    return Interpreter(str(path), how, torch, version_of(torch) if torch else None)


def version_of(torch: Path) -> str | None:
    """The version that torch/version.py states."""
    try:
        found = VERSION.search((torch / "version.py").read_text("utf-8", "replace"))
    except OSError:
        return None
    return found[1] if found else None


def package_folders(python: Path) -> Iterator[Path]:
    """The folders that this Python would import packages from, in its order, as far as files tell."""
    prefix, home, shared = environment_of(python)
    for folder in site_folders(prefix, python):
        yield folder
        yield from linked_folders(folder)
    if home is not None and shared:
        yield from site_folders(home, home / "bin" / "python3")
    if home is None or shared:
        yield from user_folders(python)


def environment_of(python: Path) -> tuple[Path, Path | None, bool]:
    """The prefix of a Python; for a virtual environment also that of its parent, and whether it shares the parent's packages."""
    prefix = python.absolute().parent.parent
    for folder in (prefix, python.absolute().parent):
        if is_file(folder / "pyvenv.cfg"):
            rows = [line.partition("=") for line in (folder / "pyvenv.cfg").read_text("utf-8", "replace").splitlines()]
            options = {key.strip().lower(): value.strip() for key, _, value in rows}
            shared = options.get("include-system-site-packages", "").lower() == "true"
            return folder, Path(options.get("home", "")).parent, shared
    return (python.resolve().parent if WINDOWS else python.resolve().parent.parent), None, False


def site_folders(prefix: Path, python: Path) -> list[Path]:
    """site-packages under a prefix; of several versions those of the one that this Python is."""
    if WINDOWS:
        return [prefix / "Lib" / "site-packages"]
    numbered = re.search(r"python(3\.\d+)", python.resolve().name)
    version = f"python{numbered[1]}" if numbered else "python3.*"
    found = [
        *prefix.glob(f"lib/{version}/site-packages"),
        *prefix.glob(f"lib64/{version}/site-packages"),
        *(prefix / "local").glob(f"lib/{version}/dist-packages"),
        *prefix.glob("lib/python3/dist-packages"),
    ]
    return list(dict.fromkeys(found))


def user_folders(python: Path) -> list[Path]:
    """Where `pip install --user` puts packages."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home, as there are in containers
        return []
    if WINDOWS:
        return list(home.glob("AppData/Roaming/Python/Python3*/site-packages"))
    version = re.search(r"python(3\.\d+)", python.resolve().name)
    return list(home.glob(f".local/lib/python{version[1] if version else '3.*'}/site-packages"))


def linked_folders(site: Path) -> Iterator[Path]:
    """Folders that .pth files add: a torch that was installed for development is there."""
    try:
        files = sorted(site.glob("*.pth"))
        lines = [line for file in files for line in file.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return
    for line in lines:
        if line and not line.startswith(("#", "import ", "import\t")):
            yield site / line.strip()


def way_to_torch(python: Path | None) -> str:
    """How to get torch into a Python, or near it: one that belongs to the system refuses packages (PEP 668)."""
    command = f"{python} -m pip install torch" if python else "pip install torch"
    if python and belongs_to_system(python):
        command = f"{python} -m venv .venv && .venv/bin/python -m pip install torch"
    return f"in your project, `{command}` installs it; or name the Python that has it in the setting `python`"


def belongs_to_system(python: Path) -> bool:
    """Whether pip would refuse to install into it."""
    _, home, _ = environment_of(python)
    return home is None and any(python.resolve().parent.parent.glob("lib*/python3*/EXTERNALLY-MANAGED"))


def without_repeats(found: list[Interpreter]) -> list[Interpreter]:
    """Each path once, for the first reason."""
    first: dict[str, Interpreter] = {}
    for item in found:
        first.setdefault(item.path, item)
    return list(first.values())
