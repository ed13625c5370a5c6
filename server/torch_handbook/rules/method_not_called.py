"""A method is named and not called.

Why
    Without brackets the line looks the method up and does nothing with it: gradients are not cleared, nothing runs backward, the
    model stays in the mode it is in. Nothing raises. torch.save(model.state_dict, …) pickles the method, and the whole model
    with it.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad
    model(torch.randn(8, 3)).mean().backward()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.randn(8, 3)).mean().backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("method-not-called", Severity.ERROR, Category.TRAINING, entry="guides/training-loop")
# Methods that do something even without arguments, by whose they are.
METHODS = {
    "torch.optim.Optimizer": frozenset({"zero_grad", "step"}),
    "torch.optim.lr_scheduler.LRScheduler": frozenset({"step"}),
    "torch.amp.GradScaler": frozenset({"update"}),
    "torch.nn.Module": frozenset({"zero_grad", "train", "eval", "cuda", "cpu", "half", "double", "float", "requires_grad_"}),
    "torch.Tensor": frozenset({"backward", "zero_", "detach_", "requires_grad_", "retain_grad"}),
}
PLAIN = frozenset({"zero_grad"})  # nothing else has a method of this name


@RULE.on(ast.Expr)
def named(statement: ast.Expr, context: Context) -> Findings:
    node = statement.value
    if not isinstance(node, ast.Attribute) or context.file.enclosing(node, ast.Try) is not None:
        return
    value = context.value_of(node.value)
    base = value.base if value is not None and value.kind in ("instance", "tensor") else None
    if node.attr not in METHODS.get(base or "", PLAIN):
        return
    end = span_of(node).end
    fix = Fix("call it", (Edit(Span(*end, *end), "()"),))
    yield Finding.at(node, f"{context.text_of(node)} is named here and not called, so nothing happens: add brackets", fix=fix)


CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.parameters_to_vector")


@RULE.on(ast.Call)
def given(call: ast.Call, context: Context) -> Findings:
    """`torch.optim.SGD(net.parameters, lr=0.1)`."""
    part = call.args[0] if call.args else None
    if not isinstance(part, ast.Attribute) or part.attr not in ("parameters", "named_parameters"):
        return
    name = context.name_of(call.func) or ""
    made = context.value_of(call)
    owner = context.value_of(part.value)
    optimizer = made is not None and made.is_a("torch.optim.Optimizer") and name.startswith("torch.optim.")
    if (optimizer or name in CLIPS) and (owner is None or owner.base == "torch.nn.Module"):
        end = span_of(part).end
        words = f"{context.text_of(part)} is named here and not called, and a method cannot be iterated over: add brackets"
        yield Finding.at(part, words, fix=Fix("call it", (Edit(Span(*end, *end), "()"),)))


@RULE.on(ast.Call)
def saved(call: ast.Call, context: Context) -> Findings:
    """`torch.save(model.state_dict, path)`, also in a dict of several."""
    if context.name_of(call.func) != "torch.save" or not call.args:
        return
    given = context.assigned(call.args[0])
    parts = given.values if isinstance(given, ast.Dict) else [call.args[0]]
    for part in parts:
        if isinstance(part, ast.Attribute) and part.attr == "state_dict":
            value = context.value_of(part.value)
            if value is not None and value.kind == "instance" and value.base is not None:
                end = span_of(part).end
                words = f"{context.text_of(part)} is named here and not called, so the method is pickled with all that it is of"
                yield Finding.at(part, f"{words}: add brackets", fix=Fix("call it", (Edit(Span(*end, *end), "()"),)))
