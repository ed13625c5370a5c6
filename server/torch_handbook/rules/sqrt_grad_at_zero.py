"""A square root is taken of a sum of squares that is exactly zero in places, where its gradient is NaN.

Why
    The derivative of sqrt at 0 is infinite, that of a square is 0, and backward multiplies the two: NaN, in every weight
    after one step. The distances of a batch to itself are exactly 0 on the diagonal; two equal rows, a row of padding and a
    loss of 0 do the same. torch.linalg.vector_norm and torch.cdist give a gradient of 0 there; else add a small number under
    the root.

Bad
    layer = nn.Linear(3, 3)
    h = layer(torch.randn(8, 3))
    distance = (h[:, None] - h[None, :]).pow(2).sum(-1).sqrt()
    distance.mean().backward()

Good
    layer = nn.Linear(3, 3)
    h = layer(torch.randn(8, 3))
    distance = torch.cdist(h, h)
    distance.mean().backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.torch_names import words

RULE = Rule("sqrt-grad-at-zero", Severity.WARNING, Category.AUTOGRAD, entry="torch.sqrt")
REDUCED = words("sum mean")
SHAPED = words("unsqueeze view reshape expand repeat")


@RULE.on(ast.Call, ast.BinOp)
def rooted(node: ast.Call | ast.BinOp, context: Context) -> Findings:
    argument = under_root(node, context)
    if argument is None or context.gradients.off_at(node):
        return
    value = behind(argument, context)
    fact = context.facts.tensor(argument)
    if not (fact.requires_grad if fact is not None else context.graphs.of(value).live):
        return
    shown = context.text_of(node)
    if is_of_itself(value, context):
        words = f"the distance of each row to itself is 0, where the gradient of {shown} is infinite and turns into NaN: use"
        yield Finding.at(node, f"{words} torch.cdist, or add a small number under the root")
    elif is_sum_of_squares(value, context) and not is_chosen(node, context):
        words = (
            f"where the squares are all 0 the gradient of {shown} is NaN: torch.linalg.vector_norm gives 0, and so does a small"
        )
        yield Finding.at(node, f"{words} number under the root", severity=Severity.HINT)


def is_chosen(node: ast.AST, context: Context) -> bool:
    """Whether a `where` around it was written with the zeros in mind."""
    for around in context.file.grown.ancestors(node):
        if (
            isinstance(around, ast.Call)
            and isinstance(around.func, ast.Attribute)
            and around.func.attr in ("where", "masked_fill")
        ):
            return True
        if isinstance(around, ast.stmt):
            break
    return False


def under_root(node: ast.Call | ast.BinOp, context: Context) -> ast.expr | None:
    """What a square root is taken of: `sqrt(x)`, `x.sqrt()`, `x ** 0.5`, `x.pow(0.5)`."""
    if isinstance(node, ast.BinOp):
        return node.left if isinstance(node.op, ast.Pow) and is_half(node.right) else None
    name = context.name_of(node.func)
    if name in ("torch.sqrt", "torch.pow") and node.args:
        return node.args[0] if name == "torch.sqrt" or (len(node.args) == 2 and is_half(node.args[1])) else None
    if name is None and isinstance(node.func, ast.Attribute):
        power = node.func.attr == "pow" and len(node.args) == 1 and is_half(node.args[0])
        return node.func.value if power or (node.func.attr == "sqrt" and not node.args) else None
    return None


def is_half(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0.5


def behind(node: ast.expr, context: Context) -> ast.expr:
    """What a name was given, if it can be one thing alone."""
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
    return value if value is not None else node


def called(node: ast.expr, context: Context) -> tuple[str, ast.expr, list[ast.expr]] | None:
    """A call of a function or method of a tensor: its last name, the tensor, and the other positional arguments."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
        return None
    name = context.name_of(node.func)
    if name is not None:
        return (name.rpartition(".")[2], node.args[0], node.args[1:]) if name.startswith("torch.") and node.args else None
    return (node.func.attr, node.func.value, node.args) if isinstance(node.func, ast.Attribute) else None


def squared(node: ast.expr, context: Context) -> ast.expr | None:
    """What is squared and summed: the `d` of `(d ** 2).sum(-1)`."""
    found = called(node, context)
    if found is None or found[0] not in REDUCED:
        return None
    inner = behind(found[1], context)
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow) and isinstance(inner.right, ast.Constant):
        return behind(inner.left, context) if inner.right.value == 2 else None
    power = called(inner, context)
    if power is not None and (power[0] == "square" or (power[0] == "pow" and [ast.unparse(one) for one in power[2]] == ["2"])):
        return behind(power[1], context)
    return None


def is_sum_of_squares(node: ast.expr, context: Context) -> bool:
    """Whether it is 0 where all of a sum is: the squares of a vector, or a mean squared error."""
    if isinstance(node, ast.Call):
        value = context.value_of(node.func)
        layer = value is not None and value.kind == "instance" and value.name == "torch.nn.MSELoss"
        if layer or context.name_of(node.func) == "torch.nn.functional.mse_loss":
            return True
    found = called(node, context)
    return found is not None and found[0] == "sum" and squared(node, context) is not None


def is_of_itself(node: ast.expr, context: Context) -> bool:
    """Whether it is the sum of the squared differences of all pairs of rows of one tensor."""
    difference = squared(node, context)
    if not isinstance(difference, ast.BinOp) or not isinstance(difference.op, ast.Sub):
        return False
    left, right = spread(difference.left, context), spread(difference.right, context)
    return left is not None and left == right and ast.unparse(difference.left) != ast.unparse(difference.right)


def spread(node: ast.expr, context: Context) -> str | None:
    """The tensor that is spread along a new axis: the x of `x[:, None]`, of `x.unsqueeze(0)`."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        axes = [item for item in items if isinstance(item, ast.Constant) and item.value is None]
        return node.value.id if axes and all(isinstance(item, (ast.Constant, ast.Slice)) for item in items) else None
    found = called(node, context)
    return found[1].id if found is not None and found[0] in SHAPED and isinstance(found[1], ast.Name) else None
