"""Facts of an older text on a newer one: what stands on untouched lines moves along, the rest is dropped.

A user types while the worker still looks at what was there before. Dropping all facts would make every shape in the
file flicker; showing them where the text has changed would lie.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from torch_handbook_worker.protocol import FactAt, Failure, Gap, InterpretResult, Operand, Span

from torch_handbook.source.text import Text

Spanned = TypeVar("Spanned", FactAt, Gap)


@dataclass(frozen=True)
class Shift:
    """Lines up to `head` stand still, lines from `tail` of the old text on move by `lines`; those between are gone."""

    head: int
    tail: int
    lines: int

    def moved(self, span: Span) -> Span | None:
        """Where a span of the old text is now, or None when an edit touched it."""
        start, column, end, end_column = span
        if end <= self.head:
            return span
        if start >= self.tail:
            return start + self.lines, column, end + self.lines, end_column
        return None


def shift(old: Text, new: Text) -> Shift:
    """What one text has in common with another, in whole lines at its head and at its tail."""
    before, after = _lines(old), _lines(new)
    shortest = min(len(before), len(after))
    head = next((row for row in range(shortest) if before[row] != after[row]), shortest)
    rest = shortest - head
    tail = next((row for row in range(rest) if before[-1 - row] != after[-1 - row]), rest)
    return Shift(head, len(before) - tail + 1, len(after) - len(before))


def carried(result: InterpretResult, old: Text, new: Text) -> InterpretResult:
    """What of `result`, which is about `old`, still holds word for word on `new`: nobody has looked at all of that."""
    by = shift(old, new)
    return dataclasses.replace(
        result,
        complete=result.complete and by.tail == by.head + 1 and not by.lines,
        facts=_moved(result.facts, by),
        gaps=_moved(result.gaps, by),
        failures=[moved for failure in result.failures if (moved := _failure(failure, by))],
    )


def _lines(text: Text) -> list[str]:
    ends = [*text.starts[1:], len(text.content)]
    return [text.content[start:end] for start, end in zip(text.starts, ends, strict=True)]


def _moved(items: Iterable[Spanned], by: Shift) -> list[Spanned]:
    pairs = ((item, by.moved(item.span)) for item in items)
    return [item if span == item.span else dataclasses.replace(item, span=span) for item, span in pairs if span]


def _failure(failure: Failure, by: Shift) -> Failure | None:
    """A failure speaks of its operands and their origins too: when one of them was touched, it is not known any more."""
    span = by.moved(failure.span)
    operands = [_operand(operand, by) for operand in failure.operands]
    details = {key: _detail(key, value, by) for key, value in failure.details.items()}
    lost = any(value is None and failure.details[key] is not None for key, value in details.items())
    if span is None or lost or None in operands:
        return None
    return dataclasses.replace(failure, span=span, operands=cast("list[Operand]", operands), details=details)


def _operand(operand: Operand, by: Shift) -> Operand | None:
    span, origin = by.moved(operand.span), by.moved(operand.origin) if operand.origin else None
    if span is None or (operand.origin and origin is None):
        return None
    return dataclasses.replace(operand, span=span, origin=origin)


def _detail(key: str, value: Any, by: Shift) -> Any:
    """A detail as it is, or moved when its name says that it is a place ("saved_at", "backward_at")."""
    if not key.endswith("_at") or value is None:
        return value
    moved = by.moved(cast("Span", tuple(value)))
    return None if moved is None else list(moved)
