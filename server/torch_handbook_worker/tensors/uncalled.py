"""Functions and classes that nothing in the file calls, walked with what is known of their inputs.

A failure there is told only if it stays when the numbers that a caller may choose are free and the number of axes is another one.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Dict, List, Optional, Tuple

from torch import nn

from torch_handbook_worker.protocol import Failure, Span
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.guesses import guess
from torch_handbook_worker.tensors.holes import ACTIVE, Filled, Hole, tensor_for
from torch_handbook_worker.tensors.remarks import REASON
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.stated import fill, is_stated
from torch_handbook_worker.tensors.values import MISSING, Unknown, each

RESTARTS = 12
SIZE = re.compile(
    r"dim|channel|feature|hidden|width|classes|embed|planes|vocab|d_model|n_in|n_out|inp|oup|in_|out_|_size$|^size$|^dim|head_|heads?$|n_head|patch|mlp"
)
NOT_SIZE = re.compile(
    r"kernel|stride|padding|dilation|ratio|layers|depth|groups|drop|window|factor|_fn|act|norm|bias|rate|eps|batch_size"
)
Failures = Dict[Tuple[Span, str], Failure]


def walk_uncalled(session: Session, frame: Frame) -> None:
    """Walk them, in the order of the file: each module's forward first, then other methods and functions."""
    _walk_makers(session, frame)
    for kind, _, _ in list(session.classes):
        forward = _function(kind, "forward")
        if session.fakes.count > MOST:
            return
        if isinstance(kind, type) and issubclass(kind, nn.Module) and forward is not None and not forward.calls:
            walk_forward(session, frame, kind)
    for function in list(session.functions):
        if session.fakes.count > MOST:
            return
        if not function.calls and not function.__name__.startswith("__init__"):
            _report(session, lambda free, ranks, function=function: _walk_function(session, frame, function, free, ranks))


MOST = 12_000  # operators of torch after which no further function is begun
MAKERS = 4  # functions like `resnet18()` that are walked first, to see with which numbers the classes are made


def _walk_makers(session: Session, frame: Frame) -> None:
    """Functions that need no argument may make the file's modules: the instances that they make are the ones to look at."""
    wanted = [kind for kind, _, _ in session.classes if isinstance(kind, type) and issubclass(kind, nn.Module)]
    walked = 0
    for function in list(session.functions):
        if walked >= MAKERS or all(kind in session.instances for kind in wanted):
            return
        if function.owner is None and not function.calls and not _open_parameters(function, False):
            walked += 1
            _report(session, lambda free, ranks, made=function: _walk_function(session, frame, made, free, ranks))


def walk_forward(session: Session, frame: Frame, kind: Any) -> None:
    """Walk the forward of a class for what it says of its inputs."""
    _report(session, lambda free, ranks: _walk_forward(session, frame, kind, free, ranks))


def _function(kind: Any, name: str) -> Optional[Function]:
    found = vars(kind).get(name)
    return found if isinstance(found, Function) else None


def _report(session: Session, walk: Any) -> None:
    """Walk once for the facts; failures have to come again in a walk where more is left open."""
    trace = session.trace
    kept = trace.failures
    session.sizes.taken.clear()
    trace.failures = {}
    try:
        walk(False, 0)
        found = trace.failures
        remarks = {key: failure for key, failure in found.items() if key[1] == REASON}  # of axes, whatever their sizes are
        if len(found) > len(remarks):
            trace.failures = {}
            trace.muted += 1
            try:
                walk(True, 1)
            finally:
                trace.muted -= 1
            found = {key: failure for key, failure in found.items() if key in trace.failures or key in remarks}
    finally:
        trace.failures = kept
    for key, failure in found.items():
        trace.failures.setdefault(key, failure)


def _walk_forward(session: Session, frame: Frame, kind: Any, free: bool, ranks: int) -> None:
    module = None if free else session.instances.get(kind)
    if module is None:
        module = _instance(session, frame, kind, free)
    forward = _function(kind, "forward")
    if isinstance(module, nn.Module) and forward is not None:
        _attempts(session, frame, forward, module, free, ranks)


