"""Shapes that a function's comments and docstring tell of its parameters: `# x: (B, T, C)`.

They are only taken where nothing else is known, and never certain: they may be older than the code.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Dict, List, Optional, Union

from torch_handbook_worker.tensors.holes import Hole

Axes = List[Union[int, str]]
SIZE = r"(?:\d{1,9}|[A-Za-z_]\w*)"
AXES = rf"[(\[]\s*(?P<axes>{SIZE}(?:\s*[,x×]\s*{SIZE})+\s*,?|{SIZE}\s*,)\s*[)\]]"
# `# x: (B, T, C)`, `# x.shape = [B, T]`, and in a docstring `x (Tensor): the input, of shape (B, T)`
NAMED = (
    r"(?:^|[^\w.]){name}(?:\.shape)?\s*(?:\([^()]*\)\s*)?(?:[:=]|--?|\bis\b|\bof\b|$)?"
    r"\s*(?:[^()\[\]\n]*\bshape\b[^()\[\]\n]*|[^()\[\]\n]{{0,3}})"
)
CONTAINER = re.compile(r"\b(?:tuple|list|dict|sequence|iterable|mapping|set|pair)\b")
OTHER = re.compile(r"\b(?:tuple|list|dict|sequence|iterable|mapping|set|pair|int|float|bool|str|string|none|callable)\b")
BARE = re.compile(rf"#\s*{AXES}\s*$")
# Behind a parameter that has a line for itself: `x,  # the picture, (B, 3, H, W)`; neither `[0, 1]` nor one of several shapes.
BEHIND = re.compile(rf"#[^()\[\]:=]{{0,40}}(?:\bshape\s*[:=]\s*)?{AXES}(?!.*[(\[])", re.IGNORECASE)
SEVERAL = re.compile(r"\b(?:or|in|to|e\.g|range|between|type)\b|->", re.IGNORECASE)


def guess(node: Any, text: str, holes: Dict[str, Hole]) -> Optional[Hole]:
    """Fill what is still empty by what the comments and the docstring of a function say; one of the holes that were filled."""
    filled: Optional[Hole] = None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    arguments = node.args
    rows = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    lines = text.split("\n")
    other = {row.arg for row in rows if row.annotation is not None and not _may_be_tensor(ast.unparse(row.annotation))}
    for hole in [hole for hole in holes.values() if hole.axes is None and hole.name not in ("self", "cls", *other)]:
        axes = _told(node, text, hole.name, len(holes)) or _behind(rows, lines, hole.name)
        if axes is not None:
            hole.axes, hole.vague, filled = list(axes), True, hole
    return filled


def _may_be_tensor(kind: str) -> bool:
    """Whether a type, as an annotation or a docstring says it, may be that of one tensor: no tuple of them, and no size."""
    return OTHER.search(kind.lower()) is None or ("tensor" in kind.lower() and CONTAINER.search(kind.lower()) is None)


def _told(node: Any, text: str, name: str, count: int) -> Optional[Axes]:
    """What stands in comments of the function's head, or in its docstring, of a parameter."""
    lines = text.split("\n")
    head = lines[node.lineno - 1 : max(node.body[0].lineno - 1, node.lineno)]
    comments = [line[line.index("#") :] for line in head if "#" in line]
    pattern = re.compile(NAMED.format(name=re.escape(name)) + r"\s*" + AXES)
    typed = re.compile(rf"^\s*{re.escape(name)}\s*\(([^()]*(?:\[[^\[\]]*\])?[^()]*)\)\s*:")
    said = [
        line for line in (ast.get_docstring(node, clean=False) or "").split("\n") if not line.lstrip().startswith((">>>", "..."))
    ]
    for line in [*comments, *said]:
        found = pattern.search(line) or (BARE.match(line) if count == 1 else None)
        kind = typed.match(line)
        if found is not None and (kind is None or _may_be_tensor(kind[1])):
            return _axes(found)
    return None


def _behind(rows: List[ast.arg], lines: List[str], name: str) -> Optional[Axes]:
    """What stands behind a parameter on its line, where it is the only one there."""
    row = next(row for row in rows if row.arg == name)
    line = lines[row.lineno - 1] if row.lineno <= len(lines) else ""
    if sum(other.lineno == row.lineno for other in rows) > 1 or "#" not in line:
        return None
    found = BEHIND.match(line[line.index("#") :])
    if found is None or SEVERAL.search(found.string) or CONTAINER.search(found.string):
        return None
    axes = _axes(found)
    return None if all(isinstance(axis, int) for axis in axes) or 0 in axes else axes


def _axes(found: "re.Match[str]") -> Axes:
    return [int(part) if part.isdigit() else part for part in re.findall(r"\w+", found["axes"]) if part not in ("x",)]
