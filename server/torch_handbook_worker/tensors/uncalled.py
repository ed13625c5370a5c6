"""Functions and classes that nothing in the file calls, walked with what is known of their inputs.

A failure there is told only if it stays when the numbers that a caller may choose are free and the number of axes is another one.
"""

from __future__ import annotations

import ast
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from torch import nn

from torch_handbook_worker.protocol import Failure, Span
from torch_handbook_worker.tensors.constructors import defaults_of, instance, is_number, made_with, outermost_first, untold
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.guesses import guess
from torch_handbook_worker.tensors.holes import ACTIVE, Filled, Hole, Misfit, fill_by_callers, tensor_for
from torch_handbook_worker.tensors.members import layers
from torch_handbook_worker.tensors.nodes import inside
from torch_handbook_worker.tensors.notes import Note, agreed
from torch_handbook_worker.tensors.remarks import REASON
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.stated import fill, is_stated
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.unit import name_of, walk_unit
from torch_handbook_worker.tensors.values import MISSING, Unknown, each, unique

RESTARTS = 12
MOST = 12_000  # operators of torch after which no further function is begun
MAKERS = 4  # functions like `resnet18()` that are walked first, to see with which numbers the classes are made
ALIKE = 1500  # operators for functions that call the same ones, after which no further one of them is begun
LARGE = {"N": 6, "H": 397, "W": 421, "L": 1013, "T": 61, "D": 59}  # larger than most networks shrink, and of no special kind
Failures = Dict[Tuple[Span, str], Failure]


class State(NamedTuple):
    """What was known before a function was walked."""

    taken: Dict[str, int]
    notes: Dict[Span, Note]
    calls: Dict[int, List[Any]]


def walk_uncalled(session: Session, frame: Frame) -> None:
    """Walk them: each module's forward first, a network's before that of its parts, then other methods and functions."""
    made = _walk_makers(session, frame)
    for kind in outermost_first(session):
        forward = _function(kind, "forward")
        if session.fakes.count > MOST:
            return
        known = forward is not None and forward.calls and forward.is_seen
        if isinstance(kind, type) and issubclass(kind, nn.Module) and forward is not None and not known:
            for place, module in enumerate(made.get(kind, [None])):
                walk_forward(session, frame, kind, module, place)
    spent: Dict[str, int] = {}
    for function in list(session.functions):
        before, family = session.fakes.count, _family(function)
        if before > MOST:
            return
        if not function.calls and not function.__name__.startswith("__init__") and spent.get(family, 0) <= ALIKE:
            name = name_of(session, "function", function)
            _report(session, name, lambda free, ranks, function=function: _walk_function(session, frame, function, free, ranks))
            spent[family] = spent.get(family, 0) + session.fakes.count - before if family else 0


def _family(function: Function) -> str:
    """What a function without arguments calls: `_resnet` for each `def resnet…(): return _resnet(…)`."""
    if function.owner is not None or _open_parameters(function, False):
        return ""
    calls = [node.func for node in inside(function.node) if isinstance(node, ast.Call)]
    return " ".join(sorted({name.id for name in calls if isinstance(name, ast.Name)}))


def _walk_makers(session: Session, frame: Frame) -> Dict[Any, List[Any]]:
    """What functions make that need no argument, of the classes whose constructors do not say enough: two of each class."""
    wanted = [kind for kind in untold(session) if kind not in session.instances]
    made: Dict[Any, List[Any]] = {}
    rows = [row for row in session.functions if row.owner is None and not row.calls and not _open_parameters(row, False)]
    for function in _spread(rows, MAKERS):
        if all(len(made.get(kind, [])) > 1 for kind in wanted):
            break
        kept, session.instances = session.instances, {}
        name = name_of(session, "maker", function)
        _report(session, name, lambda free, ranks, made=function: _walk_function(session, frame, made, free, ranks))
        for kind, module in session.instances.items():
            made.setdefault(kind, []).append(module)
        session.instances = kept
    return {kind: made[kind][:2] for kind in wanted if kind in made}


def _spread(rows: List[Any], most: int) -> List[Any]:
    """So many of some functions, as far from each other as can be: neighbours make nearly the same network."""
    places = [round(place * (len(rows) - 1) / max(1, most - 1)) for place in range(min(most, len(rows)))]
    return [rows[place] for place in unique([places[0], places[-1], *places])] if places else []


