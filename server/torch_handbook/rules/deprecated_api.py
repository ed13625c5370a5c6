"""What is used is deprecated: it works, with a warning, and will be removed.

Why
    torch warns for some releases before it removes something. What takes the place is often the same under another name
    (torch.cuda.amp.autocast() is torch.amp.autocast("cuda")); where it is not, the message says what is different. What is
    deprecated is read from the torch that is installed; what the lowest torch that the project allows lacks is not advised.

Bad
    with torch.cuda.amp.autocast():
        pass

Good
    with torch.amp.autocast("cuda"):
        pass
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.renames import renamed_import, renamed_method, renamed_use, uses
from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.names import canonical
from torch_handbook.source.successors import SUCCESSORS, Successor, renamed
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_releases import Mark

RULE = Rule(
    "deprecated-api",
    Severity.WARNING,
    Category.DEPRECATION,
    entry="guides/deprecations",
    covers=(
        "deprecated-cuda-amp",
        "deprecated-linalg-function",
        "deprecated-nonunderscore-alias",
        "deprecated-range",
        "deprecated-torchscript",
    ),
)
# Most code that there is uses them, and nothing of it is wrong: torch.norm is deprecated in its docs alone, and TorchScript in a
# warning that Python hides.
QUIET = ("torch.norm", "torch.functional.norm", "torch.jit.")
MOVED = "torch.ao.quantization."
ADVICE = re.compile(r"(?:please |consider )?(?:us(?:e|ing)|see|switch)\b", re.IGNORECASE)
ASKING = ("isinstance", "issubclass", "istype")
METHODS = ("qr", "svd", "cholesky", "lu", "lu_solve", "triangular_solve", "ger", "resize", "resize_as")


@RULE.on(ast.Attribute)
def deprecated_attribute(node: ast.Attribute, context: Context) -> Findings:
    if not isinstance(node.ctx, ast.Load) or node.attr not in context.target.last_names:
        return
    name = context.name_of(node)
    mark = context.target.mark(name) if name else None
    if name and mark and mark.state != "removed" and not is_guarded(context.file, node) and is_used(node, context):
        new = successor(name, mark)
        yield from found(node, name, mark, context, renamed_use(node, new, context) if new else None)
    elif name is None and node.attr in METHODS:
        yield from method(node, context)


def is_used(node: ast.expr, context: Context) -> bool:
    """Whether a name is called or handed on: not asked for in an annotation, by `isinstance` or `is`, not listed, and not what a
    name holds until the file has looked whether there is something newer.
    """
    parent = context.file.parent_of(node)
    if isinstance(parent, (ast.Attribute, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.Compare)) or is_annotation(node, context):
        return False
    if isinstance(parent, ast.Assign) and parent.value is node and is_replaced(parent.targets[0], context):
        return False
    asking = context.file.enclosing(node, ast.Call)
    return not (isinstance(asking, ast.Call) and isinstance(asking.func, ast.Name) and asking.func.id in ASKING)


def is_annotation(node: ast.AST, context: Context) -> bool:
    """Whether a node is an annotation, or a part of one: `list[X]`, `X | None`."""
    parent = context.file.parent_of(node)
    while isinstance(parent, (ast.BinOp, ast.Subscript, ast.Tuple)):
        node, parent = parent, context.file.parent_of(parent)
    if isinstance(parent, (ast.arg, ast.AnnAssign)):
        return parent.annotation is node
    return isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and parent.returns is node


def is_replaced(target: ast.expr, context: Context) -> bool:
    """Whether a name is bound in several places."""
    if not isinstance(target, ast.Name):
        return False
    scope = context.file.scope_of(target).find(target.id)
    return scope is not None and len(scope.bindings.get(target.id, ())) > 1


@RULE.on(ast.ImportFrom)
def deprecated_import(node: ast.ImportFrom, context: Context) -> Findings:
    """The import and, where torch warns, each use of what it brings: all of them are mended together."""
    rows = [(alias, canonical(f"{node.module}.{alias.name}")) for alias in node.names if node.module and not node.level]
    marked = [(alias, name, mark) for alias, name in rows if (mark := context.target.mark(name)) and mark.state != "removed"]
    if not marked or is_guarded(context.file, node):
        return
    fix = renamed_import(node, {alias: (name, successor(name, mark)) for alias, name, mark in marked}, context)
    for alias, name, mark in marked:
        said = list(found(alias, name, mark, context, fix))
        yield from said
        light = any(finding.severity is not None for finding in said)
        for use in uses(alias, name, context) if not light else ():
            if not is_guarded(context.file, use) and is_used(use, context):
                yield from found(use, name, mark, context, fix)


def found(node: ast.AST, name: str, mark: Mark, context: Context, fix: Fix | None) -> Findings:
    """The finding, unless it cannot be helped: the oldest torch that the project allows lacks what is advised."""
    if name.startswith("torch.jit.") and mark.state != "warns":
        return  # annotate and its like do nothing outside of TorchScript, and go with it
    new = successor(name, mark)
    since = mark.since or context.target.oldest
    if not (context.target.has(new.name) if new else since <= context.target.oldest):
        return
    kind = "deprecated-torchscript" if name.startswith("torch.jit.") else new.kind if new else ""
    yield Finding.at(node, sentence(name, mark, new), fix=fix, kind=kind, severity=weight(name, mark, new))


def weight(name: str, mark: Mark, new: Successor | None) -> Severity | None:
    if name.startswith(QUIET):
        return Severity.HINT
    # New names in a checkpoint are a reason to wait; of what only the docs say nobody is warned.
    late = name.startswith(MOVED) or (new is not None and "state_dict" in new.but)
    loud = mark.state == "warns" or (new is not None and bool(new.kind) and name not in ("torch.svd", "torch.ger"))
    return Severity.INFORMATION if late or not loud else None


def sentence(name: str, mark: Mark, new: Successor | None) -> str:
    since = f" since {'.'.join(map(str, mark.since))}" if mark.since else ""
    if name.startswith(MOVED):
        return f"{name} is deprecated{since}: quantization is a package of its own, torchao"
    if new is None:
        return f"{name} is deprecated{since}: {advice(mark.text)}"
    but = f", with {new.but}" if new.but else ""
    return f"{name} is deprecated{since}: use {new.shown or new.name}{but}"


def advice(text: str) -> str:
    """The sentence in which torch says what to do, else the first one."""
    sentences = [part.strip().rstrip(".") for part in text.split(". ")]
    telling = [part for part in sentences if not part.endswith("is deprecated")] or sentences
    chosen = next((part for part in sentences if ADVICE.match(part)), telling[0])
    return chosen[:1].lower() + chosen[1:] if chosen[1:2].islower() else chosen


def successor(name: str, mark: Mark) -> Successor | None:
    """What takes the place: what we know of it, else what torch says."""
    known = SUCCESSORS.get(name) or SUCCESSORS.get(name.replace("torch.Tensor.", "torch."))
    if known is not None:
        return known
    if not mark.instead:
        return None
    same = any(word in mark.text for word in ("renamed", "drop-in"))
    return Successor(mark.instead, rewrite=renamed if same else None)


def method(node: ast.Attribute, context: Context) -> Findings:
    """The same as a method of what is surely a tensor: `a.qr()`."""
    call = context.file.parent_of(node)
    owner = context.value_of(node.value)
    name = f"torch.Tensor.{node.attr}"
    mark = context.target.mark(name) or context.target.mark(f"torch.{node.attr}")
    if not isinstance(call, ast.Call) or call.func is not node or owner is None or mark is None or mark.state == "removed":
        return
    if owner.kind == "tensor" and owner.sure and not is_guarded(context.file, node):
        yield from found(node, name, mark, context, fix_of_method(call, node, mark, context))


def fix_of_method(call: ast.Call, node: ast.Attribute, mark: Mark, context: Context) -> Fix | None:
    """The function, with the tensor as its only argument; or the method of another name."""
    new = successor(f"torch.Tensor.{node.attr}", mark)
    if node.attr == "ger" and len(call.args) == 1:
        edit = Edit(span_of(call), f"{context.text_of(node.value)}.outer({context.text_of(call.args[0])})")
        return Fix("use outer", (edit,))
    return renamed_method(call, node.value, new, context) if new else None
