"""A batch norm is frozen, and its statistics go on moving.

Why
    requires_grad_(False) stops weights. The running mean and variance of batch norm are buffers that every forward in
    training mode rewrites, so a "frozen" backbone drifts towards the new data, and gives another result in evaluation than
    the one that it was frozen with. Put it in eval(), and again after each train() of the network around it. Where the
    statistics shall follow the new data, all is well.

Bad
    norm = nn.BatchNorm1d(3)
    norm.requires_grad_(False)
    norm(torch.randn(8, 3))

Good
    norm = nn.BatchNorm1d(3)
    norm.requires_grad_(False)
    norm.eval()
    norm(torch.randn(8, 3))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.frozen import is_freezing
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule("frozen-batchnorm-still-updates", Severity.INFORMATION, Category.TRAINING, entry="torch.nn.BatchNorm2d")
NORM = re.compile(r"torch\.nn\.(?:Lazy)?(?:SyncBatchNorm|BatchNorm[123]d)")
# The networks of torchvision that hold batch norm.
MODELS = re.compile(
    r"torchvision\.models\.(?:\w+\.)?(?:resnet|resnext|wide_resnet|densenet|mobilenet|efficientnet|regnet|shufflenet|mnasnet|googlenet"
    r"|inception|vgg\d+_bn)\w*"
)


@RULE.on(ast.Module)
def frozen(module: ast.Module, context: Context) -> Findings:
    if not context.file.text.has("requires_grad"):
        return
    told: set[str] = set()
    for node in (*context.file.index.all(ast.Call), *context.file.index.all(ast.Assign)):
        network = frozen_by(node, context) if is_freezing(node) else None
        if network is None or ast.unparse(network) in told or not has_norm(network, context):
            continue
        told.add(ast.unparse(network))
        used = next(trainings(network, node, context), None)
        if used is not None and not rests(network, context):
            shown = context.text_of(network)
            words = f"{shown} is frozen, but its batch norm still moves its statistics in training mode: call {shown}.eval()"
            related = [Related(span_of(used), "in training mode here")]
            yield Finding.at(node, f"{words}, and again after each train()", related=related)


def frozen_by(node: ast.AST, context: Context) -> ast.expr | None:
    """The network that `x.requires_grad_(False)` freezes, or a loop over its parameters."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_":
        owner = node.func.value
        value = context.value_of(owner)
        if value is not None and value.kind == "instance" and isinstance(owner, (ast.Name, ast.Attribute)):
            return owner
        name = owner
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute) and isinstance(node.value, ast.Constant):
        name = node.targets[0].value
    else:
        return None
    loop = context.file.enclosing(node, ast.For)
    if not isinstance(loop, ast.For) or not isinstance(name, ast.Name) or context.file.parent_of(node) not in (loop, None):
        return None if not isinstance(loop, ast.For) or context.file.enclosing(node, ast.If) is not None else over(loop)
    return over(loop)


def over(loop: ast.For) -> ast.expr | None:
    """The x of `for p in x.parameters()`."""
    call = loop.iter
    listed = (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("parameters", "named_parameters")
    )
    owner = call.func.value if listed and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    return owner if isinstance(owner, (ast.Name, ast.Attribute)) and ast.unparse(owner) != "self" else None


def has_norm(network: ast.expr, context: Context) -> bool:
    """Whether a network surely holds batch norm."""
    if isinstance(network, ast.Name):
        found = context.file.names.bindings(network)
    else:
        owner = context.file.flow.classes.owner_of(network.value) if isinstance(network, ast.Attribute) else None
        found = context.file.flow.classes.lookup(owner, network.attr) if owner and isinstance(network, ast.Attribute) else []
    values = [given_by(binding) for binding in found if binding.kind == "assign"]
    return len(values) == 1 and len(found) == 1 and is_normed(values[0], context)


def is_normed(value: ast.expr | None, context: Context) -> bool:
    if not isinstance(value, ast.Call):
        return False
    name = context.name_of(value.func) or ""
    if NORM.fullmatch(name):
        tracked = [word for word in value.keywords if word.arg in ("track_running_stats", None)]
        return not tracked
    if MODELS.fullmatch(name):
        return not any("norm_layer" in (word.arg or "norm_layer") for word in value.keywords)
    if name == "torch.nn.Sequential":
        return any(is_normed(item, context) for item in value.args)
    local = context.modules.local_class(value.func)
    calls = [part for part in ast.walk(local) if isinstance(part, ast.Call)] if local is not None else []
    return any(NORM.fullmatch(context.name_of(part.func) or "") for part in calls)


def trainings(network: ast.expr, node: ast.AST, context: Context) -> Iterator[ast.AST]:
    """Where the network runs in training mode: a train() in the file, else a call of it, behind the place where it is frozen."""
    last = words_of(network)
    trains = [one for one in context.file.index.attributes.get("train", []) if isinstance(context.file.parent_of(one), ast.Call)]
    yield from (one for one in trains if not (isinstance(call := context.file.parent_of(one), ast.Call) and call.args))
    if context.file.index.attributes.get("eval"):
        return
    home, line = context.file.scope_of(node), getattr(node, "lineno", 0)
    for call in context.file.index.all(ast.Call):
        named = isinstance(call.func, (ast.Name, ast.Attribute)) and words_of(call.func) == last
        if named and call.lineno > line and context.file.scope_of(call) is home:
            yield call


def words_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def rests(network: ast.expr, context: Context) -> bool:
    """Whether the file puts the network, or single layers, in eval mode, or has its own `train`."""
    last = words_of(network)
    for node in context.file.index.attributes.get("eval", []):
        inner = node.value
        named = isinstance(inner, (ast.Name, ast.Attribute)) and words_of(inner) in (
            last,
            "m",
            "module",
            "layer",
            "mod",
            "bn",
            "norm",
        )
        if named or any(isinstance(part, ast.Attribute) and part.attr == last for part in ast.walk(inner)):
            return True
    methods = [one.name for one in context.file.index.all(ast.FunctionDef)]
    return (
        "train" in methods
        or context.file.text.has("momentum")
        or re.search(r"\.training = False", context.file.text.content) is not None
    )
