"""What a network is made with that takes all its numbers in one object: the class of it gives a number for each, by default."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any, List, Set

from torch import nn

from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.session import Session

FEWEST = 2  # numbers that have to be read of an object without an annotation, to know its class by them


def made_config(session: Session, function: Function, row: ast.arg) -> Any:
    """The object that a parameter of a constructor is taken to be; None where the file does not tell its class."""
    kinds = _annotated(function, row.annotation) if row.annotation is not None else _fitting(function, row.arg)
    made = _made(session, function, kinds[0]) if len(kinds) == 1 else None
    if made is not None:
        session.measure.taken[row.arg] = f"{kinds[0].__name__}()"
        for name, number in session.measure.sizes.items():
            if hasattr(made, name):
                object.__setattr__(made, name, number)  # a frozen one, too
    return made


def _annotated(function: Function, annotation: Any) -> List[Any]:
    """The class that an annotation names."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.Name(annotation.value)
    found = function.enclosing.scope.find(annotation.id) if isinstance(annotation, ast.Name) else None
    return [found] if _is_plain(found) else []


def _fitting(function: Function, name: str) -> List[Any]:
    """The classes at hand that have all that a constructor reads of its parameter."""
    read: Set[str] = {
        node.attr
        for node in ast.walk(function.node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    at_hand = function.enclosing.scope.module().names.values() if len(read) >= FEWEST else ()
    return [kind for kind in at_hand if _is_plain(kind) and read <= {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}]


def _is_plain(kind: Any) -> bool:
    return isinstance(kind, type) and "written" in vars(kind) and not issubclass(kind, nn.Module)


def _made(session: Session, function: Function, kind: Any) -> Any:
    """An object of a class that needs no arguments; None where it needs some."""
    rows = getattr(kind, "__dataclass_fields__", None)
    missing = dataclasses.MISSING
    if rows is None or any(row.init and row.default is missing and row.default_factory is missing for row in rows.values()):
        return None
    made = session.call(function.enclosing, function.node, kind, [], {})
    return made if isinstance(made, kind) else None
