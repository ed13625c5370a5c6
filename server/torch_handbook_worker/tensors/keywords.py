"""Keywords that a class or function of torch does not take: the call is refused whatever else it is given."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from typing import Any, Dict, FrozenSet, List, Optional

from torch_handbook_worker.tensors.operation import Call

UNEXPECTED = "got an unexpected keyword argument"


def refused_keyword(call: Call) -> Optional[TypeError]:
    """What Python would say of a keyword of a call that its signature has no place for; None where it takes all of them."""
    taken = _taken(call.callee) if call.kwargs and call.name.startswith("torch.") else None
    strange = next((name for name in call.kwargs if taken is not None and name not in taken), None)
    if strange is None:
        return None
    kind = isinstance(call.callee, type)
    where = getattr(call.callee.__init__ if kind else call.callee, "__qualname__", call.short)
    return TypeError(f"{where}() {UNEXPECTED} '{strange}'")


def _taken(callee: Any) -> Optional[FrozenSet[str]]:
    """The names that may be given as keywords; None where others are taken too, or that is not known."""
    found = getattr(callee, "__func__", callee)  # a method is bound to what one look has made, which must not be kept
    is_plain = isinstance(found, (type, types.FunctionType))
    return _signed(found) if is_plain and found.__module__.split(".")[0] == "torch" else None


@functools.lru_cache(maxsize=4096)
def _signed(function: Any) -> Optional[FrozenSet[str]]:
    """The same of a class or function of torch's own, all of which stay."""
    try:
        # What wraps a function may take more than the function does, so that only the outermost signature counts.
        found = inspect.signature(function.__init__ if isinstance(function, type) else function, follow_wrapped=False)
    except (TypeError, ValueError):
        return None
    rows = list(found.parameters.values())
    if any(row.kind is row.VAR_KEYWORD for row in rows):
        return None
    return frozenset(row.name for row in rows if row.kind in (row.POSITIONAL_OR_KEYWORD, row.KEYWORD_ONLY) and row.name != "self")


def written(call: Call, text: str) -> str:
    """The keyword that torch does not know, where the call itself gives it; else ""."""
    words = call.node.keywords if isinstance(call.node, ast.Call) else []
    if not all(word.arg for word in words):
        return ""
    return next((word.arg for word in words if word.arg and f"'{word.arg}'" in text), "")


def told(call: Call, keyword: str) -> Dict[str, Any]:
    """What a failure says of such a keyword: its name, and those that are taken instead."""
    taken: List[str] = sorted(_taken(call.callee) or ())
    return {"keyword": keyword, "taken": taken} if taken else {"keyword": keyword}
