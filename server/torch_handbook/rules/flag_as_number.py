"""A flag stands where an activation or dropout takes a number.

Why
    The first parameter of LeakyReLU is its slope, that of ELU its alpha and that of Dropout its probability; inplace comes
    second. True counts as 1: nn.LeakyReLU(True) passes everything through unchanged, so the layers around it fall together into
    one linear map.

Bad
    act = nn.LeakyReLU(True)

Good
    act = nn.LeakyReLU(inplace=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("flag-as-number", Severity.ERROR, Category.MODULE, entry="torch.nn.LeakyReLU")
FIRST = {
    "LeakyReLU": "its slope below zero",
    "ELU": "its alpha",
    "CELU": "its alpha",
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"), "the probability to drop"),
}


@RULE.on(ast.Call)
def flagged(call: ast.Call, context: Context) -> Findings:
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.Constant):
        return
    owner, _, last = (context.name_of(call.func) or "").rpartition(".")
    given = call.args[0]
    if owner == "torch.nn" and last in FIRST and isinstance(given.value, bool):
        start = span_of(given).start
        fix = Fix("say inplace=", (Edit(Span(*start, *start), "inplace="),), safe=False)
        words = f"{given.value} is taken for {FIRST[last]}, as {int(given.value)}: write inplace={given.value}"
        yield Finding.at(given, words, fix=fix)
