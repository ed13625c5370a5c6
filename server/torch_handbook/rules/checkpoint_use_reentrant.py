"""checkpoint is not told which of its two ways to take.

Why
    torch.utils.checkpoint.checkpoint warns without use_reentrant, and takes the older way: it gives no gradient at all,
    silently, where no input requires one, and refuses some calls. use_reentrant=False is what torch recommends.

Bad
    layer = nn.Linear(4, 4)
    hidden = torch.utils.checkpoint.checkpoint(layer, torch.randn(2, 4))

Good
    layer = nn.Linear(4, 4)
    hidden = torch.utils.checkpoint.checkpoint(layer, torch.randn(2, 4), use_reentrant=False)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule("checkpoint-use-reentrant", Severity.WARNING, Category.MEMORY, entry="guides/slow-code")

FUNCTIONS = frozenset({"torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"})


@RULE.on(ast.Call)
def not_told(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) not in FUNCTIONS or any(word.arg in ("use_reentrant", None) for word in call.keywords):
        return
    if not call.args or is_guarded(context.file, call):
        return
    end = span_of([*call.args, *call.keywords][-1]).end
    fix = Fix("give use_reentrant=False", (Edit(Span(*end, *end), ", use_reentrant=False"),), safe=False)
    words = "checkpoint warns without use_reentrant, and may give no gradient: give use_reentrant=False"
    yield Finding.at(call, words, fix=fix)
