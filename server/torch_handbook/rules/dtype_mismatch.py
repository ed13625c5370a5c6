"""The dtype of a tensor is one that the operation does not take.

Why
    Class numbers and indices must be integers, targets of binary losses floats, means are taken of floats, and a layer wants
    the dtype of its own weights. Another dtype raises when the line is reached.

Bad
    loss = F.cross_entropy(torch.randn(8, 10), torch.zeros(8))

Good
    loss = F.cross_entropy(torch.randn(8, 10), torch.zeros(8, dtype=torch.long))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.operands import converted, dtype, is_guessed, origins
from torch_handbook.engine.rule import Category, Context, Failure, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import raises, short_name, speaks_of_dtypes
from torch_handbook.source.text import Span

RULE = Rule(
    "dtype-mismatch",
    Severity.ERROR,
    Category.DTYPE,
    entry="guides/dtypes",
    needs_facts=True,
    covers=(
        "bce-target-dtype",
        "ce-target-dtype",
        "embedding-index-dtype",
        "in-place-int-division",
        "mean-on-non-float",
    ),
)
# torch's words where bool-mask-arithmetic, uint8-mask and model-input-dtype-mismatch say more.
OWN_RULE = (
    "with two bool tensors",
    "bool tensor is not supported",
    "supports boolean masks",
    "booltensor for mask",
    "input type",
)
# The method that turns a tensor into a dtype.
METHODS = {"int64": "long", "float32": "float", "float16": "half", "bool": "bool", "float64": "double"}


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if "weights" in failure.details or any(words in failure.message.lower() for words in OWN_RULE):
            continue
        if speaks_of_dtypes(failure) and not any(is_guessed(operand, context) for operand in failure.operands):
            yield found(failure, context)


def found(failure: Failure, context: Context) -> Finding:
    span, short = Span(*failure.span), short_name(failure.operation)
    if failure.details.get("expected"):
        return unexpected(failure, short, context)
    if short in ("mean", "std", "var") and failure.operands:
        return averaged(failure, short, context)
    if short in ("/", "div_") and len(failure.operands) > 1:
        target = failure.operands[0]
        words = f"{target.text} is {dtype(target)} and cannot hold a quotient: write {target.text} = {target.text} / …"
        return Finding.at(span, words, kind="in-place-int-division")
    return Finding.at(span, with_dtypes(failure), related=origins(failure, span))


def unexpected(failure: Failure, short: str, context: Context) -> Finding:
    """An argument that must be of a certain dtype, by what the worker says of it."""
    details = failure.details
    wanted = str(details["expected"][0])
    operand = next((one for one in reversed(failure.operands) if dtype(one) == details["dtype"]), None)
    name = operand.text if operand is not None and operand.text else f"the {details.get('argument_name', 'input')}"
    method = METHODS.get(wanted)
    words = f"{name} is {details['dtype']}, but {short} takes {' or '.join(details['expected'])} here"
    words += f": use {name}.{method}()" if method and operand is not None else ""
    fix = converted(operand, method, context) if operand is not None and method else None
    where = Span(*operand.span) if operand is not None else Span(*failure.span)
    return Finding.at(where, words, fix=fix, related=origins(failure, where), kind=kind_of(short))


def kind_of(short: str) -> str:
    lowered = short.lower()
    if lowered.startswith(("cross", "nll")):
        return "ce-target-dtype"
    return "embedding-index-dtype" if lowered.startswith("embedding") else "bce-target-dtype"


def averaged(failure: Failure, short: str, context: Context) -> Finding:
    """A mean of whole numbers or truth values."""
    operand = failure.operands[0]
    words = f"{operand.text} is {dtype(operand)}, and {short}() takes floats: use float() before it"
    fix = converted(operand, "float", context)
    return Finding.at(Span(*failure.span), words, fix=fix, kind="mean-on-non-float")


def with_dtypes(failure: Failure) -> str:
    """Torch's words, and the dtypes of the operands."""
    known = [f"{operand.text} is {dtype(operand)}" for operand in failure.operands if operand.text and dtype(operand)]
    return raises(failure) + (f" ({', '.join(known)})" if known else "")
