"""The table of a network: one row a module, in the order in which they were entered into it."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import torch
from torch import nn

from torch_handbook_worker.protocol import LayerRow, Size
from torch_handbook_worker.summary.measure import Seen
from torch_handbook_worker.tensors.members import parameters
from torch_handbook_worker.tensors.module_facts import text_of
from torch_handbook_worker.tensors.names import public_type
from torch_handbook_worker.tensors.sizes import shape_of
from torch_handbook_worker.tensors.values import each

MOST = 4000  # rows


def rows_of(network: Any, seen: Dict[int, Seen]) -> List[LayerRow]:
    """The network itself first, then its modules, the outer before the inner."""
    counted: Set[int] = set()
    rows: List[LayerRow] = []
    for name, module, depth, again in _named(network):
        if len(rows) >= MOST:
            break
        rows.append(_row(name, module, depth, again, seen.get(id(module)), counted))
    return rows


def _named(network: Any) -> Iterator[Tuple[str, Any, int, bool]]:
    """Each module by its dotted name, how deep it lies, and whether it stood there before by another name."""
    stack: List[Tuple[str, Any, int]] = [("", network, 0)]
    before: Set[int] = set()
    while stack:
        name, module, depth = stack.pop()
        again = id(module) in before
        before.add(id(module))
        yield name, module, depth, again
        if not again:
            inner = [(part, one) for part, one in module.__dict__.get("_modules", {}).items() if isinstance(one, nn.Module)]
            stack.extend((f"{name}.{part}" if name else part, one, depth + 1) for part, one in reversed(inner))


def _row(name: str, module: Any, depth: int, again: bool, found: Optional[Seen], counted: Set[int]) -> LayerRow:
    weights = list(parameters(module))
    own = [one for one in module.__dict__.get("_parameters", {}).values() if one is not None]
    tied = any(id(one) in counted for one in own)
    counted.update(id(one) for one in own)
    return LayerRow(
        name,
        public_type(type(module)),
        text_of(module),
        depth,
        leaf=not module.__dict__.get("_modules"),
        output=_output(found),
        calls=found.calls if found else 0,
        parameters=sum(int(one.numel()) for one in weights),
        trainable=sum(int(one.numel()) for one in weights if one.requires_grad),
        shared=again or tied,
        macs=found.macs if found else 0,
        saved=found.saved if found else 0,
    )


def _output(found: Optional[Seen]) -> Optional[List[Size]]:
    """The shape of what came out; of several tensors the first."""
    tensors = [one for one in each(found.output) if isinstance(one, torch.Tensor)] if found else []
    return list(shape_of(tensors[0])) if tensors else None
