"""A tensor is wrapped in a Variable.

Why
    Since torch 0.4 every tensor is one. Variable(x) is x cut off from its graph, in the same memory: around the inputs it does
    nothing, around something that was computed it ends the gradient there.

Bad
    from torch.autograd import Variable
    x = Variable(torch.ones(3))

Good
    x = torch.ones(3)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("variable-wrapper", Severity.HINT, Category.DEPRECATION, entry="torch.autograd.Variable")
SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


@RULE.on(ast.Call)
def wrapped(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.autograd.Variable" or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return
    words = {word.arg: word.value for word in call.keywords}
    asked = words.get("requires_grad")
    learns = isinstance(asked, ast.Constant) and asked.value is True
    if not words.keys() <= {"requires_grad"} or not (asked is None or isinstance(asked, ast.Constant)):
        return  # volatile is gone, which another rule says
    shown = context.text_of(call.args[0])
    plain = context.graphs.of(call.args[0]).live is False and not learns
    new = shown if plain else f"{shown}.detach()" + ".requires_grad_()" * learns
    said = f"a Variable is a tensor since torch 0.4: {shown if plain else new} is the same"
    fix = Fix(f"use {new}", (Edit(span_of(call), new),), safe=plain) if isinstance(call.args[0], SIMPLE) else None
    yield Finding.at(call, said, fix=fix)
