"""A mask of whole numbers is inverted with ~.

Why
    On numbers ~ flips bits: ~1 is 254 in uint8 and -2 in int64, ~0 is 255 or -1. The "inverted" mask is true everywhere, or
    weighs everything by 255. Make it bool first.

Bad
    mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
    rest = torch.randn(3) * ~mask

Good
    mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
    rest = torch.randn(3) * ~mask.bool()
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.dtypes import WHOLE
from torch_handbook.source.einsum import atom
from torch_handbook.source.text import Span, span_of

RULE = Rule("invert-non-bool-mask", Severity.WARNING, Category.DTYPE, entry="guides/masks")

BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
BITS = re.compile(r"bit|code|hash|pack|word|crc|int\d|morton|flag", re.IGNORECASE)


@RULE.on(ast.UnaryOp)
def operator(node: ast.UnaryOp, context: Context) -> Findings:
    if isinstance(node.op, ast.Invert):
        yield from inverted(node, node.operand, context)


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) == "torch.bitwise_not" and len(call.args) == 1:
        yield from inverted(call, call.args[0], context)


def inverted(node: ast.expr, operand: ast.expr, context: Context) -> Findings:
    kind = context.dtype_of(operand)
    if kind not in WHOLE or is_bitwise(node, operand, context):
        return
    shown = context.text_of(operand)
    one, none = ("254", "255") if kind == "uint8" else ("-2", "-1")
    words = f"{shown} is {kind}, where ~ flips bits (~1 is {one}, ~0 is {none}): use ~{atom(shown)}.bool()"
    end = span_of(operand).end
    plain = isinstance(node, ast.UnaryOp) and isinstance(operand, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    fix = Fix(f"use ~{shown}.bool()", (Edit(Span(*end, *end), ".bool()"),), safe=False) if plain else None
    yield Finding.at(node, words, fix=fix)


def is_bitwise(node: ast.expr, operand: ast.expr, context: Context) -> bool:
    """Whether bits are meant: the result is combined with whole numbers bit by bit, or the names speak of bits."""
    parent = context.file.parent_of(node)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, BITWISE):
        other = parent.right if parent.left is node else parent.left
        if context.dtype_of(other) != "bool":
            return True
    return (isinstance(operand, ast.BinOp) and isinstance(operand.op, BITWISE)) or BITS.search(
        context.text_of(operand)
    ) is not None
