"""One call of an operator, a function or a module, with all that is needed to say what went wrong with it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.protocol import Operand, Span
from torch_handbook_worker.tensors.notes import origin_of
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import each

# Operators whose operands are stretched to each other.
ARITHMETIC = frozenset(["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="])


@dataclass
class Call:
    """A call: what is called, by which public name, with what."""

    frame: Frame
    node: ast.AST
    callee: Any
    name: str  # "torch.nn.Linear" for a call of such a module, "torch.matmul", "torch.Tensor.view", "+"
    args: List[Any] = field(default_factory=list)
    kwargs: Dict[str, Any] = field(default_factory=dict)
    operands: List[Tuple[ast.AST, Any]] = field(default_factory=list)  # the expressions that gave the tensors
    is_told: bool = False  # whether it was said already that this call brings a tensor from another device

    @property
    def short(self) -> str:
        """The last part of the name: "Linear", "matmul", "view"."""
        return self.name.rsplit(".", 1)[-1]

    @property
    def module(self) -> Optional[Any]:
        """The module that is called, if it is one."""
        return self.callee if isinstance(self.callee, nn.Module) else None

    def tensors(self) -> List[Any]:
        """The tensors among the arguments, the receiver of a method first."""
        values: List[Any] = [getattr(self.callee, "__self__", None), *self.args, *self.kwargs.values()]
        return [value for value in each(values) if isinstance(value, torch.Tensor)]

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """An argument by its position (the receiver of a method is 0) or its name."""
        values = list(self.args)
        owner = getattr(self.callee, "__self__", None)
        if isinstance(owner, torch.Tensor):
            values = [owner, *values]
        return values[position] if position < len(values) else self.kwargs.get(name, default)


def source_of(frame: Frame, node: ast.AST) -> str:
    """The source text of an expression."""
    return frame.source.segment(node)[:120]


def operands_of(call: Call) -> List[Operand]:
    """The operands of a call as a failure names them."""
    notes = call.frame.session.notes
    rows: List[Operand] = []
    for node, value in call.operands[:6]:
        origin: Optional[Span] = None
        if isinstance(value, torch.Tensor):
            origin = origin_of(value)
        elif isinstance(value, nn.Module):
            origin = constructor_of(value, call.frame.session.trace.path)
        fact = notes.fact(notes.note(value))
        rows.append(Operand(source_of(call.frame, node), span_of(node), fact, origin))
    return rows


def constructor_of(module: Any, path: str) -> Optional[Span]:
    """The span of the call that made a module, if that stands in the file at `path`."""
    made = module.__dict__.get("handbook_made")
    return made.span if made is not None and made.path == path else None


def constructor_details(call: Call, module: Any, argument: str) -> Dict[str, Any]:
    """Where the layer of a failure was made, and the argument that would have to be another number."""
    path = call.frame.session.trace.path
    details: Dict[str, Any] = {"layer": layer_text(call, module)}
    span = constructor_of(module, path)
    if span is not None:
        details["constructor"] = list(span)
        found = module.__dict__.get("handbook_arguments", {}).get(argument)
        if found is not None:
            details["argument"] = list(found)
    return details


def layer_text(call: Call, module: Any) -> str:
    """How the user calls the layer: "self.fc1"."""
    for node, value in call.operands:
        if value is module:
            return source_of(call.frame, node)
    return type(module).__name__
