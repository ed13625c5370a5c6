"""The entry point: a file's text and a name in, the figures of one network out. Nothing of the file is run."""

from __future__ import annotations

import ast
import contextlib
import io
import time
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch

from torch_handbook_worker.protocol import InterpretRequest, SummaryRequest, SummaryResult
from torch_handbook_worker.summary.layers import rows_of
from torch_handbook_worker.summary.measure import Given, Measure
from torch_handbook_worker.summary.numbers import IMAGES, Numbers
from torch_handbook_worker.summary.target import Network, arguments, choose, networks, own_batch, unknown_weights
from torch_handbook_worker.summary.training import rows as optimizer_rows
from torch_handbook_worker.tensors.accelerators import shown
from torch_handbook_worker.tensors.constructors import initialiser, parameters_of
from torch_handbook_worker.tensors.forks import Either
from torch_handbook_worker.tensors.functions import parameter_names
from torch_handbook_worker.tensors.members import layers, parameters, tensors
from torch_handbook_worker.tensors.notes import device_of
from torch_handbook_worker.tensors.program import deeply, parse, warm
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.sizes import shape_of
from torch_handbook_worker.tensors.trace import Exhausted
from torch_handbook_worker.tensors.values import Unknown, each
from torch_handbook_worker.tensors.walk import Walk


def summarize(request: SummaryRequest) -> SummaryResult:
    """The figures of a network, or why there are none, in a sentence. Never raises."""
    result = deeply(lambda: _summarize(request))
    return SummaryResult(problem=f"the network could not be measured: {result}") if isinstance(result, str) else result


def _summarize(request: SummaryRequest) -> SummaryResult:
    tree = parse(request.text)
    if tree is None:
        return SummaryResult(problem="the file is not valid Python at the moment")
    warm()
    found: List[SummaryResult] = []
    optimizers: List[Any] = []
    weights: List[Any] = []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        walk = Walk(_interpretation(request), tree)
        session = walk.session
        measure = session.measure = Measure(session.graph, session.fakes, request.sizes)

        def look(frame: Frame) -> None:
            session.trace.steps, session.trace.deadline = request.steps, time.monotonic() + request.seconds
            known = networks(session, frame)
            network = choose(session, frame, request.name)
            names = sorted(known)
            if isinstance(network, str):
                found.append(SummaryResult(problem=network, networks=names))
                return
            optimizers.extend(measure.optimizers)
            weights.extend(parameters(network.module))
            found.append(replace(_measured(session, frame, network, request), networks=names))

        walk.run(look)
        if not found:
            why = walk.session.problems[-1].split("\n")[-1] if walk.session.problems else "the time was not enough"
            return SummaryResult(problem=f"the network could not be measured: {why}")
        if found[0].problem is None:
            return replace(found[0], optimizers=optimizer_rows(optimizers, weights))
    return found[0]


def _interpretation(request: SummaryRequest) -> InterpretRequest:
    return InterpretRequest(request.path, request.text, request.roots, request.seconds, request.steps, request.libraries)


def _measured(session: Session, frame: Frame, network: Network, request: SummaryRequest) -> SummaryResult:
    if isinstance(network.module, Either):
        said = f"{network.name} is one of two networks, and which of them depends on something that is not known here"
        return SummaryResult(network.name, problem=said)
    free = unknown_weights(session, network.module)
    if free:
        wanted = " ".join(f"--size {name}=…" for name in free)
        return SummaryResult(network.name, problem=f"{network.name} is made with sizes that the file does not give: say {wanted}")
    if network.given is None:
        result = _weighed(network)
        return replace(
            result, rows=rows_of(network.module, {}), notes=[f"nothing is known of what {network.name} is called with"]
        )
    batch = request.batch or own_batch(session, network.given) or 1
    why = ""
    for numbers in _ways(session, network, request, batch):
        outcome = _tried(session, frame, network, numbers)
        if outcome is not None:
            return _figures(session, frame, network, outcome)
        why = why or _why(session, network.name)
    return SummaryResult(network.name, problem=why)


def _ways(session: Session, network: Network, request: SummaryRequest, batch: int) -> Iterator[Numbers]:
    """The numbers to try: where the file gives none, other heights and widths of images, and two samples instead of one, since
    batch norm refuses to train on a single value."""
    for image in IMAGES if _asks_for_image(session, network, request) else IMAGES[:1]:
        yield Numbers(session.sizes, request.sizes, batch, image)
        if batch == 1 and not request.batch:
            yield Numbers(session.sizes, request.sizes, 2, image)


def _asks_for_image(session: Session, network: Network, request: SummaryRequest) -> bool:
    """Whether another height and width could make a difference."""
    assert network.given is not None
    numbers = Numbers(session.sizes, request.sizes, 1)
    arguments(network.given, numbers)
    return any(value == IMAGES[0] for value in numbers.assumed.values())


