"""A unit of a walk: a function or class that is walked by itself. What it finds does not depend on what was found before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Set, Tuple

from torch_handbook_worker.protocol import Failure, Span
from torch_handbook_worker.tensors.assumed import Assumption, narrow
from torch_handbook_worker.tensors.functions import CALLS
from torch_handbook_worker.tensors.notes import DIFFERENT, Note, join_notes
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.trace import GAPS


@dataclass
class Found:
    """What was written down in one unit."""

    notes: Dict[Span, Note] = field(default_factory=dict)
    nothing: Set[Span] = field(default_factory=set)
    failures: Dict[Tuple[Span, str], Failure] = field(default_factory=dict)
    gaps: Dict[Span, str] = field(default_factory=dict)
    assumed: Dict[Span, Assumption] = field(default_factory=dict)
    usual: Dict[str, int] = field(default_factory=dict)
    calls: Dict[int, List[Any]] = field(default_factory=dict)


class Unit:
    """While this is entered, what is found is kept apart; then it is added to what the units before found."""

    def __init__(self, session: Session, is_told: bool = True) -> None:
        self.session = session
        self.is_told = is_told  # whether notes, failures and gaps are added
        self.found = Found()

    def __enter__(self) -> Unit:
        self.before = self._exchange(self.found)
        self.session.begin()
        return self

    def __exit__(self, *raised: object) -> None:
        self.found = self._exchange(self.before)
        add(self.session, self.found, self.is_told)

    def _exchange(self, other: Found) -> Found:
        """Let what is written down from now on go there; give what it went to until now."""
        session, trace = self.session, self.session.trace
        before = Found(trace.notes, trace.nothing, trace.failures, trace.gaps, trace.assumed, session.sizes.usual, session.calls)
        trace.notes, trace.nothing, trace.failures, trace.gaps = other.notes, other.nothing, other.failures, other.gaps
        trace.assumed, session.sizes.usual, session.calls = other.assumed, other.usual, other.calls
        trace.decided = set()
        return before


def add(session: Session, found: Found, is_told: bool = True) -> None:
    """Add what a unit found to what is known."""
    trace = session.trace
    if is_told:
        for span, note in found.notes.items():
            known = trace.notes.get(span)
            trace.notes[span] = note if known is None else join_notes(known, note)
        for span in found.nothing:
            if span in trace.notes:
                trace.notes[span] = DIFFERENT
        for key, failure in found.failures.items():
            trace.failures.setdefault(key, failure)
        for span, why in found.gaps.items():
            if len(trace.gaps) < GAPS:
                trace.gaps.setdefault(span, why)
    for span, assumption in found.assumed.items():
        narrow(trace.assumed, span, assumption)
    session.sizes.usual.update(found.usual)
    for key, rows in found.calls.items():
        known_rows = session.calls.setdefault(key, [])
        known_rows.extend(rows[: max(0, CALLS - len(known_rows))])


def walk_unit(session: Session, name: Any, work: Callable[[], Any], given: Any = None, is_told: bool = True) -> Found:
    """Walk a unit; where a look at the file is taken down, it may know what comes of it. Give what was found."""
    if session.look is not None:
        return session.look.walk(name, work, given, is_told)
    with Unit(session, is_told) as unit:
        work()
    return unit.found


def name_of(session: Session, what: str, value: Any, place: int = 0) -> Any:
    """The name of a unit about a function or a class, where a look is taken down."""
    return session.look.name(what, value, place) if session.look is not None else None
