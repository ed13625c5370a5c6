"""Methods of Python's own texts and containers, asked for what is not known: Python would take the unknown for a value."""

from __future__ import annotations

from typing import Any, Optional

from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.sizes import SYMBOLIC
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown

LITERAL = (str, int, float, bool, type(None))
TAKING = frozenset({"pop", "setdefault"})


def unclear(made: Call, owner: Any) -> Optional[Unknown]:
    """The unknown that a method gives whose arguments are not known; None where the method can be called as it is."""
    name = made.callee.__name__
    if isinstance(owner, str) and name in ("format", "format_map"):
        given = [*made.args, *made.kwargs.values()]
        return None if all(isinstance(value, LITERAL) for value in given) else Unknown("str")
    if isinstance(owner, dict) and (name == "get" or name in TAKING) and made.args:
        return _looked_up(made, owner, name)
    return None


def _looked_up(made: Call, table: Any, name: str) -> Optional[Unknown]:
    """`table.get(key)` where any row can be the one."""
    key = made.args[0]
    if not isinstance(key, (Unknown, *SYMBOLIC)) or any(row is key for row in table):
        return None
    if name in TAKING:
        made.frame.session.journal.content(table)
        made.frame.session.journal.lose(table)
    return UNKNOWN
