"""Who looks at each operation that runs, and at those that do not."""

from __future__ import annotations

from typing import Any, List

from torch_handbook_worker.tensors import broadcasts, devices, joins, normalized, roles, scrambles, singles
from torch_handbook_worker.tensors.operation import Call

WATCHERS = (broadcasts.watch, scrambles.watch, singles.watch, normalized.watch, joins.watch, roles.watch, devices.watch)


def watch(call: Call, inputs: List[Any], made: List[Any]) -> None:
    """Look at an operation and the new tensors that it made. What a watcher cannot understand, it does not remark on."""
    for look in WATCHERS:
        try:
            look(call, inputs, made)
        except (TypeError, ValueError, AttributeError, IndexError, RuntimeError):
            continue


def watch_error(call: Call) -> bool:
    """Look at an operation that raised; say whether it is clear what is wrong with it."""
    try:
        return broadcasts.watch_error(call)
    except (TypeError, ValueError, AttributeError, IndexError, RuntimeError):
        return False
