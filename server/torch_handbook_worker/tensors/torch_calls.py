"""Functions of torch that reach outside, need data, or wrap a model: what each of them means without running it."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, List

import torch
from torch import nn

from torch_handbook_worker.tensors.accelerators import Accelerator
from torch_handbook_worker.tensors.arrays import Array, to_tensor
from torch_handbook_worker.tensors.loaders import length
from torch_handbook_worker.tensors.notes import put_on
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import settle
from torch_handbook_worker.tensors.promises import loose, may_be_shape
from torch_handbook_worker.tensors.sizes import SYMBOLIC
from torch_handbook_worker.tensors.tensor_calls import backward, destination, unbound
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown, unknown_in, words

Named = Callable[[Call], Any]
NAMED: Dict[str, Named] = {}


def named(*names: str) -> Callable[[Named], Named]:
    """Registers how calls of torch's functions `names` are walked, by the name that follows the last "torch."."""

    def register(function: Named) -> Named:
        NAMED.update(dict.fromkeys(names, function))
        return function

    return register


@named("torch.save", "torch.manual_seed", "torch.seed", "torch.set_rng_state", "torch.set_num_threads", "torch.set_printoptions",
       "torch.set_num_interop_threads", "torch.use_deterministic_algorithms", "torch.set_float32_matmul_precision",
       "torch.set_default_device", "torch.set_flush_denormal", "torch.set_deterministic_debug_mode", "torch.set_warn_always",
       "torch.autograd.set_detect_anomaly", "torch.autograd.detect_anomaly", "torch.set_default_tensor_type")  # fmt: skip
def _nothing(call: Call) -> Any:
    return contextlib.nullcontext()


# These transforms of torch.func refuse the hooks by which the interpreter watches what autograd saves; gradcheck compares values;
# how long the parts of a packed sequence are is data.
@named("torch.func.vjp", "torch.func.jvp", "torch.func.linearize", "torch.func.functionalize",
       "torch.load", "torch.from_file", "torch.frombuffer", "torch.from_dlpack", "torch.get_rng_state",
       "torch.initial_seed", "torch.is_deterministic", "torch.equal", "torch.allclose", "torch.is_storage", "torch.typename",
       "torch.Tensor.equal", "torch.Tensor.allclose",
       "torch.get_num_threads", "torch.autograd.gradcheck", "torch.autograd.gradgradcheck",
       "torch.nn.utils.rnn.unpack_sequence")  # fmt: skip
def _unknown(call: Call) -> Any:
    return Unknown("bool") if call.short in ("equal", "allclose", "gradcheck", "gradgradcheck") else UNKNOWN


@named("torch.Tensor.apply_", "torch.Tensor.map_", "torch.Tensor.map2_")
def _each_value(call: Call) -> Any:
    return call.argument(0, "input", UNKNOWN)  # torch's own would read values where there are none: the process dies


@named("torch.compile", "torch.jit.script", "torch.utils.data.random_split")
def _wrapped(call: Call) -> Any:
    if call.short == "random_split":
        return _split(call)
    return call.args[0] if call.args else (lambda function: function)


def _split(call: Call) -> Any:
    dataset, lengths = call.args[0], call.args[1] if len(call.args) > 1 else call.kwargs.get("lengths")
    if isinstance(dataset, Unknown) or not isinstance(lengths, (list, tuple)) or unknown_in(list(lengths)) is not None:
        return [Unknown() for _ in lengths] if isinstance(lengths, (list, tuple)) else UNKNOWN
    total = length(dataset)
    sizes = [int(part * total) if isinstance(part, float) and total is not None else part for part in lengths]
    return [torch.utils.data.Subset(dataset, range(size) if isinstance(size, int) else range(1)) for size in sizes]


@named("torch.device")
def _device(call: Call) -> Any:
    if call.args and isinstance(call.args[0], Accelerator):
        return call.args[0]
    return Unknown("device") if unknown_in(call.args) is not None else torch.device(*call.args, **call.kwargs)


@named("torch.autograd.grad", "torch.autograd.backward")
def _gradients(call: Call) -> Any:
    roots = [call.args[0]] if call.args else []
    if unknown_in([call.args, call.kwargs]) is not None:
        return UNKNOWN
    made = backward(call, roots, lambda: call.callee(*call.args, **call.kwargs))
    if made is None and call.short == "grad":
        inputs = call.args[1] if len(call.args) > 1 else call.kwargs.get("inputs")
        inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs or [])
        made = tuple(torch.zeros_like(value) for value in inputs)
    return settle(call, made)


