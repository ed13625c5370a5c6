"""Every message between the server and the worker: plain data, standard library only, Python 3.9.

One message is one line of JSON. The server writes `{"id", "method", "params"}`; the worker answers `{"id", "result"}` or
`{"id", "error"}`, and may send `{"method": "progress", "params"}` in between. A span is `(line, column, end line, end column)`
in `ast` terms: lines from 1, columns in UTF-8 bytes from 0.
"""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Union

VERSION = 1
Span = Tuple[int, int, int, int]
# A size is a number, or the name or expression of a free one: 3, "N", "16*((H-4)//2)".
Size = Union[int, str]


@dataclass(frozen=True)
class Hello:
    """What the worker is: sent once, as its first line, without importing torch."""

    protocol: int
    python: str
    executable: str
    torch: Optional[str]  # the version that is installed there, read from its metadata
    torch_path: Optional[str]  # the folder of the torch package


@dataclass(frozen=True)
class Ready:
    """torch and the interpreter are loaded, or why they cannot be."""

    problem: Optional[str] = None
    seconds: float = 0.0
    device: Optional[str] = None  # what torch can compute on: "cpu", "cuda", "2 × cuda", "mps"


LIBRARIES = ("torchvision", "timm", "transformers")  # whose networks can be walked by running the library's own code


@dataclass(frozen=True)
class InterpretRequest:
    """Interpret one file without running it."""

    path: str
    text: str
    roots: List[str] = field(default_factory=list)  # the workspace folders, where imports may be followed
    seconds: float = 8.0  # of the processor's time; some more may pass where it is busy
    steps: int = 200_000
    libraries: List[str] = field(default_factory=list)  # those of LIBRARIES that the user allows to be imported
    again: bool = False  # whether the file will be looked at again, so that what does not change then is worth keeping


@dataclass(frozen=True)
class Assumed:
    """The sizes that a network assumes of an input, where an operation behind it fits no others."""

    sizes: List[Size]  # those of the shape, and in place of some free ones a number or a range: 32, "32–35"
    why: str  # "self.fc1 takes 400 features"


@dataclass(frozen=True)
class TensorFact:
    """What a tensor is at one place."""

    shape: List[Size]
    dtype: str  # "float32"
    device: str  # "cpu", "cuda", "cuda:0", or "?" when it is not known
    requires_grad: bool = False
    leaf: bool = True
    grad_fn: Optional[str] = None  # "Relu"
    parameter: bool = False
    guessed: bool = False  # whether its dtype, if that is float32, was made up: nothing in sight gives it a value
    assumed: Optional[Assumed] = None
    usual: Dict[str, int] = field(default_factory=dict)  # free sizes that are options, and their defaults


@dataclass(frozen=True)
class ModuleFact:
    """What a module is: its class, how many parameters it has, and its own constructor arguments as text.

    Where a place saw several modules of one class, this is what they have in common.
    """

    type: str  # "torch.nn.Conv2d", or the user's own class name
    parameters: Optional[int]  # None where that depends on free sizes, and where several modules have not as many
    text: str  # "Conv2d(3, 6, kernel_size=(5, 5), stride=(1, 1))"; "" where that of several modules differs
    input: Optional[List[Size]] = None  # shapes that it was called with, where it was
    output: Optional[List[Size]] = None
    # The classes of the modules inside, by the names that lead there: {"0": "Block", "0.fc": "torch.nn.Linear"}. Told of torch's
    # own classes and of those of other files; what a class of this file has stands in it.
    parts: Dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ObjectFact:
    """Another value whose class is known: an optimizer, a loader, a dtype, a number."""

    type: str  # "torch.optim.sgd.SGD" is said as the public "torch.optim.SGD"
    text: str = ""  # a short repr where that helps: "3e-4", "torch.float32"


@dataclass(frozen=True)
class TupleFact:
    """Several values in a tuple or list of a known length."""

    items: List["Fact"]


Fact = Union[TensorFact, ModuleFact, ObjectFact, TupleFact]


@dataclass(frozen=True)
class FactAt:
    """What stands at a span: an expression, an assigned name, a parameter, or the value of a return statement's expression.

    Where code was walked more than once (a function called twice, a loop) the values are joined: sizes that differ become
    free sizes, and a value that differs in kind is left out.
    """

    span: Span
    fact: Fact


