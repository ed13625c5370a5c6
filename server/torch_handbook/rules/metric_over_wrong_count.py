"""What was summed over samples is divided by the number of batches, or the other way round.

Why
    len(loader) counts batches, len(loader.dataset) samples. A number of right answers divided by the batches gives an "accuracy"
    above one; a sum of the batches' mean losses divided by the samples is too small by the size of a batch. Both move the right
    way while the network learns, so nothing looks wrong until they are compared with anything else.

Bad
    correct = 0
    loader = torch.utils.data.DataLoader(data, batch_size=32)
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    accuracy = correct / len(loader)

Good
    correct = 0
    loader = torch.utils.data.DataLoader(data, batch_size=32)
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    accuracy = correct / len(loader.dataset)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("metric-over-wrong-count", Severity.WARNING, Category.TRAINING, entry="guides/evaluation")
ONE = re.compile(r"batch_size\s*=\s*1\b")


@RULE.on(ast.AugAssign)
def summed(statement: ast.AugAssign, context: Context) -> Findings:
    """`correct += (…).sum().item()` or `total += loss.item()` in a loop over a loader."""
    if not isinstance(statement.op, ast.Add) or not isinstance(statement.target, ast.Name):
        return
    loop = context.file.enclosing(statement, ast.For, ast.While)
    if not isinstance(loop, ast.For):
        return
    loader = next((one.loader for one in context.batches.loops if one.node is loop), None)
    if loader is not None and loader.given.constant("batch_size", 1) == 1:
        return
    # Of a loader that comes from elsewhere `loader.dataset` tells what it is, and the file that its batches are not of one.
    single = loader is None and ONE.search(context.file.text.content) is not None
    counts, means = loader is not None and is_count(statement.value), not single and is_mean_loss(statement.value, context)
    if not counts and not means:
        return
    for division in divisions(statement.target, context):
        batches, samples = is_length(division.right, loop, ""), is_length(division.right, loop, ".dataset")
        shown = context.text_of(division.right)
        if counts and batches:
            words = f"{statement.target.id} counts samples, and {shown} is the number of batches: divide by {shown[:-1]}.dataset)"
        elif means and isinstance(division.right, ast.Name) and counts_samples(division.right, loop):
            words = f"{statement.target.id} adds up the mean of each batch, and {shown} is the number of samples:"
            words += " divide by the number of batches, or add each loss times the size of its batch"
        elif means and samples:
            words = f"{statement.target.id} adds up the mean of each batch, and {shown} is the number of samples:"
            words += f" divide by {shown.replace('.dataset)', ')')}, or add each loss times the size of its batch"
        else:
            continue
        yield Finding.at(division, words, related=[Related(span_of(statement), "summed up here")])


def is_count(node: ast.expr) -> bool:
    """Whether it is the number of equal elements: `(a == b).sum()`, `torch.sum(a == b).item()`."""
    while isinstance(node, ast.Call):
        func = node.func
        if isinstance(func, ast.Name) and func.id in ("int", "float") and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(func, ast.Attribute) and func.attr in ("item", "cpu", "detach", "float", "double"):
            node = func.value
        elif isinstance(func, ast.Attribute) and func.attr == "sum":
            inner = node.args[0] if node.args else func.value
            return isinstance(inner, ast.Compare) and len(inner.ops) == 1 and isinstance(inner.ops[0], ast.Eq)
        else:
            return False
    return False


def is_mean_loss(node: ast.expr, context: Context) -> bool:
    """Whether it is the value of a loss of torch, which is a mean unless the file says otherwise."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "item":
        return False
    if context.file.text.has("reduction") or context.file.text.has("size_average"):
        return False
    names = [origin.name for origin in context.origins.of(node.func.value)]
    return bool(names) and all(is_loss(name) for name in names)


def is_loss(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    if owner == "torch.nn.functional":
        return last.endswith("_loss") or last in ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits")
    return owner == "torch.nn" and last.endswith("Loss")


def divisions(total: ast.Name, context: Context) -> list[ast.BinOp]:
    """Where the sum, perhaps times a number, is divided in the same scope."""
    found: list[ast.BinOp] = []
    place = context.file.scope_of(total)
    for node in context.file.index.inside(place.node, ast.BinOp):
        left = node.left
        if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult):
            left = left.right if isinstance(left.left, ast.Constant) else left.left
        if isinstance(node.op, ast.Div) and isinstance(left, ast.Name) and left.id == total.id and node.lineno > total.lineno:
            found.append(node)
    return found


def counts_samples(name: ast.Name, loop: ast.For) -> bool:
    """Whether the loop adds the size of its batch to a name: `n += len(y)`, `n += y.size(0)`."""
    for node in ast.walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name.id:
            written = ast.unparse(node.value)
            if re.fullmatch(r"len\(\w+\)|\w+\.size\(0\)|\w+\.shape\[0\]", written):
                return True
    return False


def is_length(node: ast.expr, loop: ast.For, suffix: str) -> bool:
    """Whether it is `len(loader)`, or with ".dataset" `len(loader.dataset)`, of the loader of a loop."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "len" or len(node.args) != 1:
        return False
    walked = loop.iter
    while isinstance(walked, ast.Call) and walked.args:
        walked = walked.args[0]
    return ast.unparse(node.args[0]) == ast.unparse(walked) + suffix
