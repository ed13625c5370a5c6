"""What autograd saved and what changed in place: which change makes backward fail, exactly.

Autograd counts the changes of a tensor and compares the counts in backward. Here every saved tensor is packed with its count and
the place that saved it, and every change is logged with its place, so a mismatch names both.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Dict, Generator, List, Optional, Set

import torch

from torch_handbook_worker.protocol import Failure, Operand
from torch_handbook_worker.tensors.members import parameters
from torch_handbook_worker.tensors.trace import Here, Path, Trace

MESSAGE = "one of the variables needed for gradient computation has been modified by an inplace operation"


@dataclass
class Saved:
    """A tensor that autograd kept for backward."""

    tensor: Any
    version: int
    here: Here
    operation: str
    output: bool  # whether the operator's own result was saved, not an input of it
    branches: Path


@dataclass(frozen=True)
class Changed:
    """A change of a tensor in place."""

    storage: Any  # kept, so that its address is not used again
    version: int  # before the change
    here: Here
    operation: str
    branches: Path


@dataclass
class Operation:
    """The call that is being executed: its public name and the tensors that go into it."""

    name: str
    inputs: List[Any] = field(default_factory=list)
    module: Optional[Any] = None


class Graph:
    """The log of one interpretation."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.changes: Dict[int, List[Changed]] = {}
        self.operation = Operation("")
        self.versions: Dict[int, int] = {}
        self.watching: Optional[List[Saved]] = None
        self.attributes: Dict[type, List[str]] = {}
        self.saved: List[Saved] = []  # all that autograd keeps

    @contextlib.contextmanager
    def executing(self, operation: Operation) -> Generator[None, None, None]:
        """Say which call is being executed."""
        before, versions = self.operation, self.versions
        self.operation = operation
        self.versions = {_key(tensor): tensor._version for tensor in operation.inputs}
        try:
            yield
        finally:
            self.operation, self.versions = before, versions

    def changed(self, tensor: Any, version: int, operation: str) -> None:
        """An operator writes to a tensor."""
        storage = tensor.untyped_storage()
        row = Changed(storage, version, self.trace.here, operation.split("::")[-1], self.trace.branches)
        self.changes.setdefault(storage._cdata, []).append(row)

    def hooks(self) -> Any:
        """The context in which autograd's saved tensors are seen."""
        return torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack)

    def pack(self, tensor: Any) -> Saved:
        """Autograd saves a tensor."""
        key, version = _key(tensor), tensor._version
        before = self.versions.get(key)
        output = (before is None or before != version) and not self._belongs(key)
        saved = Saved(tensor, version, self.trace.here, self.operation.name, output, self.trace.branches)
        self.saved.append(saved)
        return saved

    def forget(self) -> None:
        """Let go of the tensors: a result that its own node keeps is a circle in which Python never finds the node."""
        for saved in self.saved:
            saved.tensor = None
        self.saved.clear()
        self.changes.clear()

    def _belongs(self, key: int) -> bool:
        module = self.operation.module
        return module is not None and any(_key(own) == key for own in parameters(module))

    def unpack(self, saved: Saved) -> Any:
        """Autograd, or a look at the graph, takes a saved tensor out again."""
        if self.watching is not None and saved.tensor._version != saved.version:
            self.watching.append(saved)
        return saved.tensor

    @contextlib.contextmanager
    def watch(self) -> Generator[List[Saved], None, None]:
        """Collect the saved tensors that are taken out although they were changed."""
        before, self.watching = self.watching, []
        try:
            yield self.watching
        finally:
            self.watching = before

    def stale(self, values: List[Any], limit: int = 4000) -> List[Saved]:
        """The saved tensors in the graphs of `values` that were changed since: backward through them would raise."""
        stack: List[Any] = [value.grad_fn for value in values if isinstance(value, torch.Tensor) and value.grad_fn is not None]
        seen: Set[Any] = set()
        with self.watch() as found:
            while stack and len(seen) < limit:
                node = stack.pop()
                if node is None or node in seen:
                    continue
                seen.add(node)
                self._look(node)
                stack.extend(row[0] for row in node.next_functions)
        return list(found)

    def _look(self, node: Any) -> None:
        kind = type(node)
        names = self.attributes.get(kind)
        if names is None:
            names = [name for name in dir(node) if name.startswith("_saved_") or name == "saved_tensors"]
            self.attributes[kind] = names
        for name in names:
            with contextlib.suppress(Exception):
                getattr(node, name)

    def report(self, stale: List[Saved], backward: Optional[Here]) -> None:
        """Say which changes clobbered what was saved, where that holds on every path to the change."""
        for saved in stale:
            change = self._first_change(saved)
            if change is None or not _follows(change.branches, saved.branches, self.trace.branches):
                continue
            self.trace.fail(_failure(self.trace, saved, change, backward), change.here.path)

    def _first_change(self, saved: Saved) -> Optional[Changed]:
        rows = self.changes.get(_key(saved.tensor), [])
        later = [row for row in rows if row.version >= saved.version]
        exact = [row for row in later if row.version == saved.version]
        return (exact or later or [None])[0]  # type: ignore[list-item]


def _key(tensor: Any) -> int:
    return tensor.untyped_storage()._cdata


def _follows(change: Path, saved: Path, backward: Path) -> bool:
    return change[: len(saved)] == saved and change[: len(backward)] == backward


def _failure(trace: Trace, saved: Saved, change: Changed, backward: Optional[Here]) -> Failure:
    reason = "saved-output" if saved.output else "saved-input"
    operation = f"torch.Tensor.{change.operation}" if change.operation.endswith("_") else change.operation
    details: Dict[str, Any] = {
        "saved_by": saved.operation,
        "saved_at": list(saved.here.span),
        "changed_by": change.operation,
        "backward_at": list(backward.span) if backward is not None else None,
    }
    text = f"{MESSAGE}: what {saved.operation or 'an operator'} saved was changed by {change.operation}"
    return Failure(
        change.here.span,
        reason,
        operation,
        "RuntimeError",
        text,
        [Operand(trace.source(saved.here.span), saved.here.span)],
        details,
    )
