"""What the rules about axes share: the words for what the worker remarked on, and the fixes of more than one of them."""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Context, Edit, Failure, Fix, Related
from torch_handbook.engine.words import product, sizes
from torch_handbook.source.einsum import atom
from torch_handbook.source.text import Span, span_of


def of_all_pairs(remark: Failure) -> str:
    """What a column and a row are: "preds is (32, 1) and labels (32,), which makes 32×32 pairs"."""
    details = remark.details
    column, row = details["column_text"] or "one side", details["row_text"] or "the other"
    text = f"{column} is {sizes(details['column'])} and {row} {sizes(details['row'])}"
    return f"{text}, which makes {product(details['row'] * 2)} pairs"


def squeezed_column(remark: Failure, context: Context) -> Fix | None:
    """Take the last axis away from the column."""
    text = remark.details["column_text"]
    operand = next((operand for operand in remark.operands if operand.text == text), None)
    node = next((node for node in context.nodes_at(operand.span if operand else None) if isinstance(node, ast.expr)), None)
    if node is None or operand is None:
        return None
    better = f"{atom(context.file.text.slice(span_of(node)))}.squeeze(1)"
    return Fix(f"use {' '.join(better.split())}", (Edit(span_of(node), better),), safe=False)


def with_batch_first(remark: Failure, context: Context) -> Fix | None:
    """Give batch_first=True to the layer's constructor."""
    call = context.call_at(remark.span)
    name = context.name_of(call.func) if call is not None else None
    if call is None or name is None or not name.startswith("torch.nn.") or not [*call.args, *call.keywords]:
        return None
    if any(word.arg in ("batch_first", None) for word in call.keywords) or any(isinstance(row, ast.Starred) for row in call.args):
        return None
    end = span_of([*call.args, *call.keywords][-1]).end
    return Fix("give batch_first=True", (Edit(Span(*end, *end), ", batch_first=True"),), safe=False)


def says_otherwise(remark: Failure) -> list[Related]:
    """The place that says what the axis is."""
    place = remark.details.get("other_at")
    if not place or list(place) == list(remark.span):
        return []
    return [Related(Span(*place), f"{remark.details['other']} says that it is the {remark.details['role']}")]
