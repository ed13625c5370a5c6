"""A softmax does not say over which axis.

Why
    torch then takes axis 0 for tensors with 0, 1 or 3 axes and axis 1 for the others, which for (batch, time, classes) is the
    batch; it warns that this is deprecated. dim=-1 is what most code means.

Bad
    weights = F.softmax(torch.randn(2, 5, 3))

Good
    weights = F.softmax(torch.randn(2, 5, 3), dim=-1)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("implicit-softmax-dim", Severity.WARNING, Category.SHAPE, entry="torch.nn.functional.softmax")

FUNCTIONS = frozenset(f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "softmin"))
MODULES = frozenset(f"torch.nn.{name}" for name in ("Softmax", "LogSoftmax", "Softmin"))


@RULE.on(ast.Call)
def without_dim(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name not in FUNCTIONS and name not in MODULES:
        return
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    # axis is NumPy's word, which is refused: that is another rule's.
    if starred or any(keyword.arg in ("dim", "axis", None) for keyword in call.keywords):
        return
    if len(call.args) == (1 if name in FUNCTIONS else 0):
        yield Finding.at(call, f"{ast.unparse(call.func)} does not say its axis, and torch guesses one: give dim, most likely -1")
