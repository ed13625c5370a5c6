"""A collective stands where only one process comes.

Why
    barrier, all_reduce and the other collectives wait until every process of the group has called them. Under `if rank == 0`
    one process calls and the others pass by: the first one hangs until the timeout, or is answered by a later collective of the
    others, with the wrong data.

Bad
    def save(rank, model):
        if rank == 0:
            torch.save(model.state_dict(), "model.pt")
            torch.distributed.barrier()

Good
    def save(rank, model):
        if rank == 0:
            torch.save(model.state_dict(), "model.pt")
        torch.distributed.barrier()
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("collective-in-one-rank", Severity.ERROR, Category.TRAINING, entry="guides/distributed-work")
COLLECTIVES = words(
    "barrier all_reduce all_gather all_gather_into_tensor all_gather_object reduce reduce_scatter reduce_scatter_tensor broadcast"
    " broadcast_object_list gather gather_object scatter scatter_object_list all_to_all all_to_all_single"
)
RANK = re.compile(r"(?:global_?|my_?)?rank|get_rank|get_global_rank")
MAIN = re.compile(r"is_(?:main|master)(?:_(?:process|rank|proc))?")


@RULE.on(ast.If)
def alone(branch: ast.If, context: Context) -> Findings:
    if not is_first_rank(branch.test) or branch.orelse:
        return
    for statement in branch.body:
        for call in context.file.index.inside(statement, ast.Call):
            collective = collective_of(call, context)
            if collective is None or has_counterpart(call, context) or is_apart(call, branch, context):
                continue
            shown = context.text_of(collective.func)
            where = f"{shown} waits for all processes, but only one comes here, where {context.text_of(branch.test)}"
            related = [Related(span_of(collective), "this waits")] if collective is not call else []
            yield Finding.at(call, f"{where}: call it outside of this if", related=related)
            return


def is_first_rank(test: ast.expr) -> bool:
    """Whether it is `rank == 0` or `is_main_process()`."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        right = test.comparators[0]
        return isinstance(right, ast.Constant) and right.value == 0 and bool(RANK.fullmatch(last_name(test.left)))
    return bool(MAIN.fullmatch(last_name(test)))


def last_name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def collective_of(call: ast.Call, context: Context) -> ast.Call | None:
    """The collective of all processes that a call is, or that the function which it runs begins with."""
    if is_collective(call, context):
        return call
    function = context.origins.function_of(call)
    if not isinstance(function, FUNCTIONS):
        return None
    plain = [part for part in function.body if isinstance(part, (ast.Expr, ast.Assign))]
    calls = [call for part in plain for call in context.file.index.inside(part, ast.Call)]
    return next((one for one in calls if is_collective(one, context)), None)


def is_collective(call: ast.Call, context: Context) -> bool:
    owner, _, last = (context.name_of(call.func) or "").rpartition(".")
    grouped = any(word.arg in ("group", None) for word in call.keywords)
    return owner == "torch.distributed" and last in COLLECTIVES and not grouped


def has_counterpart(call: ast.Call, context: Context) -> bool:
    """Whether the same function lets other processes call it in a branch of their own."""
    home = context.file.enclosing(call, *FUNCTIONS) or context.file.tree
    written = ast.unparse(call.func)
    others = [one for one in context.file.index.inside(home, ast.Call) if one is not call and ast.unparse(one.func) == written]
    return any(context.file.enclosing(one, ast.If) is not None for one in others)


def is_apart(call: ast.Call, branch: ast.If, context: Context) -> bool:
    """Whether it is asked again within the branch who comes, or the call belongs to a function that is only defined here."""
    for around in context.file.grown.ancestors(call):
        if around is branch:
            return False
        if isinstance(around, (ast.If, ast.IfExp, ast.Lambda, *FUNCTIONS)):
            return True
    return False
