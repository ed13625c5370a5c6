"""The dtype of a tensor, as far as the file says: constructors, conversions, comparisons, and what keeps a dtype."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torch_handbook.source.numpy_dtypes import array_dtype, dtype_word
from torch_handbook.source.scopes import Binding
from torch_handbook.source.torch_names import words

if TYPE_CHECKING:
    from torch_handbook.source.callers import Callers
    from torch_handbook.source.file import File

DEPTH = 24
WHOLE = frozenset({"uint8", "int8", "int16", "int32", "int64"})
FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
CASTS = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
}
OF_ANYTHING = frozenset({"long", "byte", "bool", "short", "char"})  # conversions that no module and no array has
MAKES_FLOAT = words("zeros ones rand randn empty eye linspace logspace hann_window hamming_window")
MAKES_INT64 = words("randint randperm argmax argmin argsort nonzero bincount searchsorted bucketize multinomial count_nonzero")
MAKES_BOOL = words(
    "eq ne lt gt le ge isnan isinf isfinite isclose isin logical_and logical_or logical_not logical_xor greater less equal_to"
)
LIKE = words("zeros_like ones_like rand_like randn_like empty_like full_like")
NEW = words("new_zeros new_ones new_empty new_full")
KEEPS = words(
    "abs clamp clip clamp_min clamp_max flip roll tril triu unsqueeze squeeze transpose permute reshape view flatten view_as"
    " masked_fill gather index_select take repeat_interleave clone detach contiguous expand expand_as repeat narrow select"
    " unflatten movedim swapaxes t ravel round floor ceil relu masked_select masked_scatter scatter scatter_add index_fill"
    " cuda cpu pin_memory requires_grad_ masked_fill_ clamp_ fill_ zero_ copy_ scatter_ scatter_add_ index_fill_ add_ mul_ sub_"
    " squeeze_ unsqueeze_ triu_ tril_ expand_dims"
)
JOINS = words("cat stack hstack vstack concat concatenate")
TOTALS = words("sum prod cumsum cumprod")
FLOATING = words("exp log log2 log10 log1p expm1 sqrt rsqrt sin cos tan tanh sigmoid reciprocal mean std var norm erf")
PAIRS = words("max min sort topk median mode kthvalue cummax cummin")


@dataclass(eq=False)
class Dtypes:
    """Answers for one file: names such as "uint8", or None where the file does not say."""

    file: File
    callers: Callers
    known: dict[ast.AST, str | None] = field(default_factory=dict[ast.AST, "str | None"])
    depth: int = 0

    def of(self, node: ast.expr | None) -> str | None:
        """What the tensor that an expression gives is made of."""
        if node is None or self.depth > DEPTH:
            return None
        if node not in self.known:
            self.known[node] = None  # what refers to itself says nothing
            self.depth += 1
            try:
                self.known[node] = self.find(node)
            finally:
                self.depth -= 1
        return self.known[node]

    def find(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return self.of_name(node)
        if isinstance(node, ast.Call):
            return self.of_call(node)
        if isinstance(node, ast.Subscript):
            return self.of(node.value) if self.is_tensor(node.value) else None
        if isinstance(node, ast.Attribute):
            return self.of(node.value) if node.attr in ("T", "mT", "H", "data", "grad", "real") else None
        if isinstance(node, ast.Compare):
            return "bool" if any(self.is_tensor(side) for side in (node.left, *node.comparators)) and is_plain(node) else None
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self.of(node.operand)
        if isinstance(node, ast.BinOp):
            return self.of_operator(node)
        if isinstance(node, ast.IfExp):
            return agreed([self.of(node.body), self.of(node.orelse)])
        return None

    def is_tensor(self, node: ast.expr) -> bool:
        value = self.file.value_of(node)
        return (value is not None and value.kind == "tensor") or self.of(node) is not None

    def of_name(self, node: ast.Name) -> str | None:
        return agreed([self.of_binding(binding) for binding in self.file.names.bindings(node)])

    def of_binding(self, binding: Binding) -> str | None:
        if binding.kind == "parameter":
            given = self.callers.arguments_of(binding)
            return agreed([self.of(one) for one in given]) if given else None
        if binding.kind == "augment" and isinstance(binding.node, ast.Name) and binding.value is not None:
            return self.of_augmented(binding.node, binding)
        if binding.kind == "for" and binding.path == () and binding.value is not None:
            return self.of(binding.value) if self.is_tensor(binding.value) else None
        if binding.kind != "assign" or binding.value is None or binding.path is None:
            return None
        return self.part(binding.value, binding.path)

    def of_augmented(self, node: ast.Name, augmented: Binding) -> str | None:
        """`x += y` keeps what x was, where x surely is a tensor: what it was before is what the others bind."""
        scope = self.file.scope_of(node).find(node.id)
        others = [one for one in (scope.bindings.get(node.id, []) if scope else []) if one.kind != "augment"]
        return agreed([self.of_binding(one) for one in others]) if augmented not in others else None

    def part(self, value: ast.expr, path: tuple[int, ...]) -> str | None:
        """What unpacking at a path gives of a value."""
        if not path:
            return self.of(value)
        if isinstance(value, (ast.Tuple, ast.List)) and path[0] < len(value.elts):
            return self.part(value.elts[path[0]], path[1:])
        if isinstance(value, ast.Call) and path in ((0,), (1,)):
            last = self.short_name(value)
            if last in PAIRS:
                return "int64" if path == (1,) else self.of(self.subject(value))
        return None

    def short_name(self, call: ast.Call) -> str:
        """The last part of the name of a torch function, or of a method of a tensor; "" for others."""
        name = self.file.name_of(call.func)
        if name is not None:
            return name.rpartition(".")[2] if name.startswith("torch.") else ""
        if isinstance(call.func, ast.Attribute) and self.is_tensor(call.func.value):
            return call.func.attr
        return ""

    def subject(self, call: ast.Call) -> ast.expr | None:
        """The tensor that a call is about: what its method is called on, or its first argument."""
        if self.file.name_of(call.func) is None and isinstance(call.func, ast.Attribute):
            return call.func.value
        return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None

    def of_call(self, call: ast.Call) -> str | None:
        name = self.file.name_of(call.func)
        if name is not None:
            return self.of_function(name, call)
        if isinstance(call.func, ast.Attribute):
            owner = call.func.value
            if call.func.attr in CASTS and not call.args:
                sure = call.func.attr in OF_ANYTHING or self.is_tensor(owner)
                return CASTS[call.func.attr] if sure else None
            if self.is_tensor(owner):
                return self.of_method(call.func.attr, owner, call)
        return self.of_result(call)

    def of_result(self, call: ast.Call) -> str | None:
        """What a function of this file returns."""
        meant = self.file.names.bindings(call.func) if isinstance(call.func, ast.Name) else []
        function = meant[0].node if len(meant) == 1 else None
        if not isinstance(function, ast.FunctionDef):
            return None
        found = self.file.flow.parameters.returns_of(function)
        return agreed([self.of(one) for one in found]) if found else None

    def asked(self, call: ast.Call) -> str | None:
        """The dtype that a call asks for by keyword; "?" where it asks for one that is not known."""
        given = [word.value for word in call.keywords if word.arg == "dtype"]
        if any(word.arg is None for word in call.keywords):
            return "?"
        if not given or (isinstance(given[0], ast.Constant) and given[0].value is None):
            return None
        return self.named(given[0]) or "?"

    def named(self, node: ast.expr) -> str | None:
        """The dtype that an expression names: `torch.uint8`, `x.dtype`."""
        name = self.file.name_of(node)
        if name is not None and name.startswith("torch."):
            return dtype_word(name)
        return self.of(node.value) if isinstance(node, ast.Attribute) and node.attr == "dtype" else None

    def of_function(self, name: str, call: ast.Call) -> str | None:
        owner, _, last = name.rpartition(".")
        asked = self.asked(call)
        if not owner.startswith("torch"):
            return None
        if asked is not None:
            return asked if asked != "?" and (owner == "torch" or last in TOTALS) else None
        if owner == "torch.nn.functional":
            return self.of(self.subject(call)) if last in ("relu", "pad", "interpolate", "dropout", "gelu") else None
        if owner != "torch":
            return None
        if last in MAKES_FLOAT:
            return "float32" if self.default_float else None
        if last in ("tensor", "as_tensor", "from_numpy", "full", "arange"):
            return self.of_data(last, call)
        first = self.subject(call)
        return self.of_method(last, first, call, 1) if first is not None else None

    @property
    def default_float(self) -> bool:
        """Whether the file leaves the type of new tensors at float32."""
        return not any(word in self.file.text.content for word in ("set_default_dtype", "set_default_tensor_type"))

    def of_data(self, last: str, call: ast.Call) -> str | None:
        """Of what a tensor is made that takes its type from the values."""
        if not call.args or any(isinstance(item, ast.Starred) for item in call.args):
            return None
        if last == "full":
            return self.of_values(call.args[1]) if len(call.args) > 1 else None
        if last == "arange":
            return agreed([self.of_values(item) for item in call.args])
        first = call.args[0]
        array = array_dtype(self.file, first)
        if array is not None or last == "from_numpy":
            return array
        return self.of(first) if last == "as_tensor" and self.is_tensor(first) else self.of_values(first)

    def of_values(self, node: ast.expr) -> str | None:
        """The dtype that numbers written out become."""
        kinds = number_kinds(self.file, node)
        if kinds is None or not kinds:
            return None
        if "float" in kinds:
            return "float32" if self.default_float else None
        return "int64" if "int" in kinds else "bool"

    def of_method(self, last: str, owner: ast.expr, call: ast.Call, skipped: int = 0) -> str | None:
        """What a method of a tensor gives, or the function of the same name."""
        asked = self.asked(call)
        if last in ("to", "type"):
            return self.converted(owner, call)
        if last == "type_as":
            return self.of(call.args[0]) if call.args else None
        if last in MAKES_BOOL:
            return "bool"
        if last in MAKES_INT64:
            return "int64"
        if asked is not None and last in LIKE | NEW | TOTALS:
            return asked if asked != "?" else None
        if last in ("any", "all"):
            return "uint8" if self.of(owner) == "uint8" else "bool"
        if last in LIKE | NEW | KEEPS:
            return self.of(owner)
        if last in JOINS and isinstance(owner, (ast.List, ast.Tuple)):
            return agreed([self.of(item) for item in owner.elts])
        if last in ("max", "min") and len(call.args) == skipped and not call.keywords:
            return self.of(owner)
        if last == "where" and len(call.args) == 3:
            return agreed([self.of(item) or self.of_values(item) for item in call.args[1:]])
        kind = self.of(owner)
        if last in TOTALS and kind is not None:
            return kind if kind in FLOATS else "int64"
        return floating(kind) if last in FLOATING else None

    def converted(self, owner: ast.expr, call: ast.Call) -> str | None:
        """`x.to(…)` and `x.type(…)`: another dtype, another device, or both."""
        asked = self.asked(call)
        if asked is not None:
            return asked if asked != "?" else None
        if any(isinstance(item, ast.Starred) for item in call.args):
            return None
        given = [found for item in call.args if (found := self.named(item))]
        if given:
            return given[0]
        return self.of(owner) if all(self.is_device(item) for item in call.args) else None

    def is_device(self, node: ast.expr) -> bool:
        """Whether an argument of `to` surely is a device, and no dtype or tensor."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (str, int, bool))
        if isinstance(node, (ast.Name, ast.Attribute)) and "device" in (node.id if isinstance(node, ast.Name) else node.attr):
            return True
        value = self.file.value_of(node)
        return value is not None and (value.name in ("torch.device", "str", "int") or value.base == "torch.device")

    def of_operator(self, node: ast.BinOp) -> str | None:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(node.op, ast.MatMult):
            return left if left == right and "autocast" not in self.file.text.content else None
        if isinstance(node.op, ast.Sub) and "bool" in (left, right):
            return None  # it raises
        if left is not None and right is not None:
            return quotient(promoted(left, right), node.op)
        tensor, other = (left, node.right) if left is not None else (right, node.left)
        kinds = number_kinds(self.file, other)
        if tensor is None or not kinds:
            return None
        if "float" in kinds and tensor not in FLOATS:
            return "float32"
        if tensor == "bool" and "int" in kinds:
            return quotient("int64", node.op)
        return quotient(tensor, node.op)


