"""An evaluation keeps the graph of every forward.

Why
    eval() sets the mode of dropout and batch norm; it does not turn gradients off. A loop that gathers outputs after eval() and
    outside of no_grad keeps the activations of all batches, until memory runs out.

Bad
    model = nn.Linear(3, 1)
    model.eval()
    outputs = []
    for batch in torch.randn(5, 8, 3):
        outputs.append(model(batch))

Good
    model = nn.Linear(3, 1)
    model.eval()
    outputs = []
    with torch.no_grad():
        for batch in torch.randn(5, 8, 3):
            outputs.append(model(batch))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.steps import LOOPS

RULE = Rule("missing-no-grad-in-eval", Severity.INFORMATION, Category.MEMORY, entry="torch.no_grad")
# Whoever writes one of these wants gradients, or has turned them off somewhere.
LEARNING = ("grad", "backward", "inference_mode", "step")


@RULE.on(ast.Call)
def gathered(call: ast.Call, context: Context) -> Findings:
    """`outputs.append(model(x))` in a loop below `model.eval()`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "append" or len(call.args) != 1:
        return
    network = network_in(call.args[0])
    if network is None or context.file.enclosing(call, *LOOPS) is None or context.gradients.off_at(call):
        return
    home = context.file.enclosing(call, *FUNCTIONS) or context.file.tree
    if not is_evaluated(network, home, call) or learns(home, context) or not is_network(network, context):
        return
    if isinstance(home, FUNCTIONS) and not called_with_gradients(home, context):
        return
    shown = context.text_of(network)
    words = (
        f"{context.text_of(call.func.value)} keeps the graph of every {shown}(…): {shown}.eval() does not turn gradients off, use"
    )
    yield Finding.at(call, f"{words} torch.no_grad()")


def network_in(node: ast.expr) -> ast.Name | None:
    """The network of `model(x)` or of `model(x).mean()`."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func
        if not isinstance(node.func, ast.Attribute) or node.func.attr in ("item", "detach", "tolist", "numpy", "argmax"):
            return None
        node = node.func.value
    return None


def is_evaluated(network: ast.Name, home: ast.AST, call: ast.Call) -> bool:
    """Whether `network.eval()` stands above, in the same function."""
    return any(
        isinstance(part, ast.Attribute)
        and part.attr == "eval"
        and isinstance(part.value, ast.Name)
        and part.value.id == network.id
        and part.lineno < call.lineno
        for part in ast.walk(home)
    )


def is_network(network: ast.Name, context: Context) -> bool:
    values = context.origins.instances(network)
    return bool(values) and all(value.base == "torch.nn.Module" for value in values)


def learns(home: ast.AST, context: Context) -> bool:
    """Whether the function, or a file without functions, has to do with gradients."""
    names = [
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in ast.walk(home)
        if isinstance(part, (ast.Attribute, ast.Name))
    ]
    return any(
        word in name for name in names for word in LEARNING if not (word == "grad" and name in ("requires_grad", "grad_fn"))
    )


def called_with_gradients(home: ast.FunctionDef | ast.AsyncFunctionDef, context: Context) -> bool:
    """Whether all calls of the function are known, none of them under no_grad, and no backward is in the file."""
    calls = context.callers.calls_of(home)
    return bool(calls) and not any(context.gradients.off_at(one) for one in calls or ()) and not context.gradients.backwards
