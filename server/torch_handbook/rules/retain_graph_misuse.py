"""The graph is kept after backward although nothing needs it, or although the step has spoilt it.

Why
    retain_graph=True keeps everything that the forward saved until the loss is gone: in a loop with one backward a turn that is
    memory for nothing. And it does not help over an optimizer's step: the step changes the weights in place, and a second
    backward through the kept graph finds them changed and raises.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 3)).pow(2).mean()
        loss.backward(retain_graph=True)
        optimizer.step()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.scopes import Binding
from torch_handbook.source.steps import LOOPS, Step
from torch_handbook.source.text import span_of

RULE = Rule("retain-graph-misuse", Severity.WARNING, Category.MEMORY, entry="torch.Tensor.backward")
DEPTH = 8


@RULE.on(ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.For, ast.AsyncFor, ast.While)
def kept(node: ast.AST, context: Context) -> Findings:
    for block in context.steps.blocks(node):
        steps = context.steps.of(block)
        for step in steps:
            if step.kind == "backward" and step.sure and keeps(step.call) and isinstance(loss_of(step), ast.Name):
                yield from over_step(step, steps, context)
                if isinstance(node, LOOPS) and [one for one in steps if one.kind == "backward"] == [step]:
                    yield from for_nothing(step, node, context)


def keeps(call: ast.Call) -> bool:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "retain_graph"]
    sure = bool(given) and isinstance(given[0], ast.Constant) and given[0].value is True
    return sure and len(call.keywords) == 1 and not call.args


def loss_of(step: Step) -> ast.expr | None:
    return step.call.func.value if isinstance(step.call.func, ast.Attribute) and step.call.func.attr == "backward" else None


def over_step(first: Step, steps: list[Step], context: Context) -> Findings:
    """The same loss runs backward again after a step."""
    later = steps[steps.index(first) + 1 :]
    stepped = [one for one in later if one.kind == "step" and one.sure and one.known]
    again = [one for one in later if one.kind == "backward" and one.sure and one.on == first.on]
    if not stepped or not again or stepped[0].call.lineno >= again[0].call.lineno:
        return
    loss, other = loss_of(first), loss_of(again[0])
    if isinstance(loss, ast.Name) and isinstance(other, ast.Name) and bound(loss, context) == bound(other, context):
        words = (
            f"the graph that is kept here does not outlive {context.text_of(stepped[0].call)}, which changes the weights: compute"
        )
        related = [Related(span_of(again[0].call), "raises here")]
        yield Finding.at(first.call, f"{words} {first.on} anew", related=related, severity=Severity.ERROR)


def bound(name: ast.Name, context: Context) -> list[ast.AST]:
    return [one.node for one in context.file.names.bindings(name)]


def for_nothing(step: Step, loop: ast.AST, context: Context) -> Findings:
    """The only backward of a loop keeps a graph that is made anew in each turn."""
    loss = loss_of(step)
    inside = [call for call in context.gradients.backwards if loop in context.file.grown.ancestors(call)]
    if len(inside) == 1 and isinstance(loss, ast.Name) and is_fresh(loss, loop, set(), context):
        words = f"nothing goes through the graph of {loss.id} a second time, and keeping it costs memory: leave retain_graph out"
        yield Finding.at(step.call, words)


def is_fresh(node: ast.expr, loop: ast.AST, seen: set[Binding], context: Context) -> bool:
    """Whether all that an expression is computed from is made in this turn of the loop, or has no graph."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return len(seen) < DEPTH and all(is_fresh_name(name, loop, seen, context) for name in names)


def is_fresh_name(name: ast.Name, loop: ast.AST, seen: set[Binding], context: Context) -> bool:
    if context.name_of(name) is not None:
        return True
    bindings = context.file.names.bindings(name)
    for binding in bindings:
        if loop in context.file.grown.ancestors(binding.node):
            early = binding.line < name.lineno and binding.kind == "assign" and binding.value is not None
            if binding in seen or not early or binding.value is None or len(bindings) > 1:
                return False
            seen.add(binding)
            if not is_fresh(binding.value, loop, seen, context):
                return False
        elif not is_plain(name, binding, context):
            return False
    return bool(bindings)


def is_plain(name: ast.Name, binding: Binding, context: Context) -> bool:
    """Whether what a name brings into the loop has no graph: a layer of torch, or a tensor of random numbers or constants."""
    value = context.value_of(name)
    if value is not None and value.kind == "instance" and value.name.startswith("torch.nn."):
        return "GRU" not in value.name and "LSTM" not in value.name and "RNN" not in value.name
    made = binding.value if binding.kind == "assign" and binding.path == () else None
    if not isinstance(made, ast.Call) or any(keyword.arg == "requires_grad" for keyword in made.keywords):
        return False
    maker = (context.name_of(made.func) or "").rpartition(".")
    return maker[0] == "torch" and maker[2] in ("randn", "rand", "zeros", "ones", "tensor", "randint", "arange", "linspace")
