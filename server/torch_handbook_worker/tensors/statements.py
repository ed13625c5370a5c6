"""Statements: each kind of node has a function that carries it out and says how it ended."""

from __future__ import annotations

import ast
import contextlib
from typing import Any, Callable, Dict, List, Optional, Sequence

from torch_handbook_worker.tensors import attributes, operators, subscripts
from torch_handbook_worker.tensors.accelerators import asks_for_gpu
from torch_handbook_worker.tensors.calls import call
from torch_handbook_worker.tensors.classes import build_class
from torch_handbook_worker.tensors.expressions import assign, defaults_of, evaluate, name_value
from torch_handbook_worker.tensors.forks import in_arm, join
from torch_handbook_worker.tensors.functions import Function, note_parameters
from torch_handbook_worker.tensors.loops import walk_for, walk_while
from torch_handbook_worker.tensors.matching import MATCH, candidates
from torch_handbook_worker.tensors.python_calls import decided
from torch_handbook_worker.tensors.roles import read_names
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown

# How a statement ends: the next one follows, or it leaves its block.
NEXT, RETURN, BREAK, CONTINUE, RAISE = "next", "return", "break", "continue", "raise"
Executor = Callable[[Frame, Any], str]


def execute(frame: Frame, body: Sequence[ast.stmt]) -> str:
    """Walk a block."""
    for statement in body:
        frame.session.trace.tick()
        ended = EXECUTORS.get(type(statement), _skip)(frame, statement)
        if ended is not NEXT:
            return ended
    return NEXT


def _skip(frame: Frame, node: Any) -> str:
    return NEXT


def _expression(frame: Frame, node: Any) -> str:
    evaluate(frame, node.value)
    return NEXT


def _assign(frame: Frame, node: Any) -> str:
    value = evaluate(frame, node.value)
    for target in node.targets:
        assign(frame, target, value, node)
    read_names(frame, node)
    return NEXT


def _annotated(frame: Frame, node: Any) -> str:
    if isinstance(node.target, ast.Name) and frame.scope.kind == "class":
        frame.scope.names.setdefault("__annotations__", {})[node.target.id] = ast.unparse(node.annotation)
    if node.value is not None:
        assign(frame, node.target, evaluate(frame, node.value), node)
    return NEXT


def _augmented(frame: Frame, node: Any) -> str:
    target = node.target
    if isinstance(target, ast.Name):
        left = name_value(frame, ast.Name(target.id, ast.Load()))
        result = operators.binary(frame, node, node.op, left, evaluate(frame, node.value), in_place=True)
        frame.bind(target.id, result)
        frame.session.note(frame, target, result)
        return NEXT
    owner = evaluate(frame, target.value)
    if isinstance(target, ast.Attribute):
        left = attributes.read(frame, target, owner, target.attr)
        result = operators.binary(frame, node, node.op, left, evaluate(frame, node.value), in_place=True)
        attributes.write(frame, target, owner, target.attr, result)
    else:
        key = evaluate(frame, target.slice)
        left = subscripts.read(frame, target, owner, key)
        result = operators.binary(frame, node, node.op, left, evaluate(frame, node.value), in_place=True)
        with frame.session.trace.at(frame.source.path, node):
            subscripts.write(frame, node, target, owner, key, result)
    return NEXT


def _if(frame: Frame, node: Any) -> str:
    verdict = decided(frame.session, evaluate(frame, node.test))
    if verdict is not None:
        return execute(frame, node.body if verdict else node.orelse)
    arms = [lambda: execute(frame, node.body), lambda: execute(frame, node.orelse)]
    return branch(frame, arms, 0 if asks_for_gpu(node.test) else None)


def _match(frame: Frame, node: Any) -> str:
    cases, certain = candidates(frame, node)
    arms = [_case(frame, case, bound) for case, bound in cases]
    if not certain:
        arms.append(lambda: NEXT)
    return arms[0]() if len(arms) == 1 else branch(frame, arms)


def _case(frame: Frame, case: Any, bound: Dict[str, Any]) -> Callable[[], str]:
    def arm() -> str:
        for name, value in bound.items():
            frame.bind(name, value)
        return execute(frame, case.body)

    return arm


def branch(frame: Frame, arms: Sequence[Callable[[], str]], reached: Optional[int] = None) -> str:
    """Walk all arms from the same state, and go on with what those leave that go on. What happens in the arm that is `reached` on
    some machines is as certain as what happens around it."""
    session = frame.session
    number = session.trace.new_fork()
    ends: List[str] = []
    states: List[Any] = []
    for place, arm in enumerate(arms):
        ended, changes = session.journal.run(arm) if place == reached else in_arm(session, number, place, arm)
        session.journal.back(changes)
        ends.append(ended)
        if ended in (NEXT, BREAK, CONTINUE):
            states.append(changes)
    if states:
        session.journal.settle(states, lambda one, other: join(session, one, other))
    for ended in (NEXT, CONTINUE, BREAK, RETURN):
        if ended in ends:
            return ended
    return RAISE


def _with(frame: Frame, node: Any) -> str:
    with contextlib.ExitStack() as stack:
        for item in node.items:
            manager = evaluate(frame, item.context_expr)
            entered = _enter(frame, stack, manager, item.context_expr)
            if item.optional_vars is not None:
                assign(frame, item.optional_vars, entered, node)
        return execute(frame, node.body)


