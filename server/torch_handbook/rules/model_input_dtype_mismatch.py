"""A network is given another dtype than its weights have.

Why
    model.half(), .bfloat16() and .double() convert the weights, not the data; and arrays from NumPy are float64, weights float32.
    A layer with weights refuses the mix: "mat1 and mat2 must have the same dtype". Convert the batch where it comes in.

Bad
    net = nn.Linear(10, 2).half()
    y = net(torch.rand(3, 10))

Good
    net = nn.Linear(10, 2).half()
    y = net(torch.rand(3, 10).half())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.operands import converted, dtype, is_guessed, origins
from torch_handbook.engine.rule import Category, Context, Failure, Finding, Findings, Related, Rule, Severity
from torch_handbook.engine.words import raises, short_name
from torch_handbook.source.dtypes import FLOATS, WHOLE
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.weights import weights_of

RULE = Rule(
    "model-input-dtype-mismatch",
    Severity.ERROR,
    Category.DTYPE,
    entry="guides/dtypes",
    covers=("float64-input",),
)
METHODS = {"float16": "half", "bfloat16": "bfloat16", "float32": "float", "float64": "double"}


@RULE.on(ast.Module)
def refused(module: ast.Module, context: Context) -> Findings:
    """What torch itself refused, on tensors without data."""
    for failure in context.facts.failures:
        if any(is_guessed(operand, context) for operand in failure.operands):
            continue
        if "weights" in failure.details:
            yield of_two_kinds(failure, context)
        elif "input type" in failure.message.lower():
            yield unlike_weights(failure, context)


def of_two_kinds(failure: Failure, context: Context) -> Finding:
    """float64 meets weights of float32, or the other way round; the worker says which."""
    span, details = Span(*failure.span), failure.details
    alike = [one for one in failure.operands if dtype(one) == details["dtype"]]
    operand = alike[0] if alike else None
    shown = operand.text if operand is not None and operand.text else "its input"
    method = METHODS.get(str(details["weights"]), "float")
    layer = next((one.text for one in failure.operands if not dtype(one)), short_name(failure.operation))
    words = f"{shown} is {details['dtype']}, but the weights of {layer} are {details['weights']}: use {shown}.{method}()"
    fix = converted(operand, method, context) if operand is not None and len(alike) == 1 else None
    where = Span(*operand.span) if operand is not None else span
    kind = "float64-input" if details["dtype"] == "float64" else "model-input-dtype-mismatch"
    return Finding.at(where, words, fix=fix, related=origins(failure, where), kind=kind)


def unlike_weights(failure: Failure, context: Context) -> Finding:
    span, short = Span(*failure.span), short_name(failure.operation)
    operand = next((one for one in failure.operands if dtype(one)), None)
    if operand is None:
        return Finding.at(span, raises(failure))
    words = f"{operand.text} is {dtype(operand)}, but the weights of {short} are not"
    whole = dtype(operand) in WHOLE | {"bool"}
    fix = converted(operand, "float", context) if whole else None
    words += f": use {operand.text}.float()" if whole else ": convert one of them"
    return Finding.at(span, words, fix=fix, related=origins(failure, span))


@RULE.on(ast.Call)
def fed(call: ast.Call, context: Context) -> Findings:
    if not call.args or isinstance(call.args[0], ast.Starred) or context.name_of(call.func) is not None:
        return
    if any(Span(*failure.span) == span_of(call) for failure in context.facts.failures):
        return
    mixed = [failure for failure in context.facts.failures if "weights" in failure.details]
    if any(Span(*operand.span) == span_of(call.args[0]) for failure in mixed for operand in failure.operands):
        return  # it is said of the first layer of a chain
    value = context.value_of(call.func)
    if value is None or not value.sure or value.kind != "instance" or value.base != "torch.nn.Module":
        return
    given = call.args[0]
    kind = given_dtype(given, context)
    if kind not in FLOATS | WHOLE or context.file.text.has("autocast") or is_guarded(context.file, call):
        return
    weights = weights_of(context.file, call.func)
    if weights is None or weights.dtype == kind:
        return
    shown, layer = context.text_of(given), context.text_of(call.func)
    words = f"{shown} is {kind}, but the weights of {layer} are {weights.dtype}: use {shown}.{METHODS[weights.dtype]}()"
    related = (Related(span_of(weights.since), f"they are {weights.dtype} since here"),) if weights.since is not None else ()
    yield Finding.at(given, words, related=related, kind="float64-input" if kind == "float64" else "model-input-dtype-mismatch")


def given_dtype(node: ast.expr, context: Context) -> str | None:
    """The dtype of what goes in. Of a parameter that nobody in sight gives a value it would be made up."""
    found = context.dtypes.of(node)
    if found is not None:
        return found
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    plain = isinstance(node, ast.Name) and all(binding.kind == "assign" for binding in bindings)
    return context.dtype_of(node) if plain else None
