"""What one unit of a walk did, as plain data: all that it found, and all that it changed for the units after it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Dict, FrozenSet, List, Optional, Set, Tuple

from torch_handbook_worker.protocol import ModuleFact, Span
from torch_handbook_worker.tensors.notes import Key, Note
from torch_handbook_worker.tensors.unit import Found

# The kind of a unit and the numbers of what it is about, as ("forward", 3, 0): the functions and classes of a file are numbered.
Name = Tuple[Any, ...]
FILE: Name = ("file",)  # the file's own code, which is not inside a function


@dataclass(frozen=True)
class Seen:
    """Whether a call had said what a parameter of a function is, before and after; and whether all sizes of one are numbers."""

    before: bool
    after: bool
    is_plain: bool


@dataclass
class Record:
    """One unit of a walk."""

    found: Found
    entered: FrozenSet[int]  # the functions of the text that were walked
    given: Any  # what it was walked with, as far as other units decide that
    calls: Dict[int, int] = field(default_factory=dict)  # by function: how often it was called
    seen: Dict[int, Seen] = field(default_factory=dict)  # by function that was called
    rows: Dict[int, int] = field(default_factory=dict)  # by function: the calls of a forward
    made: Dict[int, bool] = field(default_factory=dict)  # by class that objects were made of: whether there was one before
    taken: Dict[int, Optional[Name]] = field(default_factory=dict)  # by class an object of which was asked for: who made it
    joined: Set[Name] = field(default_factory=set)  # the units whose objects it may have changed
    counts: Tuple[int, int, int, int] = (0, 0, 0, 0)
    before: Any = None  # the `state` in which it was begun
    options: Dict[str, int] = field(default_factory=dict)  # those that were read here
    wants_plain: bool = False
    facts: Dict[Key, ModuleFact] = field(default_factory=dict)  # what the modules in its notes were when all was walked
    is_lasting: bool = True  # whether it need not be walked again; else its objects are needed each time

    def size(self) -> int:
        """About how many places of a text it holds."""
        return len(self.found.notes) + len(self.found.nothing) + len(self.found.gaps) + 50


def moved(record: Record, lines: Optional[Dict[int, int]]) -> Optional[Record]:
    """A record in a text in which lines stand elsewhere; None where it speaks of lines that are no more there."""
    if lines is None:
        return record
    found = record.found
    if found.failures:  # these hold places in many forms
        return None

    def at(span: Span) -> Span:
        return (lines[span[0]], span[1], lines[span[2]], span[3])

    try:
        there = Found(
            {at(span): note for span, note in found.notes.items()},
            {at(span) for span in found.nothing},
            {},
            {at(span): why for span, why in found.gaps.items()},
            {at(span): assumption for span, assumption in found.assumed.items()},
            found.usual,
        )
    except KeyError:
        return None
    return dataclasses.replace(record, found=there)


def modules_in(note: Note) -> List[Key]:
    """The modules that a note speaks of."""
    if note[0] == "module":
        return [*note[1]]
    return [key for part in note[1] for key in modules_in(part)] if note[0] == "tuple" else []
