"""Every training step waits for the GPU to finish.

Why
    Python runs ahead and queues work; torch.cuda.synchronize() in the loop stops that, and the GPU idles until the next step
    is queued. Reading a value waits by itself. It belongs around what is timed, outside of the loop.

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

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("cuda-synchronize-in-loop", Severity.INFORMATION, Category.PERFORMANCE, entry="guides/slow-code")

TIMED = re.compile(r"\btime\b|perf_counter|Event\(|elapsed|timer|memory|profil|stream", re.IGNORECASE)


@RULE.on(ast.Call)
def waits(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.cuda.synchronize":
        return
    loop = context.file.enclosing(call, ast.For, ast.While, ast.FunctionDef)
    if not isinstance(loop, (ast.For, ast.While)):
        return
    body = "\n".join(ast.unparse(statement) for statement in loop.body)
    if ".backward(" in body and ".step(" in body and not TIMED.search(body):
        yield Finding.at(call, "every step waits here for the GPU: leave it out, or wait once after the loop")
