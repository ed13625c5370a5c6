"""Gradients are set to zero where they could be dropped.

Why
    zero_grad() drops the gradients by default. With set_to_none=False it fills each with zeros, which writes all that memory,
    and keeps it; the next backward then reads it and adds instead of writing. Right only where something between the steps
    reads .grad and cannot do with None.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad(set_to_none=False)

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("zero-grad-set-to-none-false", Severity.INFORMATION, Category.PERFORMANCE, entry="torch.optim.AdamW")


@RULE.on(ast.Call)
def kept(call: ast.Call, context: Context) -> Findings:
    """`zero_grad(set_to_none=False)` of an optimizer or a network, in a file that does not read gradients itself."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "zero_grad" or context.file.index.attributes.get("grad"):
        return
    given = call.args[0] if call.args else next((word.value for word in call.keywords if word.arg == "set_to_none"), None)
    value = context.value_of(call.func.value)
    known = value is not None and (value.is_a("torch.optim.Optimizer") or value.base == "torch.nn.Module")
    if known and isinstance(given, ast.Constant) and given.value is False and len(call.args) + len(call.keywords) == 1:
        inside = Span(*span_of(call.func).end, *span_of(call).end)
        # What got no gradient in a step is passed over then; with zeros, momentum and weight decay still move it.
        fix = Fix("drop the gradients", (Edit(inside, "()"),), safe=False)
        yield Finding.at(
            call, "fills every gradient with zeros and keeps it: zero_grad() alone drops them, which costs nothing", fix=fix
        )
