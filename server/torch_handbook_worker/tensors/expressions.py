"""Expressions: each kind of node has a function that gives its value."""

from __future__ import annotations

import ast
import builtins
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.tensors import attributes, operators, subscripts
from torch_handbook_worker.tensors.bounds import LONG, is_heavy
from torch_handbook_worker.tensors.calls import call
from torch_handbook_worker.tensors.forks import fork
from torch_handbook_worker.tensors.functions import Function, note_parameters
from torch_handbook_worker.tensors.holes import HoleShape, fill
from torch_handbook_worker.tensors.iteration import iterate, several
from torch_handbook_worker.tensors.python_calls import decided, truth
from torch_handbook_worker.tensors.scopes import Frame, Scope
from torch_handbook_worker.tensors.values import MISSING, UNKNOWN, Stream, Unknown, unknown_in

Evaluator = Callable[[Frame, Any], Any]
MOST = 256  # items that a comprehension is walked for


def evaluate(frame: Frame, node: ast.expr) -> Any:
    """The value of an expression; what it is gets written down."""
    session, kind = frame.session, type(node)
    session.trace.tick()
    value = EVALUATORS.get(kind, _unknown)(frame, node)
    if kind is not ast.Constant:
        session.note(frame, node, value)
    return value


def _unknown(frame: Frame, node: Any) -> Any:
    return UNKNOWN


def _constant(frame: Frame, node: Any) -> Any:
    return node.value


def name_value(frame: Frame, node: Any) -> Any:
    """The value of a name; nothing is written down."""
    value = frame.get(node.id)
    if value is MISSING:
        value = getattr(builtins, node.id, MISSING)
        if value is MISSING:
            return Unknown(name=node.id)
    return value


def _attribute(frame: Frame, node: Any) -> Any:
    return attributes.read(frame, node, evaluate(frame, node.value), node.attr)


def _subscript(frame: Frame, node: Any) -> Any:
    value = evaluate(frame, node.value)
    return subscripts.read(frame, node, value, evaluate(frame, node.slice))


def _slice(frame: Frame, node: Any) -> Any:
    return slice(*(None if part is None else evaluate(frame, part) for part in (node.lower, node.upper, node.step)))


def _items(frame: Frame, nodes: List[Any]) -> Optional[List[Any]]:
    """The values of elements, starred ones spread; None where one of those is not known."""
    values: List[Any] = []
    for node in nodes:
        if not isinstance(node, ast.Starred):
            values.append(evaluate(frame, node))
            continue
        items = iterate(frame.session, evaluate(frame, node.value))
        if isinstance(items, Stream):
            return None
        values.extend(items)
    return values


def _list(frame: Frame, node: Any) -> Any:
    values = _items(frame, node.elts)
    return Unknown(item=Unknown) if values is None else values


def _tuple(frame: Frame, node: Any) -> Any:
    values = _items(frame, node.elts)
    return Unknown() if values is None else tuple(values)


def _set(frame: Frame, node: Any) -> Any:
    values = _items(frame, node.elts)
    try:
        heavy = values is None or unknown_in(values) is not None or any(map(is_heavy, values))
        return Unknown() if values is None or heavy else set(values)
    except TypeError:
        return UNKNOWN


def _dict(frame: Frame, node: Any) -> Any:
    made: Dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values):
        item = evaluate(frame, value)
        if key is None:
            if not isinstance(item, dict):
                return UNKNOWN
            made.update(item)
            continue
        name = evaluate(frame, key)
        if is_heavy(name):
            return UNKNOWN
        try:
            made[name] = item
        except TypeError:
            return UNKNOWN
    return made


def _call(frame: Frame, node: Any) -> Any:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and frame.owner is not None and not node.args:
        return _super(frame)
    callee = evaluate(frame, node.func)
    args, operands = _arguments(frame, node)
    kwargs = _named_arguments(frame, node, operands)
    if args is None or kwargs is None:
        return _partly_unknown(frame, node, callee, kwargs)
    receiver = getattr(callee, "__self__", None)
    if isinstance(node.func, ast.Attribute) and isinstance(receiver, (torch.Tensor, nn.Module)):
        operands.insert(0, (node.func.value, receiver))
    elif isinstance(callee, nn.Module):
        operands.insert(0, (node.func, callee))
    return call(frame, node, callee, args, kwargs, operands)


def _super(frame: Frame) -> Any:
    try:
        return super(frame.owner, frame.first)
    except TypeError:
        return UNKNOWN


def _arguments(frame: Frame, node: Any) -> Tuple[Optional[List[Any]], List[Tuple[ast.AST, Any]]]:
    args: List[Any] = []
    operands: List[Tuple[ast.AST, Any]] = []
    for argument in node.args:
        value = evaluate(frame, argument.value if isinstance(argument, ast.Starred) else argument)
        if not isinstance(argument, ast.Starred):
            args.append(value)
            if isinstance(value, (torch.Tensor, nn.Module, list, tuple)):
                operands.append((argument, value))
            continue
        items = iterate(frame.session, value)
        if isinstance(items, Stream):
            return None, operands
        args.extend(items)
    return args, operands