def walk_forward(session: Session, frame: Frame, kind: Any, module: Any = None, place: int = 0) -> None:
    """Walk the forward of a class for what it says of its inputs; of the module that was made at some place of several."""
    name, maker = name_of(session, "forward", kind, place), session.maker(module)
    _report(session, name, lambda free, ranks: _walk_forward(session, frame, kind, module, free, ranks), maker)


def _function(kind: Any, name: str) -> Optional[Function]:
    found = vars(kind).get(name)
    return found if isinstance(found, Function) else None


def _report(session: Session, name: Any, walk: Any, maker: Any = None) -> None:
    """Walk one function, with all that it calls; where it is a method, on the object of a maker."""
    walk_unit(session, name, lambda: _confirmed(session, walk), maker)


def _confirmed(session: Session, walk: Any) -> None:
    """Walk once for the facts; failures have to come again in a walk where more is left open."""
    trace = session.trace
    kept = trace.failures
    trace.failures = {}
    try:
        walk(False, 0)
        found = trace.failures
        remarks = {key: failure for key, failure in found.items() if key[1] == REASON}  # of axes, whatever their sizes are
        if len(found) > len(remarks):
            again = _again(session, lambda: walk(True, 1))
            found = {key: failure for key, failure in found.items() if key in again or key in remarks}
        decided = {key for key in found if key[0] in trace.decided and key not in remarks}
        if decided:
            again = _with_numbers(session, lambda: walk(False, 0))
            found = {key: failure for key, failure in found.items() if key in again or key not in decided}
    finally:
        trace.failures = kept
    for key, failure in found.items():
        trace.failures.setdefault(key, failure)


def _again(session: Session, walk: Callable[[], None]) -> Failures:
    """The failures of another walk, of which nothing else is kept."""
    trace = session.trace
    trace.failures = {}
    trace.muted += 1
    try:
        walk()
    finally:
        trace.muted -= 1
    return trace.failures


def _with_numbers(session: Session, walk: Callable[[], None]) -> Failures:
    """The failures of a walk on an input of plain numbers: what was proved of all sizes must hold of these."""
    session.sizes.numbers = LARGE
    try:
        return _again(session, walk)
    finally:
        session.sizes.numbers = None


def _walk_forward(session: Session, frame: Frame, kind: Any, made: Any, free: bool, ranks: int) -> None:
    module = None if free else session.instance(kind) if made is None else session.live(made)
    given = None if free else session.given.get(kind.__name__)
    if module is None and given is not None:
        module = made_with(session, frame, kind, given.made)
    if module is None:
        module = instance(session, frame, kind, free)
    forward = _function(kind, "forward")
    if isinstance(module, nn.Module) and forward is not None:
        _attempts(session, frame, forward, module, free, ranks, given)


def _walk_function(session: Session, frame: Frame, function: Function, free: bool, ranks: int) -> None:
    owner = function.owner
    if owner is None:
        _attempts(session, frame, function, MISSING, free, ranks)
        return
    if any(ast.unparse(row) in ("staticmethod", "classmethod") for row in function.node.decorator_list):
        return
    receiver = None if free else session.instance(owner)
    if receiver is None:
        receiver = instance(session, frame, owner, free)
    if not isinstance(receiver, Unknown):  # that a method can change its object says nothing about the next one
        session.journal.keeping(_owned(receiver), lambda: _attempts(session, frame, function, receiver, free, ranks))


def _owned(receiver: Any) -> Iterator[Any]:
    """An object, the modules inside it, and the containers that they hold."""
    for part in layers(receiver) if isinstance(receiver, nn.Module) else (receiver,):
        yield part
        yield from (value for value in getattr(part, "__dict__", {}).values() if isinstance(value, (list, dict, set)))


def _attempts(
    session: Session, frame: Frame, function: Function, receiver: Any, free: bool, ranks: int, given: Any = None
) -> None:
    """Call a function with holes until all that the code says of them is known; again with an axis more where that may be."""
    holes = {row: Hole(row) for row in _open_parameters(function, receiver is not MISSING)}
    if function.source.path == session.trace.path:
        for row in (*function.node.args.posonlyargs, *function.node.args.args, *function.node.args.kwonlyargs):
            if row.arg in holes:
                holes[row.arg].span = span_of(row)
    before = list(ACTIVE)
    state = State(dict(session.sizes.taken), dict(session.trace.notes), {key: list(rows) for key, rows in session.calls.items()})
    fill(session.stated, function.node, holes)
    if given is not None:
        fill_by_callers(holes, given.inputs)

    def walk(named: Dict[str, Any]) -> None:
        _once(session, frame, function, receiver, holes, named, free, ranks)
        told = guess(function.node, session.request.text, holes)
        if told is not None:
            raise Filled(told)

    try:
        ACTIVE[:] = list(holes.values())
        if not _settled(session, walk):
            return
        vague = any(hole.axes is not None and not hole.ranked for hole in holes.values())
        if vague and not free and not ranks and session.measure is None:
            _lifted(session, state, lambda named: _once(session, frame, function, receiver, holes, named, free, 1))
    finally:
        ACTIVE[:] = before


