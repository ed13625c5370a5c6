"""A layer has a bias that the batch norm behind it takes away again.

Why
    Batch norm subtracts the mean of each channel, and with it whatever constant was added to the channel; it has a bias of
    its own. The bias before it costs memory, a gradient and optimizer state, and changes nothing: its gradient is zero but
    for rounding. Checkpoints that hold the bias then have a key too many. Off by default: it is a matter of taste in small
    networks.

Bad
    block = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())

Good
    block = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU())
"""

from __future__ import annotations

import ast
import itertools
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "redundant-bias-before-batchnorm", Severity.INFORMATION, Category.PERFORMANCE, entry="torch.nn.BatchNorm2d", default=False
)
BIASED = re.compile(r"torch\.nn\.(?:Lazy)?(?:Linear|Conv[123]d|ConvTranspose[123]d)")
NORMS = re.compile(r"torch\.nn\.(?:(?:Lazy)?BatchNorm[123]d|SyncBatchNorm|(?:Lazy)?InstanceNorm[123]d)")
POSITIONS = {"Linear": 2, "LazyLinear": 1}  # where bias stands among the positional arguments; far behind in convolutions


@RULE.on(ast.Call, ast.List)
def in_a_row(node: ast.Call | ast.List, context: Context) -> Findings:
    """A row of layers, in nn.Sequential or in a list that is made for one."""
    items = node.elts if isinstance(node, ast.List) else node.args
    if len(items) < 2 or not (is_row(node, context) if isinstance(node, ast.List) else is_sequential(node, context)):
        return
    for layer, norm in itertools.pairwise(items):
        if is_norm(norm, context) and isinstance(layer, ast.Call) and has_bias(layer, context):
            shown = context.text_of(layer.func)
            words = f"the bias of {shown} is taken away by {context.text_of(norm)} right behind it: add bias=False"
            yield Finding.at(layer, words, fix=without(layer, context), related=[Related(span_of(norm), "subtracts the mean")])


def is_sequential(call: ast.Call, context: Context) -> bool:
    return context.name_of(call.func) == "torch.nn.Sequential"


def is_row(node: ast.List, context: Context) -> bool:
    """Whether a list is added to others, as those are that become an nn.Sequential."""
    parent = context.file.parent_of(node)
    extends = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "extend"
    return extends or isinstance(parent, (ast.AugAssign, ast.BinOp, ast.Starred))


def is_norm(node: ast.expr, context: Context) -> bool:
    name = context.name_of(node.func) if isinstance(node, ast.Call) else None
    return NORMS.fullmatch(name or "") is not None


def has_bias(layer: ast.Call, context: Context) -> bool:
    """Whether the layer surely has a bias: none of its arguments may be about it."""
    name = context.name_of(layer.func) or ""
    if BIASED.fullmatch(name) is None or any(isinstance(item, ast.Starred) for item in layer.args):
        return False
    given = [word for word in layer.keywords if word.arg in ("bias", None)]
    if given:
        return given[0].arg == "bias" and isinstance(given[0].value, ast.Constant) and given[0].value.value is True
    return len(layer.args) <= POSITIONS.get(name.rpartition(".")[2], 7)


def without(layer: ast.Call, context: Context) -> Fix:
    """Say bias=False behind the last argument."""
    title = "leave the bias out (old checkpoints then have a key too many)"
    said = next((word for word in layer.keywords if word.arg == "bias"), None)
    if said is not None:
        return Fix(title, (Edit(span_of(said.value), "False"),), safe=False)
    last = max((span_of(item).end for item in (*layer.args, *layer.keywords)), default=span_of(layer.func).end)
    return Fix(title, (Edit(Span(*last, *last), ", bias=False"),), safe=False)
