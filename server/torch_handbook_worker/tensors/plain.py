"""What fails in a script that is run without any option: shapes that only fit other numbers than the defaults.

The script is walked once more with its defaults. To say which default is to blame, each one whose number takes part is doubled:
where the sizes that do not fit stay the same, it has nothing to do with them.
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any, Dict, List, Optional, Set, Tuple

from torch_handbook_worker.protocol import Failure, InterpretRequest, Span
from torch_handbook_worker.tensors.walk import Walk

MOST = 4  # defaults that are tried
# What two sizes of a failure do not fit; all else that is told of it may change without a reason.
CORE = (
    "in_features", "features", "in_channels", "channels", "num_features", "num_channels", "input_size", "normalized_shape",
    "inner", "sizes", "batch", "numel", "asked", "state", "expected_state", "rank", "ranks",
)  # fmt: skip
Failures = Dict[Tuple[Span, str], Failure]


def failures(request: InterpretRequest, tree: ast.Module, known: Set[Any]) -> List[Failure]:
    """The failures of shapes that depend on the number of an option, each with these defaults in its details."""
    session = Walk(request, tree).plainly({})
    found = {key: row for key, row in session.trace.failures.items() if key not in known and key[1] == "shape"}
    tried = {name: value for name, value in session.defaults.items() if any(value in _numbers(row) for row in found.values())}
    blamed: Dict[Any, Dict[str, int]] = {}
    for name, value in list(tried.items())[: MOST if found else 0]:
        other: Failures = Walk(request, tree).plainly({name: 2 * value or 2}).trace.failures
        for key, row in found.items():
            if _core(other.get(key)) != _core(row):
                blamed.setdefault(key, {})[name] = value
    return [dataclasses.replace(found[key], details={**found[key].details, "defaults": names}) for key, names in blamed.items()]


def _core(failure: Optional[Failure]) -> Any:
    if failure is None:
        return None
    found = {name: value for name, value in failure.details.items() if name in CORE}
    return found or failure.message


def _numbers(failure: Failure) -> Set[int]:
    """The numbers by which a failure is explained."""
    rows = [value for value in failure.details.values() if isinstance(value, (int, list))]
    found = {number for row in rows for number in (row if isinstance(row, list) else [row]) if isinstance(number, int)}
    return found if rows else set()
