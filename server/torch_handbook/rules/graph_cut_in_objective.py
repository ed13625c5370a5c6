"""A part of the loss is a mere number, and nothing learns from it.

Why
    item() gives a Python float, numpy() an array, and torch.tensor copies values without their graph. Added to a loss such a
    part shifts its value and gives no gradient: the printed loss looks right, and the weights never hear of it.
    `requires_grad=True` on the copy only silences the error.

Bad
    model = nn.Linear(3, 2)
    fit = model(torch.randn(8, 3)).pow(2).mean()
    penalty = model.weight.abs().sum()
    (fit + 0.1 * penalty.item()).backward()

Good
    model = nn.Linear(3, 2)
    fit = model(torch.randn(8, 3)).pow(2).mean()
    penalty = model.weight.abs().sum()
    (fit + 0.1 * penalty).backward()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.objectives import Term

RULE = Rule(
    "graph-cut-in-objective",
    Severity.WARNING,
    Category.AUTOGRAD,
    entry="guides/gradients",
    covers=("graph-cut-by-item", "graph-cut-by-torch-tensor", "graph-cut-by-numpy"),
)
FROM_ARRAYS = frozenset({"torch.from_numpy", "torch.as_tensor", "torch.tensor", "torch.Tensor", "torch.FloatTensor"})
COPYING = frozenset({"torch.tensor", "torch.autograd.Variable", "torch.Tensor", "torch.FloatTensor"})


@RULE.on(ast.Module)
def summed(module: ast.Module, context: Context) -> Findings:
    if not context.gradients.backwards:
        return
    for term in context.objectives.terms:
        yield from of_term(term, context)


def of_term(term: Term, context: Context) -> Findings:
    node = term.node
    if term.off is not None:
        return  # no-grad-over-trained-params speaks of it
    array = next(through_numpy(node, context, 0), None)
    if array is not None:
        words = f"{context.text_of(array)} leaves the graph behind: what NumPy computes is a constant here, and no weight gets a"
        yield Finding.at(array, f"{words} gradient from it. Compute it with torch", kind="graph-cut-by-numpy")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item":
        if not term.alone and is_computed(node.func.value, context):
            shown = context.text_of(node.func.value)
            words = f"{context.text_of(node)} is a number, so nothing learns from this part of the loss: add {shown} itself"
            yield Finding.at(node, words, kind="graph-cut-by-item")
    elif isinstance(node, ast.Call) and context.name_of(node.func) in COPYING and asks_for_grad(node) and copies(node, context):
        words = (
            f"{context.text_of(node.func)} copies the values and leaves their graph: no weight gets a gradient from this loss."
        )
        yield Finding.at(node, f"{words} Use torch.stack, or the tensor itself", kind="graph-cut-by-torch-tensor")


def through_numpy(node: ast.expr, context: Context, depth: int) -> Iterator[ast.Call]:
    """The `x.numpy()` that a part of a loss is computed from, where x has a graph.

    Only for what is a tensor made of an array, or a loss between such a tensor and something without a graph.
    """
    name = context.name_of(node.func) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or name is None:
        return
    if name in FROM_ARRAYS and node.args:
        yield from arrays(node.args[0], context, 0)
    elif name.startswith("torch.nn.functional.") and depth == 0 and not context.graphs.of(node).live:
        for item in node.args[:2]:
            for origin in context.origins.of(item):
                yield from through_numpy(origin.node, context, depth + 1)


def arrays(node: ast.expr, context: Context, depth: int) -> Iterator[ast.Call]:
    """The calls of numpy() in an expression, on what has a graph."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "numpy":
            if context.graphs.of(attached(part.func.value)).live:
                yield part
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and depth < 4:
            for binding in context.file.names.bindings(part):
                if binding.kind == "assign" and binding.value is not None:
                    yield from arrays(binding.value, context, depth + 1)


def attached(node: ast.expr) -> ast.expr:
    """What is left of an expression without `.detach()`, `.cpu()` and `.data`."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("detach", "cpu", "clone"):
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        else:
            return node


def is_computed(node: ast.expr, context: Context) -> bool:
    """Whether a value comes from a computation that can have a graph: a tensor that something made of others."""
    value = context.value_of(node)
    if isinstance(node, ast.Name):
        made = [one.value for one in context.file.names.bindings(node)]
        return (
            bool(made)
            and all(isinstance(one, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Tuple)) for one in made)
            and is_tensor(value)
        )
    return isinstance(node, (ast.Call, ast.BinOp)) and is_tensor(value)


def is_tensor(value: object) -> bool:
    return getattr(value, "kind", "") == "tensor"


def asks_for_grad(call: ast.Call) -> bool:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "requires_grad"]
    return bool(given) and isinstance(given[0], ast.Constant) and given[0].value is True


def copies(call: ast.Call, context: Context) -> bool:
    """Whether what is copied was read from tensors, or is one that was computed."""
    if not call.args:
        return False
    read = [part.func for part in ast.walk(call.args[0]) if isinstance(part, ast.Call)]
    if any(isinstance(function, ast.Attribute) and function.attr == "item" for function in read):
        return True
    return isinstance(call.args[0], ast.Name) and is_computed(call.args[0], context)
