"""The .grad of a tensor that is no leaf is read.

Why
    Backward fills .grad of leaves only. What an operation returns is no leaf, even where its input was made with
    requires_grad=True in the same line: `.to(device)`, `.double()` and `* 0.01` all make a new tensor. Its .grad stays None.

Bad
    noise = torch.zeros(3, requires_grad=True).double()
    noise.sum().backward()
    print(noise.grad)

Good
    noise = torch.zeros(3).double().requires_grad_()
    noise.sum().backward()
    print(noise.grad)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("grad-of-nonleaf", Severity.WARNING, Category.AUTOGRAD, entry="guides/gradients")
MOVES = frozenset(
    {"to", "cuda", "double", "half", "bfloat16", "type", "view", "reshape", "unsqueeze", "squeeze", "repeat", "mul", "div"}
)


@RULE.on(ast.Attribute)
def read(node: ast.Attribute, context: Context) -> Findings:
    if node.attr != "grad" or not isinstance(node.ctx, ast.Load) or not isinstance(node.value, ast.Name):
        return
    if is_result(node, context):
        text = node.value.id
        words = f"{text} is no leaf: an operation made it, so its .grad stays None. Call {text}.retain_grad() before backward"
        yield Finding.at(node, f"{words}, or read the gradient of the leaf that it was made from")
        return
    bindings = context.file.names.bindings(node.value)
    made = [one.value for one in bindings if one.kind == "assign" and one.path == () and one.value is not None]
    if not made or len(made) != len(bindings) or not all(is_computed(value, context) for value in made):
        return
    name = node.value.id
    if keeps_gradient(name, context):
        return
    words = f"{name} is no leaf: an operation made it from a tensor that requires grad, so its .grad stays None. Make it first"
    yield Finding.at(node, f"{words}, then {name}.requires_grad_()", related=[Related(span_of(made[0]), "no leaf any more")])


def is_result(node: ast.Attribute, context: Context) -> bool:
    """Whether the interpreter saw that the tensor is the result of an operation, and nothing in the file keeps such gradients
    or asks whether there is one."""
    fact = context.facts.tensor(node.value)
    if fact is None or not fact.requires_grad or fact.grad_fn is None:
        return False
    return not context.file.text.has("retain_grad") and not any(
        isinstance(context.file.parent_of(one), ast.Compare) for one in context.file.index.attributes["grad"]
    )


def is_computed(value: ast.expr, context: Context) -> bool:
    """Whether it is one operation or more on a tensor that is made with requires_grad=True on the spot."""
    inner = operand(value)
    while inner is not None:
        if is_leaf(inner, context):
            return True
        inner = operand(inner)
    return False


def operand(value: ast.expr) -> ast.expr | None:
    """What an operation is applied to."""
    if isinstance(value, ast.BinOp):
        return value.left if isinstance(value.left, ast.Call) else value.right
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in MOVES:
        return value.func.value
    return None


def is_leaf(value: ast.expr, context: Context) -> bool:
    """Whether a call makes a leaf: `torch.zeros(3, requires_grad=True)`."""
    if not isinstance(value, ast.Call) or not (context.name_of(value.func) or "").startswith("torch."):
        return False
    given = [keyword.value for keyword in value.keywords if keyword.arg == "requires_grad"]
    return bool(given) and isinstance(given[0], ast.Constant) and given[0].value is True


def keeps_gradient(name: str, context: Context) -> bool:
    """Whether the file asks for the gradient after all, or makes a leaf of it."""
    owners = [call.func for call in context.gradients.calls if isinstance(call.func, ast.Attribute)]
    return any(
        owner.attr in ("retain_grad", "requires_grad_", "detach_")
        and isinstance(owner.value, ast.Name)
        and owner.value.id == name
        for owner in owners
    )