def is_plain(node: ast.Compare) -> bool:
    """Whether a comparison is of values: no `is`, no `in`."""
    return not any(isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operator in node.ops)


def agreed(found: list[str | None]) -> str | None:
    """What all say; None where one does not know, or they differ."""
    return found[0] if found and all(one == found[0] for one in found) else None


def floating(kind: str | None) -> str | None:
    """What a function of analysis makes of a dtype."""
    return None if kind is None else kind if kind in FLOATS else "float32"


def quotient(kind: str | None, operator: ast.operator) -> str | None:
    """The type of a result, given that of its operands: `/` gives floats."""
    return floating(kind) if isinstance(operator, ast.Div) else kind


def promoted(left: str, right: str) -> str | None:
    """What two tensors of these dtypes are computed in; None for pairs that are rare."""
    if left == right:
        return left
    for kinds in (FLOATS, WHOLE):
        inside = [kind for kind in (left, right) if kind in kinds]
        if len(inside) == 1:
            return inside[0]
        if len(inside) == 2:
            order = ("uint8", "int16", "int32", "int64", "float16", "float32", "float64")
            return max(inside, key=order.index) if all(kind in order for kind in inside) else None
    return None


def number_kinds(file: File, node: ast.expr) -> set[str] | None:
    """Which of "bool", "int" and "float" the numbers in an expression are; None where one is not known."""
    if isinstance(node, ast.Constant):
        kind = type(node.value).__name__
        return {kind} if kind in ("bool", "int", "float") else None
    if isinstance(node, (ast.List, ast.Tuple)):
        return together(file, node.elts)
    if isinstance(node, ast.UnaryOp):
        return number_kinds(file, node.operand)
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            return number_kinds(file, node.left)
        kinds = together(file, [node.left, node.right])
        return {"float"} if kinds and isinstance(node.op, ast.Div) else kinds
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return number_kinds(file, node.elt)
    value = file.value_of(node)
    if value is not None and value.kind == "literal" and value.sure and value.name in ("bool", "int", "float"):
        return {value.name}
    if value is not None and value.kind == "sequence" and value.name != "dict" and value.items:
        kinds = [item.name if item is not None and item.kind == "literal" and item.sure else "" for item in value.items]
        return set(kinds) if all(kind in ("bool", "int", "float") for kind in kinds) else None
    return None


def together(file: File, nodes: list[ast.expr]) -> set[str] | None:
    found: set[str] = set()
    for node in nodes:
        kinds = number_kinds(file, node)
        if kinds is None:
            return None
        found |= kinds
    return found
