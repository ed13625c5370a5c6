"""Calls of what is not known, where the name or the arguments tell something all the same."""

from __future__ import annotations

from typing import Any

import torch

from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.holes import HoleMember
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.options import Options
from torch_handbook_worker.tensors.promises import loose
from torch_handbook_worker.tensors.values import Unknown, each

PROGRESS = frozenset({"tqdm", "trange", "track", "progress_bar", "auto_tqdm", "Progbar"})


def call_unknown(made: Call) -> Any:
    """What comes of calling something of which at most its name is known."""
    name = made.callee.name
    if isinstance(made.callee, HoleMember):
        return made.callee.give(*made.args, **made.kwargs)
    if made.args and name in PROGRESS:
        return made.args[0]
    if name == "view" and not made.kwargs:
        return _viewed(made)
    if name == "size" and len(made.args) == 1 and isinstance(made.args[0], int) and not made.kwargs:
        return Unknown("int")
    only = made.args[0] if len(made.args) == 1 and not made.kwargs else None
    written = isinstance(only, type) and only.__module__.split(".")[0] not in ("torch", "builtins")
    if isinstance(only, Function):
        only.is_handed_over = True
    if written or isinstance(only, Function):
        return only  # an unknown decorator is taken to keep it; torch's classes are no more than told: x.type(torch.FloatTensor)
    for value in made.args:
        if isinstance(value, (list, dict, set)):
            made.frame.session.journal.content(value)
        elif isinstance(value, Options):
            value.is_lost = True
    return Unknown()


def _viewed(made: Call) -> Any:
    """`unknown.view(-1, 784)`: only a tensor can be viewed so, and the sizes say what it is then. One argument may be a dtype."""
    rows = list(made.args[0]) if len(made.args) == 1 and isinstance(made.args[0], (list, tuple)) else made.args
    if len(rows) < 2 and not all(isinstance(row, (int, torch.SymInt)) for row in rows):
        return Unknown()
    sizes = made.frame.session.sizes
    rows = [sizes.free("D" if place else "N") if isinstance(row, int) and row == -1 else row for place, row in enumerate(rows)]
    known = [sizes.standing_for(row) if isinstance(row, Unknown) else row for row in rows]
    if not rows or not all(isinstance(row, (int, torch.SymInt)) for row in known):
        return Unknown()
    return loose(torch.empty(known), "dtype")


def of_other_graph(made: Call, result: Any) -> Any:
    """What a function gives that an unknown decorator has seen: it may have a backward of its own, as torch's custom_op has."""
    if any(value.requires_grad for value in made.tensors()):
        loose([value for value in each(result) if isinstance(value, torch.Tensor) and not value.requires_grad], "dtype")
    return result
