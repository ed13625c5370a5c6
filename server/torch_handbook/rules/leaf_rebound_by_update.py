"""An update by hand puts a new tensor in the place of the leaf.

Why
    `w = w - 0.1 * w.grad` does not change w: it makes another tensor and gives it the name. With gradients on that is no leaf,
    under no_grad it does not require grad: the next step finds w.grad to be None. `w -= …` under no_grad changes w itself.

Bad
    w = torch.zeros(2, requires_grad=True)
    for _ in range(10):
        loss = (w - 1).pow(2).sum()
        loss.backward()
        w = w - 0.1 * w.grad

Good
    w = torch.zeros(2, requires_grad=True)
    for _ in range(10):
        loss = (w - 1).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("leaf-rebound-by-update", Severity.ERROR, Category.AUTOGRAD, entry="torch.no_grad")
SAVING = frozenset({"requires_grad_", "requires_grad", "retain_grad", "detach", "detach_"})


@RULE.on(ast.Assign)
def rebound(statement: ast.Assign, context: Context) -> Findings:
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or not isinstance(value, ast.BinOp) or not isinstance(value.op, (ast.Sub, ast.Add)):
        return
    left = value.left
    if not isinstance(left, ast.Name) or left.id != target.id or not reads_gradient(value.right, target.id):
        return
    others = [one for one in context.file.names.bindings(left) if one.node is not target]
    if not others or not all(one.value is not None and is_leaf(one.value, context) for one in others):
        return
    if not is_saved(target.id, context) and is_used_again(statement, target.id, context):
        words = f"this makes a new tensor and calls it {target.id}, which is then no leaf and gets no gradient"
        yield Finding.at(statement, f"{words}: change it in place under torch.no_grad()")


def reads_gradient(node: ast.expr, name: str) -> bool:
    """Whether an expression has `name.grad` in it."""
    return any(
        isinstance(part, ast.Attribute) and part.attr == "grad" and isinstance(part.value, ast.Name) and part.value.id == name
        for part in ast.walk(node)
    )


def is_leaf(value: ast.expr, context: Context) -> bool:
    """Whether a call makes a leaf that requires grad."""
    if not isinstance(value, ast.Call):
        return False
    name = context.name_of(value.func) or ""
    if name == "torch.nn.Parameter":
        return True
    given = [keyword.value for keyword in value.keywords if keyword.arg == "requires_grad"]
    return name.startswith("torch.") and bool(given) and isinstance(given[0], ast.Constant) and given[0].value is True


def is_saved(name: str, context: Context) -> bool:
    """Whether the file makes a leaf of it again, or asks for its gradient."""
    attributes = [node for word in SAVING for node in context.file.index.attributes.get(word, ())]
    return any(
        isinstance(node.value, ast.Name)
        and node.value.id == name
        and (node.attr != "requires_grad" or isinstance(node.ctx, ast.Store))
        for node in attributes
    )


def is_used_again(statement: ast.Assign, name: str, context: Context) -> bool:
    """Whether the name is read after: in the next turn of a loop, or below."""
    if context.file.enclosing(statement, ast.For, ast.While) is not None:
        return True
    return any(one.lineno > statement.lineno for one in context.callers.names.get(name, ()))