def _named_arguments(frame: Frame, node: Any, operands: List[Tuple[ast.AST, Any]]) -> Optional[Dict[str, Any]]:
    named: Dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(frame, keyword.value)
        if keyword.arg is not None:
            named[keyword.arg] = value
            if isinstance(value, torch.Tensor):
                operands.append((keyword.value, value))
        elif isinstance(value, dict) and all(isinstance(name, str) for name in value):
            named.update(value)
        elif isinstance(value, (Unknown, dict)):
            return None
    return named


def _partly_unknown(frame: Frame, node: Any, callee: Any, kwargs: Any) -> Any:
    if callee is nn.Sequential and kwargs == {}:
        return _chain_of(frame, node)
    if isinstance(callee, type) and issubclass(callee, nn.Module):
        return Unknown("module")
    return Unknown()


def _chain_of(frame: Frame, node: Any) -> Any:
    """`nn.Sequential(*layers)` where it is not known how many layers there are, but what they are."""
    value = evaluate(frame, node.args[0].value) if len(node.args) == 1 else None
    items = iterate(frame.session, value)
    if not isinstance(value, list) or not isinstance(items, Stream) or not items.vague:
        return Unknown("module")
    made = call(frame, node, nn.Sequential, list(value), {})
    if isinstance(made, nn.Sequential):
        frame.session.journal.blurred[id(made._modules)] = made._modules
    return made


def _binary(frame: Frame, node: Any) -> Any:
    left = evaluate(frame, node.left)
    return operators.binary(frame, node, node.op, left, evaluate(frame, node.right))


def _unary(frame: Frame, node: Any) -> Any:
    return operators.unary(frame, node, node.op, evaluate(frame, node.operand))


def _compare(frame: Frame, node: Any) -> Any:
    return operators.compare(frame, node, [evaluate(frame, part) for part in (node.left, *node.comparators)])


def _boolean(frame: Frame, node: Any) -> Any:
    wanted = isinstance(node.op, ast.Or)
    unknown = False
    value: Any = None
    for part in node.values:
        value = evaluate(frame, part)
        if part is node.values[-1] and not unknown:
            return value  # whatever it counts as
        verdict = decided(frame.session, value)
        if verdict is None:
            unknown = True
        elif verdict is wanted and not unknown:
            return value
        elif verdict is wanted:
            return Unknown("bool" if isinstance(value, bool) else "")
    if not unknown:
        return value
    return Unknown("bool") if isinstance(value, (bool, Unknown)) and not isinstance(value, torch.Tensor) else Unknown()


def _conditional(frame: Frame, node: Any) -> Any:
    verdict = decided(frame.session, evaluate(frame, node.test))
    if verdict is not None:
        return evaluate(frame, node.body if verdict else node.orelse)
    return fork(frame.session, lambda: evaluate(frame, node.body), lambda: evaluate(frame, node.orelse))


def _text(frame: Frame, node: Any) -> Any:
    parts: List[str] = []
    known = True
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        value = evaluate(frame, part.value)
        if part.format_spec is not None:
            known = known and isinstance(_text(frame, part.format_spec), str)
        if isinstance(value, (str, int, float)) and part.format_spec is None and part.conversion == -1:
            parts.append(str(value))
        else:
            known = False
    return "".join(parts) if known and sum(map(len, parts)) <= LONG else Unknown("str")


def _lambda(frame: Frame, node: Any) -> Any:
    defaults, named = defaults_of(frame, node.args)
    return Function(frame, node, _walk_lambda, defaults, named)


def _walk_lambda(frame: Frame, function: Function) -> Any:
    note_parameters(frame, function.node)
    return evaluate(frame, function.node.body)


def defaults_of(frame: Frame, arguments: ast.arguments) -> Tuple[List[Any], Dict[str, Any]]:
    """The default values of parameters."""
    positional = [evaluate(frame, value) for value in arguments.defaults]
    rows = zip(arguments.kwonlyargs, arguments.kw_defaults)
    return positional, {row.arg: evaluate(frame, value) for row, value in rows if value is not None}


def _named(frame: Frame, node: Any) -> Any:
    value = evaluate(frame, node.value)
    frame.bind(node.target.id, value)
    return value


def _comprehension(frame: Frame, node: Any) -> Any:
    inner = Frame(frame.session, frame.source, Scope("function", frame.scope), frame.name, frame.owner, frame.first)
    found: List[Any] = []
    complete = _generate(inner, node, 0, found)
    if not complete and isinstance(node, ast.ListComp) and found:
        frame.session.journal.blurred[id(found)] = found
        return found
    if not complete:
        item = found[0] if found else UNKNOWN
        return Unknown(item=lambda: item)
    if isinstance(node, ast.DictComp):
        try:
            return dict(found)
        except TypeError:
            return UNKNOWN
    if isinstance(node, ast.SetComp):
        return UNKNOWN if unknown_in(found) is not None else set(found)
    return iter(found) if isinstance(node, ast.GeneratorExp) else found


