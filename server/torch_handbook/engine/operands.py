"""What rules ask of the operands of a failure: their dtype, where they come from, and how to convert one where it stands."""

from __future__ import annotations

import ast

from torch_handbook_worker.protocol import TensorFact

from torch_handbook.engine.rule import Context, Edit, Failure, Fix, Operand, Related
from torch_handbook.engine.words import sizes
from torch_handbook.source.batches import BatchLoop
from torch_handbook.source.text import Span, span_of


def dtype(operand: Operand) -> str:
    return str(getattr(operand.fact, "dtype", ""))


def in_brackets(text: str) -> str:
    """An operand that a method can be called of."""
    try:
        node = ast.parse(text, mode="eval").body if text.isprintable() else None
    except (SyntaxError, ValueError):
        node = None
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"


def is_guessed(operand: Operand, context: Context) -> bool:
    """Whether an operand is a parameter that nobody in sight gives a value: its dtype was made up."""
    names = [node for node in context.nodes_at(operand.span) if isinstance(node, ast.Name)]
    bindings = [binding for name in names for binding in context.file.names.bindings(name)]
    made_up = not isinstance(operand.fact, TensorFact) or operand.fact.guessed
    return operand.origin is None and made_up and any(binding.kind == "parameter" for binding in bindings)


def of_batch(failure: Failure, context: Context) -> tuple[BatchLoop, Operand, str] | None:
    """The loop over a loader whose batch is on the CPU while the rest is not, the part of the batch, and the other side."""
    devices: list[str] = failure.details.get("devices", []) if failure.reason == "device" else []
    rows = list(zip(failure.operands, devices, strict=False))
    for loop in context.batches.loops:
        if loop.node.lineno <= failure.span[0] <= (loop.node.end_lineno or 0):
            here = next((operand for operand, device in rows if device == "cpu" and operand.text in loop.names), None)
            away = next((operand for operand, device in rows if device not in ("", "?", "cpu")), None)
            if here is not None and away is not None:
                return loop, here, away.text
    return None


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


def origins(failure: Failure, where: Span) -> list[Related]:
    """Where the operands come from, if that is another line."""
    rows = [operand for operand in failure.operands if operand.origin and operand.origin[0] != where.line and dtype(operand)]
    return [
        Related(Span(*operand.origin), f"{operand.text} is {dtype(operand)} since here") for operand in rows if operand.origin
    ]


def makers(failure: Failure, where: Span) -> list[Related]:
    """What made the operands, with their shapes, if that is another line."""
    found: list[Related] = []
    for operand in failure.operands:
        shape = getattr(operand.fact, "shape", None)
        if operand.origin and operand.origin[0] != where.line and operand.text:
            what = f"{operand.text} is made here" + (f": {sizes(shape)}" if shape is not None else "")
            found.append(Related(Span(*operand.origin), what))
    return found


def from_layer(failure: Failure, context: Context) -> bool:
    """Whether what goes into a layer comes out of another one: then the number between the two is the wrong one."""
    call = context.call_at(failure.operands[-1].origin) if failure.operands else None
    value = context.value_of(call.func) if call is not None else None
    return value is not None and value.base == "torch.nn.Module"