@named("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast")
def _autocast(call: Call) -> Any:
    device = call.argument(0, "device_type")
    if device == "cpu" and unknown_in([call.args, call.kwargs]) is None:
        return torch.autocast(*call.args, **call.kwargs)
    return contextlib.nullcontext()


@named("torch.inference_mode")
def _inference(call: Call) -> Any:
    if call.args and not isinstance(call.args[0], (bool, Unknown)):
        return torch.no_grad()(call.args[0])
    return torch.no_grad() if not (call.args and call.args[0] is False) else torch.enable_grad()


@named("torch.set_grad_enabled")
def _set_grad(call: Call) -> Any:
    mode = call.args[0] if call.args else call.kwargs.get("mode")
    return torch.set_grad_enabled(mode if isinstance(mode, bool) else True)


@named("torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.cpu.amp.GradScaler")
def _scaler(call: Call) -> Any:
    return torch.amp.GradScaler("cpu", enabled=False)


@named("torch.utils.checkpoint.checkpoint")
def _checkpoint(call: Call) -> Any:
    own = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug")
    rest = {name: value for name, value in call.kwargs.items() if name not in own}
    return call.frame.session.call(call.frame, call.node, call.args[0], list(call.args[1:]), rest)


@named(
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel",
    "torch.nn.parallel.data_parallel.DataParallel",
)
def _parallel(call: Call) -> Any:
    module = call.args[0] if call.args else call.kwargs.get("module")
    return nn.DataParallel(module) if isinstance(module, nn.Module) else UNKNOWN


@named("torch.nn.parallel.data_parallel")
def _on_several(call: Call) -> Any:
    """A call of the module, whose input is spread over devices and whose results are put together again."""
    module, given = call.argument(0, "module"), call.argument(1, "inputs")
    named = call.argument(5, "module_kwargs", None)
    inputs = list(given) if isinstance(given, (tuple, list)) else [given]
    return call.frame.session.call(call.frame, call.node, module, inputs, named if isinstance(named, dict) else {})


@named("torch.tensor", "torch.as_tensor", "torch.asarray")
def _tensor(call: Call) -> Any:
    value = call.argument(0, "data")
    dtype, device, _ = destination([], {name: call.kwargs.get(name) for name in ("dtype", "device")})
    made = to_tensor(value, dtype) if isinstance(value, Array) else _made(call, value, dtype)
    if made is None:
        return UNKNOWN
    if call.kwargs.get("requires_grad") is True:
        made = made.requires_grad_()
    made = settle(call, made)
    return made if device is None else put_on(made, device)


@named("torch.nn.utils.clip_grad_value_")
def _clip(call: Call) -> Any:
    """Changes no shape; torch refuses it where no gradient has come, which may be only because the loss is not known here."""
    return None


@named("torch.from_numpy")
def _from_numpy(call: Call) -> Any:
    value = call.argument(0, "ndarray")
    return settle(call, to_tensor(value)) if isinstance(value, Array) else UNKNOWN