def _tried(session: Session, frame: Frame, network: Network, numbers: Numbers) -> Optional[Tuple[Numbers, Given, Any]]:
    """Measure with some numbers; None where the network does not take them."""
    assert network.given is not None
    given = arguments(network.given, numbers)
    result = _run(session, frame, network.module, given)
    is_whole = any(isinstance(value, torch.Tensor) for value in each(result)) and not session.trace.failures
    return (numbers, given, result) if is_whole else None


def _run(session: Session, frame: Frame, module: Any, given: Given) -> Any:
    """Walk the network once, in training, and count."""
    trace, measure = session.trace, session.measure
    trace.failures, trace.gaps = {}, {}
    trace.cut, trace.forks, trace.branches, trace.expected = 0, 0, (), 0
    trace.muted += 1
    modes = [(layer, layer.__dict__.get("training")) for layer in layers(module)]
    result: Any = None
    try:
        for layer, _ in modes:
            layer.__dict__["training"] = True
        with torch.enable_grad(), measure.counting():
            result = session.call(frame, ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0), module,
                                  list(given.args), dict(given.kwargs))  # fmt: skip
    except Exhausted:
        result = Unknown()
    finally:
        trace.muted -= 1
        for layer, mode in modes:
            layer.__dict__["training"] = mode
    measure.failed = dict(trace.failures)
    return result


def _why(session: Session, name: str) -> str:
    failures = list(session.measure.failed.values())
    if failures:
        return f"{name} cannot be called so: {failures[0].message} (line {failures[0].span[0]})"
    gaps = list(session.trace.gaps.items())
    where = f": line {gaps[-1][0][0]}: {gaps[-1][1]}" if gaps else ""
    return f"what {name} computes could not be followed to its end{where}"


def _figures(session: Session, frame: Frame, network: Network, outcome: Tuple[Numbers, Given, Any]) -> SummaryResult:
    numbers, given, _ = outcome
    measure = session.measure
    trace = session.trace
    notes = [*_taken(session, network), *_notes(trace.cut, trace.forks, network.module)]
    saved = {str(numbers.batch): measure.settle(network.module)}
    rows = rows_of(network.module, measure.seen)
    for batch in dict.fromkeys((max(numbers.batch, 2), 2 * max(numbers.batch, 2))):  # one sample alone is often a special case
        more = Numbers(numbers.sizes, numbers.given, batch, numbers.image)
        again = _tried(session, frame, network, more) if str(batch) not in saved else None
        if again is not None:  # its result still lives
            saved[str(batch)] = measure.settle(network.module)
    return replace(
        _weighed(network),
        inputs=_inputs(given),
        rows=rows,
        batch=numbers.batch,
        saved=saved,
        assumed=dict(sorted(numbers.assumed.items())),
        notes=notes,
    )


def _taken(session: Session, network: Network) -> List[str]:
    """What its constructor is taken to be given."""
    init = initialiser(type(network.module))
    names = [row.arg for row in parameters_of(init)] if init is not None else []
    taken = session.measure.taken
    return [f"{name} is taken to be {taken[name]}, as nothing here gives another" for name in names if name in taken]


def _notes(cut: int, forks: int, module: Any) -> List[str]:
    notes: List[str] = []
    if any(isinstance(layer, torch.nn.LSTM) for layer in layers(module)):
        notes.append("what oneDNN or cuDNN keeps for itself in an LSTM comes on top")
    if cut:
        notes.append("a loop was not walked to its end: the figures are too low")
    if forks:
        notes.append("a branch depends on a value that is known only when it runs: both of its ways are counted")
    return notes


def _weighed(network: Network) -> SummaryResult:
    weights = list(parameters(network.module))
    held = {id(weight) for weight in weights}
    buffers = [one for one in tensors(network.module) if id(one) not in held]
    return SummaryResult(
        network.name,
        weights=sum(map(_bytes, weights)),
        gradients=sum(_bytes(weight) for weight in weights if weight.requires_grad),
        buffers=sum(map(_bytes, buffers)),
    )


def _bytes(tensor: Any) -> int:
    return int(tensor.numel()) * int(tensor.element_size())


def _inputs(given: Given) -> Dict[str, str]:
    """What went in, by the names of forward's parameters."""
    forward: Any = vars(type(given.module)).get("forward")
    names = parameter_names(forward.node.args)[1:] if hasattr(forward, "node") else ["input"]
    values = [
        *zip([*names, *(f"argument {n + 1}" for n in range(len(names), len(given.args)))], given.args),
        *given.kwargs.items(),
    ]
    return dict(_shown(values))


def _shown(values: List[Tuple[str, Any]]) -> Iterator[Tuple[str, str]]:
    for name, value in values:
        leaves = [one for one in each(value) if isinstance(one, torch.Tensor)]
        if leaves:
            texts = [f"[{', '.join(map(str, shape_of(one)))}] {str(one.dtype)[6:]}" for one in leaves[:3]]
            where = "" if shown(device_of(leaves[0])) in ("cpu", "?") else f" on {device_of(leaves[0])}"
            yield name, ", ".join(texts) + where
