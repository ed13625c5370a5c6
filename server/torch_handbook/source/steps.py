"""The steps of training as they stand in a block: clear the gradients, backward, clip, step, schedule, in their order."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from torch_handbook.source.callers import Callers
from torch_handbook.source.origins import Origins

if TYPE_CHECKING:
    from torch_handbook.source.file import File

Kind: TypeAlias = Literal["clear", "backward", "clip", "unscale", "step", "scaled-step", "update", "schedule"]
CLIPS = frozenset({"clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grads_with_norm_"})
LOOPS = (ast.For, ast.AsyncFor, ast.While)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
WITHS = (ast.With, ast.AsyncWith)


@dataclass(frozen=True)
class Step:
    """One such call. `on` is how its receiver is written; `sure` says that it runs each time its block runs."""

    kind: Kind
    call: ast.Call
    on: str
    sure: bool
    known: bool  # whether the receiver is known to be torch's own


@dataclass(frozen=True, eq=False)
class Steps:
    """Answers for one file."""

    file: File

    @cached_property
    def calls(self) -> list[ast.Call]:
        return self.file.index.all(ast.Call)

    @cached_property
    def kinds(self) -> dict[ast.Call, Kind]:
        """The calls that are steps of training: few, in most files none."""
        return {call: kind for call in self.calls if (kind := self.kind_of(call)) is not None}

    def of(self, block: Sequence[ast.stmt], sure: bool = True) -> list[Step]:
        """The steps of a block in the order of the text, those of its inner blocks too."""
        return [step for statement in block for step in self.in_statement(statement, sure)]

    def in_statement(self, statement: ast.stmt, sure: bool) -> Iterator[Step]:
        if isinstance(statement, SCOPES) or not self.has_step(statement):
            return
        if isinstance(statement, WITHS):
            yield from self.of(statement.body, sure)
            return
        simple = not hasattr(statement, "body") and not isinstance(statement, ast.Match)
        for call in calls_in(statement):
            kind = self.kinds.get(call)
            if kind is not None:
                yield Step(kind, call, receiver(call), sure and simple, self.is_known(call))

    def has_step(self, statement: ast.stmt) -> bool:
        """Whether there is a step of training anywhere in a statement."""
        start, end = self.file.index.stretch(statement)
        first = bisect_left(self.places, start)
        return first < len(self.places) and self.places[first] < end

    @cached_property
    def places(self) -> list[int]:
        return [self.file.index.places[call] for call in self.kinds]

    def kind_of(self, call: ast.Call) -> Kind | None:
        """Which step of training a call is."""
        name = self.file.name_of(call.func) or ""
        last = name.rpartition(".")[2]
        if name.startswith("torch.nn.utils.") and last in CLIPS:
            return "clip"
        if not isinstance(call.func, ast.Attribute):
            return None
        attribute = call.func.attr
        if "backward" in attribute:
            return "backward"
        if attribute == "zero_grad":
            return "clear"
        if attribute == "unscale_":
            return "unscale"
        if attribute == "update" and self.is_a(call, "torch.amp.GradScaler"):
            return "update"
        return self.stepped(call) if attribute == "step" else None

    def stepped(self, call: ast.Call) -> Kind | None:
        """What `x.step()` is a step of: told by the value of x, else by its name."""
        written = receiver(call).lower()
        if self.is_a(call, "torch.amp.GradScaler") or "scaler" in written:
            return "scaled-step"
        if self.is_a(call, "torch.optim.lr_scheduler.LRScheduler") or "sched" in written:
            return "schedule"
        if self.is_a(call, "torch.optim.Optimizer") or "opt" in written or "solver" in written:
            return "step"
        return None

    def is_known(self, call: ast.Call) -> bool:
        """Whether the receiver is torch's own; a parameter is if each call in the file gives it such."""
        values = self.origins.instances(call.func.value) if isinstance(call.func, ast.Attribute) else []
        return bool(values) and all(value.sure and not value.written for value in values)

    @cached_property
    def origins(self) -> Origins:
        return Origins(self.file, Callers(self.file))

    def is_a(self, call: ast.Call, name: str) -> bool:
        values = self.origins.instances(call.func.value) if isinstance(call.func, ast.Attribute) else []
        return bool(values) and all(value.is_a(name) for value in values)

    def blocks(self, around: ast.AST) -> Iterator[list[ast.stmt]]:
        """The blocks of a node whose statements run one after the other: its body, its `else`."""
        for name in ("body", "orelse", "finalbody"):
            block: object = getattr(around, name, None)
            if isinstance(block, list) and block and not isinstance(around, WITHS):
                yield block  # pyright: ignore[reportUnknownVariableType]


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """The calls in a statement, as they are evaluated, those of functions that it defines left out."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, SCOPES):
            yield from calls_in(child)
    if isinstance(node, ast.Call):
        yield node


def receiver(call: ast.Call) -> str:
    """What a method is called on, as it is written."""
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def before(steps: list[Step], step: Step, cyclic: bool) -> Step | None:
    """The step before one; in a loop the last one comes before the first."""
    index = steps.index(step)
    return steps[index - 1] if index or (cyclic and len(steps) > 1) else None


def after(steps: list[Step], step: Step, cyclic: bool) -> Step | None:
    """The step after one; in a loop the first one comes after the last."""
    index = steps.index(step) + 1
    if index < len(steps):
        return steps[index]
    return steps[0] if cyclic and len(steps) > 1 else None
