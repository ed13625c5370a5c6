"""Edits upon edits as one set of edits of the text that stood there first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from torch_handbook.engine.fixes import placing
from torch_handbook.engine.rule import Edit
from torch_handbook.source.text import Span, Text


class Piece(NamedTuple):
    """A part of a text: characters of the first one, from `start` to `end`, or, where there is a `text`, a new part."""

    start: int
    end: int
    text: str | None = None

    @property
    def length(self) -> int:
        return self.end - self.start if self.text is None else len(self.text)

    def cut(self, at: int) -> tuple[Piece, Piece]:
        """The part before a place in it and the part behind."""
        if self.text is None:
            return Piece(self.start, self.start + at), Piece(self.start + at, self.end)
        return Piece(0, 0, self.text[:at]), Piece(0, 0, self.text[at:])


@dataclass(frozen=True)
class Patch:
    """What became of a text after some turns of edits."""

    text: Text
    pieces: tuple[Piece, ...]

    @staticmethod
    def of(text: Text) -> Patch:
        return Patch(text, (Piece(0, len(text.content)),))

    def then(self, now: Text, edits: Iterable[Edit]) -> Patch:
        """The same after one more turn, whose edits, which do not overlap, are in terms of the text as it is now."""
        pieces = list(self.pieces)
        for start, end, new in sorted({placing(now, edit) for edit in edits}, reverse=True):
            before, rest = cut(pieces, start)
            pieces = [*before, Piece(0, 0, new), *cut(rest, end - start)[1]]
        return Patch(self.text, tuple(pieces))

    def edits(self) -> Iterator[Edit]:
        """What takes the first text to the last."""
        at, new = 0, ""
        length = len(self.text.content)
        for piece in (*self.pieces, Piece(length, length)):
            if piece.text is not None:
                new += piece.text
                continue
            if new or piece.start > at:
                yield Edit(Span(*self.text.position(at), *self.text.position(piece.start)), new)
            at, new = piece.end, ""


def cut(pieces: list[Piece], at: int) -> tuple[list[Piece], list[Piece]]:
    """The pieces before a place and those behind."""
    for number, piece in enumerate(pieces):
        if at <= piece.length:
            before, behind = piece.cut(at)
            return [*pieces[:number], *([before] if before.length else [])], [
                *([behind] if behind.length else []),
                *pieces[number + 1 :],
            ]
        at -= piece.length
    return pieces, []
