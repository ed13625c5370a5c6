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

from torch_handbook.engine.rule import Category, Context, Edit, Failure, Finding, Findings, Fix, Operand, Related, Rule, Severity
from torch_handbook.engine.words import raises, short_name, speaks_of_dtypes
from torch_handbook.source.text import Span, span_of

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
        "float64-input",
        "in-place-int-division",
        "mean-on-non-float",
        "model-input-dtype-mismatch",
    ),
)
# The method that turns a tensor into a dtype.
METHODS = {"int64": "long", "float32": "float", "float16": "half", "bool": "bool", "float64": "double"}


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if speaks_of_dtypes(failure) and not any(is_guessed(operand, context) for operand in failure.operands):
            yield found(failure, context)


def is_guessed(operand: Operand, context: Context) -> bool:
    """Whether an operand is a parameter that nobody in sight gives a value: its dtype was made up."""
    names = [node for node in context.nodes_at(operand.span) if isinstance(node, ast.Name)]
    bindings = [binding for name in names for binding in context.file.names.bindings(name)]
    return operand.origin is None and any(binding.kind == "parameter" for binding in bindings)


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
    if "input type" in failure.message.lower():
        return unlike_weights(failure, short, context)
    return Finding.at(span, with_dtypes(failure), related=origins(failure, span))


def unlike_weights(failure: Failure, short: str, context: Context) -> Finding:
    """What goes into a layer is not of the dtype of its weights."""
    span = Span(*failure.span)
    operand = next((one for one in failure.operands if dtype(one)), None)
    if operand is None:
        return Finding.at(span, with_dtypes(failure), kind="model-input-dtype-mismatch")
    words = f"{operand.text} is {dtype(operand)}, but the weights of {short} are not"
    whole = "int" in dtype(operand) or dtype(operand) == "bool"
    fix = converted(operand, "float", context) if whole else None
    words += f": use {operand.text}.float()" if whole else ": convert one of them"
    return Finding.at(span, words, fix=fix, related=origins(failure, span), kind="model-input-dtype-mismatch")


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


def converted(operand: Operand, method: str, context: Context) -> Fix | None:
    """Convert an operand where it stands."""
    node = next((node for node in context.nodes_at(operand.span) if isinstance(node, ast.expr)), None)
    if node is None:
        return None
    end = span_of(node)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return Fix(f"use {operand.text}.{method}()", (Edit(Span(*end.end, *end.end), f".{method}()"),), safe=False)
    text = context.file.text
    behind = text.content[text.offset(end.end) : text.offset(end.end) + 1]
    before = text.content[max(text.offset(end.start) - 1, 0) : text.offset(end.start)]
    if (before, behind) == ("(", ")") and isinstance(context.file.parent_of(node), ast.Attribute):
        place = text.position(text.offset(end.end) + 1)
        return Fix(f"use ({operand.text}).{method}()", (Edit(Span(*place, *place), f".{method}()"),), safe=False)
    edits = (Edit(Span(*end.start, *end.start), "("), Edit(Span(*end.end, *end.end), f").{method}()"))
    return Fix(f"use ({operand.text}).{method}()", edits, safe=False)


def dtype(operand: Operand) -> str:
    return str(getattr(operand.fact, "dtype", ""))


def with_dtypes(failure: Failure) -> str:
    """Torch's words, and the dtypes of the operands."""
    known = [f"{operand.text} is {dtype(operand)}" for operand in failure.operands if operand.text and dtype(operand)]
    return raises(failure) + (f" ({', '.join(known)})" if known else "")


def origins(failure: Failure, where: Span) -> list[Related]:
    """Where the operands come from, if that is another line."""
    rows = [operand for operand in failure.operands if operand.origin and operand.origin[0] != where.line and dtype(operand)]
    return [
        Related(Span(*operand.origin), f"{operand.text} is {dtype(operand)} since here") for operand in rows if operand.origin
    ]
