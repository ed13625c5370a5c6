"""Which part of torch an expression names: through imports, else as the member of a value, else by a name only torch has."""

from __future__ import annotations

import ast
from typing import NamedTuple

from torch_handbook.source.flow import Flow
from torch_handbook.source.guesses import MODULE, guess
from torch_handbook.source.resolve import is_torch
from torch_handbook.source.torch_names import base_of, members, words
from torch_handbook.source.value import Value

# What layers hold; the names of a network's own layers are not torch's.
MODULE_ATTRIBUTES = words(
    "weight bias in_features out_features in_channels out_channels kernel_size stride padding dilation groups running_mean"
    " running_var num_features eps momentum affine num_embeddings embedding_dim padding_idx normalized_shape hidden_size"
    " input_size num_layers from_pretrained convert_sync_batchnorm generate_square_subsequent_mask append extend insert"
    " keys values items module"
)
AMBIGUOUS = words("values indices data type index")  # members that other things, which might be there instead, have as well


class Api(NamedTuple):
    """A public name, and whether the file leaves no doubt about it."""

    name: str
    sure: bool


def api_of(flow: Flow, node: ast.expr) -> Api | None:
    """The public name that an expression stands for: "torch.Tensor.view" for the `x.view` of a tensor."""
    name = flow.names.of(node) or flow.name_held(node)
    if name and is_torch(name):
        return Api(name, True)
    owner = flow.of(node.value) if isinstance(node, ast.Attribute) else None
    if name and (owner is None or not owner.base):
        return Api(name, True)
    if not isinstance(node, ast.Attribute):
        return None
    if owner:
        found = member_name(flow, owner, node.attr)
        return Api(found, owner.sure) if found else None
    guessed = guess(flow, node)
    return Api(guessed, False) if guessed else None


def called(flow: Flow, call: ast.Call) -> str | None:
    """The public name of what a call runs: for `self.conv(x)` the `forward` of its class."""
    found = api_of(flow, call.func)
    if found:
        return found.name
    callee = flow.of(call.func)
    if callee and callee.kind == "instance" and callee.base == MODULE and not callee.written:
        return f"{callee.name}.forward"
    return None


def member_name(flow: Flow, owner: Value, name: str) -> str | None:
    """The public name of a member of a value; None for what the file's own classes define, and for what does not exist."""
    if flow.member(owner, name):
        return None
    base = owner.base
    layer = layer_of(owner) if base == MODULE else None
    if layer and (name == "forward" or name in MODULE_ATTRIBUTES - members(MODULE)):
        return f"{layer}.{name}"
    if not owner.sure and name in AMBIGUOUS and base != "torch.device":
        return None
    if base and name == "__init__" and owner.kind == "instance":
        # Which of several that is depends on their order, and on what each calls.
        return f"{base}.__init__" if all(base_of(one) == base for one in owner.bases) else None
    if base and name in members(base):
        return f"{base}.{name}"
    known = owner.kind in ("instance", "class") and not owner.written and owner.name.startswith("torch.")
    if not known or name.startswith("_") or owner.name == MODULE or (base == MODULE and name not in MODULE_ATTRIBUTES):
        return None
    return f"{owner.name}.{name}"


def layer_of(owner: Value) -> str | None:
    """The layer of torch that a network is, or that its class derives from: "torch.nn.Conv2d"."""
    names = owner.bases if owner.written else (owner.name,)
    layers = [name for name in names if name != MODULE and name.startswith("torch.nn.")]
    return layers[0] if len(layers) == 1 and owner.kind == "instance" else None
