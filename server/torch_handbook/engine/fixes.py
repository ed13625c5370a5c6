"""Applying the fixes of findings to a text: never two that overlap, never one that breaks the file."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from itertools import pairwise

from torch_handbook.engine.rule import Edit, Fix
from torch_handbook.source.parse import Parsed
from torch_handbook.source.text import Text

TURNS = 10  # in which fixes make room for others; what has not settled then turns in a circle
Placing = tuple[int, int, str]  # from and to which character, and what comes there


class FixError(Exception):
    """The edits overlap."""


def apply(text: Text, edits: Iterable[Edit]) -> str:
    """The content after these edits. Equal edits count once (two fixes may add the same import); overlapping ones are refused."""
    placed = sorted({placing(text, edit) for edit in edits}, reverse=True)
    if overlapping := next((later for later, earlier in pairwise(placed) if clash(earlier, later)), None):
        raise FixError(f"two edits overlap at {text.position(overlapping[0])}")
    result = text.content
    for start, end, new in placed:
        result = result[:start] + new + result[end:]
    return result


def placing(text: Text, edit: Edit) -> Placing:
    return text.offset(edit.span.start), text.offset(edit.span.end), text.ended(edit.text)


def clash(one: Placing, other: Placing) -> bool:
    """Whether two unlike edits overlap. Two insertions at one place do, and one at the start of a replacement: which is first?"""
    (start, end, _), (begin, finish, _) = sorted((one, other))
    return end > begin or (start == begin and (start == end or begin == finish))


def fixed(text: Text, fixes: Iterable[Fix], parsed: Parsed | None = None) -> tuple[str, list[Fix]]:
    """The content with as many fixes, in their order, as fit together and leave a sound text; and which these are.

    `parsed` is for a text that is broken somewhere: its fixes are tried on what could be read, and none touches the rest.
    """
    chosen: list[Fix] = []
    taken: set[Placing] = set()
    read = Text(parsed.source) if parsed and parsed.problem else text
    mended = parsed.mended if parsed else frozenset[int]()
    for fix in fixes:
        own = {placing(text, edit) for edit in fix.edits}
        if not touches(fix, mended) and not any(clash(one, other) for one in own - taken for other in (taken | own) - {one}):
            chosen.append(fix)
            taken |= own
    if not chosen:
        return text.content, []
    if not sound(apply(read, edits_of(chosen))):
        chosen = one_by_one(read, chosen)
    return apply(text, edits_of(chosen)), chosen


def one_by_one(text: Text, fixes: list[Fix]) -> list[Fix]:
    """Those that leave a sound text together, where not all do."""
    applied: list[Fix] = []
    for fix in fixes:
        if sound(apply(text, edits_of([*applied, fix]))):
            applied.append(fix)
    return applied


def edits_of(fixes: Iterable[Fix]) -> list[Edit]:
    return [edit for fix in fixes for edit in fix.edits]


def touches(fix: Fix, lines: frozenset[int]) -> bool:
    return any(line in lines for edit in fix.edits for line in range(edit.span.line, edit.span.end_line + 1))


def sound(content: str) -> bool:
    """Whether a text parses, and no call is given a keyword twice, which the parser lets pass."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            given = [keyword.arg for keyword in call.keywords if keyword.arg]
            if len(given) != len(set(given)):
                return False
    return True
