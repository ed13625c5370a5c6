"""The amounts of padding are given for the height first.

Why
    F.pad begins with the last axis: (left, right, top, bottom) for images (N, C, H, W). With the height first the image grows
    along the wrong axis, which shows only where the two differ.

Bad
    image, top, bottom, left, right = torch.zeros(1, 3, 8, 8), 0, 2, 0, 4
    out = F.pad(image, (top, bottom, left, right))

Good
    image, top, bottom, left, right = torch.zeros(1, 3, 8, 8), 0, 2, 0, 4
    out = F.pad(image, (left, right, top, bottom))
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.text import span_of

RULE = Rule("pad-order", Severity.WARNING, Category.SHAPE, entry="torch.nn.functional.pad")

TALL = frozenset({"top", "bottom", "h", "height", "y", "ph", "dh", "hpad", "padh", "vertical", "rows", "row", "t", "b"})
WIDE = frozenset({"left", "right", "w", "width", "x", "pw", "dw", "wpad", "padw", "horizontal", "cols", "col", "l", "r"})
WORDS = re.compile(r"[A-Za-z]+")


@RULE.on(ast.Call)
def padded(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.nn.functional.pad":
        return
    given = arguments_of(context.file, call, ("input", "pad", "mode", "value"))
    amounts = context.assigned(given.given.get("pad"))
    if not isinstance(amounts, (ast.Tuple, ast.List)) or len(amounts.elts) != 4:
        return
    first, last = amounts.elts[:2], amounts.elts[2:]
    if axis_of(first) == "tall" and axis_of(last) == "wide" and not is_moved(given.given.get("input"), context):
        shown = [context.text_of(part) for part in (*last, *first)]
        text = f"({', '.join(shown)})" if isinstance(amounts, ast.Tuple) else f"[{', '.join(shown)}]"
        fix = Fix(f"give the width first, {text}", (Edit(span_of(amounts), text),), safe=False)
        words = f"pad begins with the last axis, left and right, and gets {context.text_of(amounts)}: use {text}"
        yield Finding.at(amounts, words, fix=fix)


def axis_of(parts: list[ast.expr]) -> str | None:
    """Which axis two amounts are for, by their names: "tall" for top and bottom, "wide" for left and right."""
    found = {kind_of(part) for part in parts} - {"none"}
    return found.pop() if len(found) == 1 else None


def kind_of(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return "none"
    named = [part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))]
    words = {word.lower() for part in named for word in split(part.id if isinstance(part, ast.Name) else part.attr)}
    tall, wide = bool(words & TALL), bool(words & WIDE)
    return "tall" if tall and not wide else "wide" if wide and not tall else None


def split(name: str) -> list[str]:
    """The words of a name: pad_h, padTop."""
    return [word for part in WORDS.findall(name) for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", part)]


def is_moved(node: ast.expr | None, context: Context) -> bool:
    """Whether the axes of the input were moved: then the last one may be the height."""
    value = context.assigned(node)
    return any(
        isinstance(part, ast.Attribute) and part.attr in ("permute", "transpose", "T", "mT", "movedim", "swapaxes")
        for part in (ast.walk(value) if value is not None else ())
    )