def _enter(frame: Frame, stack: contextlib.ExitStack, manager: Any, node: Any) -> Any:
    if isinstance(manager, Unknown):
        return UNKNOWN
    try:
        entered = manager.__enter__()
    except Exception as error:
        frame.session.trace.gap(span_of(node), f"with: {error}", frame.source.path)
        return UNKNOWN
    stack.callback(_leave, manager)
    return entered


def _leave(manager: Any) -> None:
    with contextlib.suppress(Exception):
        manager.__exit__(None, None, None)


def _try(frame: Frame, node: Any) -> str:
    def body() -> str:
        frame.session.trace.expected += 1
        try:
            ended = execute(frame, node.body)
        finally:
            frame.session.trace.expected -= 1
        return execute(frame, node.orelse) if ended is NEXT else ended

    if not node.handlers:
        ended = execute(frame, node.body)
    else:
        ended = branch(frame, [body, *(_handler(frame, handler) for handler in node.handlers)])
    after = execute(frame, node.finalbody)
    return ended if after is NEXT else after


def _handler(frame: Frame, handler: Any) -> Callable[[], str]:
    def arm() -> str:
        if handler.name:
            frame.bind(handler.name, UNKNOWN)
        return execute(frame, handler.body)

    return arm


def _for(frame: Frame, node: Any) -> str:
    return walk_for(frame, node, execute)


def _while(frame: Frame, node: Any) -> str:
    return walk_while(frame, node, execute)


def _return(frame: Frame, node: Any) -> str:
    frame.returned.append(None if node.value is None else evaluate(frame, node.value))
    return RETURN


def _raise(frame: Frame, node: Any) -> str:
    if node.exc is not None:
        evaluate(frame, node.exc)
    return RAISE


def _assert(frame: Frame, node: Any) -> str:
    evaluate(frame, node.test)
    return NEXT


def _delete(frame: Frame, node: Any) -> str:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.unbind(target.id)
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            owner = evaluate(frame, target.value)
            frame.session.journal.content(owner)
            if isinstance(target, ast.Subscript):
                key = evaluate(frame, target.slice)
                with contextlib.suppress(Exception):
                    del owner[key]
            else:
                attributes.delete(frame, owner, target.attr)
    return NEXT


def _function(frame: Frame, node: Any) -> str:
    decorators = [evaluate(frame, decorator) for decorator in node.decorator_list]
    defaults, named = defaults_of(frame, node.args)
    function = Function(frame, node, walk_function, defaults, named)
    frame.functions.append(function)
    if frame.source.path == frame.session.trace.path:
        frame.session.functions.append(function)
    frame.bind(node.name, _decorated(frame, node, decorators, function))
    function.public = frame.get(node.name)
    return NEXT


def _decorated(frame: Frame, node: Any, decorators: List[Any], value: Any) -> Any:
    for place, decorator in zip(reversed(node.decorator_list), reversed(decorators)):
        made = call(frame, place, decorator, [value], {})
        value = value if isinstance(made, Unknown) else made
    return value


def walk_function(frame: Frame, function: Function) -> Any:
    """A call of a function: its body is walked; the result is what its returns give, joined."""
    node = function.node
    note_parameters(frame, node)
    generator = is_generator(node)
    frame.yielded = [] if generator else None
    ended = execute(frame, node.body)
    if generator:
        return iter(frame.yielded or [])
    if ended is NEXT:
        frame.returned.append(None)
    if not frame.returned:
        return UNKNOWN
    result = frame.returned[0]
    for other in frame.returned[1:]:
        result = join(frame.session, result, other)
    return result


def is_generator(node: Any) -> bool:
    """Whether a function's own body yields; that is looked for once, and kept on its node of the tree."""
    known = vars(node).get("handbook_yields")
    if known is None:
        known = node.handbook_yields = _yields(node)
    return known


def _yields(node: Any) -> bool:
    stack: List[ast.AST] = list(node.body)
    while stack:
        found = stack.pop()
        if isinstance(found, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(found))
    return False


def _class(frame: Frame, node: Any) -> str:
    decorators = [evaluate(frame, decorator) for decorator in node.decorator_list]
    made = build_class(frame, node, execute)
    if frame.source.path == frame.session.trace.path and isinstance(made, type):
        frame.session.classes.append((made, node, frame))
    frame.bind(node.name, _decorated(frame, node, decorators, made))
    return NEXT


def _scope(frame: Frame, node: Any) -> str:
    frame.scope.declare(node.names, "global" if isinstance(node, ast.Global) else "nonlocal")
    return NEXT


def _import(frame: Frame, node: Any) -> str:
    if frame.session.importer is not None:
        frame.session.importer(frame, node)
    return NEXT


def _ends(how: str) -> Executor:
    return lambda frame, node: how


EXECUTORS: Dict[type, Executor] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented, ast.If: _if,
    ast.With: _with, ast.AsyncWith: _with, ast.Try: _try, ast.For: _for, ast.AsyncFor: _for, ast.While: _while,
    ast.Return: _return, ast.Raise: _raise, ast.Assert: _assert, ast.Delete: _delete, ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function, ast.ClassDef: _class, ast.Global: _scope, ast.Nonlocal: _scope, ast.Import: _import,
    ast.ImportFrom: _import, ast.Break: _ends(BREAK), ast.Continue: _ends(CONTINUE),
}  # fmt: skip
if MATCH is not None:
    EXECUTORS[MATCH] = _match
TRY_STAR = getattr(ast, "TryStar", None)
if TRY_STAR is not None:
    EXECUTORS[TRY_STAR] = _try
