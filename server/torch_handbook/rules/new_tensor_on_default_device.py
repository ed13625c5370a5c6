"""forward makes a tensor on the CPU, and combines it with what is on the module's device.

Why
    torch.zeros(n) and its like are on the CPU, however the module was moved: on a GPU the first operation with an activation
    raises "Expected all tensors to be on the same device". Give device=x.device, or make it with x.new_zeros(n).

Bad
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.RNNCell(4, 4)

        def forward(self, x):
            state = torch.zeros(x.size(0), 4)
            return self.cell(x, state)

Good
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.RNNCell(4, 4)

        def forward(self, x):
            state = torch.zeros(x.size(0), 4, device=x.device)
            return self.cell(x, state)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("new-tensor-on-default-device", Severity.ERROR, Category.DEVICE, entry="torch.zeros")

FACTORIES = frozenset(f"torch.{name}" for name in words("zeros ones full rand randn empty eye arange linspace"))
SHAPING = words("view reshape expand repeat unsqueeze squeeze transpose permute t")
COMBINING = frozenset(f"torch.{name}" for name in words("mul add sub div matmul bmm mm cat stack"))
MOVED = re.compile(r"\.(?:to|cuda|type_as|new_\w+|cpu|get_device)\(|with torch\.device|is_meta")


@RULE.on(ast.ClassDef)
def on_the_cpu(node: ast.ClassDef, context: Context) -> Findings:
    if not context.modules.is_module_class(node) or not speaks_of_devices(context):
        return
    forward = next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "forward"), None)
    if forward is None or MOVED.search(ast.unparse(forward)):
        return
    told: set[ast.expr] = set()
    for part in ast.walk(forward):
        for operand in operands(part, context):
            for made in makers(operand, context):
                if made not in told:
                    told.add(made)
                    text = f"{ast.unparse(made.func)} is on the CPU, wherever the module is: give device"
                    yield Finding.at(made, text, fix=with_device(made, forward, context))


def speaks_of_devices(context: Context) -> bool:
    """Whether the file moves something to a GPU at all, and does not set a default for all tensors."""
    text = context.file.text.content
    return ("cuda" in text or ".to(device" in text) and "set_default" not in text


def operands(node: ast.AST, context: Context) -> list[ast.expr]:
    """What meets tensors of the module's device: the sides of arithmetic with one, the arguments of a layer."""
    if isinstance(node, ast.BinOp):
        values = [context.value_of(side) for side in (node.left, node.right)]
        return [node.left, node.right] if all(value is not None and value.kind == "tensor" for value in values) else []
    if not isinstance(node, ast.Call):
        return []
    if context.name_of(node.func) in COMBINING:
        first = node.args[0] if node.args else None
        return first.elts if isinstance(first, (ast.List, ast.Tuple)) else node.args
    layer = context.value_of(node.func)
    own = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "self"
    known = layer is not None and layer.kind == "instance" and layer.name.startswith("torch.nn.") and layer.sure
    return node.args if own and known else []


def makers(node: ast.expr, context: Context) -> list[ast.Call]:
    """The calls that may have made an operand on the default device."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SHAPING:
        if context.name_of(node.func) is not None:
            break
        node = node.func.value
    found: list[ast.Call] = []
    for origin in context.origins.of(node):
        call = origin.node
        if origin.name in FACTORIES and isinstance(call, ast.Call) and is_plain(call, context):
            found.append(call)
    return found


def is_plain(call: ast.Call, context: Context) -> bool:
    """Whether a factory says nothing of a device, gives axes, and the function that it is in moves nothing."""
    if any(word.arg in ("device", "out", None) for word in call.keywords) or not call.args:
        return False
    first = call.args[0]
    sizes = first.elts if isinstance(first, (ast.Tuple, ast.List)) else [first]
    if not sizes or any(isinstance(size, ast.Constant) and size.value == 0 for size in sizes):
        return False
    method = context.file.enclosing(call, ast.FunctionDef)
    return isinstance(method, ast.FunctionDef) and not MOVED.search(ast.unparse(method))


def with_device(call: ast.Call, forward: ast.FunctionDef, context: Context) -> Fix | None:
    """The device of the first input of forward, where the tensor is made in it."""
    inputs = [argument.arg for argument in forward.args.args[1:2]]
    if not inputs or context.file.enclosing(call, ast.FunctionDef) is not forward:
        return None
    value = context.value_of(next((n for n in ast.walk(forward) if isinstance(n, ast.Name) and n.id == inputs[0]), None))
    if value is None or value.kind != "tensor":
        return None
    end = span_of([*call.args, *call.keywords][-1]).end
    return Fix(f"make it on the device of {inputs[0]}", (Edit(Span(*end, *end), f", device={inputs[0]}.device"),))
