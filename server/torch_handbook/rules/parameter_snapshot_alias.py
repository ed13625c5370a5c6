"""Parameters are compared with what they were, but what was kept is the parameters themselves.

Why
    parameters(), weight and weight.data give the living tensors, and detach() shares their memory: after the step the "old"
    values are the new ones, and a test whether the network learns always says that it does not. Clone what shall stay.

Bad
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = list(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    print(all(torch.equal(old, new) for old, new in zip(before, model.parameters())))

Good
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = [p.detach().clone() for p in model.parameters()]
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    print(all(torch.equal(old, new) for old, new in zip(before, model.parameters())))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("parameter-snapshot-alias", Severity.WARNING, Category.SERIALIZATION, entry="guides/surprises")
KEPT = re.compile(r"before|old|prev|init|orig|start|snapshot|backup|saved|copy|w0|p0|params0|first", re.IGNORECASE)
COMPARES = words("equal allclose isclose eq ne norm dist assert_close")
LISTS = words("list tuple dict")


@RULE.on(ast.Assign)
def kept(statement: ast.Assign, context: Context) -> Findings:
    """`before = list(model.parameters())`, a step, and then a comparison with it."""
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not KEPT.search(target.id) or not is_living(statement.value, context):
        return
    compared = next(comparisons(target, statement, context), None)
    if compared is not None:
        words = f"{target.id} holds the parameters themselves, which the step changes, so the two are always equal: clone each"
        yield Finding.at(
            statement.value, f"{words} of them", related=[Related(span_of(compared), "compares them with themselves")]
        )


def is_living(node: ast.expr, context: Context) -> bool:
    """Whether an expression gives parameters in their own memory, alone or in a list or dict."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LISTS and len(node.args) == 1:
        return is_parameters(node.args[0], context)
    if (
        isinstance(node, (ast.ListComp, ast.DictComp))
        and len(node.generators) == 1
        and is_parameters(node.generators[0].iter, context)
    ):
        item = node.value if isinstance(node, ast.DictComp) else node.elt
        return isinstance(unshared(item), ast.Name)
    inner = unshared(node)
    value = context.value_of(inner)
    return isinstance(inner, ast.Attribute) and value is not None and value.name == "torch.nn.Parameter"


def is_parameters(node: ast.expr, context: Context) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    value = context.value_of(node.func.value)
    known = value is not None and value.kind == "instance" and value.base == "torch.nn.Module"
    return known and node.func.attr in ("parameters", "named_parameters")


def unshared(node: ast.expr) -> ast.expr:
    """What is left of an expression without `.data` and `.detach()`, which share memory."""
    while True:
        if isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "detach":
            node = node.func.value
        else:
            return node


def comparisons(target: ast.Name, statement: ast.Assign, context: Context) -> Iterator[ast.AST]:
    """The comparisons behind a step of an optimizer, in the same scope, that read what was kept."""
    scope = context.file.scope_of(target)
    calls = context.file.index.inside(scope.node, ast.Call)
    steps = [call for call in calls if call.lineno > statement.lineno and context.steps.kind_of(call) in ("step", "scaled-step")]
    if not steps or len(scope.bindings.get(target.id, [])) != 1:
        return
    for use in context.file.index.names.get(target.id, []):
        if use.lineno <= steps[0].lineno or context.file.scope_of(use).find(target.id) is not scope:
            continue
        for around in context.file.grown.ancestors(use):
            name = around.func if isinstance(around, ast.Call) else None
            called = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
            subtracts = isinstance(around, ast.BinOp) and isinstance(around.op, ast.Sub)
            if called in COMPARES or isinstance(around, ast.Compare) or subtracts or is_zipped(around, context):
                yield around
            if isinstance(around, ast.stmt):
                break


def is_zipped(node: ast.AST, context: Context) -> bool:
    """Whether it is a zip of the old and the new parameters."""
    zipped = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip"
    return zipped and isinstance(node, ast.Call) and any(is_parameters(item, context) for item in node.args)