def _instance(session: Session, frame: Frame, kind: Any, free: bool) -> Any:
    function = next((found for found in (_function(row, "__init__") for row in kind.__mro__ if row is not object) if found), None)
    named: Dict[str, Any] = {}
    if function is not None:
        arguments = function.node.args
        rows = [*arguments.posonlyargs, *arguments.args][1:] + arguments.kwonlyargs
        defaults = _defaults(function)
        for row in rows:
            if row.arg not in defaults or (free and _is_size(defaults[row.arg])):
                named[row.arg] = _constructor_value(session, row)
            elif free and not isinstance(defaults[row.arg], float):
                named[row.arg] = Unknown(name=row.arg)
        function.opened = True
    return session.call(frame, _node(function, kind), kind, [], named)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _node(function: Optional[Function], kind: Any) -> Any:
    return function.node if function is not None else ast.parse(kind.__name__).body[0]


def _defaults(function: Function) -> Dict[str, Any]:
    arguments = function.node.args
    positional = [row.arg for row in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(reversed(positional), reversed(function.defaults)))
    found.update(function.named_defaults)
    return found


def _constructor_value(session: Session, row: ast.arg) -> Any:
    """What stands for a constructor argument that nobody gives: a free size where it is one by its name or annotation."""
    if session.measure is not None and row.arg in session.measure.sizes:
        return session.measure.sizes[row.arg]
    annotation = ast.unparse(row.annotation) if row.annotation is not None else ""
    name = row.arg
    if annotation in ("", "int") and SIZE.search(name) and not NOT_SIZE.search(name):
        return session.sizes.free(name)
    kinds = {"int": "int", "float": "number", "bool": "bool", "str": "str"}
    return Unknown(kinds.get(annotation, ""), name)


def _walk_function(session: Session, frame: Frame, function: Function, free: bool, ranks: int) -> None:
    owner = function.owner
    if owner is None:
        _attempts(session, frame, function, MISSING, free, ranks)
        return
    if any(ast.unparse(row) in ("staticmethod", "classmethod") for row in function.node.decorator_list):
        return
    instance = None if free else session.instances.get(owner)
    if instance is None:
        instance = _instance(session, frame, owner, free)
    if not isinstance(instance, Unknown):
        _attempts(session, frame, function, instance, free, ranks)


def _attempts(session: Session, frame: Frame, function: Function, receiver: Any, free: bool, ranks: int) -> None:
    """Call a function with holes, again and again until all that the code says of them is known."""
    holes = {row: Hole(row) for row in _open_parameters(function, receiver is not MISSING)}
    fill(session.stated, function.node, holes)
    named: Dict[str, Any] = {}
    before = list(ACTIVE)
    notes, gaps = dict(session.trace.notes), dict(session.trace.gaps)
    try:
        ACTIVE[:] = list(holes.values())
        for _ in range(RESTARTS):
            try:
                session.trace.failures = {}
                _once(session, frame, function, receiver, holes, named, free, ranks)
                told = guess(function.node, session.request.text, holes)
                if told is None:
                    return
                raise Filled(told)
            except Filled:
                session.trace.notes, session.trace.gaps = dict(notes), dict(gaps)
                reset(session)
    finally:
        ACTIVE[:] = before


def reset(session: Session) -> None:
    """Forget where the walk was that was broken off."""
    session.journal.layers.clear()
    session.depth = session.forwards = 0
    session.trace.expected = 0
    session.trace.branches = ()


def _open_parameters(function: Function, bound: bool) -> List[str]:
    arguments = function.node.args
    rows = [*arguments.posonlyargs, *arguments.args][1 if bound else 0 :] + arguments.kwonlyargs
    defaults = _defaults(function)
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
        if hole.axes is not None:
            if ranks and not hole.ranked and len(hole.axes) == 2:
                hole.axes.insert(1, "T")
                hole.ranked = True
            value = tensor_for(hole, session.sizes, named)
        given[name] = value
    if free:
        defaults = _defaults(function)
        given.update({name: Unknown("int" if _is_size(value) else "", name) for name, value in defaults.items()})
    positional = [] if receiver is MISSING else [receiver]
    if session.measure is not None and function.__name__ == "forward" and not free:
        session.measure.give(receiver, [], given)
    function.opened = True
    public = function.public if callable(function.public) else function
    session.forwards += 1
    try:
        result = session.call(frame, function.node, public, positional, given)
    finally:
        session.forwards -= 1
    if function.__name__ == "forward" and isinstance(receiver, nn.Module) and receiver.training and session.graph.changes:
        session.graph.report(session.graph.stale(list(each(result))), None)
