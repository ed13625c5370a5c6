"""A tensor is copied where no copy is needed.

Why
    torch.randn(n).to(device) fills memory on the CPU and copies it; device=device makes it there. permute(…).contiguous()
    before a sum copies all values, and the sum reads any layout. unsqueeze(0).repeat(n, 1) before arithmetic writes n copies;
    broadcasting, or expand, writes none.

Bad
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for step in range(5):
        noise = torch.zeros(64, 16).to(device)

Good
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for step in range(5):
        noise = torch.zeros(64, 16, device=device)
"""

from __future__ import annotations

import ast
import math

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.devices import is_gpu
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule(
    "wasted-copy",
    Severity.INFORMATION,
    Category.PERFORMANCE,
    entry="guides/slow-code",
    covers=("create-on-cpu-then-move", "redundant-contiguous", "repeat-instead-of-expand"),
)

FACTORIES = frozenset(f"torch.{name}" for name in words("zeros ones full empty arange linspace eye rand randn"))
REDUCTIONS = words("sum mean amax amin norm prod std var")
PRODUCTS = frozenset({"torch.bmm", "torch.matmul"})
TINY = 64


@RULE.on(ast.Call)
def copied(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute):
        return
    if call.func.attr in ("to", "cuda"):
        yield from moved(call, call.func, context)
    elif call.func.attr == "contiguous" and is_permuted(call.func.value) and all_read(call, context):
        words = "contiguous() copies the tensor, and what follows reads any layout: leave it out"
        edit = Edit(Span(*span_of(call.func.value).end, *span_of(call).end), "")
        yield Finding.at(call, words, fix=Fix("leave contiguous() out", (edit,)), kind="redundant-contiguous")
    elif call.func.attr == "repeat" and repeats_one(call, call.func, context):
        words = "repeat writes every copy out, and arithmetic broadcasts an axis of size 1: leave it out, or use expand"
        yield Finding.at(call, words, kind="repeat-instead-of-expand")


def moved(call: ast.Call, method: ast.Attribute, context: Context) -> Findings:
    """A factory whose result goes to a device at once."""
    made = method.value
    name = context.name_of(made.func) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or name not in FACTORIES or not made.args or is_once(call, context):
        return
    if any(word.arg in ("device", "out", "generator", None) for word in made.keywords) or call.keywords or len(call.args) > 1:
        return
    device = context.text_of(call.args[0]) if call.args else '"cuda"'
    if method.attr == "to" and not (call.args and is_device(call.args[0], context)):
        return
    end = span_of([*made.args, *made.keywords][-1]).end
    edits = (Edit(Span(*end, *end), f", device={device}"), Edit(Span(*span_of(made).end, *span_of(call).end), ""))
    fix = None if name in ("torch.rand", "torch.randn") else Fix("make it on the device", edits)
    text = f"{ast.unparse(made.func)} makes the tensor on the CPU, and it is copied: give device={device}"
    weight = Severity.HINT if is_tiny(made) and context.file.enclosing(call, ast.For, ast.While) is None else None
    yield Finding.at(call, text, fix=fix, severity=weight, kind="create-on-cpu-then-move")


def is_tiny(made: ast.Call) -> bool:
    """Whether a tensor has a handful of values: made once in a while, it is nothing to wait for."""
    sizes = [size for part in made.args for size in (part.elts if isinstance(part, (ast.Tuple, ast.List)) else [part])]
    numbers = [size.value for size in sizes if isinstance(size, ast.Constant) and type(size.value) is int]
    return len(numbers) == len(sizes) and math.prod(numbers) <= TINY


def is_once(node: ast.AST, context: Context) -> bool:
    """Whether this surely runs a single time: then a copy costs nothing that matters."""
    return context.file.enclosing(node, ast.For, ast.While, ast.FunctionDef, ast.AsyncFunctionDef) is None


def is_device(node: ast.expr, context: Context) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "device":
        return True
    return (isinstance(node, ast.Name) and node.id == "device") or is_gpu(context.file, node)


def is_permuted(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("permute", "transpose")


def all_read(call: ast.Call, context: Context) -> bool:
    """Whether all that happens to the copy is a sum, or a product of matrices."""
    parent = context.file.parent_of(call)
    if isinstance(parent, ast.Call) and call in parent.args and context.name_of(parent.func) in PRODUCTS:
        return True
    uses = uses_of(call, context)
    return bool(uses) and all(is_reduced(use, context) for use in uses)


def is_reduced(use: ast.expr, context: Context) -> bool:
    parent = context.file.parent_of(use)
    around = context.file.parent_of(parent) if parent is not None else None
    return (
        isinstance(parent, ast.Attribute) and parent.attr in REDUCTIONS and isinstance(around, ast.Call) and around.func is parent
    )


def uses_of(call: ast.Call, context: Context) -> list[ast.expr]:
    """The places that read a result: the expression itself, or all uses of the one name that it is bound to."""
    parent = context.file.parent_of(call)
    if not isinstance(parent, ast.Assign):
        return [call]
    target = parent.targets[0]
    if len(parent.targets) != 1 or not isinstance(target, ast.Name):
        return []
    scope = context.file.scope_of(target)
    if len(scope.bindings.get(target.id, [])) != 1 or scope.kind != "function":
        return []
    named = [part for part in ast.walk(scope.node) if isinstance(part, ast.Name) and part.id == target.id]
    return [part for part in named if isinstance(part.ctx, ast.Load)]


def repeats_one(call: ast.Call, method: ast.Attribute, context: Context) -> bool:
    """Whether only axes of size 1 are repeated, and the result is only read in arithmetic."""
    sizes = ones_of(method.value, context)
    if sizes is None or len(call.args) != len(sizes) or not any(sizes):
        return False
    kept = [isinstance(size, ast.Constant) and size.value == 1 for size in call.args]
    if not all(one or keeps for one, keeps in zip(sizes, kept, strict=True)) or all(kept):
        return False
    uses = uses_of(call, context)
    return bool(uses) and all(isinstance(context.file.parent_of(use), ast.BinOp) for use in uses)


def ones_of(node: ast.expr, context: Context) -> list[bool] | None:
    """Which axes of a tensor have size 1, where it is made with sizes that are written out."""
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        if len(bindings) != 1 or bindings[0].value is None:
            return None
        value, path = bindings[0].value, bindings[0].path
        made = value.elts[path[0]] if path and isinstance(value, ast.Tuple) and path[0] < len(value.elts) else value
        return ones_of(made, context) if isinstance(made, ast.Call) else None
    if not isinstance(node, ast.Call) or context.name_of(node.func) not in FACTORIES - {
        "torch.full",
        "torch.arange",
        "torch.eye",
    }:
        return None
    numbers = [size.value if isinstance(size, ast.Constant) else None for size in node.args]
    return [number == 1 for number in numbers] if None not in numbers else None