@dataclass(frozen=True)
class Operand:
    """One value that took part in a failure."""

    text: str  # as the user wrote it: "x", "self.fc1.weight"
    span: Span
    fact: Optional[Fact] = None
    origin: Optional[Span] = None  # the expression that made it, where that is known


@dataclass(frozen=True)
class Failure:
    """An operation that raises when the code runs, for every value of the free sizes.

    `reason` is one of
      shape            sizes or ranks do not fit (also: view sizes, class counts, index ranks)
      dtype            dtypes do not fit
      device           tensors on different devices
      argument         an argument that the operator refuses (groups, padding="same" with a stride, …)
      leaf             an in-place change of a leaf that requires grad
      view             an in-place change of a view that autograd forbids (unbind, expanded memory)
      saved-output     an in-place change of the result that its own operator saved for backward
      saved-input      an in-place change of a tensor that a later operator saved for backward
      backward-twice   a graph that was freed already
      no-grad-fn       backward on something that does not require grad
      numpy            an array of a tensor that is in a graph, or on another device
      elsewhere        the call leads into another file of the workspace where an operation raises; details["elsewhere"]: where
    """

    span: Span  # the expression that a reader would want underlined: for saved-*, the in-place change, not backward()
    reason: str
    operation: str  # public name: "torch.nn.Linear", "torch.matmul", "torch.Tensor.add_", "@"
    error: str  # "RuntimeError"
    message: str  # torch's own words
    operands: List[Operand] = field(default_factory=list)
    # What words need and operands do not hold: {"in_features": 400, "features": 1176}; {"defaults": {"hidden": 256}} where it
    # happens as long as these options are not given; for saved-*: {"saved_by": "exp",
    # "saved_at": [line, column, end line, end column], "backward_at": [...] or null}
    details: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Gap:
    """A place where the interpreter lost the thread, and why: shown only to a user who asks."""

    span: Span
    why: str


@dataclass(frozen=True)
class InterpretResult:
    """All that is known of a file."""

    facts: List[FactAt] = field(default_factory=list)
    failures: List[Failure] = field(default_factory=list)
    gaps: List[Gap] = field(default_factory=list)
    seconds: float = 0.0
    complete: bool = True  # false when the budget ran out
    problem: Optional[str] = None  # torch cannot be imported, and its own words why


@dataclass(frozen=True)
class SummaryRequest:
    """Measure one network of a file: it is walked on tensors without data, and nothing is run."""

    path: str
    text: str
    roots: List[str] = field(default_factory=list)
    name: str = ""  # a class, a variable, or a function that makes a network; "" for the largest network of the file
    sizes: Dict[str, int] = field(default_factory=dict)  # numbers for free sizes and constructor arguments: {"H": 224}
    batch: int = 0  # the batch to measure with; 0 for the file's own, or one sample
    seconds: float = 30.0
    steps: int = 2_000_000
    libraries: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class LayerRow:
    """One module of a network, all that is inside it included; bytes and operations for the batch that was measured."""

    name: str  # "" for the network itself, "layer1.0.conv"
    type: str
    text: str
    depth: int
    leaf: bool  # whether it has no modules inside
    output: Optional[List[Size]] = None  # None: it was not called, or gives something else than one tensor
    calls: int = 0
    parameters: int = 0
    trainable: int = 0
    shared: bool = False  # whether it, or a parameter of its own, stands further up by another name
    macs: int = 0  # multiplications with an addition, of matrix products and convolutions
    saved: int = 0  # bytes that autograd keeps for backward


@dataclass(frozen=True)
class OptimizerRow:
    """What an optimizer keeps for the network, in bytes; None where its step could not be made without data."""

    type: str
    text: str  # the arguments that matter: "lr=0.1, momentum=0.9"
    state: Optional[int] = None
    found: bool = False  # whether the file makes it, for this network


@dataclass(frozen=True)
class SummaryResult:
    """The figures of one network, or a problem in a sentence."""

    name: str = ""
    inputs: Dict[str, str] = field(default_factory=dict)  # what it was measured with: {"x": "[8, 3, 224, 224] float32"}
    rows: List[LayerRow] = field(default_factory=list)  # the network itself first, then its modules in their order
    weights: int = 0  # bytes of its parameters, each counted once
    gradients: int = 0  # bytes of those that learn
    buffers: int = 0
    batch: int = 0
    saved: Dict[str, int] = field(default_factory=dict)  # batch to the bytes that are kept for backward, for two batches
    optimizers: List[OptimizerRow] = field(default_factory=list)
    assumed: Dict[str, int] = field(default_factory=dict)  # free sizes and the numbers that were taken for them
    notes: List[str] = field(default_factory=list)  # what a reader of the figures must know
    networks: List[str] = field(default_factory=list)  # the names that may be asked for
    problem: Optional[str] = None


