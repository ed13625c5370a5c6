"""Evaluation leaves the model in eval mode, and the next epoch trains it so.

Why
    eval() stays until train() is called. An evaluation inside of the loop over epochs that calls eval(), with a train() only
    before the loop, leaves all epochs but the first without dropout and with the statistics of batch norm standing still.
    A network of plain layers does the same in both modes: there it is only a hint.

Bad
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for epoch in range(3):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).mean().backward()
        optimizer.step()
        model.eval()
        print(model(torch.ones(2, 4)).mean().item())

Good
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        model.train()
        optimizer.zero_grad()
        model(torch.ones(2, 4)).mean().backward()
        optimizer.step()
        model.eval()
        print(model(torch.ones(2, 4)).mean().item())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS, argument_of
from torch_handbook.source.modes import is_modeless
from torch_handbook.source.steps import LOOPS
from torch_handbook.source.text import span_of
from torch_handbook.source.value import Value

RULE = Rule("train-mode-not-restored", Severity.WARNING, Category.TRAINING, entry="guides/training-loop")


@RULE.on(ast.For, ast.AsyncFor, ast.While)
def trained(loop: ast.For | ast.AsyncFor | ast.While, context: Context) -> Findings:
    """A loop that runs backward in each turn, and then switches the network to eval mode."""
    backwards = [call for call in context.file.index.inside(loop, ast.Call) if runs_backward(call, context)]
    if not backwards or context.file.enclosing(loop, *LOOPS) is not None or may_restore(loop, context):
        return
    for statement in loop.body:
        for call in (part for part in ast.walk(statement) if isinstance(part, ast.Call)):
            switch, network = switches(call, context)
            if switch is None or not any(one.lineno < call.lineno for one in backwards) or leaves(loop, call, context):
                continue
            shown = context.text_of(call)
            words = (
                f"after {shown} the network stays in eval mode, and the next turn of the loop trains it so: call train() first"
            )
            related = [Related(span_of(switch), "eval mode from here on")] if switch is not call else []
            # A network of plain layers does the same in both modes; it may get a dropout later.
            plain = network is not None and is_modeless(network, context.modules)
            weight = Severity.HINT if plain else None
            yield Finding.at(call, f"{words} in each turn", related=related, severity=weight)
            return


def runs_backward(call: ast.Call, context: Context) -> bool:
    """Whether a call is a backward, or of a function of the file with one in it."""
    if call in context.gradients.backwards:
        return True
    function = function_of(call, context)
    return function is not None and any(
        one in context.gradients.backwards for one in context.file.index.inside(function, ast.Call)
    )


def function_of(call: ast.Call, context: Context) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function of the file that a call runs, a method of the same class included."""
    function = context.origins.function_of(call)
    if function is None and isinstance(call.func, ast.Attribute):
        owner = context.file.flow.classes.owner_of(call.func.value)
        found = context.file.flow.classes.lookup(owner, call.func.attr) if owner is not None else []
        function = found[0].node if len(found) == 1 else None
    return function if isinstance(function, FUNCTIONS) else None


def switches(call: ast.Call, context: Context) -> tuple[ast.Call | None, Value | None]:
    """The `net.eval()` that a call is, or that the function which it runs makes of a network it is given, and that network."""
    if is_eval(call, context):
        return call, context.value_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
    function = function_of(call, context)
    if function is None:
        return None, None
    for part in context.file.index.inside(function, ast.Call):
        if isinstance(part.func, ast.Attribute) and part.func.attr == "eval" and is_own_network(part.func.value, call, context):
            return part, context.value_of(part.func.value)
        if not isinstance(call.func, ast.Name) or not isinstance(part.func, ast.Attribute):
            continue
        if part.func.attr == "eval" and isinstance(part.func.value, ast.Name):
            given = argument_of(call, function, part.func.value.id)
            value = context.value_of(given) if given is not None else None
            if value is not None and value.kind == "instance" and value.base == "torch.nn.Module":
                return part, value
    return None, None


def is_own_network(node: ast.expr, call: ast.Call, context: Context) -> bool:
    """Whether it is the network of the object whose method is called: `self.model`, which may have come from anywhere."""
    if not isinstance(node, ast.Attribute) or context.file.flow.classes.owner_of(node.value) is None:
        return False
    value = context.value_of(node)
    if value is None:
        return node.attr in ("model", "net", "network") and isinstance(call.func, ast.Attribute)
    return value.kind == "instance" and value.base == "torch.nn.Module"


def is_eval(call: ast.Call, context: Context) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "eval" or call.args:
        return False
    value = context.value_of(call.func.value)
    return value is not None and value.kind == "instance" and value.base == "torch.nn.Module" and value.sure


def may_restore(loop: ast.AST, context: Context) -> bool:
    """Whether some train() may run in a turn: one in the loop, or in any function of the file but the loop's own."""
    home = context.file.enclosing(loop, *FUNCTIONS)
    for node in context.file.index.all(ast.Attribute):
        if node.attr not in ("train", "training"):
            continue
        around = context.file.enclosing(node, *FUNCTIONS)
        if loop in context.file.grown.ancestors(node) or (around is not None and around is not home):
            return node.attr == "train" or isinstance(node.ctx, ast.Store) or loop not in context.file.grown.ancestors(node)
    return False


def leaves(loop: ast.AST, call: ast.Call, context: Context) -> bool:
    """Whether the loop ends after the call."""
    for around in context.file.grown.ancestors(call):
        if around is loop:
            return False
        if any(isinstance(part, (ast.Break, ast.Return)) for part in ast.walk(around)):
            return True
    return False
