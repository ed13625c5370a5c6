"""Changes in place, as they are written: what they change, and how the same is written without one."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_handbook.source.scopes import Binding
from torch_handbook.source.text import Span, span_of

if TYPE_CHECKING:
    from torch_handbook.source.file import File

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
# Methods whose result may share memory with the tensor: through it the change in place would be seen elsewhere.
SHARING = frozenset(
    {
        *("view", "reshape", "transpose", "permute", "t", "flatten", "squeeze", "unsqueeze", "expand", "narrow", "select"),
        *("split", "chunk", "unbind", "unfold", "detach", "numpy", "diagonal", "movedim", "swapaxes", "view_as", "expand_as"),
        *("contiguous", "to", "type_as", "float", "double", "half", "cpu", "cuda", "T", "mT", "H", "data", "real", "imag"),
        *("requires_grad_", "register_hook", "retain_grad", "share_memory_", "set_"),
    }
)
# Methods that set a tensor to something that does not depend on it: without the underscore they are another thing, or none.
SETTING = frozenset({"copy_", "zero_", "fill_", "set_", "requires_grad_", "detach_"})


@dataclass(frozen=True)
class Change:
    """A statement or a call that changes something in place.

    `target` is the expression that is changed, `whole` whether it is changed under its own name (`x += 1`) and not in a part
    (`x[0] = 1`); `plain` is how the same value is computed anew, where that can be written.
    """

    node: ast.AST
    target: ast.expr
    whole: bool
    plain: str | None = None


def change_at(file: File, nodes: list[ast.AST]) -> Change | None:
    """The change in place that the nodes at one place make."""
    for node in nodes:
        if isinstance(node, ast.AugAssign):
            return augmented(file, node)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            return Change(node, node.targets[0].value, whole=False)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            return method(file, node, node.func)
        if isinstance(node, ast.Call) and node.args and has_inplace(node):
            return Change(node, node.args[0], whole=False)
    return None


def augmented(file: File, node: ast.AugAssign) -> Change:
    if isinstance(node.target, ast.Subscript):
        return Change(node, node.target.value, whole=False)
    value = text_of(file, node.value)
    value = value if isinstance(node.value, (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)) else f"({value})"
    return Change(node, node.target, True, f"{text_of(file, node.target)} {OPERATORS[type(node.op)]} {value}")


def method(file: File, node: ast.Call, function: ast.Attribute) -> Change:
    """`x.add_(1)` is `x.add(1)` where that statement stands alone."""
    alone = isinstance(file.parent_of(node), ast.Expr)
    target = text_of(file, function.value)
    arguments = file.text.slice(Span(*span_of(function).end, *span_of(node).end))
    plain = f"{target}.{function.attr[:-1]}{arguments}"
    return Change(node, function.value, True, plain if alone and function.attr not in SETTING else None)


def text_of(file: File, node: ast.AST) -> str:
    return file.text.slice(span_of(node))


def has_inplace(call: ast.Call) -> bool:
    """Whether a call says `inplace=True`."""
    return any(keyword.arg == "inplace" and is_true(keyword.value) for keyword in call.keywords)


def is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def inplace_argument(call: ast.Call) -> Span | None:
    """The span of `inplace=True` in a call, with the comma that goes with it."""
    arguments: list[ast.AST] = [*call.args, *call.keywords]
    for index, argument in enumerate(arguments):
        if not isinstance(argument, ast.keyword) or argument.arg != "inplace":
            continue
        if not is_true(argument.value):
            return None
        span = span_of(argument)
        if index > 0:
            return Span(*span_of(arguments[index - 1]).end, *span.end)
        return Span(*span.start, *span_of(arguments[1]).start) if len(arguments) > 1 else span
    return None


def is_private(file: File, change: Change, *, expanded: bool = False) -> bool:
    """Whether nothing but the name itself can see the change: then a new value under the same name is as good.

    The name must have been given a fresh value, and nothing before the change may have kept it or a view of it. Expanded
    memory counts as fresh where torch refuses to change it at all.
    """
    if not isinstance(change.target, ast.Name) or not change.whole:
        return False
    bindings = file.names.bindings(change.target)
    if not bindings or not all(is_fresh_binding(file, binding, expanded) for binding in bindings):
        return False
    home = file.scope_of(change.target)
    scope = home.find(change.target.id)
    if scope is None or scope is not home or scope.kind == "class" or any(binding.foreign for binding in bindings):
        return False
    return all(not keeps(file, node, change) for node in reads(file, change.target.id))


def reads(file: File, name: str) -> list[ast.Name]:
    return [node for node in file.index.names.get(name, ()) if isinstance(node.ctx, ast.Load)]


def is_fresh_binding(file: File, binding: Binding, expanded: bool) -> bool:
    if binding.kind == "augment":
        return True
    if binding.kind != "assign" or binding.path != () or binding.value is None:
        return False
    made = binding.value.func if isinstance(binding.value, ast.Call) else None
    if expanded and isinstance(made, ast.Attribute) and made.attr in ("expand", "expand_as"):
        return True
    return is_fresh(file, binding.value)


def is_fresh(file: File, value: ast.expr) -> bool:
    """Whether an expression makes memory of its own."""
    if isinstance(value, (ast.BinOp, ast.UnaryOp)):
        return True
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute) and value.func.attr in SHARING:
        return False
    name = file.name_of(value.func)
    if name is not None:
        return name.startswith("torch.") and name.rpartition(".")[2] not in SHARING | {"from_numpy", "as_tensor", "dropout"}
    called = file.value_of(value.func)
    if called is not None and called.kind == "instance":
        return called.base == "torch.nn.Module" and called.name.startswith("torch.nn.") and "Identity" not in called.name
    owner = file.value_of(value.func.value) if isinstance(value.func, ast.Attribute) else None
    return owner is not None and owner.kind == "tensor"


def keeps(file: File, node: ast.Name, change: Change) -> bool:
    """Whether a use of the name may keep the tensor, or a view of it, beyond its own expression."""
    parent = file.parent_of(node)
    if parent is change.node or change.node in file.grown.ancestors(node) or comes_after(file, node, change):
        return False
    if isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Return, ast.AugAssign, ast.If, ast.Expr)):
        return isinstance(parent, ast.AugAssign) and parent.value is not node
    if isinstance(parent, ast.Attribute):
        return parent.attr in SHARING
    if isinstance(parent, ast.Call):
        name = file.name_of(parent.func)
        return name is None or not name.startswith("torch.") or name.rpartition(".")[2] in SHARING
    return True


def comes_after(file: File, node: ast.Name, change: Change) -> bool:
    """Whether a use is behind the change on every way, since no loop holds both."""
    if span_of(node).start < span_of(change.node).end:
        return False
    loops = [around for around in file.grown.ancestors(change.node) if isinstance(around, (ast.For, ast.AsyncFor, ast.While))]
    around = set(file.grown.ancestors(node))
    return not any(loop in around for loop in loops)
