"""Which part of torch an expression names: through imports, else as the member of a value, else by a name only torch has."""

from __future__ import annotations

import ast
from typing import NamedTuple

from torch_handbook.source.evidence import ARRAYS_ONLY, TENSOR_ONLY
from torch_handbook.source.flow import Flow
from torch_handbook.source.resolve import is_torch
from torch_handbook.source.torch_names import members, words
from torch_handbook.source.value import Value

MODULE, OPTIMIZER, SCHEDULER, SCALER = (
    "torch.nn.Module",
    "torch.optim.Optimizer",
    "torch.optim.lr_scheduler.LRScheduler",
    "torch.amp.GradScaler",
)
# What layers hold; the names of a network's own layers are not torch's.
MODULE_ATTRIBUTES = words(
    "weight bias in_features out_features in_channels out_channels kernel_size stride padding dilation groups running_mean"
    " running_var num_features eps momentum affine num_embeddings embedding_dim padding_idx normalized_shape hidden_size"
    " input_size num_layers from_pretrained convert_sync_batchnorm generate_square_subsequent_mask append extend insert"
    " keys values items module"
)
AMBIGUOUS = words("values indices data type index")  # members that other things, which might be there instead, have as well
MODULE_ONLY = words(
    "parameters named_parameters named_modules named_buffers named_children register_buffer register_parameter"
    " register_forward_hook register_forward_pre_hook register_full_backward_hook"
)


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
    if not owner.sure and name in AMBIGUOUS:
        return None
    if base and (name in members(base) or (name == "__init__" and owner.kind == "instance")):
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


def guess(flow: Flow, node: ast.Attribute) -> str | None:
    """The member of a value that nothing is known of, where the names leave hardly a doubt."""
    if isinstance(node.value, (ast.Constant, ast.JoinedStr)) or flow.names.of(node.value) or not speaks_of_torch(flow):
        return None
    if isinstance(node.value, ast.Name) and any(one.kind in ("import", "class") for one in flow.names.bindings(node.value)):
        return None
    name = node.attr
    parent = flow.tree.parents.get(node)
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    if name in members("torch.Tensor") and name not in members(MODULE) and (name in TENSOR_ONLY or name.endswith("_")):
        # `accelerator.backward(loss)`, and so on: a tensor's own is hardly ever given anything but keywords.
        return None if name == "backward" and call and call.args else f"torch.Tensor.{name}"
    if name in ARRAYS_ONLY and call and is_computed(flow, node.value):
        return f"torch.Tensor.{name}"
    if name in MODULE_ONLY and call:
        return f"{MODULE}.{name}"
    owner = named_after(last_word(node.value))
    if owner is None or name not in members(owner) or (name == "step" and not may_step(owner, call)):
        return None
    return f"{owner}.{name}"


def is_computed(flow: Flow, node: ast.expr) -> bool:
    """Whether something unknown made this of a tensor: `attention.to_q(x)`, where no other arrays are about."""
    given = flow.of(node.args[0]) if isinstance(node, ast.Call) and node.args else None
    return given is not None and given.kind == "tensor" and flow.parameters.evidence.without_numpy


def may_step(owner: str, call: ast.Call | None) -> bool:
    """Whether `step` is called as torch's is: what diffusion models call schedulers take a sample and a time."""
    if owner != SCHEDULER:
        return True
    words = {word.arg for word in call.keywords} if call else set[str | None]()
    return call is not None and len(call.args) <= 1 and words <= {"epoch", "metrics"}


def named_after(word: str) -> str | None:
    """The class of torch that a variable's name speaks of: "optimizer", "lr_scheduler", "grad_scaler", "model"."""
    word = word.lower()
    if "sched" in word:
        return SCHEDULER
    if "optim" in word or word == "opt" or word.endswith("_opt"):
        return OPTIMIZER
    if "scaler" in word:
        return SCALER
    return MODULE if word.endswith(("model", "net", "module", "network", "backbone", "encoder", "decoder")) else None


def last_word(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def speaks_of_torch(flow: Flow) -> bool:
    """Whether the file imports torch at all."""
    if flow.torch is None:
        imports = [binding.imported or "" for found in flow.tree.module.bindings.values() for binding in found]
        flow.torch = any(name == "torch" or name.startswith("torch.") for name in imports)
    return flow.torch