def _made(call: Call, value: Any, dtype: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.empty([*value.shape], dtype=dtype or value.dtype)
    found = _measure(call, value)
    if found is None:
        return None
    sizes, kind = found
    return torch.empty(sizes, dtype=dtype or kind or torch.get_default_dtype())


def _measure(call: Call, value: Any) -> Any:
    """The sizes of nested lists of numbers, and the dtype that torch would give them; None where they are not known."""
    if isinstance(value, (bool, Unknown)) and (isinstance(value, bool) or value.kind == "bool"):
        return [], torch.bool
    if isinstance(value, (int, torch.SymInt)) or (isinstance(value, Unknown) and value.kind == "int"):
        return [], torch.int64
    if isinstance(value, (float, torch.SymFloat)) or (isinstance(value, Unknown) and value.kind == "number"):
        return [], None
    if isinstance(value, complex):
        return [], torch.complex64
    if isinstance(value, torch.Tensor):
        return [*value.shape], value.dtype
    if isinstance(value, range):
        return [len(value)], torch.int64
    if isinstance(value, (list, tuple)):
        return _measure_rows(call, value)
    return None


def _measure_rows(call: Call, value: Any) -> Any:
    rows: List[Any] = [_measure(call, item) for item in value[:4096]]
    if any(row is None for row in rows):
        return None
    if not rows:
        return None if call.frame.session.journal.is_blurred(value) else ([0], None)
    order = [torch.bool, torch.int64, None, torch.complex64]
    kinds = [row[1] for row in rows]
    kind = max(kinds, key=lambda item: order.index(item) if item in order else 2)
    session = call.frame.session
    count = session.sizes.free("n") if session.journal.is_blurred(value) else len(value)
    return [count, *rows[0][0]], kind


@named("torch.unbind")
def _unbind(call: Call) -> Any:
    tensor = call.argument(0, "input")
    if not isinstance(tensor, torch.Tensor):
        return call.frame.session.carry_out(call)
    return unbound(call, tensor, call.argument(1, "dim", 0))


@named("torch.randint")
def _drawn(call: Call) -> Any:
    """Numbers between bounds, which change no shape: what stands for free ones may be in the wrong order."""
    bounds = (*call.args, call.kwargs.get("low"), call.kwargs.get("high"))
    if any(isinstance(row, (Unknown, *SYMBOLIC)) for row in bounds):
        rows = [row for row in call.args if isinstance(row, (list, tuple))]
        call.args = [0, 1, *rows] if rows else [0, 1]
        call.kwargs = {name: value for name, value in call.kwargs.items() if name not in ("low", "high")}
    return call.frame.session.carry_out(call)


@named("torch.linspace", "torch.logspace")
def _spaced(call: Call) -> Any:
    """As many numbers as are asked for."""
    steps = call.argument(2, "steps")
    if not isinstance(steps, torch.SymInt):
        return call.frame.session.carry_out(call)
    dtype, device, _ = destination([], {name: call.kwargs.get(name) for name in ("dtype", "device")})
    made = settle(call, torch.empty([steps], dtype=dtype or torch.get_default_dtype()))
    return made if device is None else put_on(made, device)


CREATING = words("zeros ones empty rand randn full randint arange linspace eye new_zeros new_ones new_full new_empty full_like")
OF_VALUES = frozenset({"dtype", "fill_value", "layout", "requires_grad"})
NUMBERED = frozenset({"arange", "eye", "randperm", "linspace", "logspace", "tril", "triu", "split"})  # they take no shape
SHAPED = words(
    "torch.zeros torch.ones torch.empty torch.rand torch.randn torch.full torch.randint torch.arange torch.linspace "
    "torch.eye torch.randperm torch.normal torch.Tensor.view torch.Tensor.reshape torch.Tensor.expand torch.Tensor.repeat "
    "torch.reshape torch.Tensor.new_zeros torch.Tensor.new_ones torch.Tensor.new_full torch.Tensor.new_empty "
    "torch.full_like torch.logspace torch.tril torch.triu torch.Tensor.tril torch.Tensor.triu torch.Tensor.narrow "
    "torch.narrow torch.Tensor.split torch.split torch.Tensor.unflatten torch.unflatten"
)


def with_free_sizes(call: Call) -> bool:
    """Put free sizes where a function that takes sizes was given unknown numbers. True where that settled all of them."""
    if call.name not in SHAPED or (len(call.args) == 1 and call.short not in NUMBERED and may_be_shape(call.args[0])):
        return False

    def free(value: Any) -> Any:
        if isinstance(value, Unknown) and value.kind in ("", "int", "number"):
            return call.frame.session.sizes.standing_for(value)
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(free(item) for item in value)
        return value

    if call.short in ("arange", "linspace") and not all(isinstance(value, (int, Unknown, *SYMBOLIC)) for value in call.args[:1]):
        return False
    sizes = call.args[:1] if "full" in call.short else call.args  # what follows is what it is filled with
    call.args = [*map(free, sizes), *call.args[len(sizes) :]]
    call.kwargs = {
        name: free(value) if name in ("size", "end", "n", "split_size_or_sections", "split_size", "sizes") else value
        for name, value in call.kwargs.items()
    }
    return unknown_in([call.args, call.kwargs]) is None or _of_some_dtype(call)


def _of_some_dtype(call: Call) -> bool:
    """A new tensor of a dtype, or filled with a number, that is not known has the shape that was asked for all the same."""
    if call.short not in CREATING:
        return False
    function, args = call.callee, list(call.args)
    kwargs = {name: value for name, value in call.kwargs.items() if not (name in OF_VALUES and isinstance(value, Unknown))}
    if "full" in call.short and len(args) > 1 and isinstance(args[1], Unknown):
        args[1] = 0.0
    elif "full" in call.short and len(args) < 2:
        kwargs.setdefault("fill_value", 0.0)
    if unknown_in([args, kwargs]) is not None:
        return False
    call.args, call.kwargs, call.callee = args, kwargs, lambda *args, **kwargs: loose(function(*args, **kwargs), "dtype")
    return True
