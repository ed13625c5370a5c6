"""An initialisation that needs a matrix is given a bias.

Why
    Xavier and Kaiming count the inputs and outputs of a weight, which a tensor with one axis does not have, and orthogonal_ needs
    rows: ValueError. A bias is set with zeros_, or left as the layer made it.

Bad
    layer = nn.Linear(4, 2)
    nn.init.xavier_uniform_(layer.bias)

Good
    layer = nn.Linear(4, 2)
    nn.init.zeros_(layer.bias)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words
from torch_handbook.source.value import Value

RULE = Rule("init-fan-of-vector", Severity.ERROR, Category.MODULE, entry="torch.nn.init.xavier_uniform_")
FANS = words("xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_ xavier_uniform xavier_normal")
# Layers whose bias has one axis, and those whose weight has.
BIASED = words(
    "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d BatchNorm1d BatchNorm2d BatchNorm3d"
    " GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d"
)
LAYERS = words("Linear Conv1d Conv2d Conv3d ConvTranspose2d")  # with a bias unless it is said otherwise
FLAT = words("BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d PReLU")


@RULE.on(ast.Call)
def given(call: ast.Call, context: Context) -> Findings:
    owner, _, name = (context.name_of(call.func) or "").rpartition(".")
    if (
        owner != "torch.nn.init"
        or name not in FANS
        or context.file.enclosing(call, ast.Try) is not None
        or is_guarded(context.file, call)
    ):
        return
    tensor = arguments_of(context.file, call, ("tensor",)).given.get("tensor")
    if tensor is None or not (is_vector(tensor, context) or is_every_parameter(tensor, call, context)):
        return
    function = call.func
    plain = isinstance(function, ast.Attribute) and len(call.args) == 1 and not call.keywords and is_named(tensor, "bias")
    end = span_of(function).end
    edit = Edit(Span(end[0], end[1] - len(name), *end), "zeros_")
    what = f"{context.text_of(tensor)} has a single axis" if isinstance(tensor, ast.Attribute) else "a bias has a single axis"
    said = f"{what}, and {name} needs two to count inputs and outputs: this raises ValueError"
    yield Finding.at(call, said, fix=Fix("set it to zero", (edit,), safe=False) if plain else None)


def is_vector(node: ast.expr, context: Context) -> bool:
    """Whether a tensor surely has fewer than two axes."""
    fact = context.facts.tensor(node)
    if fact is not None and not fact.guessed:
        return len(fact.shape) < 2
    held = node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node
    layer = context.value_of(held.value) if isinstance(held, ast.Attribute) else None
    if layer is None or layer.kind != "instance" or not layer.sure or not layer.name.startswith("torch.nn."):
        return False
    kind = layer.name.removeprefix("torch.nn.")
    return (is_named(held, "bias") and kind in BIASED) or (is_named(held, "weight") and kind in FLAT)


def is_every_parameter(node: ast.expr, call: ast.Call, context: Context) -> bool:
    """Whether it is each parameter in turn of a network that surely has a bias: `for p in net.parameters(): …`"""
    loop = context.file.enclosing(call, ast.For, ast.If, ast.IfExp, ast.While, ast.FunctionDef)
    walked = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(loop, ast.For) or not isinstance(walked, ast.Call) or not isinstance(walked.func, ast.Attribute):
        return False
    held = node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node
    target = loop.target.elts[-1] if isinstance(loop.target, ast.Tuple) else loop.target
    same = isinstance(held, ast.Name) and isinstance(target, ast.Name) and held.id == target.id
    if not same or walked.func.attr not in ("parameters", "named_parameters") or context.file.index.inside(loop, ast.Continue):
        return False
    return has_bias(context.value_of(walked.func.value), context)


def has_bias(network: Value | None, context: Context) -> bool:
    """Whether a network holds a layer that has a bias, as far as the file tells."""
    if network is None or not network.sure or context.file.text.has("bias=False"):
        return False
    if network.name == "torch.nn.Sequential":
        return any(has_bias(item, context) for item in network.items)
    if isinstance(network.node, ast.ClassDef):
        rows = context.file.flow.classes.attributes.get(network.node, {}).values()
        plain = [row[0].value for row in rows if len(row) == 1 and row[0].kind == "assign" and row[0].path == ()]
        return any(is_biased(context.value_of(value)) for value in plain)
    return is_biased(network)


def is_biased(layer: Value | None) -> bool:
    return layer is not None and layer.sure and layer.kind == "instance" and layer.name.removeprefix("torch.nn.") in LAYERS


def is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and (node.attr == name or (node.attr == "data" and is_named(node.value, name)))
