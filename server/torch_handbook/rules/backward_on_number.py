"""backward is called on a Python number.

Why
    item(), float() and tolist() give plain numbers, which have no graph and no backward: the call raises AttributeError. Keep the
    tensor for backward, and take its number where it is printed or summed up.

Bad
    loss = F.mse_loss(model(x), y).item()
    loss.backward()

Good
    loss = F.mse_loss(model(x), y)
    loss.backward()
    print(loss.item())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("backward-on-number", Severity.ERROR, Category.AUTOGRAD, entry="guides/gradients")


@RULE.on(ast.Call)
def on_number(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
        return
    owner = call.func.value
    made = context.assigned(owner) if isinstance(owner, ast.Name) else owner
    if isinstance(made, ast.Call) and is_number(made, context) and not call.args:
        what = ast.unparse(made.func).rpartition(".")[2]
        words = f"{context.text_of(owner)} is a plain number, for {what}() has taken it out of the tensor: call backward before"
        related = [Related(span_of(made), "a number from here on")] if made is not owner else []
        yield Finding.at(call, words, related=related)


def is_number(made: ast.Call, context: Context) -> bool:
    if isinstance(made.func, ast.Attribute):
        return made.func.attr == "item" and not made.args
    plain = isinstance(made.func, ast.Name) and made.func.id == "float" and len(made.args) == 1
    return plain and context.file.scope_of(made).find("float") is None
