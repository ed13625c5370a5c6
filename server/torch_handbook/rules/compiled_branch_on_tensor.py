"""A branch depends on a value in a tensor, in code that is traced.

Why
    torch.jit.trace runs the code once and records what happened: the branch that the example took is taken for every input,
    silently. torch.compile with fullgraph=True cannot trace such a branch and raises. torch.where computes both and chooses.

Bad
    @torch.compile(fullgraph=True)
    def clip(x):
        peak = x.abs().max()
        if peak > 3:
            return x / peak
        return x

Good
    @torch.compile(fullgraph=True)
    def clip(x):
        peak = x.abs().max()
        return torch.where(peak > 3, x / peak, x)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.compiled import fully_compiled, traced
from torch_handbook.source.origins import given_by
from torch_handbook.source.torch_names import words

RULE = Rule(
    "compiled-branch-on-tensor",
    Severity.ERROR,
    Category.MODULE,
    entry="guides/compile-and-trace",
    covers=("compile-data-dependent-branch", "trace-data-dependent-branch"),
)

REDUCTIONS = words("sum mean max min amax amin norm any all")


@RULE.on(ast.If, ast.While)
def depends(node: ast.If | ast.While, context: Context) -> Findings:
    function = context.file.enclosing(node, ast.FunctionDef, ast.Lambda)
    if not isinstance(function, ast.FunctionDef) or not is_tensor_test(node.test, context):
        return
    if fully_compiled(context.file, function):
        words = "the compiler cannot follow a branch on a value, and raises with fullgraph=True: use torch.where"
        yield Finding.at(node.test, words, kind="compile-data-dependent-branch")
    elif traced(context.file, function):
        words = "the trace keeps the branch that its example takes, for every input: use torch.where, or torch.jit.script"
        yield Finding.at(node.test, words, severity=Severity.WARNING, kind="trace-data-dependent-branch")


def is_tensor_test(test: ast.expr, context: Context) -> bool:
    """Whether a condition is a comparison of a tensor of one value, or such a tensor itself."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_tensor_test(test.operand, context)
    if isinstance(test, ast.BoolOp):
        return any(is_tensor_test(value, context) for value in test.values)
    if isinstance(test, ast.Compare):
        ordered = all(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)) for op in test.ops)
        return ordered and any(is_reduced(side, context) for side in (test.left, *test.comparators))
    return is_reduced(test, context)


def is_reduced(node: ast.expr, context: Context) -> bool:
    """Whether an expression is a reduction of a tensor: `x.abs().max()`, `x.sum()`, there or where the name was bound."""
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return value is not None and not isinstance(value, ast.Name) and is_reduced(value, context)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in REDUCTIONS:
        return False
    owner = node.func.value
    if isinstance(owner, ast.Compare):
        return True
    value = context.value_of(owner)
    if value is not None:
        return value.kind == "tensor"
    while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
        owner = owner.func.value
    bindings = context.file.names.bindings(owner) if isinstance(owner, ast.Name) else []
    return bool(bindings) and all(binding.kind == "parameter" for binding in bindings)
