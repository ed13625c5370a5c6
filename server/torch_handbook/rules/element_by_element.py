"""A tensor is read element by element in Python.

Why
    Each step makes a tensor without axes and a Python number from it, some hundred times slower than one operation on the
    whole, and on a GPU it waits for the device each time. tolist() gives all numbers at once; comparisons and sums work on
    whole tensors.

Bad
    scores = torch.rand(100)
    values = [score.item() for score in scores]

Good
    scores = torch.rand(100)
    values = scores.tolist()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule(
    "element-by-element",
    Severity.INFORMATION,
    Category.PERFORMANCE,
    entry="guides/slow-code",
    covers=("python-loop-over-tensor", "item-list-comprehension"),
)

RANGES = frozenset({"torch.linspace", "torch.arange", "torch.logspace", "torch.range"})


@RULE.on(ast.ListComp)
def items(node: ast.ListComp, context: Context) -> Findings:
    part = node.generators[0]
    if len(node.generators) > 1 or part.ifs or not isinstance(part.target, ast.Name) or not is_tensor(part.iter, context):
        return
    call = node.elt
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "item":
        owner = call.func.value
        if isinstance(owner, ast.Name) and owner.id == part.target.id:
            # item() takes elements of a shape such as (1,) too, which would be lists in a list.
            new = f"{context.text_of(part.iter)}{'' if has_one_axis(part.iter, context) else '.flatten()'}.tolist()"
            simple = isinstance(part.iter, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
            fix = Fix(f"use {new}", (Edit(span_of(node), new),)) if simple else None
            words = f"item() is called for each element: {new} gives them all at once"
            weight = Severity.HINT if is_small(part.iter, context) else None
            yield Finding.at(node, words, fix=fix, severity=weight, kind="item-list-comprehension")


def has_one_axis(node: ast.expr, context: Context) -> bool:
    """Whether the elements surely are numbers, as those of a linspace."""
    if isinstance(node, ast.Call) and context.name_of(node.func) in RANGES:
        return True
    shape = context.shape_of(node)
    return shape is not None and len(shape) == 1


def is_small(node: ast.expr, context: Context) -> bool:
    """Whether it is a range of numbers made on the spot, one for each block of a network: it waits for nothing."""
    made = context.assigned(node)
    given = made.keywords if isinstance(made, ast.Call) and context.name_of(made.func) in RANGES else None
    return given is not None and not any(word.arg in ("device", None) for word in given)


@RULE.on(ast.For)
def compared(loop: ast.For, context: Context) -> Findings:
    names = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    sources = sources_of(loop.iter)
    if not sources or not all(is_tensor(source, context) for source in sources):
        return
    tests = [part.test for statement in loop.body for part in ast.walk(statement) if isinstance(part, ast.If)]
    if any(is_ordered(part, names) for test in tests for part in ast.walk(test)):
        words = f"this compares {context.text_of(loop.iter)} element by element in Python: compare the whole tensor"
        yield Finding.at(loop.iter, words, kind="python-loop-over-tensor")


def is_ordered(node: ast.AST, names: set[str]) -> bool:
    """Whether one of the elements is compared with something by its size."""
    if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Name) or node.left.id not in names:
        return False
    return isinstance(node.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE))


def sources_of(node: ast.expr) -> list[ast.expr]:
    """What a loop goes through side by side."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
        return node.args
    return [node] if isinstance(node, (ast.Name, ast.Attribute)) else []


def is_tensor(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "tensor" and value.sure
