"""What in a file is an nn.Module: the classes that derive from it, and the calls that make one."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property

from torch_handbook.source.flow import Flow
from torch_handbook.source.value import Value

# Classes of other libraries that are modules.
FOREIGN = frozenset(
    {
        "pytorch_lightning.LightningModule",
        "lightning.LightningModule",
        "lightning.pytorch.LightningModule",
        "transformers.PreTrainedModel",
        "torchvision.models.ResNet",
    }
)
TORCH_MODULE = re.compile(r"torch\.nn\.[A-Z]\w*")
NO_MODULES = frozenset({"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"})
# Modules without parameters, buffers or a training mode: whether they are registered changes nothing.
STATELESS = re.compile(
    r"torch\.nn\.(?:\w*Loss|\w*Pool[123]d|\w*Pad[123]d|\w*Upsampl\w*|(?:Un)?[Ff]latten|Identity|(?:Un)?[Ff]old|Pixel(?:Un)?[Ss]huffle"
    r"|ChannelShuffle|CosineSimilarity|PairwiseDistance|(?:Log)?Softmax(?:2d)?|Softmin|Softplus|Soft[Ss]ign|Softshrink|Hardshrink|Tanhshrink"
    r"|Threshold|ReLU6?|LeakyReLU|ELU|CELU|SELU|GELU|SiLU|Mish|GLU|Hardtanh|Hardswish|Hardsigmoid|Sigmoid|LogSigmoid|Tanh)"
)
CONTAINERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})


@dataclass(frozen=True, eq=False)
class Modules:
    """Answers for one file."""

    flow: Flow
    stateful: dict[ast.ClassDef, bool] = field(default_factory=dict[ast.ClassDef, bool])
    derived: dict[ast.ClassDef, bool] = field(default_factory=dict[ast.ClassDef, bool])

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes of the file by name, where the name is defined once."""
        bindings = self.flow.tree.module.bindings
        found = {name: rows[0].node for name, rows in bindings.items() if len(rows) == 1}
        return {name: node for name, node in found.items() if isinstance(node, ast.ClassDef)}

    def local_class(self, node: ast.expr | None) -> ast.ClassDef | None:
        """The class of this file that a name means."""
        if not isinstance(node, ast.Name):
            return None
        scope = self.flow.tree.scope_of(node).find(node.id)
        return self.classes.get(node.id) if scope is not None and scope.parent is None else None

    def class_elsewhere(self, node: ast.expr) -> Value | None:
        """The class of another file of the workspace that an expression means, if it is surely a module."""
        value = self.flow.of(node)
        if value is None or value.kind != "class" or value.away is None:
            return None
        return value if value.base == "torch.nn.Module" and value.sure else None

    def is_module_class(self, node: ast.ClassDef, depth: int = 0) -> bool:
        """Whether a class derives from torch.nn.Module, through classes of the workspace or known ones."""
        if node not in self.derived:
            found = depth < 20 and any(self.is_module_base(base, depth) for base in node.bases)
            if depth:  # a class may derive from itself: what was found on the way is not the last word
                return found
            self.derived[node] = found
        return self.derived[node]

    def is_module_base(self, base: ast.expr, depth: int) -> bool:
        name = self.flow.name_of(base)
        if name is not None and (name in FOREIGN or is_torch_module(name)):
            return True
        local = self.local_class(base)
        return self.is_module_class(local, depth + 1) if local is not None else self.class_elsewhere(base) is not None

    def made_by(self, node: ast.expr | None) -> str | ast.ClassDef | Value | None:
        """What a call makes an instance of: the public name of a torch module, or a module class of this file or another."""
        if not isinstance(node, ast.Call):
            return None
        name = self.flow.name_of(node.func)
        if name is not None and is_torch_module(name):
            return name
        local = self.local_class(node.func)
        if local is None:
            return self.class_elsewhere(node.func)
        return local if self.is_module_class(local) else None

    def keeps_state(self, node: ast.expr) -> bool:
        """Whether the module that a call makes has parameters, buffers or a mode, as far as can be seen."""
        made = self.made_by(node)
        if isinstance(made, ast.ClassDef):
            return self.class_keeps_state(made)
        if isinstance(made, Value):
            return self.keeps_state_elsewhere(made)
        if made is None or not isinstance(node, ast.Call):
            return False
        if made in CONTAINERS:
            return any(self.made_by(item) is None or self.keeps_state(item) for item in node.args)
        return STATELESS.fullmatch(made) is None

    def keeps_state_elsewhere(self, value: Value) -> bool:
        """The same for a class of another file, by what is known there."""
        home, node = self.flow.home_of(value)
        return isinstance(node, ast.ClassDef) and Modules(home, self.stateful).class_keeps_state(node)

    def class_keeps_state(self, node: ast.ClassDef) -> bool:
        if node not in self.stateful:
            self.stateful[node] = True  # a class that holds itself is taken to have state
            calls = self.flow.tree.index.inside(node, ast.Call)
            inherited = any(self.base_keeps_state(base) for base in node.bases)
            self.stateful[node] = inherited or any(self.keeps_state(call) or self.registers(call) for call in calls)
        return self.stateful[node]

    def base_keeps_state(self, base: ast.expr) -> bool:
        local = self.local_class(base)
        if local is not None:
            return self.class_keeps_state(local)
        if (elsewhere := self.class_elsewhere(base)) is not None:
            return self.keeps_state_elsewhere(elsewhere)
        return self.flow.name_of(base) != "torch.nn.Module" and STATELESS.fullmatch(self.flow.name_of(base) or "") is None

    def registers(self, call: ast.Call) -> bool:
        """Whether a call makes a parameter or a buffer."""
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("register_buffer", "register_parameter"):
            return True
        return self.flow.name_of(call.func) in ("torch.nn.Parameter", "torch.nn.Buffer")


def is_torch_module(name: str) -> bool:
    return TORCH_MODULE.fullmatch(name) is not None and name.rpartition(".")[2] not in NO_MODULES
