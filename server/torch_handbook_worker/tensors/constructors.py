"""Modules that nothing makes: what stands for the arguments of their constructors, and which of them are looked at first."""

from __future__ import annotations

import ast
from typing import Any, Dict, List, Optional, Set

from torch import nn

from torch_handbook_worker.tensors.configs import made_config
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.nodes import inside
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.size_names import is_measure, is_size, witness_of
from torch_handbook_worker.tensors.sizes import Chosen
from torch_handbook_worker.tensors.values import Unknown

CHOICES = 4  # parameters of one constructor that others choose by


def instance(session: Session, frame: Frame, kind: Any, free: bool) -> Any:
    """An object of a class, made with what its constructor says of its parameters; with `free`, of their defaults too."""
    plain: Set[str] = set()  # parameters whose defaults some constructor chooses by
    taken = dict(session.sizes.taken)
    for _ in range(CHOICES):
        try:
            return _made(session, frame, kind, free, plain)
        except Chosen as found:
            plain.add(found.name)
            session.sizes.taken = dict(taken)
            session.forget_place()
        finally:
            session.sizes.assumed = {}
    function = initialiser(kind)
    plain.update(row.arg for row in (parameters_of(function) if function is not None else ()))
    return _made(session, frame, kind, free, plain)


def _made(session: Session, frame: Frame, kind: Any, free: bool, plain: Set[str]) -> Any:
    function = initialiser(kind)
    named: Dict[str, Any] = {}
    if function is not None:
        for own in (function, *_handed_on(kind, function)):
            defaults = defaults_of(own)
            for name, value in _arguments(session, own, free, plain).items():
                if own is function or name in defaults:
                    named.setdefault(name, value)
        function.opened = "**" if free else ""
    try:
        return session.call(frame, _node(function, kind), kind, [], named)
    finally:
        if function is not None:
            function.opened = ""


def _arguments(session: Session, function: Function, free: bool, plain: Set[str]) -> Dict[str, Any]:
    """The arguments that a constructor is called with: what it needs, and free sizes in place of default ones."""
    named: Dict[str, Any] = {}
    defaults = defaults_of(function)
    for row in parameters_of(function):
        default = defaults.get(row.arg)
        told = session.measure is None and is_size(row.arg) and row.arg not in plain and not _is_compared(function, row.arg)
        config = made_config(session, function, row) if row.arg not in defaults and session.measure is not None else None
        if config is not None:
            named[row.arg] = config
        elif row.arg not in defaults or (is_number(default) and (free or told)):
            named[row.arg] = value_for(session, row, default)
            if row.arg in defaults and not free:
                session.sizes.assumed[str(named[row.arg])] = row.arg
        elif told and isinstance(default, (tuple, list)) and all(map(is_number, default)):
            witness = witness_of(row.arg)
            named[row.arg] = type(default)(session.sizes.free(f"{row.arg}[{place}]", witness) for place in range(len(default)))
        elif free and not isinstance(default, float):
            named[row.arg] = Unknown(name=row.arg)
    return named


def _handed_on(kind: Any, function: Function) -> List[Function]:
    """The constructor of the base class, where `**named` arguments are handed on to it."""
    name = function.node.args.kwarg.arg if function.node.args.kwarg is not None else ""
    calls = [
        found for found in inside(function.node) if isinstance(found, ast.Call) and ast.unparse(found.func).startswith("super()")
    ]
    if not any(row.arg is None and getattr(row.value, "id", "") == name for call in calls for row in call.keywords):
        return []
    rows = [vars(base).get("__init__") for base in kind.__mro__[1:]]
    found = next((row for row in rows if isinstance(row, Function)), None)
    return [] if found is None else [found]


def _is_compared(function: Function, name: str) -> bool:
    """Whether a constructor chooses by the number that a parameter is: `if patch_size == 16`."""
    known = vars(function.node).get("handbook_compared")
    if known is None:
        known = function.node.handbook_compared = _compared(function.node)
    return name in known


def _compared(node: ast.AST) -> Set[str]:
    """The names in a function that are compared with plain values, each alone."""
    return {
        found.left.id
        for found in inside(node)
        if type(found) is ast.Compare
        and len(found.ops) == 1
        and isinstance(found.left, ast.Name)
        and isinstance(found.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn))
        and isinstance(found.comparators[0], (ast.Constant, ast.Tuple, ast.List))
    }