@dataclass(frozen=True)
class BenchmarkRequest:
    """Time a part of a file. The lines are those of the selection (a cursor is an empty one); the worker finds the statement."""

    path: str
    text: str
    line: int
    end_line: int
    seconds: float = 60.0  # the limit for all of it
    alternative: Optional[str] = None  # an expression that should equal the one at `expression`, timed beside it
    expression: Optional[Span] = None  # the expression that the alternative replaces
    alternative_title: str = ""
    roots: List[str] = field(default_factory=list)  # the workspace folders, where the file's own imports may be found
    inputs: Dict[str, Fact] = field(default_factory=dict)  # what the enclosing functions' parameters are, so as to make them


@dataclass(frozen=True)
class Timing:
    """One measured snippet. Times in seconds, memory in bytes."""

    title: str
    code: str
    median: float
    low: float  # the quartiles
    high: float
    runs: int
    peak_memory: Optional[int] = None
    warning: Optional[str] = None  # the spread is wide, too few runs, …


@dataclass(frozen=True)
class Machine:
    """Where it was measured."""

    device: str  # "cpu", "cuda:0"
    device_name: str
    python: str
    torch: str
    cuda: Optional[str] = None
    threads: int = 1
    accelerators: List[str] = field(default_factory=list)  # all that torch sees, when that was asked for: "cuda:0, NVIDIA H100"


@dataclass(frozen=True)
class BenchmarkResult:
    """What came out: timings (the user's code first), or the snippet's own traceback."""

    timings: List[Timing] = field(default_factory=list)
    machine: Optional[Machine] = None
    setup: str = ""  # the imports and definitions that were run first
    lines: Tuple[int, int] = (0, 0)  # the lines of the statement that was timed
    equal: Optional[bool] = None  # whether the alternative gave the same result, within the dtype's tolerance
    difference: Optional[float] = None  # the largest absolute difference
    ratio: Optional[float] = None  # how many times faster the alternative is, by the median of the turns that both took
    agreement: Optional[float] = None  # the share of the turns that agree on which of the two is faster
    traceback: Optional[str] = None
    problem: Optional[str] = None  # why nothing could be timed, said to the user
    assumed: Dict[str, str] = field(default_factory=dict)  # values that were made up: {"x": "torch.randn(32, 3, 64, 64)"}
    notes: List[str] = field(default_factory=list)  # what else a reader of the figures must know


@dataclass(frozen=True)
class Progress:
    """How far a benchmark is."""

    message: str
    percentage: int


Message = Any


def to_json(value: Any) -> Any:
    """Plain JSON data of any message; a dataclass becomes an object that names its class under "is"."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        row = {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
        row["is"] = type(value).__name__
        return row
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in typing.cast("List[Any]", value)]
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in typing.cast("Dict[Any, Any]", value).items()}
    return value


def from_json(value: Any) -> Any:
    """The message that `to_json` wrote down. Fields that this version does not know are dropped: versions may differ."""
    if isinstance(value, list):
        return [from_json(item) for item in typing.cast("List[Any]", value)]
    if isinstance(value, dict):
        row = {str(key): from_json(item) for key, item in typing.cast("Dict[Any, Any]", value).items()}
        kind = CLASSES.get(str(row.pop("is", "")))
        if kind is None:
            return row
        known = {f.name for f in dataclasses.fields(kind)}
        fields = {key: item for key, item in row.items() if key in known}
        for name in ("span", "origin", "expression", "lines"):
            if isinstance(fields.get(name), list):
                fields[name] = tuple(typing.cast("List[int]", fields[name]))
        return kind(**fields)
    return value


CLASSES: Dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        Hello, Ready, InterpretRequest, Assumed, TensorFact, ModuleFact, ObjectFact, TupleFact, FactAt, Operand, Failure, Gap,
        InterpretResult, SummaryRequest, LayerRow, OptimizerRow, SummaryResult, BenchmarkRequest, Timing, Machine,
        BenchmarkResult, Progress,
    )
}  # fmt: skip
