"""A network on the GPU is given a batch that is still on the CPU.

Why
    The loader yields batches in CPU memory; the network was moved. Where there is a GPU the first layer raises "Expected all
    tensors to be on the same device", on a machine without one nothing shows. Move inputs and targets in the loop.

Bad
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 2).to(device)
    data = torch.utils.data.TensorDataset(torch.zeros(8, 3))
    for (x,) in torch.utils.data.DataLoader(data, batch_size=4):
        out = model(x)

Good
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(3, 2).to(device)
    data = torch.utils.data.TensorDataset(torch.zeros(8, 3))
    for (x,) in torch.utils.data.DataLoader(data, batch_size=4):
        out = model(x.to(device))
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.operands import of_batch
from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.batches import BatchLoop
from torch_handbook.source.devices import on_gpu
from torch_handbook.source.loaders import Loader
from torch_handbook.source.text import Span, span_of

RULE = Rule("batch-not-moved-to-device", Severity.ERROR, Category.DEVICE, entry="guides/data-loading")

# What moves batches by itself, or makes them elsewhere.
MOVES = re.compile(
    r"accelerat|fabric|lightning|DataParallel|DistributedDataParallel|set_default_device|set_default_tensor_type|prefetch|deepspeed"
)
SAME = frozenset({"view", "reshape", "float", "flatten", "squeeze", "unsqueeze"})  # the batch as another shape or type
MOVING = re.compile(r"\.to\(|\.cuda\(|device")


@RULE.on(ast.For)
def looped(loop: ast.For, context: Context) -> Findings:
    found = next((one for one in context.batches.loops if one.node is loop), None)
    if found is None or MOVES.search(context.file.text.content) or not stays(found.loader, context):
        return
    seen = [row for failure in context.facts.failures if (row := of_batch(failure, context)) is not None and row[0] is found]
    for _, operand, other in seen:
        yield left(Span(*operand.span), other, operand.text, loop)
    for call in calls_in(loop) if not seen else ():
        name = first_left(call, found, loop, context)
        if name is not None and is_network_on_gpu(call.func, context):
            yield left(span_of(name), context.text_of(call.func), name.id, loop)
            return


def left(where: Span, network: str, name: str, loop: ast.For) -> Finding:
    words = f"{network} is on the GPU, and {name} still on the CPU: use {name}.to(device)"
    return Finding.at(where, words, related=(Related(span_of(loop.iter), "the batches come from here"),))


def stays(loader: Loader, context: Context) -> bool:
    """Whether the batches surely are on the CPU: nothing in the dataset or its collate function moves them."""
    if not loader.given.lacks("collate_fn"):
        return False
    if loader.dataset is not None:
        return MOVING.search(ast.unparse(loader.dataset)) is None
    dataset = context.assigned(loader.given.given.get("dataset"))
    if not isinstance(dataset, ast.Call):
        return False
    name = context.name_of(dataset.func) or ""
    if name == "torch.utils.data.TensorDataset":
        return not any(moved(item, context) for item in dataset.args)
    return name.startswith("torchvision.datasets.")


def moved(node: ast.expr, context: Context) -> bool:
    """Whether a tensor of the dataset may have been put on a device, or its making is out of sight."""
    value = context.assigned(node)
    if value is None or isinstance(node, ast.Starred) or MOVING.search(ast.unparse(value)) is not None:
        return True
    return not is_made(value, context)


def is_made(value: ast.expr, context: Context) -> bool:
    """Whether the value is made from scratch or from an array, on the CPU."""
    inner = value
    while isinstance(inner, (ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare)):
        if isinstance(inner, ast.Call) and (context.name_of(inner.func) or "").startswith("torch."):
            return True
        if isinstance(inner, ast.Call):
            inner = inner.func
        elif isinstance(inner, (ast.Attribute, ast.Subscript)):
            inner = inner.value
        else:
            inner = inner.left if isinstance(inner, (ast.BinOp, ast.Compare)) else inner.operand
    source = context.assigned(inner) if isinstance(inner, ast.Name) else None
    return source is not None and not isinstance(source, ast.Name) and is_made(source, context)


def calls_in(loop: ast.For) -> list[ast.Call]:
    found = [part for statement in loop.body for part in ast.walk(statement) if isinstance(part, ast.Call)]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def first_left(call: ast.Call, found: BatchLoop, loop: ast.For, context: Context) -> ast.Name | None:
    """The part of the batch that a call is given as the loader yields it."""
    for argument in call.args:
        inner = argument
        while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in SAME:
            inner = inner.func.value
        if isinstance(inner, ast.Name) and inner.id in found.names:
            bindings = context.file.names.bindings(inner)
            if len(bindings) == 1 and bindings[0].kind == "for" and loop in context.file.grown.ancestors(bindings[0].node):
                return inner
    return None


def is_network_on_gpu(node: ast.expr, context: Context) -> bool:
    """Whether what is called is a network that was moved, by whoever gives it, and that moves nothing itself."""
    value = context.value_of(node)
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    if len(bindings) == 1 and bindings[0].kind == "parameter":
        given = context.callers.arguments_of(bindings[0]) or []
        return bool(given) and all(is_network_on_gpu(one, context) for one in given)
    if value is None or value.kind != "instance" or value.base != "torch.nn.Module" or not isinstance(node, ast.Name):
        return False
    if isinstance(value.node, ast.ClassDef) and MOVING.search(ast.unparse(value.node)) is not None:
        return False
    return on_gpu(context.file, node)
