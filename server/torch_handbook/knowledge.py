"""What is known whatever file is open: the user's Python, the docs of its torch, the handbook."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.locale import of_system
from torch_handbook.interpreter import Interpreter, find, way_to_torch
from torch_handbook.settings import Settings
from torch_handbook.torchdocs.docs import TorchDocs

# Without "" on the path, which stands for the folder that the editor runs in: a user's own `random.py` may lie there.
WRITE = """
import os, sys
sys.path[:] = filter(None, sys.path)
from pathlib import Path
from torch_handbook.source.torch_releases import is_told
from torch_handbook.torchdocs.docs import TorchDocs
if hasattr(os, "nice"):
    os.nice(15)
docs = TorchDocs.open(Path(sys.argv[1]), sys.argv[2] or None, Path(sys.argv[3]))
docs.build()
if not is_told(docs.version):
    docs.marks(make=True)
"""
CACHE = user_cache_path("torch-handbook", appauthor=False)


@dataclass(frozen=True)
class Knowledge:
    """Loaded once, and again when the interpreter changes. `problems` are sentences for the user."""

    interpreter: Interpreter | None
    docs: TorchDocs
    handbook: Handbook
    problems: tuple[str, ...] = ()
    lasting: dict[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)  # what features made of it

    @staticmethod
    def empty(locale: str = "") -> Knowledge:
        """What is known before anything was looked for."""
        shown = locale or of_system(os.environ)
        return Knowledge(None, TorchDocs.open(None, None, CACHE), Handbook.open(cache=CACHE, locale=shown))

    @staticmethod
    def of(settings: Settings, workspace: Path | None, locale: str = "", editor: str = "") -> Knowledge:
        """Look for the user's Python and read its torch's files. This takes a moment: call it in a thread.

        `locale` is the language of the editor, for who has chosen none; some do not tell theirs, then it is the terminal's.
        `editor` is the Python that is selected in the editor.
        """
        found, problems = _interpreter(settings.python, workspace, editor)
        handbook = Handbook.open(cache=CACHE, locale=settings.locale or locale or of_system(os.environ))
        if found is None or found.torch_path is None:
            return Knowledge(found, TorchDocs.open(None, None, CACHE), handbook, (*problems, _no_torch(found)))
        return Knowledge(found, TorchDocs.open(found.torch_path, found.torch_version, CACHE), handbook, tuple(problems))

    @property
    def python(self) -> str | None:
        """The Python that has torch, or None."""
        return self.interpreter.path if self.interpreter and self.interpreter.torch_path else None

    def look_ahead(self) -> None:
        """Read the index of the handbook, which the first completion would have to wait for; a first hover needs none."""
        self.handbook.pitfall_counts()

    def reopened(self) -> Knowledge:
        """The same with docs that are read from their cache file, without the trees of torch's own files in memory."""
        found = self.interpreter
        if found is None:
            return self
        return replace(self, docs=TorchDocs.open(found.torch_path, found.torch_version, CACHE), lasting={})


async def write_docs(found: Interpreter) -> None:
    """Write the cache file of a torch's docs, which takes seconds: in a process of its own that gives way to all others."""
    arguments = [str(found.torch_path), found.torch_version or "", str(CACHE)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITE, *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()


def _interpreter(setting: str, workspace: Path | None, editor: str) -> tuple[Interpreter | None, list[str]]:
    """The user's Python; where the one in the settings cannot be used, the next best, and a sentence about it."""
    found = find(setting, workspace, os.environ, editor=editor)
    if found is None or found.problem is None:
        return found, []
    other = find("", workspace, os.environ, editor=editor)
    instead = f"; until that is mended, {other.path} is used ({other.how})" if other else ""
    return other, [f"{found.problem}{instead}."]


def _no_torch(found: Interpreter | None) -> str:
    """How to get torch into the Python that was found."""
    way = way_to_torch(Path(found.path) if found else None)
    return (
        "no torch was found, so there are no signatures, shapes or benchmarks; the handbook's pages work all the same. "
        f"{way[0].upper()}{way[1:]}."
    )
