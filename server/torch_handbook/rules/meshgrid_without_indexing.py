"""meshgrid does not say which axis comes first.

Why
    torch counts the first tensor along the first axis ("ij"), NumPy's meshgrid along the second ("xy"), and torch is going to
    change to that. It warns where indexing is not given. With sides of equal length a grid the other way round fits everywhere,
    and is wrong.

Bad
    rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3))

Good
    rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule("meshgrid-without-indexing", Severity.WARNING, Category.DEPRECATION, entry="torch.meshgrid")
SINCE = (1, 10)  # the first torch that takes it


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.meshgrid" or not call.args or context.target.may_be_before(SINCE):
        return
    if any(word.arg in ("indexing", None) for word in call.keywords) or is_guarded(context.file, call):
        return
    end = span_of(call.args[-1]).end
    # A generator without brackets of its own takes no further argument.
    alone = isinstance(call.args[-1], ast.GeneratorExp)
    fix = Fix('indexing="ij", as it is now', (Edit(Span(*end, *end), ', indexing="ij"'),)) if not alone else None
    words = 'meshgrid warns without indexing: torch takes "ij" today and is going to take "xy", as NumPy does'
    yield Finding.at(call, words, fix=fix)
