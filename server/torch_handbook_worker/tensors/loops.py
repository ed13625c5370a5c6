"""Loops: walked through where that is cheap, else a few times, and what keeps changing becomes unknown."""

from __future__ import annotations

import ast
import contextlib
from typing import Any, Callable, List, Optional, Sequence

from torch import nn

from torch_handbook_worker.tensors.expressions import assign, evaluate
from torch_handbook_worker.tensors.forks import in_arm, join
from torch_handbook_worker.tensors.iteration import iterate
from torch_handbook_worker.tensors.nodes import inside
from torch_handbook_worker.tensors.python_calls import decided
from torch_handbook_worker.tensors.rounds import Rounds
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.values import MISSING, Stream, Unknown, each

Execute = Callable[[Frame, Sequence[ast.stmt]], str]
MOST = 200  # walks of a loop whose length is known
OPERATORS = 3000  # of torch, for all walks of one such loop
LAYERS = 10_000  # the same, of a loop over the layers of a network
STEPS = 20_000  # for all walks of one loop
LEAVING = (ast.Break, ast.Continue, ast.Return)
MEASURED = 50  # times as much for a network whose operations are counted
HEAVY = 1200  # a training loop is walked again only if its first walk took fewer
TRAINING = frozenset({"backward", "step", "zero_grad"})


def walk_for(frame: Frame, node: Any, execute: Execute) -> str:
    """A `for` loop."""
    items, most = iterate(frame.session, evaluate(frame, node.iter)), OPERATORS
    if isinstance(items, Stream):
        count, known = items.count, False
        wanted = min(heavy_walks(node), count if count is not None else 2)
    else:
        count, known = len(items), True
        wanted = min(count, heavy_walks(node) if is_heavy(node) else MOST)
        most = LAYERS if any(isinstance(item, nn.Module) for item in each(items[:1])) else OPERATORS

    def enter(place: int, begin: Callable[[], None]) -> bool:
        if place >= wanted:
            return False
        begin()
        assign(frame, node.target, items.item() if isinstance(items, Stream) else items[place])
        return True

    complete = known and wanted == count
    if isinstance(items, Stream) and items.vague:
        return _walk_vague(frame, node, execute, enter)
    size = items.size if isinstance(items, Stream) else None
    return _walk(frame, node, execute, enter, complete, None, most, size)


def _walk_vague(frame: Frame, node: Any, execute: Execute, enter: Any) -> str:
    """A loop over layers of which not all are known: nothing that fails in it is certain, and it may not be entered at all."""
    session = frame.session
    ended, changes = in_arm(session, session.trace.new_fork(), 0, lambda: _walk(frame, node, execute, enter, False))
    session.journal.back(changes)
    if ended == "next":
        session.journal.settle([changes, {}], lambda one, other: join(session, one, other))
    return "next"


def walk_while(frame: Frame, node: Any, execute: Execute) -> str:
    """A `while` loop."""
    state = {"complete": False}

    def enter(place: int, begin: Callable[[], None]) -> bool:
        verdict = decided(frame.session, evaluate(frame, node.test))
        if verdict is False:
            state["complete"] = True
            return False
        few = isinstance(node.test, ast.Constant) or verdict is None or is_heavy(node)
        if place < (2 if few else MOST):
            begin()
            return True
        return False

    return _walk(frame, node, execute, enter, None, state)


def _walk(
    frame: Frame,
    node: Any,
    execute: Execute,
    enter: Any,
    complete: Optional[bool],
    state: Any = None,
    most: int = OPERATORS,
    size: Any = None,
) -> str:
    """Walk the rounds of a loop; `size` says how many there are where that is a free size."""
    again = frame.session.again
    before = len(again)
    try:
        with Rounds(frame.session.sizes) if complete is not True else contextlib.nullcontext() as rounds:
            return _rounds(frame, node, execute, enter, complete, state, most, size, rounds)
    finally:
        del again[before:]


