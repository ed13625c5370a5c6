"""A tensor with several elements is asked whether it is true.

Why
    `if`, `while`, `assert`, `and`, `or` and `not` want one truth value. An elementwise comparison gives one for each element,
    and torch raises "Boolean value of Tensor with more than one value is ambiguous". Say which is meant: all of them, any of
    them, or `torch.equal(a, b)`.

Bad
    old, new = torch.zeros(3), torch.ones(3)
    if (old - new).abs() < 1e-4:
        print("done")

Good
    old, new = torch.zeros(3), torch.ones(3)
    if ((old - new).abs() < 1e-4).all():
        print("done")
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.guards import is_guarded

RULE = Rule("ambiguous-tensor-bool", Severity.ERROR, Category.SHAPE, entry="guides/surprises")


@RULE.on(ast.If, ast.While, ast.IfExp, ast.Assert, ast.BoolOp, ast.UnaryOp, ast.Call, ast.comprehension, ast.Compare)
def asked(node: ast.AST, context: Context) -> Findings:
    for test in tests(node, context):
        count = elements(test, context)
        if count > 1 and not is_guarded(context.file, test):
            shown = context.text_of(test)
            words = f"{shown} has {count} elements, which are not one truth value: {meant(test, context)}"
            yield Finding.at(test, words)


def tests(node: ast.AST, context: Context) -> Iterator[ast.expr]:
    """The expressions that are surely taken for true or false here; those in `and`, `or` and `not` are told at these."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        yield node.test
    elif isinstance(node, ast.comprehension):
        yield from node.ifs
    elif isinstance(node, ast.BoolOp):
        yield from node.values[:-1]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        yield from (
            () if any(isinstance(one, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for one in node.ops) else node.comparators[:1]
        )
    elif isinstance(node, ast.Call) and is_builtin(node, context):
        yield node.args[0]


def is_builtin(call: ast.Call, context: Context) -> bool:
    plain = isinstance(call.func, ast.Name) and call.func.id == "bool" and len(call.args) == 1
    return plain and context.file.scope_of(call.func).find("bool") is None


def elements(test: ast.expr, context: Context) -> int:
    """How many elements a tensor surely has at least; 0 for what is no tensor, or one of unknown size."""
    if isinstance(test, (ast.BoolOp, ast.Constant)):
        return 0
    shape = context.shape_of(test)
    return math.prod(size for size in shape if isinstance(size, int)) if shape else 0


def meant(test: ast.expr, context: Context) -> str:
    """What was probably meant."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        sides = (test.left, test.comparators[0])
        if all(context.shape_of(side) for side in sides):
            return f"use torch.equal({context.text_of(sides[0])}, {context.text_of(sides[1])}), or .all() or .any()"
    return "use .all() or .any()"
