"""A tensor grows by torch.cat in a loop.

Why
    Each call copies all that was gathered before, so the time grows with the square of the number of pieces. Gather them in a
    list, and join once.

Bad
    out = torch.empty(0, 3)
    for step in range(100):
        out = torch.cat([out, torch.ones(1, 3)])

Good
    out = []
    for step in range(100):
        out.append(torch.ones(1, 3))
    out = torch.cat(out)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("cat-in-loop", Severity.HINT, Category.PERFORMANCE, entry="torch.cat")

JOINS = frozenset({"torch.cat", "torch.concat", "torch.concatenate", "torch.vstack", "torch.hstack"})


@RULE.on(ast.Assign)
def growing(statement: ast.Assign, context: Context) -> Findings:
    call, target = statement.value, statement.targets[0]
    loop = context.file.enclosing(statement, ast.For, ast.While, ast.FunctionDef)
    if not isinstance(call, ast.Call) or not isinstance(target, ast.Name) or not isinstance(loop, (ast.For, ast.While)):
        return
    if context.name_of(call.func) not in JOINS or not call.args or not isinstance(call.args[0], (ast.List, ast.Tuple)):
        return
    grows = any(isinstance(item, ast.Name) and item.id == target.id for item in call.args[0].elts)
    if (
        grows
        and not is_read(loop, target.id, statement)
        and context.file.enclosing(statement, ast.If, ast.For, ast.While) is loop
    ):
        words = f"{target.id} is copied whole in every turn: gather the pieces in a list, and join them once after the loop"
        yield Finding.at(statement, words)


def is_read(loop: ast.AST, name: str, statement: ast.Assign) -> bool:
    """Whether the loop needs what has grown so far, in this turn or in its condition; or starts anew."""
    uses = [part for part in ast.walk(loop) if isinstance(part, ast.Name) and part.id == name]
    own = [part for part in ast.walk(statement) if isinstance(part, ast.Name) and part.id == name]
    return len(uses) > len(own) or len(own) > 2  # it is bound, and joined, once
