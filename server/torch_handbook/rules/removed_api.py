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

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.guards import is_guarded

RULE = Rule(
    "removed-api",
    Severity.ERROR,
    Category.DEPRECATION,
    entry="guides/deprecations",
    covers=("removed-linalg-function", "removed-module", "removed-keyword-argument", "removed-volatile"),
)

FUNCTIONS = {
    "symeig": "torch.linalg.eigh (or eigvalsh)",
    "eig": "torch.linalg.eig (or eigvals), which gives complex numbers",
    "solve": "torch.linalg.solve, with the arguments the other way round",
    "lstsq": "torch.linalg.lstsq, with the arguments the other way round",
    "matrix_rank": "torch.linalg.matrix_rank",
    "gels": "torch.linalg.lstsq, with the arguments the other way round",
    "btrifact": "torch.linalg.lu_factor",
    "potrf": "torch.linalg.cholesky",
    "rfft": "torch.fft.rfft",
    "irfft": "torch.fft.irfft",
    "fft": "torch.fft.fft, which gives complex numbers",
    "ifft": "torch.fft.ifft",
}
MODULES = {"torch._six": "Python's own types", "torch.utils.ffi": "torch.utils.cpp_extension", "torch.legacy": "torch.nn"}


@RULE.on(ast.Call)
def removed_function(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or method_name(call, context)
    owner, _, last = (name or "").rpartition(".")
    if owner in ("torch", "torch.Tensor") and last in FUNCTIONS and not is_guarded(context.file, call):
        shown = ast.unparse(call.func)
        kind = "removed-linalg-function"
        yield Finding.at(call.func, f"{shown} was removed from torch: use {FUNCTIONS[last]}", kind=kind)
    yield from removed_keyword(call, name or "", context)


def method_name(call: ast.Call, context: Context) -> str | None:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in FUNCTIONS or call.func.attr.endswith("fft"):
        return None
    owner = context.value_of(call.func.value)
    return f"torch.Tensor.{call.func.attr}" if owner is not None and owner.kind == "tensor" and owner.sure else None


def removed_keyword(call: ast.Call, name: str, context: Context) -> Findings:
    owner, _, last = name.rpartition(".")
    for keyword in call.keywords:
        if keyword.arg == "verbose" and owner == "torch.optim.lr_scheduler" and not is_guarded(context.file, call):
            words = f"{last} has no argument verbose since torch 2.7: leave it out, and print get_last_lr() yourself"
            yield Finding.at(keyword, words, kind="removed-keyword-argument")
        if keyword.arg == "volatile" and name == "torch.autograd.Variable":
            words = "volatile does nothing any more, and gradients stay on: use `with torch.no_grad():`"
            yield Finding.at(keyword, words, severity=Severity.WARNING, kind="removed-volatile")


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
