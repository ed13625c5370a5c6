"""A hook is registered that sees the gradients of a part of the module only.

Why
    register_backward_hook hangs on the last operation of forward: what it calls grad_input belongs to that operation, and not to
    the module's input, if forward has several. It is deprecated, and cannot be mixed with register_full_backward_hook, which
    gives the gradients of the module's inputs and outputs.

Bad
    seen = []
    layer = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    layer.register_backward_hook(lambda module, inputs, outputs: seen.append(inputs))

Good
    seen = []
    layer = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    layer.register_full_backward_hook(lambda module, inputs, outputs: seen.append(inputs))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule("partial-backward-hook", Severity.WARNING, Category.AUTOGRAD, entry="guides/gradients")
OLD, NEW = "register_backward_hook", "register_full_backward_hook"


@RULE.on(ast.Call)
def hooked(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != OLD or len(call.args) + len(call.keywords) != 1:
        return
    value = context.value_of(call.func.value)
    if value is not None and not value.is_a("torch.nn.Module"):
        return
    if (value is None and context.name_of(call.func) not in (None, f"torch.nn.Module.{OLD}")) or is_guarded(context.file, call):
        return
    end = span_of(call.func).end
    place = Span(end.line, end.column - len(OLD), *end)
    words = f"{OLD} sees the gradients of the last operation in forward, and not those of the module: use {NEW}"
    yield Finding.at(place, words, fix=Fix(f"use {NEW}", (Edit(place, NEW),), safe=False))
