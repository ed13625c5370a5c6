"""A compiled function reads a number out of a tensor, which ends its graph there.

Why
    item(), tolist() and float(tensor) need the value, which exists only when the code runs: torch.compile ends the graph
    before it, goes back to Python, and begins another one behind it. What could be fused is not, and fullgraph=True raises.
    Keep the value a tensor, or read it outside of the compiled function.

Bad
    @torch.compile
    def scaled(x):
        largest = x.abs().max().item()
        return x / largest

Good
    @torch.compile
    def scaled(x):
        largest = x.abs().max()
        return x / largest
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.compiled import compiled

RULE = Rule("compile-item-graph-break", Severity.WARNING, Category.PERFORMANCE, entry="guides/compile-and-trace")
READS = frozenset({"item", "tolist"})
NUMBERS = frozenset({"float", "int", "bool"})


@RULE.on(ast.Call)
def read(call: ast.Call, context: Context) -> Findings:
    if not context.file.text.has("compile") or not is_read(call, context):
        return
    around = context.file.enclosing(call, ast.FunctionDef, ast.Lambda, ast.ExceptHandler)
    if isinstance(around, ast.FunctionDef) and compiled(context.file, around) and not captures(context):
        words = (
            f"{context.text_of(call)} needs the value, so the compiled graph ends here and another begins: keep it a tensor, or"
        )
        yield Finding.at(call, f"{words} read it outside")


def is_read(call: ast.Call, context: Context) -> bool:
    """Whether a call turns a tensor into Python numbers; sizes are numbers already."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in READS and not call.args:
        value = context.value_of(call.func.value)
        return value.kind == "tensor" if value is not None else call.func.attr == "item"
    if isinstance(call.func, ast.Name) and call.func.id in NUMBERS and not context.file.names.bindings(call.func):
        value = context.value_of(call.args[0]) if len(call.args) == 1 else None
        return value is not None and value.kind == "tensor" and value.sure
    return False


def captures(context: Context) -> bool:
    """Whether the file asks Dynamo to take such numbers into the graph."""
    return context.file.text.has("capture_scalar_outputs")
