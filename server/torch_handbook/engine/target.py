"""The torch that a file is for: the installed one, the lowest that its project allows, and what is deprecated in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from torch_handbook.source.torch_releases import Mark, Release, added, indexed, marks_of, read, release, releases, spans


@dataclass(frozen=True)
class Target:
    """What is known of the torch that the code will meet. Nothing given: any recent one."""

    installed: Release | None = None
    lowest: Release | None = None
    rows: tuple[tuple[str, ...], ...] | None = None  # the marks of an installed torch that is newer than the table

    @staticmethod
    def of(installed: str | None, lowest: str | None, rows: Sequence[Sequence[str]] | None = None) -> Target:
        """From versions as they are written: "2.13.0+cpu", "2.1"."""
        return Target(release(installed), release(lowest), tuple(map(tuple, rows)) if rows is not None else None)

    @property
    def newest(self) -> Release:
        """The release whose rules hold: the installed one."""
        return self.installed or releases()[-1]

    @property
    def oldest(self) -> Release:
        """The release that the code must still work on."""
        return self.lowest or self.newest

    def may_be_before(self, wanted: Release) -> bool:
        """Whether it is known that the code meets a release before this one."""
        return any(found is not None and found < wanted for found in (self.installed, self.lowest))

    @cached_property
    def marks(self) -> Mapping[tuple[str, str], Mark]:
        return indexed(map(read, self.rows)) if self.rows is not None else marks_of(self.newest)

    @cached_property
    def last_names(self) -> frozenset[str]:
        """The last parts of the names that are marked: what is none of them need not be looked up."""
        return frozenset(name.rpartition(".")[2] for name, keyword in self.marks if not keyword)

    @cached_property
    def keywords(self) -> frozenset[str]:
        """The keywords of anything that are marked."""
        return frozenset(keyword for _, keyword in self.marks if keyword)

    def mark(self, name: str, keyword: str = "") -> Mark | None:
        """What the installed torch says of a name, or of one of its keywords, that is not to be used any more."""
        return self.marks.get((name, keyword))

    def has(self, name: str) -> bool:
        """Whether the oldest torch that the code meets has a name which takes the place of another."""
        return (added(name) or self.oldest) <= self.oldest

    def came(self, owner: str, name: str) -> Release | None:
        """The release that brought a name of a module, where that is known and later than the first of the table."""
        return spans(owner).get(name, (None, None))[0]

    def gone(self, owner: str, name: str) -> Release | None:
        """The release that a module has a name no more from, if that is the installed one or an earlier one."""
        left = spans(owner).get(name, (None, None))[1]
        return left if left is not None and left <= self.newest else None

    def knows(self, owner: str, name: str) -> bool | None:
        """Whether any torch up to the installed one has this name in a module; None: that module is not known completely."""
        if not spans(owner) or self.newest > releases()[-1]:
            return None
        return name in spans(owner)
