"""An iterator is asked for .next(), which Python 3 does not have.

Why
    iter(loader) gives an iterator whose next item next(it) takes. The method `.next()` is of Python 2, and the loader's iterators
    lost theirs in torch 1.13: it raises AttributeError.

Bad
    batches = iter(torch.utils.data.DataLoader(data, batch_size=4))
    first = batches.next()

Good
    batches = iter(torch.utils.data.DataLoader(data, batch_size=4))
    first = next(batches)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("next-method-of-iterator", Severity.ERROR, Category.DATA, entry="guides/deprecations-of-friends")


@RULE.on(ast.Call)
def asked(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "next" or call.args or call.keywords:
        return
    owner = call.func.value
    made = context.assigned(owner)
    plain = isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id == "iter"
    if plain and context.file.scope_of(call).find("iter") is None:
        shown = context.text_of(owner)
        edits = (Edit(span_of(call), f"next({shown})"),)
        yield Finding.at(call, f"iterators have no next() of their own: write next({shown})", fix=Fix("use next()", edits))
