"""Applying the fixes of findings to a text: never two that overlap, never one that breaks the file."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from itertools import pairwise

from torch_handbook.engine.rule import Edit, Fix
from torch_handbook.source.text import Text

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


def fixed(text: Text, fixes: Iterable[Fix]) -> tuple[str, list[Fix]]:
    """The content with as many fixes, in their order, as fit together and leave a sound text; and which these are."""
    chosen: list[Fix] = []
    taken: set[Placing] = set()
    for fix in fixes:
        own = {placing(text, edit) for edit in fix.edits}
        if not any(clash(one, other) for one in own - taken for other in (taken | own) - {one}):
            chosen.append(fix)
            taken |= own
    if not chosen:
        return text.content, []
    content = apply(text, [edit for fix in chosen for edit in fix.edits])
    return (content, chosen) if sound(content) else one_by_one(text, chosen)


def one_by_one(text: Text, fixes: list[Fix]) -> tuple[str, list[Fix]]:
    """The same, slowly, where one of them does not leave a sound text."""
    applied: list[Fix] = []
    content = text.content
    for fix in fixes:
        tried = apply(text, [edit for one in (*applied, fix) for edit in one.edits])
        if sound(tried):
            applied.append(fix)
            content = tried
    return content, applied


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
