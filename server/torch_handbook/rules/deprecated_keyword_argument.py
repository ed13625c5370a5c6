"""An argument is deprecated: it is translated with a warning, or ignored.

Why
    size_average and reduce of the losses became reduction, min_value of Hardtanh became min_val. torch still takes the old
    ones, and warns. Two of them together are easily misread: reduce=False wins over size_average.

Bad
    loss = nn.MSELoss(size_average=False)

Good
    loss = nn.MSELoss(reduction="sum")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import span_of

RULE = Rule(
    "deprecated-keyword-argument",
    Severity.WARNING,
    Category.DEPRECATION,
    entry="guides/deprecations",
    covers=("deprecated-reduction-args",),
)
REDUCTIONS = {("size_average", True): "mean", ("size_average", False): "sum", ("reduce", False): "none", ("reduce", True): "mean"}
OLD = ("size_average", "reduce")


@RULE.on(ast.Call)
def old_keyword(call: ast.Call, context: Context) -> Findings:
    words = [word for word in call.keywords if word.arg in OLD or word.arg in context.target.keywords]
    if not words:
        return
    name = context.name_of(call.func) or ""
    if is_loss(name):
        yield from reduction_words(call, context)
    for word in words:
        mark = context.target.mark(name, word.arg or "")
        if mark is None or is_none(word.value) or is_guarded(context.file, call):
            continue
        taken = any(other.arg == mark.instead for other in call.keywords)
        new = f"{mark.instead}={context.text_of(word.value)}" if mark.instead and not taken else ""
        fix = Fix(f"use {mark.instead}", (Edit(span_of(word), new),)) if new else None
        yield Finding.at(word, f"{word.arg} is deprecated: {f'use {mark.instead}' if new else mark.text}", fix=fix)


def is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def is_loss(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    return (owner == "torch.nn" and last.endswith("Loss")) or (
        owner == "torch.nn.functional" and (last.endswith(("_loss", "entropy", "_div")) or "cross_entropy" in last)
    )


def is_handed_on(word: ast.keyword, call: ast.Call, context: Context) -> bool:
    """Whether a function with torch's own parameters hands on the old one beside the new one."""
    bindings = context.file.names.bindings(word.value) if isinstance(word.value, ast.Name) else []
    same = len(bindings) == 1 and bindings[0].kind == "parameter" and bindings[0].name == word.arg
    return same and any(other.arg == "reduction" for other in call.keywords)


def reduction_words(call: ast.Call, context: Context) -> Findings:
    old = [word for word in call.keywords if word.arg in OLD]
    kept = [word for word in old if not is_none(word.value) and not is_handed_on(word, call, context)]
    for word in kept:
        value = word.value.value if isinstance(word.value, ast.Constant) else None
        reduction = REDUCTIONS.get((word.arg or "", value)) if isinstance(value, bool) else None
        alone = len(old) == 1 and reduction and not any(other.arg == "reduction" for other in call.keywords)
        fix = Fix(f'reduction="{reduction}"', (Edit(span_of(word), f'reduction="{reduction}"'),)) if alone else None
        advice = f'use reduction="{reduction}"' if alone else "use reduction"
        yield Finding.at(word, f"{word.arg} is deprecated: {advice}", fix=fix, kind="deprecated-reduction-args")
