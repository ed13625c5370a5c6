"""A compiled function prints.

Why
    print cannot be part of a graph: the compiler ends the graph before it and begins another after it, in every call, and
    raises with fullgraph=True.

Bad
    @torch.compile
    def double(x):
        print("double", x.shape)
        return x * 2

Good
    @torch.compile
    def double(x):
        return x * 2
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.compiled import compiled

RULE = Rule("compile-print-graph-break", Severity.WARNING, Category.PERFORMANCE, entry="guides/compile-and-trace")


@RULE.on(ast.Call)
def printed(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Name) or call.func.id != "print" or context.file.names.bindings(call.func):
        return
    around = context.file.enclosing(call, ast.FunctionDef, ast.Lambda, ast.If, ast.ExceptHandler)
    if isinstance(around, ast.FunctionDef) and compiled(context.file, around):
        yield Finding.at(call, "print breaks the compiled graph in two at every call: leave it out, or print outside of it")
