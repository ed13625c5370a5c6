"""A value that backward needs is changed through .data.

Why
    Autograd saves values for backward, and counts changes so that it can refuse to use what was overwritten. A change through
    .data is not counted: backward computes with the new values, and the gradient is wrong without a word. Change weights
    after backward, under no_grad; compute a changed result with an operation that autograd sees.

Bad
    layer = nn.Linear(3, 3)
    p = torch.sigmoid(layer(torch.randn(2, 3)))
    p.data.clamp_(0.1, 0.9)
    p.sum().backward()

Good
    layer = nn.Linear(3, 3)
    p = torch.sigmoid(layer(torch.randn(2, 3)))
    p = p.clamp(0.1, 0.9)
    p.sum().backward()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("data-bypasses-autograd", Severity.WARNING, Category.AUTOGRAD, entry="guides/in-place")
# The functions whose result is saved for their backward.
SAVES = words(
    "sigmoid tanh softmax log_softmax exp relu sqrt rsqrt reciprocal leaky_relu elu selu softmin expm1 tan logsumexp cumprod prod"
    " hardtanh logsigmoid gumbel_softmax norm"
)


@RULE.on(ast.Attribute)
def written(node: ast.Attribute, context: Context) -> Findings:
    """`x.data` that is written to."""
    if node.attr != "data" or not isinstance(node.value, (ast.Name, ast.Attribute)):
        return
    statement = writing(node, context)
    if statement is None or context.gradients.never:
        return
    saved = saved_by(node.value, context)
    if saved is not None:
        shown = context.text_of(node.value)
        words = (
            f"{context.text_of(saved.func)} saved {shown} for backward, which cannot see this change: the gradient will be wrong"
        )
        yield Finding.at(statement, words, related=[Related(span_of(saved), "saves its result")])
        return
    loss = next(losses_around(node.value, statement, context), None)
    if loss is not None:
        backward, forward = loss
        shown = context.text_of(node.value)
        words = (
            f"{shown} is changed between the forward that used it and its backward, which cannot see that: the gradient is wrong"
        )
        related = [Related(span_of(forward), "used here"), Related(span_of(backward), "computed with the new values")]
        yield Finding.at(statement, words, related=related)


def writing(node: ast.Attribute, context: Context) -> ast.stmt | None:
    """The statement that writes into `x.data`: a method in place, an item of it, an operator; not one that gives x other data."""
    parent = context.file.parent_of(node)
    statement = context.file.enclosing(node, ast.stmt)
    if isinstance(parent, ast.Attribute) and parent.attr.endswith("_") and not parent.attr.endswith("__"):
        return statement if isinstance(statement, ast.Expr) and isinstance(context.file.parent_of(parent), ast.Call) else None
    if isinstance(statement, ast.AugAssign):
        return statement if node in ast.walk(statement.target) else None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return statement if node is statement.targets[0].value else None
    return None


def saved_by(node: ast.expr, context: Context) -> ast.Call | None:
    """The call that made a value and saved it for its backward, where the value has a graph."""
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" and bindings[0].path == () else None
    if not isinstance(value, ast.Call) or context.gradients.off_at(value) or not context.graphs.of(value).live:
        return None
    name = context.name_of(value.func)
    last = (name or "").rpartition(".")[2] if name else value.func.attr if isinstance(value.func, ast.Attribute) else ""
    return value if last in SAVES else None


def losses_around(node: ast.expr, statement: ast.stmt, context: Context) -> Iterator[tuple[ast.Call, ast.AST]]:
    """The losses computed from a weight before the statement and run backward after it, in the same block."""
    home, block = context.file.parent_of(statement), context.file.grown.blocks.get(statement)
    rows: list[ast.stmt] = getattr(home, block, []) if home is not None and block else []
    if statement not in rows:
        return
    place = rows.index(statement)
    for later in rows[place + 1 :]:
        for call in context.file.index.inside(later, ast.Call):
            loss = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "backward" else None
            bindings = context.file.names.bindings(loss) if isinstance(loss, ast.Name) else []
            made = bindings[0] if len(bindings) == 1 and bindings[0].value is not None else None
            if made is None or not any(made.node in ast.walk(row) for row in rows[:place]):
                continue
            value = made.value
            parts = [part for part in ast.walk(value) if isinstance(part, type(node))] if value is not None else []
            used = next((part for part in parts if ast.unparse(part) == ast.unparse(node)), None)
            if used is not None and multiplies(used, value, context):
                yield call, used


def multiplies(used: ast.AST, value: ast.AST | None, context: Context) -> bool:
    """Whether the loss depends on the weight by more than sums and numbers: its gradient has the weight or its partner in it."""
    inner = used
    for around in context.file.grown.ancestors(used):
        summed = isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute) and around.func.attr in ("sum", "mean")
        if isinstance(around, ast.Call) and not summed:
            return True
        if isinstance(around, ast.BinOp) and not is_linear(around, inner):
            return True
        if around is value:
            break
        inner = around
    return False


def is_linear(node: ast.BinOp, part: ast.AST) -> bool:
    """Whether an operation is a sum, or a part times a number as it is written: the gradient of `2 * x` is 2 for any x."""
    if isinstance(node.op, (ast.Add, ast.Sub)):
        return True
    other = node.right if part is node.left else node.left
    numeric = isinstance(other, ast.Constant) or (isinstance(other, ast.UnaryOp) and isinstance(other.operand, ast.Constant))
    return numeric and (isinstance(node.op, ast.Mult) or (isinstance(node.op, ast.Div) and part is node.left))
