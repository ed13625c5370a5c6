"""What code asks of itself: the loaded modules in `sys.modules`, and the parameters of a function by `inspect.signature`."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any, Callable, Dict, List

from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.values import Unknown
from torch_handbook_worker.tensors.workspace import Module

Kind = inspect.Parameter


class System:
    """Stands for `sys`: only the modules that were read are known of it."""

    def __init__(self, session: Session) -> None:
        self.modules = Loaded(session)

    def __getattr__(self, name: str) -> Any:
        return Unknown(name=name)


class Loaded:
    """Stands for `sys.modules`: by a function's `__module__` it gives the module that the function was written in."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def __getitem__(self, name: Any) -> Any:
        if name == "__main__" and self.session.main is not None:
            return Module(self.session.main, lambda part: None)
        found = [module for module in self.session.modules.values() if module.handbook_scope.names.get("__name__") == name]
        return found[0] if len(found) == 1 else Unknown()

    def __contains__(self, name: object) -> bool:
        raise KeyError(name)  # what else was loaded is not known


class Inspection:
    """Stands for `inspect`."""

    Parameter, Signature = inspect.Parameter, inspect.Signature
    isclass = staticmethod(inspect.isclass)

    def __getattr__(self, name: str) -> Any:
        return Unknown(name=name)

    def signature(self, value: Any) -> Any:
        """The parameters of a function or class of the user's, or of one of torch's."""
        if isinstance(value, type) and hasattr(value, "written"):
            value = types.MethodType(value.__init__, None) if isinstance(value.__init__, Function) else value
        while isinstance(value, Function) and value.wrapped is not None:
            value = value.wrapped
        owner = getattr(value, "__func__", None)
        if isinstance(owner, Function):
            return inspect.Signature(parameters_of(owner)[1:])
        return inspect.Signature(parameters_of(value)) if isinstance(value, Function) else inspect.signature(value)


def parameters_of(function: Function) -> List[inspect.Parameter]:
    """The parameters of a function of the user's, as Python itself describes them."""
    arguments = function.node.args
    rows = [(row, Kind.POSITIONAL_ONLY) for row in arguments.posonlyargs]
    rows += [(row, Kind.POSITIONAL_OR_KEYWORD) for row in arguments.args]
    values: Dict[str, Any] = dict(zip(reversed([row.arg for row, _ in rows]), reversed(function.defaults)))
    rows += [(arguments.vararg, Kind.VAR_POSITIONAL)] if arguments.vararg is not None else []
    rows += [(row, Kind.KEYWORD_ONLY) for row in arguments.kwonlyargs]
    rows += [(arguments.kwarg, Kind.VAR_KEYWORD)] if arguments.kwarg is not None else []
    values.update(function.named_defaults)
    return [_parameter(row, kind, values) for row, kind in rows]


def _parameter(row: ast.arg, kind: Any, values: Dict[str, Any]) -> inspect.Parameter:
    written = Kind.empty if row.annotation is None else ast.unparse(row.annotation)
    return inspect.Parameter(row.arg, kind, default=values.get(row.arg, Kind.empty), annotation=written)


STAND_INS: Dict[str, Callable[[Session], Any]] = {"sys": System, "inspect": lambda session: Inspection()}
