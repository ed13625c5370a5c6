"""cuDNN's autotuner is on beside deterministic algorithms.

Why
    benchmark = True times the algorithms for each convolution and takes the fastest, which may be another one in the next run:
    the numbers differ between runs although each algorithm is deterministic. For the same numbers twice it must be off; where
    they do not matter, deterministic = True only costs time.

Bad
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = True

Good
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("benchmark-with-deterministic", Severity.WARNING, Category.TRAINING, entry="guides/reproducibility")
BENCHMARK, DETERMINISTIC = "torch.backends.cudnn.benchmark", "torch.backends.cudnn.deterministic"


@RULE.on(ast.Assign)
def switched(statement: ast.Assign, context: Context) -> Findings:
    if not is_set(statement, BENCHMARK, context):
        return
    block = block_of(statement, context)
    asked = [other for other in block if is_set(other, DETERMINISTIC, context) or is_asked_for(other, context)]
    again = [
        other for other in block if isinstance(other, ast.Assign) and other is not statement and sets(other, BENCHMARK, context)
    ]
    undone = [
        other for other in block if isinstance(other, ast.Assign) and sets(other, DETERMINISTIC, context) and other not in asked
    ]
    if asked and not again and not undone:
        words = "benchmark takes what is fastest in this run, so that runs differ in spite of deterministic: set it to False"
        fix = Fix("benchmark = False", (Edit(span_of(statement.value), "False"),), safe=False)
        yield Finding.at(statement, words, fix=fix, related=[Related(span_of(asked[0]), "the same numbers are asked for here")])


def block_of(statement: ast.stmt, context: Context) -> list[ast.stmt]:
    """The statements that run one after the other with this one."""
    name = context.file.grown.blocks.get(statement)
    return getattr(context.file.parent_of(statement), name, []) if name else []


def sets(statement: ast.stmt, name: str, context: Context) -> bool:
    return isinstance(statement, ast.Assign) and any(context.name_of(target) == name for target in statement.targets)


def is_set(statement: ast.stmt, name: str, context: Context) -> bool:
    """Whether a statement sets a switch of cuDNN to True."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(value, ast.Constant) and value.value is True and sets(statement, name, context)


def is_asked_for(statement: ast.stmt, context: Context) -> bool:
    """`torch.use_deterministic_algorithms(True)`"""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or context.name_of(call.func) != "torch.use_deterministic_algorithms" or not call.args:
        return False
    return isinstance(call.args[0], ast.Constant) and call.args[0].value is True
