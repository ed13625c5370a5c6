"""requires_grad is set on a loss to make backward run.

Why
    "element 0 of tensors does not require grad" says that the loss hangs on nothing that learns. Setting requires_grad on it
    makes it a leaf of its own: backward fills loss.grad, and no weight gets a gradient. Look for what cut the graph instead:
    argmax, item(), no_grad, detach.

Bad
    scores, labels = nn.Linear(3, 4)(torch.randn(8, 3)), torch.rand(8)
    loss = F.mse_loss(scores.argmax(1).float(), labels)
    loss.requires_grad = True
    loss.backward()

Good
    scores, labels = nn.Linear(3, 4)(torch.randn(8, 3)), torch.rand(8)
    loss = F.mse_loss(scores.softmax(1)[:, 0], labels)
    loss.backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("requires-grad-set-on-result", Severity.ERROR, Category.AUTOGRAD, entry="guides/gradients")
MAKING = frozenset(
    {
        *("tensor", "zeros", "ones", "rand", "randn", "full", "empty", "arange", "linspace", "eye", "from_numpy", "as_tensor"),
        *("zeros_like", "ones_like", "rand_like", "randn_like", "randint", "clone", "Tensor", "Parameter", "detach", "load"),
    }
)


@RULE.on(ast.Assign, ast.Expr)
def forced(statement: ast.stmt, context: Context) -> Findings:
    loss = forced_name(statement)
    if loss is None or not is_result(loss, context):
        return
    parent = context.file.parent_of(statement)
    block: list[ast.stmt] = getattr(parent, context.file.grown.blocks.get(statement, "body"), [])
    later = block[block.index(statement) + 1 :] if statement in block else []
    for call in (part for one in later[:3] for part in ast.walk(one) if isinstance(part, ast.Call)):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "backward" and is_named(call.func.value, loss.id):
            words = (
                f"this makes {loss.id} a leaf of its own, and {context.text_of(call)} reaches no weight: find what cut its graph"
            )
            yield Finding.at(statement, words, related=[Related(span_of(call), "fills nothing but its own gradient")])
            return


def forced_name(statement: ast.stmt) -> ast.Name | None:
    """The loss of `loss.requires_grad = True` and `loss.requires_grad_()`."""
    if isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
        wanted = isinstance(target, ast.Attribute) and target.attr == "requires_grad"
        if wanted and isinstance(target, ast.Attribute) and isinstance(value, ast.Constant) and value.value is True:
            return target.value if isinstance(target.value, ast.Name) else None
        return None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "requires_grad_":
        return None
    plain = not call.keywords and all(isinstance(one, ast.Constant) and one.value is True for one in call.args)
    return call.func.value if plain and isinstance(call.func.value, ast.Name) else None


def is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def is_result(loss: ast.Name, context: Context) -> bool:
    """Whether the name holds what was computed, not what was made on the spot."""
    bindings = context.file.names.bindings(loss)
    return bool(bindings) and all(
        one.kind == "assign" and one.path == () and one.value is not None and is_computed(one.value) for one in bindings
    )


def is_computed(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp):
        return True
    if not isinstance(value, ast.Call):
        return False
    function = value.func
    name = function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    return name not in MAKING
