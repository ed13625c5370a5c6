"""One file at one version, with all that is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any, TypeVar, cast

from torch_handbook.engine.facts import Facts
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook.source.text import Text
from torch_handbook.torchdocs.docs import TorchDocs

Result = TypeVar("Result")
Entry = tuple[str, str]  # a rule and the text of its line, as baselines have them
Known = Mapping[Entry, int]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What every feature is a function of. It never changes: a new version or new facts make a new one."""

    file: File
    version: int | None
    facts: Facts
    handbook: Handbook
    docs: TorchDocs
    settings: Settings
    uri: str = ""
    known: Known = field(default_factory=dict[Entry, int])  # findings that are not told again
    memory: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)
    locks: dict[str, RLock] = field(default_factory=dict[str, RLock], repr=False)
    lasting: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)  # shared by all with this handbook and these docs

    @property
    def text(self) -> Text:
        return self.file.text

    def after(self, content: str) -> Snapshot:
        """The file with another text, of which nobody has facts yet but those that its untouched lines keep."""
        file = File.read(self.file.path, content, self.file, self.file.surroundings)
        return replace(self, file=file, facts=self.facts.moved(self.text, file.text), memory={}, locks={})

    def once(self, what: str, compute: Callable[[], Result]) -> Result:
        """What `compute` gives, computed once for this snapshot: a cursor that moves asks for the same findings again.

        Two threads that want the same thing do not both compute it: the second waits.
        """
        with self.locks.setdefault(what, RLock()):
            if what not in self.memory:
                self.memory[what] = compute()
            return cast("Result", self.memory[what])

    def for_all(self, what: str, compute: Callable[[], Result]) -> Result:
        """What `compute` makes of the handbook and the docs alone, computed once for all files."""
        if what not in self.lasting:
            self.lasting[what] = compute()
        return cast("Result", self.lasting[what])
