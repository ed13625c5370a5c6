"""An optimizer is told to update its parameters one by one.

Why
    foreach=False runs a handful of small operations for each parameter. The default groups them where that helps, and
    fused=True does all of it in one kernel, on CPUs as well.

Bad
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)

Good
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("optimizer-foreach-disabled", Severity.INFORMATION, Category.PERFORMANCE, entry="guides/slow-code")


@RULE.on(ast.Call)
def one_by_one(call: ast.Call, context: Context) -> Findings:
    owner, _, last = (context.name_of(call.func) or "").rpartition(".")
    if owner != "torch.optim" or not last[:1].isupper():
        return
    given = {word.arg: word.value for word in call.keywords}
    off = given.get("foreach")
    if isinstance(off, ast.Constant) and off.value is False and not {"fused", "differentiable", None} & set(given):
        words = f"foreach=False updates the parameters one by one: leave it out, or give {last} fused=True"
        yield Finding.at(call, words)
