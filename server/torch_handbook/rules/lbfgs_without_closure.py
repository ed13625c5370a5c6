"""LBFGS steps without a closure.

Why
    LBFGS evaluates the loss several times within one step, along a line that it searches, and so needs a function that clears the
    gradients, computes the loss, runs backward and returns it. step() without one raises TypeError.

Bad
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([w])
    w.pow(2).sum().backward()
    optimizer.step()

Good
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([w])
    def closure():
        optimizer.zero_grad()
        loss = w.pow(2).sum()
        loss.backward()
        return loss
    optimizer.step(closure)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("lbfgs-without-closure", Severity.ERROR, Category.TRAINING, entry="torch.optim.LBFGS")


@RULE.on(ast.Call)
def stepped(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step" or call.args or call.keywords:
        return
    values = context.origins.instances(call.func.value)
    if values and all(value.name == "torch.optim.LBFGS" and value.sure for value in values):
        shown = context.text_of(call.func.value)
        words = f"{shown} is an LBFGS, whose step computes the loss several times: give it a closure that clears the gradients,"
        yield Finding.at(call, f"{words} runs backward and returns the loss")
