"""A dataset gives None for some samples, which the default collate cannot batch.

Why
    default_collate raises TypeError as soon as a batch holds None, which is also what a method gives that ends without a return.
    Drop such samples before, or in a collate_fn of your own.

Bad
    class Scans(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            if index == 4:
                return None
            return torch.ones(2)

    loader = torch.utils.data.DataLoader(Scans(), batch_size=3)

Good
    class Scans(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return torch.ones(2)

    loader = torch.utils.data.DataLoader(Scans(), batch_size=3)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.loaders import loader_of
from torch_handbook.source.text import Span, span_of

RULE = Rule("collate-none-sample", Severity.ERROR, Category.DATA, entry="guides/data-loading")


@RULE.on(ast.Call)
def none_in_batch(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or not loader.given.lacks("collate_fn") or loader.given.constant("batch_size", 1) is None:
        return
    methods = loader.methods("__getitem__")
    yield from without_end(methods[:1], call, context)
    for part in ast.walk(methods[0]) if methods else ():
        none = isinstance(part, ast.Return) and (part.value is None or is_none(part.value))
        if none and context.file.enclosing(part, ast.FunctionDef, ast.Lambda) is methods[0]:
            words = "the loader cannot batch None: leave such samples out, or drop them in a collate_fn"
            yield Finding.at(part, words, related=(Related(span_of(call), "it has no collate_fn"),))
            return


def without_end(methods: list[ast.FunctionDef], call: ast.Call, context: Context) -> Findings:
    """A method that runs to its end without a `return`, which gives None."""
    for method in methods:
        found = context.file.index.inside(method, ast.Return)
        returns = [part for part in found if context.file.enclosing(part, ast.FunctionDef, ast.Lambda) is method]
        streams = context.file.index.inside(method, ast.Yield) or context.file.index.inside(method, ast.YieldFrom)
        is_stub = all(isinstance(part, (ast.Pass, ast.Expr, ast.Raise)) for part in method.body)
        if streams or is_stub or method.decorator_list:
            continue
        related = (Related(span_of(call), "it has no collate_fn"),)
        where = gap(method.body)
        if where is not None and not returns:
            words = "__getitem__ returns nothing, and the loader cannot batch None: return the sample"
            yield Finding.at(method.body[-1], words, related=related)
        elif where is not None and any(part.value is not None and not is_none(part.value) for part in returns):
            words = "__getitem__ gives None where it goes on behind this, and the loader cannot batch None: return a sample there"
            yield Finding.at(header(where, context), words, related=related)


def gap(block: list[ast.stmt]) -> ast.stmt | ast.ExceptHandler | None:
    """Where a block can be run to its end; None where it cannot, or only in a case that the samples have nothing to do with."""
    last = block[-1]
    if isinstance(last, ast.If):
        inner = gap(last.body) or (gap(last.orelse) if last.orelse else None)
        return inner or (last if not last.orelse and is_of_sample(last.test) else None)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return gap(last.body)
    if isinstance(last, ast.Try):
        if last.finalbody and not isinstance(last.finalbody[-1], ast.Expr):
            return None
        return gap(last.orelse or last.body) or next((handler for handler in last.handlers if gap(handler.body)), None)
    plain = isinstance(last, (ast.Assign, ast.AugAssign, ast.Pass)) or (isinstance(last, ast.Expr) and not may_exit(last))
    return last if plain else None


def is_of_sample(test: ast.expr) -> bool:
    """Whether a condition is about the sample, and not about a mode of the whole dataset, one of which always holds."""
    parts = list(ast.walk(test))
    texts = any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts)
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return bool(names) and "self" not in names and not texts


def may_exit(statement: ast.Expr) -> bool:
    """Whether a call may never come back: `sys.exit()`, `self.fail()`."""
    words = ast.unparse(statement.value).lower()
    return any(word in words for word in ("exit", "fail", "raise", "error", "abort"))


def header(node: ast.stmt | ast.ExceptHandler, context: Context) -> ast.AST | Span:
    """The line of a statement that has a block."""
    if not isinstance(node, (ast.If, ast.ExceptHandler)):
        return node
    end = len(context.file.text.line(node.lineno).rstrip().encode())
    return Span(node.lineno, node.col_offset, node.lineno, end)


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
