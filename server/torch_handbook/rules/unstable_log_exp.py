"""A logarithm or an exponential is put together in a way that loses digits.

Why
    log(1 + x) rounds x away where it is small, exp(x) - 1 takes two numbers from each other that are nearly the same, and
    log(sum(exp(x))) overflows at 89 in float32. log1p, expm1 and logsumexp are the same without that, and not slower.

Bad
    x = torch.randn(3)
    y = torch.log(1 + x)

Good
    x = torch.randn(3)
    y = torch.log1p(x)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule(
    "unstable-log-exp",
    Severity.INFORMATION,
    Category.DTYPE,
    entry="guides/dtypes",
    covers=("log-of-one-plus", "exp-minus-one", "log-of-sum-of-exp"),
)


def argument(node: ast.expr | None, name: str, context: Context) -> ast.expr | None:
    """What is given to `torch.log(x)` or `x.log()`, and to nothing else beside it."""
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    if len(node.args) == 1 and context.name_of(node.func) == f"torch.{name}":
        return node.args[0] if not isinstance(node.args[0], ast.Starred) else None
    if node.args or not isinstance(node.func, ast.Attribute) or node.func.attr != name:
        return None
    return node.func.value if is_tensor(node.func.value, context) else None


def is_tensor(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "tensor" and value.sure


def is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 1


def is_never_small(node: ast.expr, context: Context) -> bool:
    """Whether a value surely is whole, or kept away from 0: then 1 + x loses nothing."""
    if (context.dtype_of(node) or "float").startswith(("int", "uint", "bool")):
        return True
    call = context.assigned(node)
    if not isinstance(call, ast.Call):
        return False
    last = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if last in ("clamp", "clip", "clamp_min", "clamp_"):
        least = next((word.value for word in call.keywords if word.arg == "min"), None) or next(iter(call.args), None)
        return isinstance(least, ast.Constant) and isinstance(least.value, (int, float)) and least.value >= 1
    return last in ("floor", "ceil", "round", "trunc")


def is_shifted(node: ast.expr, context: Context) -> bool:
    """Whether the largest value was subtracted already: `(x - x.max()).exp()`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    given = context.assigned(node.right)
    return any("max" in context.text_of(one) for one in (node.right, given) if one is not None)


@RULE.on(ast.Call)
def logarithm(call: ast.Call, context: Context) -> Findings:
    inner = argument(call, "log", context)
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
        other = inner.left if is_one(inner.right) else inner.right if is_one(inner.left) else None
        if other is not None and is_tensor(inner, context) and not is_never_small(other, context):
            words = "log(1 + x) loses small x to rounding: log1p(x) keeps it"
            yield replaced(call, "torch.log1p", context.text_of(other), words, "log-of-one-plus", context)
    elif isinstance(inner, ast.Call):
        yield from sum_of_exponentials(call, inner, context)


def sum_of_exponentials(call: ast.Call, inner: ast.Call, context: Context) -> Findings:
    """`log(sum(exp(x), dim))`, over an axis that is named: logsumexp has no form for all of them."""
    given = list(inner.args)
    if context.name_of(inner.func) != "torch.sum":
        if not isinstance(inner.func, ast.Attribute) or inner.func.attr != "sum" or context.name_of(inner.func) is not None:
            return
        given = [inner.func.value, *given]
    exponent = argument(given[0], "exp", context) if given else None
    words = {word.arg: word.value for word in inner.keywords}
    dim = words.get("dim", given[1] if len(given) > 1 else None)
    if (
        exponent is None
        or is_shifted(exponent, context)
        or dim is None
        or (isinstance(dim, ast.Constant) and dim.value is None)
        or not words.keys() <= {"dim", "keepdim"}
    ):
        return
    if len(given) > 3 or any(isinstance(item, ast.Starred) for item in given):
        return
    rest = [*given[1:], *inner.keywords]
    text = ", ".join([context.text_of(exponent), *map(context.text_of, rest)])
    said = "log(sum(exp(x))) overflows where x is above 88: logsumexp does not"
    yield replaced(call, "torch.logsumexp", text, said, "log-of-sum-of-exp", context)


@RULE.on(ast.BinOp)
def exponential(node: ast.BinOp, context: Context) -> Findings:
    if isinstance(node.op, ast.Sub) and is_one(node.right):
        inner = argument(node.left, "exp", context)
        if inner is not None and is_tensor(node.left, context):
            words = "exp(x) - 1 loses most digits of a small x: expm1(x) keeps them"
            yield replaced(node, "torch.expm1", context.text_of(inner), words, "exp-minus-one", context)


def replaced(node: ast.expr, name: str, arguments: str, words: str, kind: str, context: Context) -> Finding:
    brought = context.bring(name, node)
    fix = None
    if brought is not None:
        edit = Edit(span_of(node), f"{brought[0]}({arguments})")
        fix = Fix(f"use {brought[0]}, which differs by rounding", (edit, *brought[1]), safe=False)
    # An overflow is seen; how much digits of a small x matter, only the author knows.
    weight = None if kind == "log-of-sum-of-exp" else Severity.HINT
    return Finding.at(node, words, fix=fix, kind=kind, severity=weight)
