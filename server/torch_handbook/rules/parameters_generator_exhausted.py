"""What model.parameters() returned is gone through twice.

Why
    parameters() returns a generator, as do filter, map and a generator expression over it. Whoever goes through it first uses it
    up; the second gets nothing: an optimizer says "got an empty parameter list", a sum is 0, clipping does nothing.

Bad
    model = nn.Linear(3, 1)
    parameters = model.parameters()
    count = sum(p.numel() for p in parameters)
    optimizer = torch.optim.SGD(parameters, lr=0.1)

Good
    model = nn.Linear(3, 1)
    parameters = list(model.parameters())
    count = sum(p.numel() for p in parameters)
    optimizer = torch.optim.SGD(parameters, lr=0.1)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.reach import branches
from torch_handbook.source.text import Span, span_of

RULE = Rule("parameters-generator-exhausted", Severity.ERROR, Category.TRAINING, entry="torch.optim.SGD")
GENERATING = frozenset({"parameters", "named_parameters", "buffers", "named_buffers", "modules", "children", "named_modules"})
WHOLE = frozenset({"sum", "list", "tuple", "set", "dict", "len", "sorted", "max", "min"})


@RULE.on(ast.Assign)
def exhausted(statement: ast.Assign, context: Context) -> Findings:
    target, value = statement.targets[0], statement.value
    if len(statement.targets) != 1 or not isinstance(target, ast.Name) or not is_generator(value, context):
        return
    uses = uses_of(target, context)
    if len(uses) < 2:
        return
    first, second = uses[0], uses[1]
    if not uses_up(first, context) or not uses_up(second, context) or not comes_first(first, second, context):
        return
    end, start = span_of(value).end, span_of(value).start
    fix = Fix("make it a list", (Edit(Span(*start, *start), "list("), Edit(Span(*end, *end), ")")))
    words = f"{target.id} is used up by line {first.lineno}, and here it is empty: make it a list"
    yield Finding.at(
        second, words, fix=fix, related=[Related(span_of(statement), "a generator"), Related(span_of(first), "used up here")]
    )


def is_generator(value: ast.expr, context: Context) -> bool:
    """Whether an expression is a generator over the parameters of a module."""
    if isinstance(value, ast.GeneratorExp):
        return is_generator(value.generators[0].iter, context) or walks_parameters(value)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute) and value.func.attr in GENERATING:
        owner = context.value_of(value.func.value)
        return owner is None or owner.base == "torch.nn.Module"
    if not isinstance(value.func, ast.Name) or value.func.id not in ("filter", "map") or len(value.args) != 2:
        return False
    return not context.file.names.bindings(value.func) and is_generator(value.args[1], context)


def walks_parameters(value: ast.GeneratorExp) -> bool:
    """Whether it goes through parameters, whatever they are gathered in: `(p for p in list(net.parameters()) if …)`."""
    walked = value.generators[0].iter
    return any(isinstance(part, ast.Attribute) and part.attr in ("parameters", "named_parameters") for part in ast.walk(walked))


def uses_of(target: ast.Name, context: Context) -> list[ast.Name]:
    """The places that read the name and mean this binding alone; nothing where one of them may mean another."""
    found: list[ast.Name] = []
    for name in context.callers.names.get(target.id, ()):
        bindings = [one.node for one in context.file.names.bindings(name)]
        if target in bindings:
            if len(bindings) > 1 or context.file.scope_of(name).function is not context.file.scope_of(target):
                return []
            found.append(name)
    return sorted(found, key=lambda name: (name.lineno, name.col_offset))


def uses_up(name: ast.Name, context: Context) -> bool:
    """Whether a use goes through the whole generator: a loop over it, `sum`, an optimizer, clipping."""
    parent = context.file.parent_of(name)
    if isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is name:
        if isinstance(parent, ast.For):
            return not any(isinstance(part, (ast.Break, ast.Return)) for part in ast.walk(parent))
        around = context.file.parent_of(context.file.parent_of(parent) or parent)
        inner = context.file.parent_of(parent)
        taker = around.func if isinstance(around, ast.Call) and isinstance(inner, ast.GeneratorExp) else None
        return not isinstance(inner, ast.GeneratorExp) or (isinstance(taker, ast.Name) and taker.id in WHOLE)
    if not isinstance(parent, ast.Call) or name not in parent.args:
        return False
    if isinstance(parent.func, ast.Name) and parent.func.id in WHOLE and not context.file.names.bindings(parent.func):
        return True
    called = context.name_of(parent.func) or ""
    value = context.value_of(parent)
    return "clip_grad" in called or (value is not None and value.is_a("torch.optim.Optimizer"))


def comes_first(first: ast.Name, second: ast.Name, context: Context) -> bool:
    """Whether the second use only runs after the first: it lies in the same block, or deeper."""
    around = branches(context.file.grown, second)
    return first.lineno < second.lineno and all(branch in around for branch in branches(context.file.grown, first))
