"""What was seen while walking: facts by span, failures, gaps, and how much of the budget is left."""

from __future__ import annotations

import ast
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Set, Tuple

from torch_handbook_worker.protocol import Failure, Gap, Span
from torch_handbook_worker.tensors.notes import DIFFERENT, Note, join_notes
from torch_handbook_worker.tensors.values import MISSING

Path = Tuple[Tuple[int, int], ...]  # the unknown branches that were taken: (number of the fork, number of the arm)


GAPS = 200  # that are told of one file
WAITING_SECONDS = 4.0  # on top of a walk's own limit, for a processor that has other work: models are trained beside editors


class Exhausted(BaseException):
    """The budget of steps or time is used up. Not an Exception: no code on the way may catch it."""


class Enough(BaseException):
    """The steps that one part may take are used up; the rest goes on without it."""


class Needed(BaseException):
    """The objects of units are needed that were not walked. Not an Exception, so that nothing on the way catches it."""

    def __init__(self, units: Iterable[Any]) -> None:
        super().__init__()
        self.units = set(units)


def span_of(node: ast.AST) -> Span:
    """The span of a node of the tree."""
    found: Any = node
    return (found.lineno, found.col_offset, found.end_lineno, found.end_col_offset)


@dataclass(frozen=True)
class Here:
    """The place in the user's code that is being executed."""

    path: str
    span: Span


class At:
    """While this is entered, a place is being executed; there are so many of these that a generator would be felt."""

    __slots__ = ("before", "here", "trace")

    def __init__(self, trace: Trace, here: Here) -> None:
        self.trace = trace
        self.here = here

    def __enter__(self) -> None:
        self.before = self.trace.here
        self.trace.here = self.here

    def __exit__(self, *raised: object) -> None:
        self.trace.here = self.before


class Trace:
    """The notebook of one interpretation."""

    def __init__(self, path: str, seconds: float, steps: int) -> None:
        self.path = path  # only what happens in this file is written down
        self.deadline = time.thread_time() + seconds
        self.end = time.monotonic() + seconds + WAITING_SECONDS
        self.steps = steps
        self.floor = 0  # where the steps of the part that is being walked end
        self.notes: Dict[Span, Note] = {}
        self.nothing: Set[Span] = set()  # where a value was met of which nothing is written down
        self.failures: Dict[Tuple[Span, str], Failure] = {}
        self.decided: Set[Span] = set()  # where a failure took a proof, as sizes are free
        self.assumed: Dict[Span, Any] = {}  # by the place of a parameter: the sizes that operations behind it need
        self.gaps: Dict[Span, str] = {}
        self.here: Here = Here("", (0, 0, 0, 0))
        self.left: Optional[Here] = None  # the call in this file that led into the other one that is being walked
        self.branches: Path = ()
        self.forks = 0
        self.cut = 0  # loops that were not walked to their end
        self.expected = 0  # how many `try` bodies with handlers enclose this place
        self.is_lifted = False  # whether inputs have an axis more than they need
        self.muted = 0  # walks whose facts are not wanted
        self.text = ""  # the file's text
        self.renamed: Callable[[str], str] = str  # a text of torch's with the names of free sizes in it

    def source(self, span: Span) -> str:
        """The text of the file at a span of one line; of several lines the first."""
        lines = self.text.split("\n")
        line, column, end_line, end_column = span
        if not 0 < line <= len(lines):
            return ""
        piece = lines[line - 1].encode()[column : end_column if end_line == line else None]
        return piece.decode(errors="replace").strip()[:120]

    def tick(self) -> None:
        """Count a step."""
        self.steps -= 1
        if self.steps < self.floor:
            raise Enough if self.floor else Exhausted
        if self.steps & 63 == 0 and (time.thread_time() > self.deadline or time.monotonic() > self.end):
            raise Exhausted

    def within(self, steps: int, work: Callable[[], Any]) -> Any:
        """Do some work in at most so many steps; MISSING where they were not enough."""
        before = self.floor
        self.floor = max(before, self.steps - steps)
        try:
            return work()
        except Enough:
            if before and self.steps < before:
                raise
            return MISSING
        finally:
            self.floor = before

    def new_fork(self) -> int:
        """A number for an unknown branch."""
        self.forks += 1
        return self.forks

    def at(self, path: str, node: ast.AST) -> At:
        """Say that `node` is being executed."""
        return At(self, Here(path, span_of(node)))

    def note(self, path: str, span: Span, note: Optional[Note]) -> None:
        """Write down what stands at a span; what was written there before is joined."""
        if note is None or self.muted or path != self.path:
            if note is None and path == self.path and not self.muted:
                self.nothing.add(span)
                if span in self.notes:
                    self.notes[span] = DIFFERENT
            return
        known = self.notes.get(span)
        if known is None:
            self.notes[span] = note
        elif known != note:
            self.notes[span] = join_notes(known, note)

    def lose(self, path: str, span: Span) -> None:
        """What stood at a span in an earlier round of a loop is not known in a later one: nothing is said of it."""
        if path == self.path and not self.muted and span in self.notes:
            self.notes[span] = DIFFERENT

    def gap(self, span: Span, why: str, path: str = "") -> None:
        """The thread was lost here."""
        if (path or self.here.path) == self.path and len(self.gaps) < GAPS:
            self.gaps.setdefault(span, self.renamed(why)[:200])

    def fail(self, failure: Failure, path: str) -> None:
        """An operation raises here, whatever the free sizes are."""
        if path == self.path:
            self.failures.setdefault((failure.span, failure.reason), failure)

    def gap_list(self) -> List[Gap]:
        """The gaps, in the order of the file."""
        return [Gap(span, why) for span, why in sorted(self.gaps.items())]
