"""A tensor is changed in place although autograd needs it as it was.

Why
    Many operators keep a tensor for their backward: softmax, exp, sigmoid and ReLU their result, matmul and multiplication
    their inputs. If that tensor is changed in place before backward runs, the gradient cannot be computed, and backward raises.
    Leaves that require grad, the several views that unbind gives, and expanded memory refuse the change at once. Everything
    else may be changed in place: this rule is told by autograd itself, on tensors without data, and does not guess.

Bad
    scores = torch.randn(4, 4, requires_grad=True) * 2
    weights = scores.softmax(-1)
    weights *= 0.5
    weights.sum().backward()

Good
    scores = torch.randn(4, 4, requires_grad=True) * 2
    weights = scores.softmax(-1)
    weights = weights * 0.5
    weights.sum().backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import (
    Category,
    Context,
    Edit,
    Failure,
    Finding,
    Findings,
    Fix,
    Related,
    Rule,
    Severity,
    TensorFact,
)
from torch_handbook.source.in_place import Change, change_at, inplace_argument, is_private
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "in-place-on-grad",
    Severity.ERROR,
    Category.AUTOGRAD,
    entry="guides/in-place",
    needs_facts=True,
    covers=(
        "in-place-on-leaf",
        "in-place-on-saved-output",
        "in-place-on-saved-input",
        "in-place-on-expanded",
        "in-place-on-multi-view",
        "stale-graph-after-step",
    ),
)
REASONS = ("leaf", "view", "saved-output", "saved-input")


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason in REASONS:
            yield found(failure, context)


def found(failure: Failure, context: Context) -> Finding:
    """The words for one failure, by its reason."""
    nodes = context.nodes_at(failure.span)
    change = change_at(context.file, nodes)
    if failure.reason == "leaf":
        return on_leaf(failure, change, context)
    if failure.reason == "view":
        return on_view(failure, change, context)
    call = context.call_at(failure.span)
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "step":
        return after_step(failure, call, context)
    return on_saved(failure, change, context)


def on_leaf(failure: Failure, change: Change | None, context: Context) -> Finding:
    span = Span(*failure.span)
    call = context.call_at(failure.span)
    if failure.operation.startswith("torch.nn.") and call is not None and len(failure.operands) > 1:
        layer, leaf = failure.operands[0].text, failure.operands[1].text
        words = f"{layer} works in place on {leaf}, a leaf that requires grad: use inplace=False, or give it a new tensor"
        return Finding.at(span, words, fix=out_of_place(failure.operands[0].origin, context), kind="in-place-on-leaf")
    leaf = context.text_of(change.target) if change else failure.operands[0].text if failure.operands else "this"
    view = " a view of" if "view of a leaf" in failure.message else ""
    words = f"{leaf} is{view} a leaf that requires grad: autograd refuses to change it in place, do it under torch.no_grad()"
    return Finding.at(span, words, fix=without_recording(failure, context), kind="in-place-on-leaf")


def on_view(failure: Failure, change: Change | None, context: Context) -> Finding:
    span, target = Span(*failure.span), context.text_of(change.target) if change else "this"
    made, kind = origin(failure, "expanded here"), "in-place-on-expanded"
    if not failure.details.get("raises", True):
        axes = ", ".join(map(str, failure.details.get("expanded") or [0]))
        words = f"{target} was expanded along axis {axes}, so all its rows there are one place in memory, and all change"
        return Finding.at(span, f"{words}: clone it after expand", related=made, kind=kind)
    if "more than one element" in failure.message:
        fix = new_value(change, context, expanded=True)
        words = f"{target} was expanded: several of its elements are one place in memory, which torch refuses to change in place"
        return Finding.at(span, f"{words}: {fix.title if fix else 'clone it first'}", fix=fix, related=made, kind=kind)
    words = f"{target} is one of several views that one call made (unbind, split, iterating over a tensor)"
    return Finding.at(span, f"{words}, which refuse to change in place: index the tensor instead", kind="in-place-on-multi-view")


def origin(failure: Failure, words: str) -> list[Related]:
    return [Related(Span(*operand.origin), words) for operand in failure.operands[:1] if operand.origin]


def on_saved(failure: Failure, change: Change | None, context: Context) -> Finding:
    """Something was saved for backward, and this changes it before backward runs."""
    saver, line = saved_by(failure)
    layer = context.call_at(failure.span) if change is None or not change.whole else None
    fix = new_value(change, context)
    if layer is not None and inplace_argument(layer) is not None:
        target, fix = context.text_of(layer.func), out_of_place(failure.span, context)
        start = f"{target} works in place"
    else:
        start = f"this changes {context.text_of(change.target)} in place" if change else "this changes a tensor in place"
    if failure.reason == "saved-output":
        words = f"{start}, but {saver}{line} saved its result for backward"
    else:
        words = f"{start}, but {saver}{line} needs it for backward as it was"
    words += f": {fix.title}" if fix else ": make a new tensor instead"
    return Finding.at(Span(*failure.span), words, fix=fix, related=places(failure), kind=f"in-place-on-{failure.reason}")


def saved_by(failure: Failure) -> tuple[str, str]:
    """What saved the tensor, in the reader's words, and the line in brackets."""
    name = str(failure.details.get("saved_by") or "an operator").rpartition(".")[2]
    name = name if name[:1].isalpha() else f"the operator {name}"
    place = failure.details.get("saved_at")
    return name, f" (line {place[0]})" if place and place[0] != failure.span[0] else ""


