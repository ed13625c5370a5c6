"""A call raises whatever its tensors hold.

Why
    A float where a whole number is needed, an argument that became mandatory, a module class that is called in the place of a
    module: such a call raises each time it is reached. It was carried out here on tensors without data, and torch refused it.

Bad
    planes = 24 / 4
    conv = nn.Conv2d(3, planes, 1)

Good
    planes = 24 // 4
    conv = nn.Conv2d(3, planes, 1)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Failure, Finding, Findings, Rule, Severity, TensorFact
from torch_handbook.engine.words import (
    NUMBER_INDEXED,
    first_sentence,
    raises,
    short_name,
    sizes,
    speaks_of_dtypes,
    speaks_of_sizes,
)
from torch_handbook.source.text import Span

RULE = Rule(
    "call-that-raises",
    Severity.ERROR,
    Category.SHAPE,
    entry="guides/errors",
    needs_facts=True,
    covers=("raises-in-another-file",),
)


# torch's words where removed-api, stft-return-complex, int-requires-grad and scalar-tensor-indexed say more
OWN_RULE = ("is now removed", "return_complex", "can require gradients", NUMBER_INDEXED)


@RULE.on(ast.Module)
def refusals(module: ast.Module, context: Context) -> Findings:
    divided: set[ast.AST | None] = set()
    for failure in context.facts.failures:
        if any(words in failure.message for words in OWN_RULE) or "keyword" in failure.details:
            continue
        if failure.reason in ("shape", "argument") and not speaks_of_sizes(failure) and not speaks_of_dtypes(failure):
            words = no_scalar(failure) if "scalar outputs" in failure.message else raises(failure)
            # A count that was divided with / goes into layer after layer: it is said at the first.
            home = function_of(failure, context) if words.endswith("divide with //") else None
            if home is None or home not in divided:
                yield Finding.at(Span(*failure.span), words)
            divided.add(home)


def function_of(failure: Failure, context: Context) -> ast.AST | None:
    nodes = context.nodes_at(failure.span)
    return context.file.enclosing(nodes[0], ast.FunctionDef) if nodes else None


@RULE.on(ast.Module)
def elsewhere(module: ast.Module, context: Context) -> Findings:
    """Calls that lead into another file of the workspace, where an operation does not take what they give."""
    for failure in context.facts.failures:
        place = failure.details.get("elsewhere")
        if failure.reason == "elsewhere" and place:
            where = f"{place['function']} ({place['file']}, line {place['line']})"
            words = f"this raises {failure.error or 'an error'} in {where}: {what(failure)}"
            yield Finding.at(Span(*failure.span), words, kind="raises-in-another-file")


def what(failure: Failure) -> str:
    """What does not fit there: in numbers where they came with it, else in torch's words with the code and its tensors."""
    details, code = failure.details, failure.details["elsewhere"]["code"]
    for wanted, got, unit in (("in_features", "features", "features"), ("in_channels", "channels", "channels")):
        if wanted in details and got in details and "input" in details:
            layer = short_name(failure.operation)
            return f"{code}: {layer} takes {details[wanted]} {unit}, but gets {details[got]} from {sizes(details['input'])}"
    shapes = [f"{row.text} {sizes(row.fact.shape)}" for row in failure.operands if isinstance(row.fact, TensorFact) and row.text]
    shapes = shapes or [sizes(shape) for shape in details.get("shapes", ())]
    given = f" with {' and '.join(shapes)}" if shapes else ""
    return f"{code}{given}: {first_sentence(failure.message)}"


def no_scalar(failure: Failure) -> str:
    """A gradient is asked of many numbers at once."""
    operand = failure.operands[0] if failure.operands else None
    short, shape = short_name(failure.operation), getattr(operand.fact, "shape", None) if operand is not None else None
    what = f"{operand.text} is {sizes(shape)}" if operand is not None and shape is not None else "this is no single number"
    other = "grad_outputs" if short == "grad" else "gradient" if "Tensor" in failure.operation else "grad_tensors"
    return f"{what}, and {short} starts from one number: take its sum() or mean(), or give {other}=…"
