"""One open file: its text as the editor has it, and what was learned about it so far."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from torch_handbook_worker.protocol import InterpretResult

from torch_handbook import heap
from torch_handbook.engine.facts import Facts
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.file import File
from torch_handbook.source.imports import Surroundings
from torch_handbook.source.text import Position, Text, end_of_edit

LARGE = 60_000  # characters
TYPING = 3.0  # seconds without an edit, after which a word is finished


@dataclass
class Document:
    """State of the session. `result` is about `result_text`, which may be older than `text`."""

    uri: str
    path: str
    version: int | None
    text: Text
    surroundings: Surroundings | None = None
    file: File | None = None
    result: InterpretResult | None = None
    result_text: Text | None = None
    snapshot: Snapshot | None = None
    died: Text | None = None  # the text over which the worker died once: it may have been killed for a reason of its own
    fatal: Text | None = None  # the text over which the worker died or ran out of time: it is not asked again
    before: Text | None = None  # the text before the last edit
    edited: float = 0.0  # when that was
    summaries: dict[str, str] = field(default_factory=dict[str, str])
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    def change(self, text: Text, version: int | None) -> None:
        """Take a newer text."""
        self.before, self.edited = self.text, time.monotonic()
        self.text, self.version, self.snapshot = text, version, None

    def typed(self) -> tuple[Position, float] | None:
        """Where the last edit ended, and for how many seconds its writer may still be at a word there."""
        rest = self.edited + TYPING - time.monotonic()
        return (end_of_edit(self.before, self.text), rest) if self.before and rest > 0 else None

    @cached_property
    def real_path(self) -> str:
        """The path without links, by which others import it."""
        return os.path.realpath(self.path)

    def lose(self, paths: set[str]) -> None:
        """What was taken from the files at these paths is not known any more."""
        if self.file and self.file.imports.paths & paths:
            self.file, self.snapshot = self.file.afresh(), None

    def learn(self, result: InterpretResult, text: Text) -> None:
        """Take what the worker said about `text`."""
        self.result, self.result_text, self.snapshot = result, text, None

    def shortcoming(self) -> str | None:
        """That the worker's time or steps were not enough for this file, in words; None where they were, or it was not asked."""
        if self.result is None or self.result.complete:
            return None
        return f"{Path(self.path).name} takes long to be looked at: the shapes that were found within the limit are shown"

    def forget(self) -> None:
        """Drop what the worker said: another interpreter, another torch."""
        self.result = self.result_text = self.snapshot = self.died = self.fatal = None

    def read(self) -> File:
        """The file of the present text; parsing starts from the last good tree."""
        text, file = self.text, self.file
        if file is None or file.text.content != text.content:
            file = File.read(self.path, text.content, file, self.surroundings)
            if text is self.text:  # else the editor was faster than the parser, in a thread of its own
                self.file = file
        return file

    def is_read(self) -> bool:
        """Whether the present text has been parsed."""
        return self.file is not None and self.file.text.content == self.text.content

    def read_whole(self) -> None:
        """Parse the present text and find its scopes, which for a long file takes seconds: call it in a thread."""
        file = self.read()
        file.parent_of(file.tree)
        heap.trim()

    def parsable(self) -> str:
        """The present text as a parser takes it, so that the lines around a half-typed one are looked at as ever."""
        file = self.read() if self.is_read() or not self.is_large else None
        return (file.parsed.source if file and file.problem else "") or self.text.content

    def facts(self) -> Facts:
        """What of the worker's facts holds on the present text."""
        if self.result is None or self.result_text is None:
            return Facts.none()
        return Facts(self.result).moved(self.result_text, self.text)

    def speaks_of_torch(self) -> bool:
        """Whether it is worth starting torch for this file, which costs seconds and hundreds of megabytes."""
        return "torch" in self.text.content

    @property
    def is_large(self) -> bool:
        """Whether parsing it would hold up the answers to other requests."""
        return len(self.text.content) > LARGE
