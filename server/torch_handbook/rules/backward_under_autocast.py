"""Backward runs inside autocast.

Why
    autocast is for the forward and the loss. Backward uses for each operation the dtype that its forward had; under autocast
    itself, what backward computes anew (checkpointing, own Functions, the steps of an optimizer in the block) runs in half
    precision once more. The documentation advises against it.

Bad
    model = nn.Linear(3, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(torch.randn(8, 3)).pow(2).mean()
        loss.backward()

Good
    model = nn.Linear(3, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("backward-under-autocast", Severity.WARNING, Category.TRAINING, entry="guides/mixed-precision")
AUTOCASTS = frozenset({"torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast"})
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@RULE.on(ast.Call)
def backward(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
        return
    for around in context.file.grown.ancestors(call):
        if isinstance(around, FUNCTIONS):
            return
        casts = [item.context_expr for item in around.items] if isinstance(around, ast.With) else []
        for cast in casts:
            name = context.name_of(cast.func) if isinstance(cast, ast.Call) else None
            if isinstance(cast, ast.Call) and name in AUTOCASTS:
                if not any(keyword.arg == "enabled" and is_off(keyword.value) for keyword in cast.keywords):
                    words = f"{context.text_of(call.func)} runs under autocast, which is for the forward: end the block before it"
                    yield Finding.at(call, words, related=[Related(span_of(cast), "autocast begins here")])
                return


def is_off(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value
