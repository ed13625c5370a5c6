"""Takes down what one unit of a walk does while it is walked."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, Optional, Set, Tuple

import torch

from torch_handbook_worker.tensors.opened import is_plain
from torch_handbook_worker.tensors.record import FILE, Name, Record, Seen, modules_in
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.unit import Found, Unit


class Taking:
    """What is taken down of one unit; the look holds what is known of the others."""

    def __init__(self, look: Any, name: Name, given: Any) -> None:
        session = self.session = look.session
        self.look = look
        self.name = name
        self.given = given
        self.calls = [function.calls for function in session.functions]
        self.seen = [function.is_seen for function in session.functions]
        self.defined = len(session.functions), len(session.classes)
        self.counts = self._counts()
        self.options, self.wants_plain = dict(session.defaults), session.wants_plain
        self.before = state(session)
        self.made: Dict[int, bool] = {}
        self.taken: Dict[int, Optional[Name]] = {}
        self.joined: Set[Name] = set()

    def walk(self, work: Callable[[], Any], is_told: bool) -> Found:
        """Walk the unit."""
        session = self.session
        session.entered.clear()
        session.notes.unit = self.name
        session.notes.called_now.clear()
        with Unit(session, is_told) as unit:
            first = session.sizes.first
            try:
                work()
            finally:
                self.look.sizes[self.name] = (first, len(session.sizes.names))
        return unit.found

    def record(self, found: Found) -> Record:
        """What it did."""
        session, look = self.session, self.look
        is_lasting = self._join(found) and self._defines_nothing()
        options = {name: value for name, value in session.defaults.items() if self.options.get(name) != value}
        counts = tuple(now - before for now, before in zip(self._counts(), self.counts))
        record = Record(dataclasses.replace(found, calls={}), frozenset(look.entered()), self.given)
        for place, function in enumerate(session.functions[: len(self.calls)]):
            if function.calls != self.calls[place]:
                record.calls[place] = function.calls - self.calls[place]
                record.seen[place] = self._seen(place, function)
        for key, rows in found.calls.items():
            if key in look.functions:
                record.rows[look.functions[key]] = len(rows)
        record.made, record.taken, record.joined, record.counts = self.made, self.taken, self.joined - {FILE}, counts
        record.before, record.options = self.before, options
        record.wants_plain = session.wants_plain and not self.wants_plain
        record.is_lasting = (
            is_lasting and FILE not in self.joined and self.before[1:] == state(session)[1:] and self.name[0] != "once"
        )
        return record

    def _seen(self, place: int, function: Any) -> Seen:
        before, seen = self.seen[place], any(map(is_plain, function.seen.values()))
        if function.is_seen and not before:
            self.look.seen_by[place] = (self.name, seen)
        return Seen(before, function.is_seen, seen)

    def _defines_nothing(self) -> bool:
        """Whether no class was defined that is walked by itself, nor a function."""
        functions, classes = self.defined
        more = self.session.functions[functions:]
        if more and self.name[0] == "maker":  # their names are looked at
            return False
        waiting = self.name[0] == "forward" and any(not function.calls for function in more)
        opened = any(any(map(is_plain, function.seen.values())) for function in more)
        return not waiting and not opened and classes == len(self.session.classes)

    def _join(self, found: Found) -> bool:
        """Find the units whose modules were met here; whether none of those was called that the file's own code has made."""
        notes, heap = self.session.notes, self.look.heap.states
        noted = {key for note in found.notes.values() for key in modules_in(note)}
        for owner, _ in (*noted, *notes.called_now):
            if owner not in (FILE, self.name):
                self.joined.add(owner)
        if any(owner == FILE for owner, _ in notes.called_now):
            return False
        return not any(id(notes.modules[key]) in heap for key in (*noted, *notes.called_now) if key[0] == self.name)

    def _counts(self) -> Any:
        session = self.session
        return session.fakes.count, session.rounds, session.trace.forks, session.trace.cut


def state(session: Session) -> Tuple[Any, ...]:
    """Whether options were read, and what torch computes with, of which there is one for all code."""
    modes = torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled()
    return bool(session.defaults), torch.get_default_dtype(), *modes
