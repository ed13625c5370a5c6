"""A recurrent cell runs over a whole sequence in a Python loop.

Why
    Each step of the loop launches every operation of the cell by itself. nn.RNN, nn.GRU and nn.LSTM run the whole sequence in
    one call: the products with the inputs are one product, and cuDNN or oneDNN does the rest. A cell is for what must look at
    each output before the next input is known: decoding, attention, an environment. Off by default: for a few steps the loop
    costs nothing worth a change.

Bad
    cell = nn.GRUCell(3, 4)
    def run(x, h):
        outputs = []
        for t in range(x.size(1)):
            h = cell(x[:, t], h)
            outputs.append(h)
        return torch.stack(outputs, dim=1)

Good
    gru = nn.GRU(3, 4, batch_first=True)
    def run(x, h):
        outputs, h = gru(x, h.unsqueeze(0))
        return outputs
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("rnn-cell-loop", Severity.INFORMATION, Category.PERFORMANCE, entry="guides/slow-code", default=False)
CELLS = {"torch.nn.RNNCell": "nn.RNN", "torch.nn.GRUCell": "nn.GRU", "torch.nn.LSTMCell": "nn.LSTM"}


@RULE.on(ast.For)
def looped(loop: ast.For, context: Context) -> Findings:
    """A loop over time steps whose only recurrence is that of the cell."""
    calls = [call for call in context.file.index.inside(loop, ast.Call) if cell_of(call, context) is not None]
    if len(calls) != 1 or len(calls[0].args) != 2:
        return
    call, statement = calls[0], context.file.enclosing(calls[0], ast.stmt)
    if not isinstance(statement, ast.Assign) or statement not in loop.body or statement.value is not call:
        return
    states = names_in(statement.targets[0])
    if not states or names_in(call.args[1]) != states or not is_step(call.args[0], loop):
        return
    stored = [node.id for node in context.file.index.inside(loop, ast.Name) if isinstance(node.ctx, ast.Store)]
    if all(stored.count(name) == 1 for name in states) and not reads_changed(call.args[0], loop, context):
        whole = CELLS[cell_of(call, context) or ""]
        words = (
            f"the cell runs once a step, each time with all its small operations: {whole} takes the whole sequence in one call"
        )
        yield Finding.at(call, words, related=[Related(span_of(loop.target), "one step a turn")])


def cell_of(call: ast.Call, context: Context) -> str | None:
    value = context.value_of(call.func)
    return value.name if value is not None and value.kind == "instance" and value.name in CELLS else None


def names_in(node: ast.expr) -> list[str]:
    """The plain names of a state: h, or (h, c); nothing where it is anything else."""
    items = node.elts if isinstance(node, ast.Tuple) else [node]
    return [item.id for item in items if isinstance(item, ast.Name)] if all(isinstance(one, ast.Name) for one in items) else []


def is_step(node: ast.expr, loop: ast.For) -> bool:
    """Whether an input is the part of a sequence that belongs to this turn: `x[:, t]`, `x[t]`, or the loop's own variable."""
    turn = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    if isinstance(node, ast.Name):
        return node.id in turn and not is_count(loop.iter)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return False
    return bool(turn & {part.id for part in ast.walk(node.slice) if isinstance(part, ast.Name)})


def is_count(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def reads_changed(node: ast.expr, loop: ast.For, context: Context) -> bool:
    """Whether the sequence is itself written in the loop, as when each output is the next input; or a break may end it."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    turn = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    inside = context.file.index.inside
    stores = {part.id for part in inside(loop, ast.Name) if isinstance(part.ctx, ast.Store)} - turn
    written = {
        part.value.id
        for part in inside(loop, ast.Subscript)
        if isinstance(part.value, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    appended = {
        part.value.id
        for part in inside(loop, ast.Attribute)
        if isinstance(part.value, ast.Name) and part.attr in ("append", "copy_", "extend")
    }
    return bool(names & (stores | written | appended)) or bool(inside(loop, ast.Break) or inside(loop, ast.Return))