def _generate(frame: Frame, node: Any, depth: int, found: List[Any]) -> bool:
    """Collect the items; False where it is not known how many there are."""
    if depth == len(node.generators):
        if isinstance(node, ast.DictComp):
            found.append((evaluate(frame, node.key), evaluate(frame, node.value)))
        else:
            found.append(evaluate(frame, node.elt))
        return True
    clause = node.generators[depth]
    items = iterate(frame.session, evaluate(frame, clause.iter))
    complete = not isinstance(items, Stream) and len(items) <= MOST
    rows = [items.item()] if isinstance(items, Stream) else items[:MOST]
    if isinstance(items, Stream) and len(node.generators) == 1 and not clause.ifs:
        frame.session.journal.count(found, items.size)
    for item in rows:
        assign(frame, clause.target, item)
        verdicts = [truth(evaluate(frame, test)) for test in clause.ifs]
        if False in verdicts:
            continue
        complete = complete and None not in verdicts
        complete = _generate(frame, node, depth + 1, found) and complete
    return complete


def assign(frame: Frame, target: Any, value: Any, statement: Any = None) -> None:
    """Bind a target to a value."""
    if isinstance(target, ast.Name):
        if frame.session.stated is not None and frame.source.path == frame.session.trace.path:
            value = frame.session.stated.value(target, value)
        nameless = isinstance(value, Unknown) and value is not UNKNOWN and (not value.name or value.handbook_joined)
        if nameless and value.number is None:
            value.name = target.id  # what a free size is called that will stand for it
        frame.bind(target.id, value)
        frame.session.note(frame, target, value)
    elif isinstance(target, ast.Attribute):
        attributes.write(frame, target, evaluate(frame, target.value), target.attr, value)
        frame.session.note(frame, target, value)
    elif isinstance(target, ast.Subscript):
        owner = evaluate(frame, target.value)
        subscripts_write(frame, statement or target, target, owner, value)
    elif isinstance(target, ast.Starred):
        assign(frame, target.value, value, statement)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(frame, target.elts, value)


def subscripts_write(frame: Frame, statement: Any, target: Any, owner: Any, value: Any) -> None:
    """`owner[…] = value`."""
    key = evaluate(frame, target.slice)
    with frame.session.trace.at(frame.source.path, statement):
        subscripts.write(frame, statement, target, owner, key, value)


def _unpack(frame: Frame, targets: List[Any], value: Any) -> None:
    if isinstance(value, HoleShape) and not any(isinstance(target, ast.Starred) for target in targets):
        fill(value.hole, [_axis_name(target) for target in targets])
    items = several(frame.session, value, len(targets))
    star = next((place for place, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if star is not None and not isinstance(items, Stream):
        after = len(targets) - star - 1
        middle = list(items[star : len(items) - after])
        items = [*items[:star], middle, *items[len(items) - after :]]
    for place, target in enumerate(targets):
        if isinstance(items, Stream):
            assign(frame, target, Unknown() if isinstance(target, ast.Starred) else items.item())
        else:
            assign(frame, target, items[place] if place < len(items) else UNKNOWN)


def _axis_name(target: Any) -> str:
    return target.id if isinstance(target, ast.Name) and target.id.strip("_") else ""


def _yield(frame: Frame, node: Any) -> Any:
    value = None if node.value is None else evaluate(frame, node.value)
    if frame.yielded is None:
        return UNKNOWN
    if isinstance(node, ast.YieldFrom):
        items = iterate(frame.session, value)
        frame.yielded.extend([items.item()] if isinstance(items, Stream) else items)
    else:
        frame.yielded.append(value)
    return UNKNOWN


def _await(frame: Frame, node: Any) -> Any:
    return evaluate(frame, node.value)


EVALUATORS: Dict[type, Evaluator] = {
    ast.Constant: _constant, ast.Name: name_value, ast.Attribute: _attribute, ast.Subscript: _subscript, ast.Slice: _slice,
    ast.List: _list, ast.Tuple: _tuple, ast.Set: _set, ast.Dict: _dict, ast.Call: _call, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.Compare: _compare, ast.BoolOp: _boolean, ast.IfExp: _conditional, ast.JoinedStr: _text,
    ast.Lambda: _lambda, ast.NamedExpr: _named, ast.ListComp: _comprehension, ast.SetComp: _comprehension,
    ast.DictComp: _comprehension, ast.GeneratorExp: _comprehension, ast.Yield: _yield, ast.YieldFrom: _yield, ast.Await: _await,
}  # fmt: skip