def initialiser(kind: Any) -> Optional[Function]:
    """The `__init__` that makes an object of a class, where the file or a workspace module has written it."""
    rows = (vars(row).get("__init__") for row in kind.__mro__ if row is not object)
    return next((found for found in rows if isinstance(found, Function)), None)


def parameters_of(function: Function) -> List[ast.arg]:
    """The parameters of a method but for `self`."""
    arguments = function.node.args
    return [*arguments.posonlyargs, *arguments.args][1:] + list(arguments.kwonlyargs)


def defaults_of(function: Function) -> Dict[str, Any]:
    """The default values of a function's parameters."""
    arguments = function.node.args
    positional = [row.arg for row in (*arguments.posonlyargs, *arguments.args)]
    found = dict(zip(reversed(positional), reversed(function.defaults)))
    found.update(function.named_defaults)
    return found


def is_number(value: Any) -> bool:
    """Whether a default is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_told(kind: Any) -> bool:
    """Whether all that a constructor needs is a size, so that an object can be made that stands for all of them."""
    function = initialiser(kind)
    if function is None:
        return True
    defaults = defaults_of(function)
    return all(row.arg in defaults or _is_free(row) for row in parameters_of(function))


def _is_free(row: ast.arg) -> bool:
    annotation = ast.unparse(row.annotation) if row.annotation is not None else ""
    return annotation in ("", "int") and (is_measure(row.arg))


def value_for(session: Session, row: ast.arg, default: Any = None) -> Any:
    """What stands for an argument that nobody gives: a free size where it is one by its name or annotation."""
    if session.measure is not None and row.arg in session.measure.sizes:
        return session.measure.sizes[row.arg]
    if _is_free(row) or is_number(default):
        return session.sizes.free(row.arg, witness_of(row.arg))
    annotation = ast.unparse(row.annotation) if row.annotation is not None else ""
    kinds = {"int": "int", "float": "number", "bool": "bool", "str": "str"}
    return Unknown(kinds.get(annotation, ""), row.arg)


def made_with(session: Session, frame: Frame, kind: Any, named: Dict[str, Any]) -> Any:
    """An object of a class, made as other files make it; None where the class takes these arguments no more."""
    made = session.call(frame, _node(initialiser(kind), kind), kind, [], dict(named))
    return None if isinstance(made, Unknown) else made


def _node(function: Optional[Function], kind: Any) -> Any:
    return function.node if function is not None else ast.parse(kind.__name__).body[0]


def outermost_first(session: Session) -> List[Any]:
    """The classes of the file, those before the ones that their code names: a network before its blocks."""
    written, named = {node.name: kind for kind, node, _ in session.classes}, _naming(session)
    order: List[str] = []
    for name in reversed(list(named)):
        _visit(name, named, order, set())
    return [written[name] for name in reversed(order) if name in written]


def _naming(session: Session) -> Dict[str, Set[str]]:
    """Which of the file's classes and functions each of them names."""
    bodies = {node.name: node for _, node, _ in session.classes}
    for function in session.functions:
        if function.owner is None:
            bodies.setdefault(function.node.name, function.node)
    return {name: _names(node) & set(bodies) - {name} for name, node in bodies.items()}


def untold(session: Session) -> List[Any]:
    """The modules that neither their own constructors tell how to make nor those of the networks that they are a part of."""
    kinds = {node.name: kind for kind, node, _ in session.classes if isinstance(kind, type) and issubclass(kind, nn.Module)}
    named = _naming(session)
    order: List[str] = []
    for name, kind in kinds.items():
        if is_told(kind):
            _visit(name, named, order, set())
    return [kind for name, kind in kinds.items() if name not in order]


def _visit(name: str, named: Dict[str, Set[str]], order: List[str], open_names: Set[str]) -> None:
    if name in order or name in open_names:
        return
    for other in sorted(named[name]):
        _visit(other, named, order, open_names | {name})
    order.append(name)


def _names(node: Any) -> Set[str]:
    """The names that stand in a piece of code; they are looked for once, and kept on its node of the tree."""
    known = vars(node).get("handbook_names")
    if known is None:
        known = node.handbook_names = {found.id for found in inside(node) if type(found) is ast.Name}
    return known
