"""Two tensors that are stretched to each other although neither was meant to be: a column with a row, a table with its sums."""

from __future__ import annotations

from typing import Any, List, Optional

import torch

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.remarks import (
    COMPARING,
    PAIRWISE,
    UNARY,
    Key,
    is_certain,
    is_one,
    remark,
    same,
    shown,
    text_of,
)  # fmt: skip
from torch_handbook_worker.tensors.sizes import is_free
from torch_handbook_worker.tensors.values import words

TOTALS = words("mean sum all any count_nonzero nanmean nansum std var prod")
QUIET = words("max min amax amin median norm numel size dim")  # of all pairs: that may be meant
REDUCTIONS = words("sum mean max min amax amin std var logsumexp prod norm vector_norm nansum nanmean median")
WITH_ORDER = words("norm vector_norm")  # their first argument is not the axis


class Table:
    """All pairs of a column and a row. It is told when a number is made of all of it, unless it is used as the matrix it is."""

    def __init__(self, call: Call, column: Any, row: Any) -> None:
        self.call = call
        self.details = {
            "column": shown(call, column), "row": shown(call, row),
            "column_text": text_of(call, column), "row_text": text_of(call, row),
        }  # fmt: skip
        self.kind = "comparison-broadcast-mismatch" if call.short in COMPARING else "arithmetic-broadcast-mismatch"
        self.meant = False
        self.told: Optional[Key] = None

    def tell(self, total: str) -> None:
        """A number was made of all pairs."""
        if not self.meant:
            self.told = remark(self.call, self.kind, {**self.details, "total": total}) or self.told

    def excuse(self) -> None:
        """It is used as a matrix."""
        self.meant = True
        if self.told is not None:
            self.call.frame.session.trace.failures.pop(self.told, None)


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at an operation and what it made."""
    _explicit(call, inputs, made)
    _follow(call, inputs, made)
    if call.short in PAIRWISE and len(inputs) == 2 and len(made) == 1:
        _pair(call, inputs, made[0])
    _reduced(call, inputs, made)


def watch_error(call: Call) -> bool:
    """Look at an operation that does not run for all sizes; say whether it is clear what is wrong with it."""
    inputs = call.tensors()
    free = any(is_free(size) for value in inputs for size in value.shape)
    return free and call.short in PAIRWISE and len(inputs) == 2 and _over_own_sums(call, inputs)


def _explicit(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """A column that the code makes by name is one on purpose, where it stands."""
    for value in made:
        if value.dim() < 2 or not is_one(value.shape[-1]):
            continue
        if call.short in ("unsqueeze", "view", "reshape") or (call.short == "__getitem__" and _has_none(call.args[-1])):
            value.handbook_column = call.frame.scope
        elif call.short in UNARY or call.short in PAIRWISE:
            value.handbook_column = next((found for row in inputs if (found := getattr(row, "handbook_column", None))), None)


def _has_none(key: Any) -> bool:
    return any(part is None for part in (key if isinstance(key, tuple) else (key,)))


def _pair(call: Call, inputs: List[Any], made: Any) -> None:
    if not all(map(is_certain, inputs)) or _over_own_sums(call, inputs):
        return
    column, row = sorted(inputs, key=lambda value: -value.dim())
    if (column.dim(), row.dim()) != (2, 1) or not is_one(column.shape[1]) or is_one(row.shape[0]):
        return
    if same(column.shape[0], row.shape[0]) and getattr(column, "handbook_column", None) is not call.frame.scope:
        made.handbook_table = Table(call, column, row)


def _follow(call: Call, inputs: List[Any], made: List[Any]) -> None:
    tables = [table for value in inputs if (table := getattr(value, "handbook_table", None)) is not None]
    if not tables:
        return
    if call.short in TOTALS and all(not value.dim() for value in made):
        for table in tables:
            table.tell(call.short)
    elif call.short in UNARY and len(made) == len(inputs) == 1:
        made[0].handbook_table = tables[0]
    elif call.short in PAIRWISE and len(made) == 1:
        others = [value for value in inputs if getattr(value, "handbook_table", None) is None]
        if all(value.dim() < 2 for value in others):
            made[0].handbook_table = tables[0]
        else:
            _excuse(tables)
    elif call.short not in QUIET:
        _excuse(tables)


def _excuse(tables: List[Table]) -> None:
    for table in tables:
        table.excuse()


def _reduced(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Remember what a sum was taken of, through what keeps each value in its place."""
    if not inputs:
        return
    given = inputs[0]
    if call.short in REDUCTIONS and call.module is None:
        axis = call.argument(2 if call.short in WITH_ORDER else 1, "dim", call.kwargs.get("axis"))
        if type(axis) is int and all(value.dim() == given.dim() - 1 for value in made) and given.dim() > 1:
            for value in made:
                value.handbook_reduced = (root_of(given), axis % given.dim(), call.short)
    elif (call.short in UNARY or call.short in PAIRWISE) and len(inputs) == 1:
        for value in made:
            value.handbook_reduced = getattr(given, "handbook_reduced", None)
            value.handbook_root = root_of(given)


def root_of(tensor: Any) -> Any:
    """The tensor whose values, one by one, a tensor was computed from."""
    return getattr(tensor, "handbook_root", None) if getattr(tensor, "handbook_root", None) is not None else tensor


def _over_own_sums(call: Call, inputs: List[Any]) -> bool:
    """`x / x.sum(1)`: the sums lack the axis that they were taken over, and meet the wrong one."""
    for whole, part in (inputs, reversed(inputs)):
        found = getattr(part, "handbook_reduced", None)
        if found is None or not isinstance(whole, torch.Tensor) or not is_certain(whole) or not is_certain(part):
            continue
        root, axis, name = found
        if root_of(whole) is not root or part.dim() != whole.dim() - 1 or all(is_one(size) for size in whole.shape[:axis]):
            continue
        details = {
            "whole": shown(call, whole), "part": shown(call, part), "axis": axis, "reduction": name,
            "whole_text": text_of(call, whole), "part_text": text_of(call, part),
        }  # fmt: skip
        remark(call, "reduction-missing-keepdim", details)
        return True
    return False
