"""A spawned function is given more or fewer arguments than it takes.

Why
    mp.spawn puts the number of the process in the first place by itself, and then what `args` holds. With the rank given once
    more, or args=(x) that is no tuple, each process raises TypeError as soon as it starts.

Bad
    def work(rank, world_size):
        print(rank, world_size)
    torch.multiprocessing.spawn(work, args=(0, 2), nprocs=2)

Good
    def work(rank, world_size):
        print(rank, world_size)
    torch.multiprocessing.spawn(work, args=(2,), nprocs=2)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.text import span_of

RULE = Rule("spawn-arguments", Severity.ERROR, Category.TRAINING, entry="guides/many-gpus")
SPAWNS = ("torch.multiprocessing.spawn", "torch.multiprocessing.spawn.spawn", "torch.multiprocessing.start_processes")


@RULE.on(ast.Call)
def spawned(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) not in SPAWNS:
        return
    given = arguments_of(context.file, call, ("fn", "args", "nprocs", "join", "daemon", "start_method"))
    run, handed = given.given.get("fn"), given.given.get("args", ast.Tuple([], ast.Load()))
    value = context.value_of(run) if run is not None else None
    function = value.node if value is not None else None
    if (
        not given.complete
        or not isinstance(function, ast.FunctionDef)
        or function.decorator_list
        or not isinstance(run, ast.Name)
    ):
        return
    if not isinstance(handed, ast.Tuple) or any(isinstance(item, ast.Starred) for item in handed.elts):
        return
    least, most = takes(function)
    count = len(handed.elts) + 1
    if least <= count <= most:
        return
    many = f"{least}" if least == most else f"{least} to {most}"
    words = (
        f"spawn calls {function.name} with the number of the process and {count - 1} more, {count} in all, but it takes {many}"
    )
    yield Finding.at(handed if "args" in given.given else call, words, related=[Related(span_of(function), "takes these")])


def takes(function: ast.FunctionDef) -> tuple[int, float]:
    """How many positional arguments a function needs and takes."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    most = float("inf") if function.args.vararg is not None else len(arguments)
    return len(arguments) - len(function.args.defaults), most
