"""Every training step waits for the GPU to finish.

Why
    Python runs ahead and queues work; torch.cuda.synchronize() in the loop stops that, and the GPU idles until the next step
    is queued. Reading a value waits by itself. It belongs around what is timed, outside of the loop. empty_cache() waits, too,
    and gives memory back that the next step must ask the driver for again.

Bad
    def train(model, optimizer, batches):
        for batch in batches:
            model(batch).sum().backward()
            optimizer.step()
            torch.cuda.synchronize()

Good
    def train(model, optimizer, batches):
        for batch in batches:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
        torch.cuda.synchronize()
"""

from __future__ import annotations

import ast
import re
from itertools import takewhile

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule(
    "cuda-synchronize-in-loop",
    Severity.INFORMATION,
    Category.PERFORMANCE,
    entry="guides/slow-code",
    covers=("empty-cache-in-loop",),
)

TIMED = re.compile(r"\btime\b|perf_counter|Event\(|elapsed|timer|memory|profil|stream", re.IGNORECASE)


@RULE.on(ast.Call)
def waits(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name not in ("torch.cuda.synchronize", "torch.cuda.empty_cache"):
        return
    loop = context.file.enclosing(call, ast.For, ast.While, ast.FunctionDef)
    if not isinstance(loop, (ast.For, ast.While)):
        return
    body = "\n".join(ast.unparse(statement) for statement in loop.body)
    if ".backward(" not in body or ".step(" not in body or TIMED.search(body):
        return
    if is_now_and_then(call, loop, context):
        return
    if name == "torch.cuda.synchronize":
        yield Finding.at(call, "every step waits here for the GPU: leave it out, or wait once after the loop")
    else:
        words = "every step gives its memory back here, and the next one asks for it again: leave it out"
        yield Finding.at(call, words, kind="empty-cache-in-loop")


def is_now_and_then(call: ast.Call, loop: ast.AST, context: Context) -> bool:
    """Whether it runs in some of the steps only, or after an error; whether there is a GPU at all does not count."""
    inside = takewhile(lambda node: node is not loop, context.file.grown.ancestors(call))
    rare = (node for node in inside if not (isinstance(node, ast.If) and "cuda" in ast.unparse(node.test)))
    return any(isinstance(node, (ast.If, ast.ExceptHandler)) for node in rare)
