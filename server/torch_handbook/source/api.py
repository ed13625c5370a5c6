"""Which part of torch an expression names: through imports, else as the member of a value, else by a name only torch has."""

from __future__ import annotations

import ast
from typing import NamedTuple

from torch_handbook.source.flow import Flow
from torch_handbook.source.torch_names import members, words
from torch_handbook.source.value import Value

MODULE, OPTIMIZER, SCHEDULER, SCALER = (
    "torch.nn.Module",
    "torch.optim.Optimizer",
    "torch.optim.lr_scheduler.LRScheduler",
    "torch.amp.GradScaler",
)
# Methods that, among what people call such things on, tensors alone have.
TENSOR_ONLY = words(
    "backward unsqueeze detach permute masked_fill masked_select index_select index_add scatter_add contiguous expand_as view_as"
    " new_zeros new_ones new_tensor new_empty new_full log_softmax bmm baddbmm addmm narrow repeat_interleave is_contiguous"
    " data_ptr type_as numel retain_grad grad_fn is_leaf requires_grad logsumexp element_size index_fill masked_scatter unflatten"
)
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
    if name:
        return Api(name, True)
    if not isinstance(node, ast.Attribute):
        return None
    owner = flow.of(node.value)
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
    if callee and callee.kind == "instance" and callee.base == MODULE and callee.node is None:
        return f"{callee.name}.forward"
    return None


def member_name(flow: Flow, owner: Value, name: str) -> str | None:
    """The public name of a member of a value; None for what the file's own classes define, and for what does not exist."""
    if isinstance(owner.node, ast.ClassDef) and flow.classes.lookup(owner.node, name):
        return None
    base = owner.base
    if base and (name in members(base) or (name == "__init__" and owner.kind == "instance")):
        return f"{base}.{name}"
    known = owner.kind in ("instance", "class") and owner.node is None and owner.name.startswith("torch.")
    return f"{owner.name}.{name}" if known and owner.name != MODULE and not name.startswith("_") else None


def guess(flow: Flow, node: ast.Attribute) -> str | None:
    """The member of a value that nothing is known of, where the names leave hardly a doubt."""
    if isinstance(node.value, (ast.Constant, ast.JoinedStr)) or flow.names.of(node.value) or not speaks_of_torch(flow):
        return None
    name = node.attr
    if name in members("torch.Tensor") and name not in members(MODULE) and (name in TENSOR_ONLY or name.endswith("_")):
        return f"torch.Tensor.{name}"
    if name in MODULE_ONLY and isinstance(flow.tree.parents.get(node), ast.Call):
        return f"{MODULE}.{name}"
    owner = named_after(last_word(node.value))
    return f"{owner}.{name}" if owner and name in members(owner) else None


def named_after(word: str) -> str | None:
    """The class of torch that a variable's name speaks of: "optimizer", "lr_scheduler", "grad_scaler", "model"."""
    word = word.lower()
    if "sched" in word:
        return SCHEDULER
    if "optim" in word or word == "opt":
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
