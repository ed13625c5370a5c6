"""A transfer is started and never waited for.

Why
    isend, irecv and collectives with async_op=True return at once with a handle. Until its wait() the buffer holds the old
    values, or is still being read while the next line overwrites it.

Bad
    import torch.distributed as dist
    def exchange(buffer):
        dist.irecv(buffer, src=0)
        return buffer * 2

Good
    import torch.distributed as dist
    def exchange(buffer):
        dist.irecv(buffer, src=0).wait()
        return buffer * 2
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.torch_names import words

RULE = Rule("unwaited-work", Severity.WARNING, Category.DATA, entry="guides/distributed-work")
STARTED = ("torch.distributed.isend", "torch.distributed.irecv")
COLLECTIVES = words(
    "all_reduce broadcast reduce all_gather gather scatter reduce_scatter all_to_all all_to_all_single barrier"
    " all_gather_into_tensor reduce_scatter_tensor"
)


@RULE.on(ast.Call)
def started(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or ""
    owner, _, last = name.rpartition(".")
    given = [word.value for word in call.keywords if word.arg == "async_op"]
    runs_on = bool(given) and isinstance(given[0], ast.Constant) and given[0].value is True
    if name not in STARTED and not (owner == "torch.distributed" and last in COLLECTIVES and runs_on):
        return
    statement = context.file.parent_of(call)
    if isinstance(statement, ast.Expr):
        lost = True
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        # `_ = …` says that nobody wants to wait: a later collective of the group is what orders it.
        lost = statement.targets[0].id != "_" and not is_read(statement.targets[0], context)
    else:
        return
    if lost and not is_ordered(statement, context):
        yield Finding.at(call, f"{last} returns before it is done, and nothing waits for it: call wait() on what it returns")


def is_ordered(statement: ast.stmt, context: Context) -> bool:
    """Whether the same function has a barrier behind it, which the group reaches after what was started before."""
    around = context.file.enclosing(statement, ast.FunctionDef, ast.AsyncFunctionDef) or context.file.tree
    return any(
        context.name_of(call.func) == "torch.distributed.barrier" and not call.keywords and call.lineno > statement.lineno
        for call in context.file.index.inside(around, ast.Call)
    )


def is_read(target: ast.Name, context: Context) -> bool:
    """Whether anything in the file reads a name of this spelling."""
    return any(
        isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load)
        for node in context.file.grown.nodes
    )