def _lifted(session: Session, before: State, walk: Any) -> None:
    """Walk again with an axis more in the inputs: what is said otherwise then is not known, unless only the first walk can be."""
    trace = session.trace
    found, failures, gaps, calls, nothing = trace.notes, trace.failures, trace.gaps, session.calls, set(trace.nothing)
    trace.notes, session.sizes.taken, session.calls = dict(before.notes), before.taken, {}
    is_certain = done = False
    trace.is_lifted = True
    try:
        done = _settled(session, walk)
        is_certain = done and any(key not in failures and key[1] == "shape" for key in trace.failures)
    except Misfit:
        is_certain = True
        session.forget_place()
    finally:
        trace.is_lifted = False
    other = trace.notes if done else before.notes
    trace.failures, trace.gaps, trace.notes, session.calls, trace.nothing = failures, gaps, found, calls, nothing
    if not is_certain:
        session.calls = before.calls  # that they have one rank says nothing
        trace.notes = {
            span: note if before.notes.get(span) == note else agreed(note, other.get(span)) for span, note in found.items()
        }


def _settled(session: Session, walk: Any) -> bool:
    """Walk again and again, as long as more is found out of the holes; whether that came to an end."""
    named: Dict[str, Any] = {}
    taken, notes, gaps = dict(session.sizes.taken), dict(session.trace.notes), dict(session.trace.gaps)
    nothing = set(session.trace.nothing)
    calls = {key: list(rows) for key, rows in session.calls.items()}
    for _ in range(RESTARTS):
        try:
            session.trace.failures = {}
            walk(named)
            return True
        except Filled:
            session.trace.notes, session.trace.gaps, session.trace.nothing = dict(notes), dict(gaps), set(nothing)
            session.calls = {key: list(rows) for key, rows in calls.items()}
            session.sizes.taken = {**taken, **{name: 1 for name in named if name not in taken}}
            session.forget_place()
    return False


def _open_parameters(function: Function, bound: bool) -> List[str]:
    arguments = function.node.args
    rows = [*arguments.posonlyargs, *arguments.args][1 if bound else 0 :] + arguments.kwonlyargs
    defaults = defaults_of(function)
    return [row.arg for row in rows if row.arg not in defaults or is_stated(function.session.stated, function.node, row.arg)]


def _once(
    session: Session,
    frame: Frame,
    function: Function,
    receiver: Any,
    holes: Dict[str, Hole],
    named: Dict[str, Any],
    free: bool,
    ranks: int,
) -> None:
    given: Dict[str, Any] = {}
    for name, hole in holes.items():
        value: Any = hole
        hole.again(named)
        if hole.axes is not None:
            if ranks and not hole.ranked:
                hole.axes = list(hole.filled or hole.axes)  # what the walk with an axis less found does not hold for this one
                own = len(hole.axes) > 2 or "T" in hole.axes  # the others keep their names
                hole.axes.insert(1, "S" if own else "T")
                hole.ranked = True
            value = tensor_for(hole, session.sizes, named)
        given[name] = value
    if free:
        defaults = defaults_of(function)
        given.update({name: Unknown("int" if is_number(value) else "", name) for name, value in defaults.items()})
    positional = [] if receiver is MISSING else [receiver]
    if session.measure is not None and function.__name__ == "forward" and not free:
        session.measure.give(receiver, [], given)
    function.opened = "**" if free or ranks else "*"
    public = function.public if callable(function.public) else function
    session.rounds += 1
    session.forwards += 1
    try:
        result = session.call(frame, function.node, public, positional, given)
    finally:
        session.forwards -= 1
        function.opened = ""
    if function.__name__ == "forward" and isinstance(receiver, nn.Module) and receiver.training and session.graph.changes:
        session.graph.report(session.graph.stale(list(each(result))), None)
