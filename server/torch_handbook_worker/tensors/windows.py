"""Pieces of data that are as long as each other, and lists of them: `torch.stack([data[i : i + block] for i in starts])`."""

from __future__ import annotations

import ast
from typing import Any, List, Optional

import torch

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import settle
from torch_handbook_worker.tensors.promises import is_loose, like, loose
from torch_handbook_worker.tensors.sizes import expression_of, fixed
from torch_handbook_worker.tensors.torch_calls import named
from torch_handbook_worker.tensors.values import Unknown


def span_between(part: ast.expr) -> Optional[ast.expr]:
    """What is between the two ends of a slice, where they differ in one term: `block` of `i + 1 : i + block + 1`."""
    if not isinstance(part, ast.Slice) or part.lower is None or part.upper is None or part.step is not None:
        return None
    rest, lower = _terms(part.upper), [ast.dump(term) for term in _terms(part.lower)]
    for text in lower:
        found = next((term for term in rest if ast.dump(term) == text), None)
        if found is None:
            return None
        rest.remove(found)
    return rest[0] if len(rest) == 1 and isinstance(rest[0], (ast.Name, ast.Attribute, ast.Constant)) else None


def _terms(node: ast.expr) -> List[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_terms(node.left), *_terms(node.right)]
    return [node]


@named("torch.stack", "torch.cat", "torch.concat")
def _joined(call: Call) -> Any:
    """What is stacked is of one shape, and there may be as many of it as a free size says."""
    session, rows = call.frame.session, call.argument(0, "tensors")
    count = session.journal.counted(rows)
    axis = call.argument(1, "dim", 0)
    if count is None or not isinstance(axis, int) or not all(isinstance(row, torch.Tensor) for row in rows):
        return _whole(call, session.carry_out(call))
    if call.short != "stack" and len({_length(row, axis) for row in rows} - {None}) != 1:
        return session.carry_out(call)
    length = 1 if call.short == "stack" else _length(rows[0], axis)
    call.args, call.kwargs = [list(rows), axis], {}
    made = session.carry_out(call)
    if isinstance(made, Unknown) or not -made.dim() <= axis < made.dim():
        return made
    sizes = [*made.shape]
    sizes[axis] = count * length
    result = settle(call, like(made, sizes))
    return _whole(call, loose(result, is_loose(made)) if is_loose(made) else result)


def _length(row: Any, axis: int) -> Optional[int]:
    return fixed(row.shape[axis]) if -row.dim() <= axis < row.dim() else None


def _whole(call: Call, made: Any) -> Any:
    """Pieces that can be stacked are as long as each other, so that none of them was cut off at the end."""
    pieces = call.frame.session.sizes.pieces
    if not pieces or call.short != "stack" or not isinstance(made, torch.Tensor):
        return made
    sizes = [pieces.get(expression_of(size), size) for size in made.shape]
    if all(one is other for one, other in zip(sizes, made.shape)):
        return made
    result = settle(call, like(made, sizes))
    return loose(result, is_loose(made)) if is_loose(made) else result
