"""Whose member something most likely is, where nothing tells what the value is: by the words, and by how it is called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch_handbook.source.evidence import ARRAYS_ONLY, TENSOR_ONLY
from torch_handbook.source.torch_names import members, words

if TYPE_CHECKING:
    from torch_handbook.source.flow import Flow

TENSOR, MODULE, OPTIMIZER, SCHEDULER, SCALER = (
    "torch.Tensor",
    "torch.nn.Module",
    "torch.optim.Optimizer",
    "torch.optim.lr_scheduler.LRScheduler",
    "torch.amp.GradScaler",
)
MODULE_ONLY = words(
    "parameters named_parameters named_modules named_buffers named_children register_buffer register_parameter"
    " register_forward_hook register_forward_pre_hook register_full_backward_hook"
)
# Members that things with such names have: what else is called so, has none of them.
OF_PARAMETER = words("data grad requires_grad requires_grad_ device dtype shape numel detach clone copy_ ndim is_leaf")
OF_LOSS = words("item backward detach mean sum")
# Packages that give tensors to those who use them.
ABOUT_TORCH = re.compile(r"torch|^(lightning|transformers|accelerate|diffusers|timm|einops|kornia|peft|ignite)\b")
NEIGHBOURS = 12
PLURAL = re.compile(r"(?<=[a-z]{3})s$")


def guess(flow: Flow, node: ast.Attribute) -> str | None:
    """The member of a value that nothing is known of, where the names leave hardly a doubt."""
    found = likely(flow, node)
    return found if found and speaks_of_torch(flow) else None


def likely(flow: Flow, node: ast.Attribute) -> str | None:
    if isinstance(node.value, (ast.Constant, ast.JoinedStr)) or flow.names.of(node.value):
        return None
    if isinstance(node.value, ast.Name) and any(one.kind in ("import", "class") for one in flow.names.bindings(node.value)):
        return None
    name = node.attr
    parent = flow.tree.parents.get(node)
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    if name in members(TENSOR) and is_tensors(flow, node, call):
        return f"{TENSOR}.{name}"
    if name in MODULE_ONLY and call:
        return f"{MODULE}.{name}"
    owner = named_after(word_of(flow, node.value))
    if owner is None or name not in members(owner) or (name == "step" and not may_step(owner, call)):
        return None
    return f"{owner}.{name}"


def is_tensors(flow: Flow, node: ast.Attribute, call: ast.Call | None) -> bool:
    """Whether a member that tensors have is one of a tensor here: others have none, or do not take such arguments."""
    name = node.attr
    if name not in members(MODULE) and (name in TENSOR_ONLY or name.endswith("_")):
        # `accelerator.backward(loss)`, and so on: a tensor's own is hardly ever given anything but keywords.
        return not (name == "backward" and call and call.args)
    if call and name in ARRAYS_ONLY and is_computed(flow, node.value):
        return True
    if call and is_called_as_tensors(name, call) and not (name == "size" and is_sized_otherwise(node.value)):
        return True
    word = last_word(node.value).lower()
    if not isinstance(node.value, ast.Name):
        return False
    if word == "tensor":
        return True
    if word == "param" or word.endswith("_param"):
        return name in OF_PARAMETER
    return call is not None and name in OF_LOSS and (word == "loss" or word.endswith("_loss"))


def is_called_as_tensors(name: str, call: ast.Call) -> bool:
    """Whether a method is given what it is only given on tensors: `x.size(0)`, `x.repeat(1, 2, 1)`, `x.numpy()`."""
    count = len(call.args)
    if name == "size":
        return count == 1 and not call.keywords and is_whole(call.args[0])
    if name in ("repeat", "expand", "view", "permute"):
        return count > 2 and not call.keywords
    return name in ("numpy", "dim") and not count and not call.keywords


def is_sized_otherwise(node: ast.expr) -> bool:
    """Whether `size` may be that of a mesh of devices, or of a matrix that is only a rule: those are mostly held by something."""
    return isinstance(node, ast.Attribute) or re.search("mesh|group|covar|lazy|operator", last_word(node)) is not None


def is_whole(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int


def is_computed(flow: Flow, node: ast.expr) -> bool:
    """Whether something unknown made this of a tensor, where no other arrays are about, or a network has it."""
    if isinstance(node, ast.Attribute):
        owner = flow.of(node.value)
        return owner is not None and owner.kind == "instance" and owner.base == MODULE
    given = flow.of(node.args[0]) if isinstance(node, ast.Call) and node.args else None
    return given is not None and given.kind == "tensor" and flow.parameters.evidence.is_without_numpy(node)


def may_step(owner: str, call: ast.Call | None) -> bool:
    """Whether `step` is called as torch's is: what diffusion models call schedulers take a sample and a time."""
    if owner != SCHEDULER:
        return True
    words = {word.arg for word in call.keywords} if call else set[str | None]()
    return call is not None and len(call.args) <= 1 and words <= {"epoch", "metrics", None}


def named_after(word: str) -> str | None:
    """The class of torch that a variable's name speaks of: "optimizer", "lr_scheduler", "grad_scaler", "model_2"."""
    word = word.lower().rstrip("_0123456789")
    if "sched" in word:
        return SCHEDULER
    if "optim" in word or word == "opt" or word.endswith("_opt"):
        return OPTIMIZER
    if "scaler" in word:
        return SCALER
    return MODULE if word.endswith(("model", "net", "module", "network", "backbone", "encoder", "decoder")) else None


def word_of(flow: Flow, node: ast.expr) -> str:
    """What a value is called; for a short name of a loop what the thing is called that is looped over, in the singular."""
    word = last_word(node)
    if not isinstance(node, ast.Name) or len(word) > 2:
        return word
    bindings = flow.names.bindings(node)
    source = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "for" else None
    path = bindings[0].path if source else None
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and not source.args:
        wanted = {"values": (), "items": (1,)}.get(source.func.attr)
        return PLURAL.sub("", last_word(source.func.value)) if path == wanted else word
    return PLURAL.sub("", last_word(source)) if source and path == () else word


def last_word(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def speaks_of_torch(flow: Flow) -> bool:
    """Whether the file imports torch, or what is made of it, or a module of the workspace that does."""
    if flow.torch is None:
        flow.torch = imports_torch(flow) or any(imports_torch(other) for other in neighbours(flow))
    return flow.torch


def imports_torch(flow: Flow) -> bool:
    index = flow.tree.index
    modules = [node.module or "" for node in index.all(ast.ImportFrom)]
    modules += [alias.name for node in index.all(ast.Import) for alias in node.names]
    return any(ABOUT_TORCH.search(name) for name in modules)


def neighbours(flow: Flow) -> Iterator[Flow]:
    """What is known in the first few modules of the workspace that a file imports from."""
    for node in flow.tree.index.all(ast.ImportFrom)[:NEIGHBOURS]:
        module = flow.names.imports.module(node.level, node.module or "")
        if module:
            yield module.flow
