"""A where hides a bad value, but not its gradient.

Why
    torch.where computes both branches, and backward goes through both: the one that was not taken gets a gradient of zero,
    which is multiplied by the infinite derivative of sqrt, log or a division at that place. 0 * inf is NaN, and it spreads to
    every weight. Make the argument safe before the operation: sqrt(where(x > 0, x, 1)), or clamp it.

Bad
    x = torch.zeros(3, requires_grad=True)
    y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))
    y.sum().backward()

Good
    x = torch.zeros(3, requires_grad=True)
    safe = torch.where(x > 0, x, torch.ones_like(x))
    y = torch.where(x > 0, torch.sqrt(safe), torch.zeros_like(x))
    y.sum().backward()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("where-nan-gradient", Severity.WARNING, Category.AUTOGRAD, entry="torch.where")
SINGULAR = words("sqrt rsqrt log log2 log10 reciprocal")
HOLDS = (ast.Gt, ast.GtE, ast.NotEq)  # the guarded branch is the one taken where the condition holds
FAILS = (ast.Lt, ast.LtE, ast.Eq)


@RULE.on(ast.Call)
def chosen(call: ast.Call, context: Context) -> Findings:
    for condition, branch, holds in choices(call, context):
        tested = tested_by(condition, holds, context)
        found = next((one for one in singular(branch, context) if tested == ast.unparse(one[1])), None)
        if found is None or context.gradients.off_at(call):
            continue
        operation, argument = found
        fact = context.facts.tensor(argument)
        live = fact.requires_grad if fact is not None else context.graphs.of(argument).live
        divided = isinstance(operation, ast.BinOp) and isinstance(operation.op, ast.Div) and live is not True
        if live or (divided and isinstance(operation, ast.BinOp) and context.graphs.of(operation.left).live):
            shown = context.text_of(operation)
            words = (
                f"where the condition says no, the gradient of {shown} is infinite, and 0 * inf is NaN: make {tested} safe first"
            )
            yield Finding.at(call, words, related=[Related(span_of(operation), "backward goes through it everywhere")])


def choices(call: ast.Call, context: Context) -> Iterator[tuple[ast.expr, ast.expr, bool]]:
    """The condition of a choice, a branch of it, and whether that is the one taken where the condition holds."""
    if context.name_of(call.func) == "torch.where" and len(call.args) == 3:
        yield call.args[0], call.args[1], True
        yield call.args[0], call.args[2], False
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "masked_fill" and len(call.args) == 2:
        yield call.args[0], call.func.value, False
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "where" and len(call.args) == 2:
        yield call.args[0], call.func.value, True


def tested_by(condition: ast.expr, holds: bool, context: Context) -> str | None:
    """What a comparison with a number guards in a branch, as it is written."""
    if isinstance(condition, ast.Name):
        bindings = context.file.names.bindings(condition)
        value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return tested_by(value, holds, context) if value is not None and not isinstance(value, ast.Name) else None
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Invert):
        return tested_by(condition.operand, not holds, context)
    if not isinstance(condition, ast.Compare) or len(condition.ops) != 1:
        return None
    left, operator, right = condition.left, condition.ops[0], condition.comparators[0]
    if isinstance(left, ast.Constant) and not isinstance(operator, (ast.Eq, ast.NotEq)):
        left, right, holds = right, left, not holds
    small = isinstance(right, ast.Constant) or "eps" in ast.unparse(right).lower()
    return ast.unparse(left) if small and isinstance(operator, HOLDS if holds else FAILS) else None


def singular(branch: ast.expr, context: Context) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The operations in a branch whose derivative is infinite at zero, each with what it is taken of."""
    if isinstance(branch, ast.Name):
        bindings = context.file.names.bindings(branch)
        value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        branch = value if value is not None and not isinstance(value, ast.Name) else branch
    for part in ast.walk(branch):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
            yield part, part.right
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow) and is_root(part.right):
            yield part, part.left
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            name = context.name_of(part.func)
            taken = part.args[0] if name is not None and part.args else part.func.value
            last = (name or part.func.attr).rpartition(".")[2]
            power = part.args[1:2] if name is not None else part.args[:1]
            if (name is None or name.startswith("torch.")) and (
                last in SINGULAR or (last == "pow" and bool(power) and is_root(power[0]))
            ):
                yield part, taken


def is_root(node: ast.expr) -> bool:
    """Whether it is a power below one, so that the derivative at zero is infinite."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value < 1
