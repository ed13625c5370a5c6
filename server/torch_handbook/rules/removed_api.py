"""What is used is no longer in torch.

Why
    torch removes what it has deprecated for some releases: the linear algebra functions outside of torch.linalg, torch.fft as a
    function, torch._six, the argument verbose of the schedulers, volatile. Old tutorials still show them. They raise, or are
    ignored with a warning, and the message names what came in their place.

Bad
    matrix = torch.eye(3)
    values, vectors = torch.symeig(matrix, eigenvectors=True)

Good
    matrix = torch.eye(3)
    values, vectors = torch.linalg.eigh(matrix)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.renames import renamed_import, renamed_method, renamed_use, uses
from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.names import canonical
from torch_handbook.source.successors import SUCCESSORS
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "removed-api",
    Severity.ERROR,
    Category.DEPRECATION,
    entry="guides/deprecations",
    covers=("removed-linalg-function", "removed-module", "removed-keyword-argument", "removed-volatile"),
)

# What came in their place, and what is different there.
FUNCTIONS = {
    "symeig": "torch.linalg.eigh (or eigvalsh)",
    "eig": "torch.linalg.eig (or eigvals), which gives complex numbers",
    "solve": "torch.linalg.solve, with the arguments the other way round",
    "lstsq": "torch.linalg.lstsq, with the arguments the other way round",
    "matrix_rank": "torch.linalg.matrix_rank",
    "qr": "torch.linalg.qr, with mode in the place of some",
    "cholesky": "torch.linalg.cholesky",
    "gels": "torch.linalg.lstsq, with the arguments the other way round",
    "btrifact": "torch.linalg.lu_factor",
    "potrf": "torch.linalg.cholesky",
    "rfft": "torch.fft.rfft",
    "irfft": "torch.fft.irfft",
    "fft": "torch.fft.fft, which gives complex numbers",
    "ifft": "torch.fft.ifft",
}
# Those that go, or went, while the project that is looked at may be older.
SINCE = {"symeig": (2, 0), "qr": (2, 14), "cholesky": (2, 14)}
MODULES = {"torch._six": "Python's own types", "torch.utils.ffi": "torch.utils.cpp_extension", "torch.legacy": "torch.nn"}
KIND = "removed-linalg-function"


def is_gone(name: str, context: Context) -> bool:
    """Whether the torch that is installed has no such function any more, or one that only raises."""
    owner, _, last = name.rpartition(".")
    if owner not in ("torch", "torch.Tensor") or last not in FUNCTIONS:
        return False
    return SINCE.get(last, (0, 0)) <= context.target.newest


@RULE.on(ast.Call)
def removed_function(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or method_name(call, context) or ""
    if is_gone(name, context) and isinstance(call.func, ast.Attribute) and not is_guarded(context.file, call):
        words = f"{ast.unparse(call.func)} was removed from torch: use {FUNCTIONS[call.func.attr]}"
        yield Finding.at(call.func, words, fix=fix_of(call, call.func, name, context), kind=KIND)
    yield from removed_keyword(call, name, context)


def fix_of(call: ast.Call, function: ast.Attribute, name: str, context: Context) -> Fix | None:
    """The call of what came in the place of a function or of a method."""
    new = SUCCESSORS.get(name.replace("torch.Tensor.", "torch."))
    if new is None:
        return None
    as_method = name.startswith("torch.Tensor.")
    return renamed_method(call, function.value, new, context) if as_method else renamed_use(function, new, context)


def method_name(call: ast.Call, context: Context) -> str | None:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in FUNCTIONS or call.func.attr.endswith("fft"):
        return None
    owner = context.value_of(call.func.value)
    if owner is None or owner.kind != "tensor" or not owner.sure or is_mixed(call.func.value, context):
        return None
    return f"torch.Tensor.{call.func.attr}"


def is_mixed(node: ast.expr, context: Context) -> bool:
    """Whether an operand of a value is not known: a lazy matrix times a tensor has methods of its own."""
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    made = [node, *(one.value for one in bindings if one.value is not None)]
    return any(
        isinstance(one, ast.BinOp) and any(context.value_of(side) is None for side in (one.left, one.right)) for one in made
    )


def removed_keyword(call: ast.Call, name: str, context: Context) -> Findings:
    owner, _, last = name.rpartition(".")
    for keyword in call.keywords:
        if keyword.arg == "verbose" and owner == "torch.optim.lr_scheduler" and context.target.newest >= (2, 7):
            words = f"{last} has no argument verbose since torch 2.7: leave it out, and print get_last_lr() yourself"
            if not is_guarded(context.file, call):
                yield Finding.at(keyword, words, fix=left_out(keyword, call), kind="removed-keyword-argument")
        if keyword.arg == "volatile" and name == "torch.autograd.Variable":
            words = "volatile does nothing any more, and gradients stay on: use `with torch.no_grad():`"
            yield Finding.at(keyword, words, severity=Severity.WARNING, kind="removed-volatile")


def left_out(keyword: ast.keyword, call: ast.Call) -> Fix:
    """Take a keyword out of a call, with the comma before it or, where it is the first argument, after it."""
    items = sorted([*call.args, *call.keywords], key=span_of)
    at = items.index(keyword)
    if at > 0:
        span = Span(*span_of(items[at - 1]).end, *span_of(keyword).end)
    else:
        span = Span(*span_of(keyword).start, *(span_of(items[1]).start if len(items) > 1 else span_of(keyword).end))
    return Fix("leave verbose out", (Edit(span, ""),))


@RULE.on(ast.ImportFrom)
def removed_import(node: ast.ImportFrom, context: Context) -> Findings:
    """A function that is imported by name, and where that is called."""
    if node.module != "torch" or node.level:
        return
    gone = [(alias, name) for alias in node.names if is_gone(name := canonical(f"torch.{alias.name}"), context)]
    if not gone or is_guarded(context.file, node):
        return
    fix = renamed_import(node, {alias: (name, SUCCESSORS.get(name)) for alias, name in gone}, context)
    for alias, name in gone:
        words = f"{name} was removed from torch: use {FUNCTIONS[alias.name]}"
        yield Finding.at(alias, words, fix=fix, kind=KIND)
        for use in uses(alias, name, context):
            if not is_guarded(context.file, use):
                yield Finding.at(use, words, fix=fix, kind=KIND)


@RULE.on(ast.Import, ast.ImportFrom)
def removed_module(node: ast.Import | ast.ImportFrom, context: Context) -> Findings:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif node.level or not node.module:
        return
    else:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    found = next((module for module in MODULES for name in names if name == module or name.startswith(f"{module}.")), None)
    if found is not None and not is_guarded(context.file, node):
        yield Finding.at(node, f"{found} was removed from torch: use {MODULES[found]}", kind="removed-module")