def _rounds(
    frame: Frame,
    node: Any,
    execute: Execute,
    enter: Any,
    complete: Optional[bool],
    state: Any,
    most: int,
    size: Any,
    rounds: Optional[Rounds],
) -> str:
    session = frame.session
    is_known = complete is True or (state is not None and not is_heavy(node))
    started = session.fakes.count
    room = MEASURED if session.measure is not None and session.measure.is_counting else 1
    ended, place = "next", 0
    steps = session.trace.steps

    def once() -> str:
        return execute(frame, node.body)

    def begin() -> None:
        if place == 1:
            session.again.append(frame)
        if place and rounds is not None:
            rounds.again()

    layers: List[Any] = []
    while enter(place, begin):
        ended, changes = session.journal.run(once)
        layers.append(changes)
        _keep(session, changes)
        place += 1
        if ended in ("return", "break", "raise"):
            break
        spent = session.fakes.count - started
        if steps - session.trace.steps > STEPS * room and place >= 2:
            complete = False
            break
        if spent > (most * room if is_known else HEAVY) and place >= (2 if is_known else 1):
            complete = False
            break
    if state is not None:
        complete = state["complete"]
    if not complete and ended != "break" and len(layers) > 0:
        session.trace.cut += 1
        _blur(frame, layers, rounds)
        if size is not None and not session.trace.branches and ended == "next" and not _leaves(node):
            _count(session, layers, size)
    if ended in ("return", "raise"):
        return ended
    if ended != "break" and node.orelse:
        return execute(frame, node.orelse)
    return "next"


def _keep(session: Any, changes: Any) -> None:
    """Let an enclosing arm know what the walk changed."""
    if session.journal.layers:
        for key, (slot, before, _) in changes.items():
            session.journal.layers[-1].setdefault(key, (slot, before))


def _blur(frame: Frame, layers: List[Any], rounds: Optional[Rounds]) -> None:
    """After a loop that was not walked to its end: what its walks left in different states is not known."""
    session = frame.session
    last = layers[-1]
    for key, (slot, before, after) in last.items():
        if key[0] == "content":
            if len(before) != len(after):
                session.journal.blurred[id(slot.target)] = slot.target
                session.journal.counts.pop(id(slot.target), None)
            continue
        first = layers[0].get(key)
        value = after
        if len(layers) > 1 and first is not None:
            value = after if rounds is not None and rounds.alike(first[2], after) else join(session, first[2], after)
        elif isinstance(after, (int, float, str)) and not isinstance(after, bool) and before is not MISSING and before != after:
            value = Unknown("int" if isinstance(after, int) else "number" if isinstance(after, float) else "str")
        if value is not after:
            slot.write(value)


def _count(session: Any, layers: List[Any], size: Any) -> None:
    """Lists that were empty and that each walk made longer by one item have as many as the loop has rounds."""
    for key, (slot, before, _) in layers[0].items():
        rows = [changes.get(key) for changes in layers]
        longer = all(row is not None and len(row[2]) == len(row[1]) + 1 for row in rows)
        if longer and key[0] == "content" and isinstance(before, list) and not before:
            session.journal.count(slot.target, size)


def _leaves(node: Any) -> bool:
    """Whether a round may end before its last statement, or be the last one."""
    return any(isinstance(found, LEAVING) for found in inside(node))


def is_heavy(node: Any) -> bool:
    """Whether a loop trains: each walk of it runs a network forward and backward. It is kept on the loop's node of the tree."""
    known = vars(node).get("handbook_trains")
    if known is None:
        known = node.handbook_trains = any(type(found) is ast.Attribute and found.attr in TRAINING for found in inside(node))
    return known


def heavy_walks(node: Any) -> int:
    """How often a training loop is walked: a loop around another one once."""
    inner = any(isinstance(found, (ast.For, ast.While)) and found is not node and is_heavy(found) for found in inside(node))
    return 1 if inner else 2
