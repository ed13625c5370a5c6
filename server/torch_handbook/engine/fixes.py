"""Applying the fixes of findings to a text: never two that overlap, never one that breaks the file."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

from torch_handbook.engine.rule import Edit, Fix
from torch_handbook.source.text import Text


class FixError(Exception):
    """The edits overlap."""


def apply(text: Text, edits: Iterable[Edit]) -> str:
    """The content after these edits. Equal edits count once (two fixes may add the same import); overlapping ones are refused."""
    result, taken = text.content, len(text.content) + 1
    placed = sorted({(text.offset(edit.span.start), text.offset(edit.span.end), edit.text) for edit in edits}, reverse=True)
    for start, end, new in placed:
        if end > taken or (start == end == taken):
            raise FixError(f"two edits overlap at {text.position(start)}")
        result = result[:start] + new + result[end:]
        taken = start
    return result


def fixed(text: Text, fixes: Iterable[Fix]) -> tuple[str, list[Fix]]:
    """The content with as many fixes, in their order, as fit together and leave a text that parses; and which these are."""
    applied: list[Fix] = []
    content = text.content
    for fix in fixes:
        try:
            tried = apply(text, [edit for one in (*applied, fix) for edit in one.edits])
        except FixError:
            continue
        if parses(tried):
            applied.append(fix)
            content = tried
    return content, applied


def parses(content: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
