"""A recurrent state is handed from one batch to the next together with its graph.

Why
    The state that the layer returns hangs on the whole forward. Given to the next batch as it is, that batch's backward goes
    on into the graph of the last one, which its backward has freed: "Trying to backward through the graph a second time".

Bad
    rnn = nn.GRU(3, 4)
    hidden = None
    for batch in torch.randn(2, 5, 1, 3):
        output, hidden = rnn(batch, hidden)
        output.sum().backward()

Good
    rnn = nn.GRU(3, 4)
    hidden = None
    for batch in torch.randn(2, 5, 1, 3):
        output, hidden = rnn(batch, hidden)
        output.sum().backward()
        hidden = hidden.detach()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.steps import LOOPS
from torch_handbook.source.text import span_of

RULE = Rule("hidden-state-not-detached", Severity.ERROR, Category.AUTOGRAD, entry="torch.Tensor.backward")
RECURRENT = frozenset({"torch.nn.RNN", "torch.nn.GRU", "torch.nn.LSTM"})


@RULE.on(ast.Assign)
def carried(statement: ast.Assign, context: Context) -> Findings:
    """`output, hidden = rnn(batch, hidden)` in a loop that runs backward each turn."""
    target, call = statement.targets[0], statement.value
    loop = context.file.parent_of(statement)
    if not isinstance(loop, LOOPS) or statement not in loop.body or not isinstance(call, ast.Call) or len(call.args) != 2:
        return
    state = target.elts[1] if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == 2 else None
    given = call.args[1]
    if not isinstance(state, ast.Name) or not isinstance(given, ast.Name) or given.id != state.id:
        return
    value = context.value_of(call.func)
    if value is None or value.kind != "instance" or value.name not in RECURRENT or context.gradients.off_at(statement):
        return
    backwards = [step for step in context.steps.of(loop.body) if step.kind == "backward"]
    if len(backwards) != 1 or not backwards[0].sure or context.gradients.keeps_graph(backwards[0].call):
        return
    if backwards[0].call.lineno > statement.lineno and is_bound_once(state, loop) and not ends(loop):
        words = f"{state.id} brings the graph of the last turn along, which its backward has freed: detach it before the next"
        yield Finding.at(statement, words, related=[Related(span_of(backwards[0].call), "raises in the second turn")])


def is_bound_once(state: ast.Name, loop: ast.AST) -> bool:
    """Whether nothing else in the loop gives the state a value or detaches it."""
    names = [node for node in ast.walk(loop) if isinstance(node, ast.Name) and node.id == state.id]
    detached = any(
        isinstance(node, ast.Attribute)
        and node.attr == "detach_"
        and isinstance(node.value, ast.Name)
        and node.value.id == state.id
        for node in ast.walk(loop)
    )
    return sum(isinstance(node.ctx, ast.Store) for node in names) == 1 and not detached


def ends(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    return any(isinstance(statement, (ast.Break, ast.Return)) for statement in loop.body)
