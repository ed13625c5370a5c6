"""What `doctor` looks at on our side: the server and what it needs, its handbook, its folders and the settings of a project."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import fields
from importlib import metadata
from pathlib import Path

from platformdirs import user_data_path

from torch_handbook import knowledge
from torch_handbook.cli import page
from torch_handbook.cli.remark import Remark
from torch_handbook.engine.naming import unknown_names
from torch_handbook.settings import Settings, key_of, load
from torch_handbook.version import __version__

NEEDED = ("pygls", "lsprotocol", "jedi", "PyYAML", "rich", "platformdirs")


def server() -> Iterator[Remark]:
    """Its version, its Python, its packages, and whether an editor finds it by its name."""
    yield Remark("server", None, f"Torch Handbook {__version__} in {Path(__file__).parents[1]}")
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    yield Remark("server", None, f"its Python: {platform.python_version()} ({sys.executable}) on {system}")
    found = {name: installed(name) for name in NEEDED}
    for name in (name for name, version in found.items() if version is None):
        advice = "install Torch Handbook again: an installer brings all that it needs"
        yield Remark("server", False, f"{name}: not installed beside the server", advice)
    yield Remark("server", True, "its packages: " + ", ".join(f"{name} {version}" for name, version in found.items() if version))
    yield on_path()


def installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def on_path() -> Remark:
    """Editors start the server by its name, so it should be found by it."""
    found = shutil.which("torch-handbook")
    if found:
        return Remark("server", True, f"editors start: {found}")
    advice = "`pipx ensurepath` or `uv tool update-shell` puts it there"
    program = "torch-handbook.exe" if os.name == "nt" else "torch-handbook"
    programs = Path.home() / ".local" / "bin" / program
    if programs.is_file():
        said = f"editors start: {programs}, which is not on PATH; our plugins of Neovim and VS Code look there, others do not"
        return Remark("server", None, said, advice)
    beside = Path(sys.executable).with_name(program)
    said = "torch-handbook is not on PATH, where editors look for it"
    return Remark("server", None, said, f"{advice}; or name {beside} in the editor's settings")


def handbook(locale: str) -> Iterator[Remark]:
    """Whether its pages can be read."""
    start = time.perf_counter()
    book = page.handbook_only(locale).handbook
    pages, problems = len(book.lines), book.problems
    seconds = time.perf_counter() - start
    again = "install Torch Handbook again"
    for problem in problems:
        yield Remark("handbook", False, problem, again)
    said = f"handbook: {pages} pages, read in {seconds:.1f} s, shown in {book.locale or 'English'}"
    yield Remark("handbook", pages > 0, said, "" if pages else again)


def folders() -> Iterator[Remark]:
    """Whether what is kept can be written."""
    kept = {
        "cache": (knowledge.CACHE, "every start reads all anew, and pages cannot be opened as files"),
        "benchmarks": (user_data_path("torch-handbook", appauthor=False), "earlier runs are not kept"),
    }
    for name, (folder, loss) in kept.items():
        reason = unwritable(folder)
        if reason is None:
            yield Remark("folders", True, f"{name}: {folder} can be written")
        else:
            yield Remark(
                "folders", False, f"{name}: {folder} cannot be written ({reason}): {loss}", "make it yours, or free space"
            )


def unwritable(folder: Path) -> str | None:
    """Why nothing can be written there, or None."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        return error.strerror or str(error)
    return None


def settings(root: Path) -> tuple[Settings, list[Remark]]:
    """The settings of a workspace, where they stand, and what is wrong with them."""
    chosen, problems = load(root)
    path = root / "pyproject.toml"
    problems += [f"{path}: {problem}" for problem in unknown_names(chosen)]
    if chosen.baseline and not (root / chosen.baseline).is_file():
        problems.append(f"{path}: there is no baseline {root / chosen.baseline}: everything is reported")
    remarks = [Remark("settings", False, problem, f"mend it in {path}") for problem in problems]
    ours = [item.name for item in fields(Settings) if item.name != "lowest_torch"]  # that one may come from the requirements
    said = [key_of(name) for name in ours if getattr(chosen, name) != getattr(Settings(), name)]
    where = f"{path} chooses {', '.join(said)}" if said else f"{path} chooses nothing" if path.exists() else f"none in {root}"
    return chosen, [*remarks, Remark("settings", None, f"settings: {where}")]
