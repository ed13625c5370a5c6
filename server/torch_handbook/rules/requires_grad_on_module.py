"""requires_grad is set on a module, which has no such property.

Why
    Python makes a new attribute and nothing is frozen. requires_grad_(False) sets it on every parameter of the module.

Bad
    backbone = nn.Linear(4, 4)
    backbone.requires_grad = False

Good
    backbone = nn.Linear(4, 4)
    backbone.requires_grad_(False)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("requires-grad-on-module", Severity.ERROR, Category.TRAINING, entry="torch.nn.Module")


@RULE.on(ast.Assign)
def on_module(statement: ast.Assign, context: Context) -> Findings:
    target = statement.targets[0]
    if len(statement.targets) != 1 or not isinstance(target, ast.Attribute) or target.attr != "requires_grad":
        return
    value = context.value_of(target.value)
    own = isinstance(target.value, ast.Name) and target.value.id == "self"  # a class may well define it for itself
    known = value is not None and value.kind == "instance" and value.base == "torch.nn.Module" and value.sure
    if own or not (known or context.facts.module(target.value) is not None):
        return
    name = ast.unparse(target.value)
    text = f"{name}.requires_grad_({context.file.text.slice(span_of(statement.value))})"
    words = f"{name} is a module and has no requires_grad: this sets a new attribute and freezes nothing, use requires_grad_()"
    yield Finding.at(statement, words, fix=Fix(f"use {text}", (Edit(span_of(statement), text),)))
