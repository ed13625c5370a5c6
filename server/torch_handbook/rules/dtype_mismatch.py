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
from collections.abc import Callable
from typing import Any

from torch_handbook.engine.operands import converted, dtype, in_brackets, is_guessed, origins
from torch_handbook.engine.rule import Category, Context, Failure, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import raises, short_name, speaks_of_dtypes
from torch_handbook.source.dtypes import WHOLE
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
# What changes a tensor in place, and how that is written otherwise.
SIGNS = {**{sign: sign for sign in "+-*/"}, "**": "**", "add_": "+", "sub_": "-", "mul_": "*", "div_": "/", "pow_": "**"}
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
    if short in ("mean", "std", "var") and failure.operands:
        return averaged(failure, short, context)
    for key, speak in SPEAKERS:
        if failure.details.get(key):
            return speak(failure, short, context)
    if "can't be cast to the desired output type" in failure.message and short in SIGNS and failure.operands:
        return held(failure, short)
    return Finding.at(span, with_dtypes(failure), related=origins(failure, span))


def unexpected(failure: Failure, short: str, context: Context) -> Finding:
    """An argument that must be of a certain dtype, by what the worker says of it."""
    details = failure.details
    wanted = str(details["expected"][0])
    named = details.get("argument_name") not in ("weight", "state")  # those are no operands of their own
    operand = next((one for one in reversed(failure.operands) if named and dtype(one) == details["dtype"]), None)
    name = operand.text if operand is not None and operand.text else f"the {details.get('argument_name', 'input')}"
    method = METHODS.get(wanted)
    words = f"{name} is {details['dtype']}, but {short} takes {' or '.join(details['expected'])} here"
    words += f": use {name}.{method}()" if method and operand is not None else ""
    fix = converted(operand, method, context) if operand is not None and method else None
    where = Span(*operand.span) if operand is not None else Span(*failure.span)
    return Finding.at(where, words, fix=fix, related=origins(failure, where), kind=kind_of(short, details))


def kind_of(short: str, details: dict[str, Any]) -> str:
    lowered, argument = short.lower(), details.get("argument_name")
    if lowered.startswith("embedding"):
        return "embedding-index-dtype"
    if argument == "target":
        return "ce-target-dtype" if lowered.startswith(("cross", "nll")) else "bce-target-dtype"
    return ""


def unlike(failure: Failure, short: str, context: Context) -> Finding:
    """Two sides that must be of one dtype; the whole numbers are those to convert, or else what goes in."""
    span, pair = Span(*failure.span), failure.details["dtypes"]
    sides = [next((one for one in failure.operands if dtype(one) == kind), None) for kind in pair]
    names = [side.text if side is not None and side.text else f"operand {place}" for place, side in enumerate(sides, 1)]
    assigned = short == "__setitem__"
    place = 0 if pair[0] in WHOLE | {"bool", "float64"} and not assigned else 1
    side, method = sides[place], METHODS.get(pair[1 - place])
    what = "an assignment to chosen rows converts nothing" if assigned else f"{short} takes one dtype"
    words = f"{names[0]} is {pair[0]} and {names[1]} {pair[1]}: {what}"
    words += f", use {in_brackets(names[place])}.{method}()" if method and side is not None else ""
    fix = converted(side, method, context) if side is not None and method else None
    return Finding.at(span, words, fix=fix, related=origins(failure, span))


def bitwise(failure: Failure, short: str, context: Context) -> Finding:
    """`a > 0 & b` is `a > (0 & b)`."""
    span, sign = Span(*failure.span), failure.details["bits"]
    node = next((node for node in context.nodes_at(failure.span) if isinstance(node, ast.BinOp)), None)
    words = f"{sign} is not defined for {failure.details['dtype']}"
    compared = node is not None and isinstance(context.file.parent_of(node), ast.Compare)
    return Finding.at(span, f"{words}: it binds closer than a comparison, put brackets around both" if compared else words)


def held(failure: Failure, short: str) -> Finding:
    """Whole numbers that are changed in place into fractions."""
    target, sign = failure.operands[0], SIGNS[short]
    what = "a quotient" if sign == "/" else "what is computed with floats"
    words = f"{target.text} is {dtype(target)} and cannot hold {what}: write {target.text} = {target.text} {sign} …"
    return Finding.at(Span(*failure.span), words, kind="in-place-int-division" if sign == "/" else "")


def averaged(failure: Failure, short: str, context: Context) -> Finding:
    """A mean of whole numbers or truth values."""
    operand = failure.operands[0]
    words = f"{operand.text} is {dtype(operand)}, and {short}() takes floats: use float() before it"
    fix = converted(operand, "float", context)
    return Finding.at(Span(*failure.span), words, fix=fix, kind="mean-on-non-float")


# Which words speak of which details; the first key that a failure has decides.
SPEAKERS: tuple[tuple[str, Callable[[Failure, str, Context], Finding]], ...] = (
    ("expected", unexpected),
    ("dtypes", unlike),
    ("bits", bitwise),
)


def with_dtypes(failure: Failure) -> str:
    """Torch's words, and the dtypes of the operands."""
    known = [f"{operand.text} is {dtype(operand)}" for operand in failure.operands if operand.text and dtype(operand)]
    return raises(failure) + (f" ({', '.join(known)})" if known else "")
