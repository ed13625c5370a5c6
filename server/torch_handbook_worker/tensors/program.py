"""The interpreter's one entry point: a file's text in, facts, failures and gaps out. Never raises."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import gc
import io
import logging
import re
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, TypeVar, Union

from torch_handbook_worker.protocol import Assumed, Fact, FactAt, InterpretRequest, InterpretResult, Size, TensorFact

Result = TypeVar("Result")
STACK = 256 * 1024 * 1024  # bytes: walking nests deep
DEEP = 20_000


def interpret(request: InterpretRequest) -> InterpretResult:
    """Walk the code of `request.text`, without running or importing any of it."""
    started = time.monotonic()
    result = deeply(lambda: _interpret(request))
    if isinstance(result, str):
        result = InterpretResult(complete=False, problem=result)
    return InterpretResult(
        result.facts, result.failures, result.gaps, time.monotonic() - started, result.complete, result.problem
    )


def deeply(walk: Callable[[], Result]) -> Union[Result, str]:
    """What a walk gives that may nest deep, or why it gave nothing."""
    found: List[Union[Result, str]] = []

    def work() -> None:
        try:
            found.append(walk())
        except BaseException as error:
            found.append(f"{type(error).__name__}: {error}")

    limit = sys.getrecursionlimit()
    size = threading.stack_size(STACK)
    sys.setrecursionlimit(max(limit, DEEP))
    try:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    return found[0]


def _interpret(request: InterpretRequest) -> InterpretResult:
    try:
        logging.getLogger("torch").setLevel(logging.CRITICAL + 1)
        from torch_handbook_worker.tensors import callers, looks, plain
    except Exception as error:  # a torch that cannot be imported, or that lacks a part that is needed
        return InterpretResult(complete=False, problem=f"{type(error).__name__}: {error}")
    tree = parse(request.text)
    if tree is None:
        return InterpretResult(complete=False)
    warm()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        walk, problem, complete = looks.walked(request, tree, callers.given(request, tree))
        result = _result(walk, problem, complete)
        if walk.session.wants_plain and complete:
            result.failures.extend(plain.failures(request, tree, {(row.span, row.reason) for row in result.failures}))
    return result


WARM = """
import torch
from torch import nn
import torch.nn.functional as F
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4 * 3 * 3, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
F.cross_entropy(net(torch.randn(2, 3, 8, 8)), torch.zeros(2, dtype=torch.int64)).backward()
optimizer.step()
class Layer(nn.Module):
    def forward(self, x):
        n, c, h, w = x.shape
        return (x.flatten(2).transpose(1, 2) @ x.reshape(n, c, h * w)).softmax(-1).sum() * 2 + 1
"""
_warmed: List[bool] = []


def warm() -> None:
    """Make torch import what it imports late, once, so that no file's time is spent on it."""
    if _warmed:
        return
    _warmed.append(True)
    from torch_handbook_worker.tensors.walk import Walk

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        Walk(InterpretRequest("", WARM, seconds=60.0), ast.parse(WARM)).run()
    gc.freeze()  # torch is half a million objects that stay: looking through them again and again is a tenth of a file's time


NAME = re.compile(r"[^\W\d]\w*")


def parse(text: str) -> Optional[ast.Module]:
    try:
        return ast.parse(text.lstrip("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def with_assumed(fact: Optional[Fact], found: Any) -> Optional[Fact]:
    """The fact of a parameter with the sizes that operations behind it need; without them where those contradict each other."""
    if found is None or not isinstance(fact, TensorFact) or any(low > high for low, high in found.ranges.values()):
        return fact
    sizes: List[Size] = list(fact.shape)
    for place, (low, high) in found.ranges.items():
        if place >= len(sizes) or not isinstance(sizes[place], str):
            return fact
        sizes[place] = low if low == high else f"{low}–{high}"
    return dataclasses.replace(fact, assumed=Assumed(sizes, found.why))


def with_usual(fact: Optional[Fact], defaults: Dict[str, int]) -> Optional[Fact]:
    """The fact of a tensor with the defaults of the options among its free sizes."""
    if not defaults or not isinstance(fact, TensorFact):
        return fact
    names = {name for size in fact.shape if isinstance(size, str) for name in NAME.findall(size)}
    return dataclasses.replace(fact, usual={name: value for name, value in defaults.items() if name in names})


def _result(walk: Any, problem: Optional[str], complete: bool) -> InterpretResult:
    trace, notes = walk.session.trace, walk.session.notes
    facts: List[FactAt] = []
    for span, note in sorted(trace.notes.items()):
        fact = with_usual(with_assumed(notes.fact(note), trace.assumed.get(span)), walk.session.sizes.usual)
        if fact is not None:
            facts.append(FactAt(span, fact))
    failures = sorted(trace.failures.values(), key=lambda failure: failure.span)
    return InterpretResult(facts, failures, trace.gap_list(), 0.0, complete, problem)
