"""Whether a value hangs on the graph of weights that learn, and where it was cut off from it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.frozen import Frozen
from torch_handbook.source.scopes import Binding
from torch_handbook.source.torch_names import members, words
from torch_handbook.source.value import Value

if TYPE_CHECKING:
    from torch_handbook.source.file import File
    from torch_handbook.source.gradients import Gradients
    from torch_handbook.source.origins import Origins

Path: TypeAlias = "tuple[int | str, ...]"
DEPTH = 24
# Layers with weights of their own.
WEIGHTED = words(
    "Linear LazyLinear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag RNN"
    " LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention Transformer TransformerEncoder TransformerDecoder"
    " TransformerEncoderLayer TransformerDecoderLayer"
)
# Members of a tensor, and functions, whose result has no graph.
DEAD_MEMBERS = words(
    "item tolist size dim numel numpy argmax argmin argsort nonzero long int bool eq ne gt ge lt le data_ptr element_size"
)
FACTS = words("grad shape dtype device layout ndim is_leaf requires_grad is_cuda names")
MAKING = words(
    "zeros ones empty full rand randn randint randperm arange linspace logspace eye tensor as_tensor from_numpy zeros_like"
    " ones_like rand_like randn_like empty_like full_like randint_like bernoulli multinomial argmax argmin argsort tril_indices"
    " triu_indices eq ne gt ge lt le isnan isfinite isinf nonzero one_hot manual_seed device Size finfo iinfo bincount"
)
STEPPED = words("round floor ceil sign trunc fix bucketize searchsorted histc unique")  # their gradient is none, or zero
NUMBERS = words("int float len bool str range round id hash ord")
CONFIG = words("args arg cfg config conf hparams opt opts options flags FLAGS params hp settings")


@dataclass(frozen=True)
class Graph:
    """`live` is whether a value has a graph that leads to weights, None where that is not known.

    `cuts` are the calls that took a value off its graph on the way here: `x.detach()`, `distribution.sample()`.
    """

    live: bool | None
    cuts: tuple[ast.expr, ...] = ()


UNKNOWN, LIVE, DEAD = Graph(None), Graph(True), Graph(False)


def together(parts: Iterable[Graph]) -> Graph:
    """The graph of what is computed from all of these."""
    found = list(parts)
    cuts = tuple(dict.fromkeys(cut for part in found for cut in part.cuts))
    if any(part.live for part in found):
        return Graph(True, cuts)
    return Graph(None if any(part.live is None for part in found) else False, cuts)


def either(parts: Iterable[Graph]) -> Graph:
    """The graph of what may be any one of these."""
    found = list(parts)
    states = {part.live for part in found}
    cuts = tuple(dict.fromkeys(cut for part in found for cut in part.cuts))
    return Graph(states.pop() if len(states) == 1 else None, cuts)


@dataclass(frozen=True, eq=False)
class Graphs:
    """Answers for one file, remembered."""

    file: File
    origins: Origins
    gradients: Gradients
    known: dict[tuple[ast.AST, Path], Graph] = field(default_factory=dict[tuple[ast.AST, Path], Graph])

    @cached_property
    def frozen(self) -> Frozen:
        return Frozen(self.file)

    def of(self, node: ast.expr, path: Path = (), depth: int = 0) -> Graph:
        """The graph of an expression's value, or of the part of it that unpacking and keys at `path` give."""
        key = (node, path)
        if key not in self.known:
            if depth > DEPTH:
                return UNKNOWN
            self.known[key] = UNKNOWN  # what depends on itself is not known
            self.known[key] = self.find(node, path, depth + 1)
        return self.known[key]

    def find(self, node: ast.expr, path: Path, depth: int) -> Graph:
        if isinstance(node, ast.Constant):
            return DEAD
        if isinstance(node, ast.Name):
            return self.of_name(node, path, depth)
        if isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
            return self.of_written(node, path, depth)
        if isinstance(node, ast.Attribute):
            return self.of_attribute(node, depth) if not path else UNKNOWN
        if isinstance(node, ast.Subscript):
            return self.of_subscript(node, path, depth)
        if isinstance(node, ast.Call):
            return self.of_call(node, path, depth)
        if isinstance(node, ast.BinOp):
            return together(self.of(side, (), depth) for side in (node.left, node.right))
        if isinstance(node, ast.UnaryOp):
            return DEAD if isinstance(node.op, ast.Not) else self.of(node.operand, (), depth)
        if isinstance(node, ast.Compare):
            return DEAD
        if isinstance(node, ast.IfExp):
            return either(self.of(side, path, depth) for side in (node.body, node.orelse))
        if isinstance(node, ast.NamedExpr):
            return self.of(node.value, path, depth)
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            return self.of(node.elt, (), depth)
        return UNKNOWN

    def of_written(self, node: ast.Tuple | ast.List | ast.Dict, path: Path, depth: int) -> Graph:
        """A tuple, list or dict that is written out: one item of it, or all together."""
        if isinstance(node, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
            if not path:
                return together(self.of(value, (), depth) for value in node.values)
            return self.of(node.values[keys.index(path[0])], path[1:], depth) if path[0] in keys and None not in keys else UNKNOWN
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return UNKNOWN
        if not path:
            return together(self.of(item, (), depth) for item in node.elts)
        index = path[0]
        inside = isinstance(index, int) and -len(node.elts) <= index < len(node.elts)
        return self.of(node.elts[index], path[1:], depth) if inside and isinstance(index, int) else UNKNOWN

    def of_name(self, node: ast.Name, path: Path, depth: int) -> Graph:
        bindings = self.file.names.bindings(node)
        if not bindings or node.id in self.raised:
            return UNKNOWN
        return either(self.of_binding(binding, path, depth) for binding in bindings)

    @cached_property
    def raised(self) -> frozenset[str]:
        """The names of tensors that are made to learn after they were made: `x.requires_grad = True`, `x.requires_grad_()`."""
        found = [node for node in self.file.index.all(ast.Attribute) if isinstance(node.value, ast.Name)]
        return frozenset(
            node.value.id
            for node in found
            if isinstance(node.value, ast.Name)
            and (node.attr == "requires_grad_" or (node.attr == "requires_grad" and isinstance(node.ctx, ast.Store)))
        )

    def of_binding(self, binding: Binding, path: Path, depth: int) -> Graph:
        value = binding.value
        if binding.kind == "assign" and value is not None and binding.path is not None:
            return self.of(value, (*binding.path, *path), depth)
        if binding.kind == "augment" and value is not None:
            added, target = self.of(value, (), depth), binding.node
            earlier = self.file.names.bindings(target) if isinstance(target, ast.Name) else []
            before = [self.of_binding(one, (), depth + 1) for one in earlier if one is not binding and depth < DEPTH]
            return together((added, either(before) if before else UNKNOWN))
        if binding.kind == "for" and value is not None:
            return self.of_item(value, (*(binding.path or ()), *path), depth)
        if binding.kind == "parameter":
            return self.of_parameter(binding, path, depth + 1)
        return DEAD if binding.kind == "import" else UNKNOWN

    def of_item(self, iterated: ast.expr, path: Path, depth: int) -> Graph:
        """What a loop takes out of something."""
        if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Attribute) and iterated.func.attr == "parameters":
            return UNKNOWN if self.frozen.holds(iterated) else LIVE
        if isinstance(iterated, (ast.Tuple, ast.List)) and all(isinstance(item, ast.Constant) for item in iterated.elts):
            return DEAD
        called = iterated.func.id if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) else ""
        if called == "range":
            return DEAD
        if called == "enumerate" and isinstance(iterated, ast.Call) and iterated.args and path:
            return DEAD if path[0] == 0 else self.of_item(iterated.args[0], path[1:], depth)
        value = self.file.value_of(iterated)
        return DEAD if value is not None and value.is_a("torch.utils.data.DataLoader") else UNKNOWN

    def of_parameter(self, binding: Binding, path: Path, depth: int) -> Graph:
        """A parameter: what all the calls in the file give, or a plain number."""
        given = self.origins.callers.arguments_of(binding)
        if given:
            return either(self.of(argument, path, depth) for argument in given)
        return DEAD if is_plain(binding) else UNKNOWN

    def of_attribute(self, node: ast.Attribute, depth: int) -> Graph:
        if node.attr in FACTS or is_config(node):
            return DEAD
        if node.attr == "data":
            return self.cut(node, node.value, depth)
        value = self.file.value_of(node)
        if value is not None and value.name == "torch.nn.Parameter":
            return UNKNOWN if self.frozen.holds(node) or not value.sure else LIVE
        owner = self.file.value_of(node.value)
        if owner is not None and owner.kind == "tensor":
            return self.of(node.value, (), depth) if node.attr in ("T", "mT", "H", "mH", "real", "imag") else UNKNOWN
        if owner is None or not isinstance(owner.node, ast.ClassDef):
            return DEAD if (self.file.name_of(node) or "").startswith(("torch.", "math.", "numpy.")) else UNKNOWN
        found = self.file.flow.classes.lookup(owner.node, node.attr)
        if len(found) == 1 and found[0].kind == "assign" and isinstance(found[0].value, (ast.Call, ast.BinOp)):
            return self.of_binding(found[0], (), depth)
        return either(map(self.of_stored, found)) if found else UNKNOWN

    def of_stored(self, binding: Binding) -> Graph:
        """What a method keeps in an attribute: known where it is a number."""
        value = binding.value
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Attribute) and is_config(value)):
            return DEAD
        meant = self.file.names.bindings(value) if isinstance(value, ast.Name) else []
        return DEAD if meant and all(one.kind == "parameter" and is_plain(one) for one in meant) else UNKNOWN

    def of_subscript(self, node: ast.Subscript, path: Path, depth: int) -> Graph:
        value = self.file.value_of(node.value)
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.operand, ast.Constant):
            index = -node.slice.operand.value if isinstance(node.slice.operand.value, int) else None
        if value is not None and value.kind == "tensor":
            return self.of(node.value, (), depth)
        return self.of(node.value, (index, *path), depth) if isinstance(index, (int, str)) else UNKNOWN

    def cut(self, node: ast.expr, inner: ast.expr, depth: int) -> Graph:
        """What takes a value off its graph; a cut is told only where there surely was one."""
        graph = self.of(inner, (), depth)
        return Graph(False, (*graph.cuts, node)) if graph.live else Graph(False, graph.cuts)

    def of_call(self, call: ast.Call, path: Path, depth: int) -> Graph:
        if self.gradients.off_at(call):
            return UNKNOWN
        name = self.file.name_of(call.func)
        if name is not None:
            return self.of_public(name, call, path, depth)
        function = self.origins.function_of(call)
        if function is not None:
            return self.of_returns(function, path, depth)
        if isinstance(call.func, ast.Name) and not self.file.names.bindings(call.func):
            return self.of_builtin(call.func.id, call, depth)
        value = self.file.value_of(call.func)
        if value is not None and value.kind == "instance":
            return self.of_layer(value, call, path, depth)
        return self.of_method(call, call.func, depth) if isinstance(call.func, ast.Attribute) else UNKNOWN

    def of_public(self, name: str, call: ast.Call, path: Path, depth: int) -> Graph:
        """A function or class of a library."""
        owner, _, last = name.rpartition(".")
        if owner in ("math", "numpy", "random", "time") or name.startswith("numpy."):
            return DEAD
        if name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
            return UNKNOWN if any(word.arg == "requires_grad" for word in call.keywords) else LIVE
        wants = [word.value for word in call.keywords if word.arg == "requires_grad"]
        if wants:
            return LIVE if isinstance(wants[0], ast.Constant) and wants[0].value is True else UNKNOWN
        if last in MAKING and name.startswith("torch."):
            return DEAD
        plain = owner in ("torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft")
        if last not in STEPPED and (plain or name.startswith("torch.distributions.") or owner == "einops"):
            return self.of_arguments(call, depth)
        return UNKNOWN

    def of_arguments(self, call: ast.Call, depth: int) -> Graph:
        given = [*call.args, *(word.value for word in call.keywords)]
        if any(isinstance(item, ast.Starred) for item in given) or any(word.arg is None for word in call.keywords):
            return UNKNOWN
        return together(self.of(item, (), depth) for item in given)

    def of_builtin(self, name: str, call: ast.Call, depth: int) -> Graph:
        if name in NUMBERS:
            return DEAD
        return self.of_arguments(call, depth) if name in ("sum", "abs", "max", "min", "pow") else UNKNOWN

    def of_returns(self, function: ast.AST, path: Path, depth: int) -> Graph:
        if not isinstance(function, FUNCTIONS) or self.is_off(function):
            return UNKNOWN
        found = self.file.flow.parameters.returns_of(function) or []
        return either(self.of(one, path, depth) if one is not None else UNKNOWN for one in found) if found else UNKNOWN

    def is_off(self, function: ast.AST) -> bool:
        """Whether a function runs without gradients by its decorator."""
        return isinstance(function, FUNCTIONS) and any(self.gradients.is_off(one) for one in function.decorator_list)

    def of_layer(self, value: Value, call: ast.Call, path: Path, depth: int) -> Graph:
        """What calling a network gives."""
        if isinstance(value.node, ast.ClassDef):
            found = self.file.flow.classes.lookup(value.node, "forward")
            frozen = self.frozen.holds(call.func)
            return self.of_returns(found[0].node, path, depth) if len(found) == 1 and not frozen else UNKNOWN
        if value.base != "torch.nn.Module":
            return UNKNOWN
        if self.learns(value):
            return UNKNOWN if self.frozen.holds(call.func) else LIVE
        loose = value.name in ("torch.nn.Module", "torch.nn.Sequential", "torch.nn.DataParallel") or not value.sure
        return UNKNOWN if loose else self.of_arguments(call, depth)

    def learns(self, value: Value | None) -> bool:
        """Whether it is a layer of torch's with weights, or a row of layers that has one."""
        if value is None or not value.sure:
            return False
        if value.name == "torch.nn.Sequential":
            return any(map(self.learns, value.items))
        return value.name.startswith("torch.nn.") and value.name.rpartition(".")[2] in WEIGHTED

    def of_method(self, call: ast.Call, function: ast.Attribute, depth: int) -> Graph:
        """A method of a tensor or of a distribution."""
        name = function.attr
        owner = self.file.value_of(function.value)
        if owner is not None and owner.name.startswith("torch.distributions."):
            if name in ("sample", "sample_n"):
                return self.cut(call, function.value, depth)
            return together((self.of(function.value, (), depth), self.of_arguments(call, depth)))
        if name in ("detach", "detach_"):
            return self.cut(call, function.value, depth)
        graph = self.of(function.value, (), depth)
        if name in DEAD_MEMBERS:
            return DEAD
        if name == "requires_grad_":
            return UNKNOWN if call.args or call.keywords else LIVE
        known = graph.live is not None or (owner is not None and owner.kind == "tensor")
        if name not in members("torch.Tensor") or name in STEPPED or not known:
            return UNKNOWN
        return together((graph, self.of_arguments(call, depth)))


def is_plain(binding: Binding) -> bool:
    """Whether a parameter is a number or a string, by its default or its annotation."""
    if isinstance(binding.annotation, ast.Name) and binding.annotation.id in ("int", "float", "bool", "str"):
        return True
    return isinstance(binding.value, ast.Constant) and isinstance(binding.value.value, (int, float, str))


def is_config(node: ast.Attribute) -> bool:
    """Whether it is a setting: `args.beta`, `self.cfg.loss.weight`."""
    inner: ast.expr = node.value
    while isinstance(inner, ast.Attribute):
        if inner.attr in CONFIG:
            return True
        inner = inner.value
    return isinstance(inner, ast.Name) and inner.id in CONFIG