def places(failure: Failure) -> list[Related]:
    saved, backward = failure.details.get("saved_at"), failure.details.get("backward_at")
    found = [Related(Span(*saved), f"{saved_by(failure)[0]} saves it here")] if saved else []
    return found + ([Related(Span(*backward), "backward needs it here")] if backward else [])


def after_step(failure: Failure, step: ast.Call, context: Context) -> Finding:
    """An optimizer has changed the weights between a forward and its backward."""
    saver, line = saved_by(failure)
    backward = failure.details.get("backward_at")
    span = Span(*backward) if backward else Span(*failure.span)
    words = (
        f"backward needs the weights that {saver}{line} used, but {context.text_of(step)} (line {step.lineno}) has changed them"
    )
    words += ": compute this loss after the step, or step after both backwards"
    related = [Related(span_of(step), "the weights change here"), *places(failure)[:1]]
    return Finding.at(span, words, related=related, kind="stale-graph-after-step")


# Fixes.


def new_value(change: Change | None, context: Context, *, expanded: bool = False) -> Fix | None:
    """Bind the name to a new tensor; only where nothing else holds the old one, and its dtype stays what it was."""
    if change is None or change.plain is None or not keeps_dtype(change, context):
        return None
    if not is_private(context.file, change, expanded=expanded):
        return None
    name = context.text_of(change.target)
    text = f"{name} = {change.plain}"
    return Fix(f"write {' '.join(text.split())}", (Edit(span_of(change.node), text),))


def keeps_dtype(change: Change, context: Context) -> bool:
    """Whether the new tensor has the dtype of the old one: in place it could be nothing else."""
    if isinstance(change.node, ast.AugAssign):
        operands: list[ast.expr] = [change.node.value]
    elif isinstance(change.node, ast.Call):
        operands = [*change.node.args, *(keyword.value for keyword in change.node.keywords)]
    else:
        return False
    old = context.facts.tensor(change.target)
    return all(is_number(operand) or has_dtype(context.facts.tensor(operand), old) for operand in operands)


def is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def has_dtype(fact: TensorFact | None, old: TensorFact | None) -> bool:
    return fact is not None and old is not None and fact.dtype in (old.dtype, "bool")


def out_of_place(constructor: tuple[int, int, int, int] | None, context: Context) -> Fix | None:
    """Take `inplace=True` out of the call that makes the layer."""
    call = context.call_at(constructor)
    span = inplace_argument(call) if call is not None else None
    return Fix("remove inplace=True", (Edit(span, ""),)) if span is not None else None


def without_recording(failure: Failure, context: Context) -> Fix | None:
    """Put the statement under torch.no_grad()."""
    statements = [node for node in context.nodes_at(failure.span) if isinstance(node, (ast.AugAssign, ast.Assign, ast.Expr))]
    if not statements or statements[0].lineno != statements[0].end_lineno:
        return None
    statement = statements[0]
    no_grad = context.spell("torch.no_grad", statement)
    if no_grad is None:
        return None
    line = context.file.text.line(statement.lineno)
    before = line[: len(line) - len(line.lstrip())]
    if len(before.encode()) != statement.col_offset:
        return None  # it shares its line with another statement
    step = "\t" if before.endswith("\t") else "    "
    span = span_of(statement)
    text = f"with {no_grad}():\n{before}{step}"
    return Fix("change it under torch.no_grad()", (Edit(Span(*span.start, *span.start), text),), safe=False)
