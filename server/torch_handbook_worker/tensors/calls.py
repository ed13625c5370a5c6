"""Calls: who is called decides how the call is walked."""

from __future__ import annotations

import ast
import functools
import itertools
import types
from typing import Any, Dict, List, Sequence, Tuple

import torch
from torch import nn
from torch.optim import Optimizer

from torch_handbook_worker.tensors import func_transforms as func_transforms  # registers its functions
from torch_handbook_worker.tensors import library_calls as library_calls  # registers its functions
from torch_handbook_worker.tensors import packed as packed  # registers its functions
from torch_handbook_worker.tensors import pools, recurrent
from torch_handbook_worker.tensors import resized as resized  # registers its functions
from torch_handbook_worker.tensors.accelerators import place_of
from torch_handbook_worker.tensors.arrays import Array, to_tensor
from torch_handbook_worker.tensors.autograd import Operation
from torch_handbook_worker.tensors.bounds import ITEMS, SIZED, is_heavy, refused
from torch_handbook_worker.tensors.forks import fork
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.imported import call_library, is_imported
from torch_handbook_worker.tensors.kernel_dtypes import dtype_refusal
from torch_handbook_worker.tensors.keywords import refused_keyword
from torch_handbook_worker.tensors.loaders import is_loader_class, make_loader
from torch_handbook_worker.tensors.module_calls import METHODS as MODULE_METHODS
from torch_handbook_worker.tensors.module_calls import Lazy, construct, is_chain, known_layers, made_at, mark, move
from torch_handbook_worker.tensors.names import public_name, public_type
from torch_handbook_worker.tensors.normalized import returned
from torch_handbook_worker.tensors.notes import put_on
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import is_torch_module, raised, settle, unknown_result, untold
from torch_handbook_worker.tensors.plain_methods import unclear
from torch_handbook_worker.tensors.python_calls import SPECIALS
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.sizes import divided, fixed
from torch_handbook_worker.tensors.tensor_calls import METHODS as TENSOR_METHODS
from torch_handbook_worker.tensors.torch_calls import NAMED, with_free_sizes
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.unknown_calls import call_unknown, of_other_graph
from torch_handbook_worker.tensors.values import UNKNOWN, Stream, Unknown, UnknownValue, each, unknown_in, words

Operands = Sequence[Tuple[ast.AST, Any]]
MUTATORS = words(
    "append extend insert pop remove clear update setdefault popitem add discard sort reverse add_module register_module "
    "appendleft popleft"
)
REGISTERING = frozenset({"register_buffer", "register_parameter"})
REFLECTIVE = frozenset({"__setattr__", "__getattr__", "__getattribute__", "__delattr__"})


def call(frame: Frame, node: ast.AST, callee: Any, args: List[Any], kwargs: Dict[str, Any], operands: Operands = ()) -> Any:
    """Walk a call and give its result. Never raises but for the end of the budget."""
    with frame.session.trace.at(frame.source.path, node):
        made = Call(frame, node, callee, "", args, kwargs, list(operands))
        try:
            return _dispatch(made)
        except Exception as error:
            frame.session.trace.gap(span_of(node), f"{type(error).__name__}: {error}", frame.source.path)
            return UNKNOWN


def _dispatch(made: Call) -> Any:
    callee = made.callee
    if isinstance(callee, Unknown):
        return call_unknown(made)
    if id(callee) in SPECIALS:
        return SPECIALS[id(callee)](made)
    if isinstance(callee, nn.Module):
        return call_module(made)
    if is_imported(callee):
        return _made_by_library(made)
    if isinstance(callee, type):
        return _construct(made)
    if isinstance(callee, Function) or isinstance(getattr(callee, "__func__", None), Function):
        result = callee(*made.args, **made.kwargs)
        return of_other_graph(made, result) if getattr(callee, "is_handed_over", False) else result
    if isinstance(callee, functools.partial):
        return call(made.frame, made.node, callee.func, [*callee.args, *made.args], {**callee.keywords, **made.kwargs})
    return _call_named(made)


def _made_by_library(made: Call) -> Any:
    result = call_library(made)
    if isinstance(result, nn.Module):
        mark(made, result)
    return result


def _call_named(made: Call) -> Any:
    callee = made.callee
    made.name = public_name(callee) or ""
    if (strange := refused_keyword(made)) is not None:
        return raised(made, strange)
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, torch.Tensor):
        if made.short in TENSOR_METHODS:
            return TENSOR_METHODS[made.short](made, owner)
    elif isinstance(owner, nn.Module):
        return _module_method(made, owner)
    elif isinstance(owner, Optimizer) and callee.__name__ == "step":
        return _step(made, owner)
    if made.name in NAMED:
        return NAMED[made.name](made)
    if owner is not None and (found := unclear(made, owner)) is not None:
        return found
    if isinstance(callee, (types.BuiltinMethodType, types.MethodType)) and callee.__name__ in MUTATORS:
        return _mutate(made, owner)
    return call_torch(made)


def _mutate(made: Call, container: Any) -> Any:
    """A change of a list, a dict, or a container of layers; where it cannot be made the content is not known any more."""
    journal = made.frame.session.journal
    journal.content(container)
    if isinstance(container, nn.Module):
        made.args = [known_layers(value) for value in made.args]
        _name_child(made, container)
    try:
        if _grows(made, container):
            raise UnknownValue("it would grow too long")
        return made.callee(*made.args, **made.kwargs)
    except Exception:
        owned = container._modules if isinstance(container, nn.Module) else container
        journal.lose(owned)
        return UNKNOWN


def _name_child(made: Call, container: Any) -> None:
    """A layer whose name is not known stands at its place all the same: layers are added so in a loop of unknown length."""
    if made.callee.__name__ in ("add_module", "register_module") and made.args and isinstance(made.args[0], Unknown):
        made.args[0] = f"?{len(container._modules)}"


def _grows(made: Call, container: Any) -> bool:
    """Whether a container would become too long, or what is looked for in it takes too long to be found."""
    given = [len(value) for value in made.args if isinstance(value, SIZED)]
    return isinstance(container, SIZED) and (len(container) + sum(given) > ITEMS or any(is_heavy(value) for value in made.args))


def _construct(made: Call) -> Any:
    kind = made.callee
    made.name = public_type(kind) if kind.__module__.split(".")[0] == "torch" else ""
    if (strange := refused_keyword(made)) is not None:
        return raised(made, strange)
    if made.name in NAMED:
        return NAMED[made.name](made)
    if is_loader_class(kind):
        loader = make_loader(kind, made.args, made.kwargs)
        loader.__dict__["handbook_made"] = made.frame.session.trace.here
        return loader
    if issubclass(kind, nn.Module) and made.name:
        return _construct_module(made)
    if len(made.args) == 1 and isinstance(made.args[0], Array):
        dtype = torch.get_default_dtype() if kind is torch.Tensor else getattr(kind, "dtype", None)  # FloatTensor has one
        return settle(made, to_tensor(made.args[0], dtype)) if isinstance(dtype, torch.dtype) else Unknown()
    if issubclass(kind, torch.Tensor):
        return call_torch(made)
    if issubclass(kind, Optimizer):
        made.kwargs = {name: value for name, value in made.kwargs.items() if not isinstance(value, Unknown) or name == "params"}
        made.args = [*made.args[:1], *itertools.takewhile(lambda value: not isinstance(value, Unknown), made.args[1:])]
    journal = made.frame.session.journal
    if any(map(journal.is_blurred, made.args)) and not hasattr(kind, "written"):
        return journal.blur(kind(*made.args, **made.kwargs), made.args[0]) if issubclass(kind, dict) else Unknown()
    too_large = None if hasattr(kind, "written") else refused(made)
    if too_large is not None:
        return too_large
    result = kind(*made.args, **made.kwargs)
    if isinstance(result, nn.Module):
        if "_parameters" not in result.__dict__:
            return Unknown("module")  # its `__init__` was not understood
        mark(made, result)
    if hasattr(kind, "written"):
        made.frame.session.keep(kind, result)
    if isinstance(result, Optimizer) and made.frame.session.measure is not None:
        made.frame.session.measure.optimizers.append(result)
    return result


def _construct_module(made: Call) -> Any:
    session = made.frame.session
    if len(made.args) == 1 and isinstance(made.args[0], (Stream, Unknown)) and made.args[0].item is not None:
        return Unknown("module")
    source = made.args[0] if made.args else None
    unknown = None
    try:
        result = construct(made)
    except Exception as error:
        unknown = unknown_in([made.args, made.kwargs])
        session.wants_plain |= unknown is not None and bool(session.defaults)
        if unknown is None and not isinstance(error, UnknownValue):
            raised(made, error)
        session.trace.gap(span_of(made.node), f"{made.name}: {error}", made.frame.source.path)
        return Unknown("module")
    mark(made, result)
    if session.journal.is_blurred(source) and isinstance(result, (nn.ModuleList, nn.ModuleDict, nn.Sequential)):
        session.journal.blur(result._modules, source)
    return result


def _module_method(made: Call, owner: Any) -> Any:
    name = made.callee.__name__
    if isinstance(getattr(made.callee, "__func__", None), Function):
        return made.callee(*made.args, **made.kwargs)
    if name in REFLECTIVE and not (made.args and isinstance(made.args[0], str)):
        return UNKNOWN  # torch would take any object for a name
    if name in REGISTERING | REFLECTIVE and made.args and isinstance(made.args[0], str):
        made.frame.session.journal.attribute(owner, made.args[0])
    if name == "register_buffer" and len(made.args) > 1 and isinstance(made.args[1], Unknown):
        owner._buffers[made.args[0]] = made.args[1]  # an older torch asks whether it is a tensor
        return None
    if name in MODULE_METHODS:
        made.name = f"torch.nn.Module.{name}"
        return MODULE_METHODS[name](made, owner)
    if name in MUTATORS:
        return _mutate(made, owner)
    if name == "forward" and is_torch_module(owner):
        made.callee = owner
        return call_module(made)
    return made.callee(*made.args, **made.kwargs)


def _step(made: Call, optimizer: Any) -> Any:
    """An optimizer's step: every weight that has a gradient is changed in place, and nothing else is computed."""
    closure = made.args[0] if made.args else made.kwargs.get("closure")
    result = call(made.frame, made.node, closure, [], {}) if closure is not None else None
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.add_(0)
    return result


def call_module(made: Call) -> Any:
    """A call of a module, which is told to whoever measures it."""
    measure = made.frame.session.measure
    if measure is None:
        return _call_module(made)
    measure.enter(made.callee, made.args, made.kwargs)
    result: Any = UNKNOWN
    try:
        result = _call_module(made)
    finally:
        measure.leave(made.callee, result)
    return result


def _call_module(made: Call) -> Any:
    """One of torch's own modules is run on tensors without data, the user's own is walked."""
    module, session = made.callee, made.frame.session
    if session.journal.is_blurred(module):
        return _repeated(made, module)
    if isinstance(module, Lazy):
        if not made.args or not isinstance(made.args[0], torch.Tensor):
            return UNKNOWN
        module.become(made.args[0])
    if is_chain(module) and not module._forward_hooks and len(made.args) == 1:
        session.under_way.append(made)
        try:
            result = _chain(made, module)
        finally:
            session.under_way[-1:] = []
    elif is_imported(module):
        result = call_library(made)
    elif is_torch_module(module):
        made.name = public_type(type(module))
        given = made.args[0] if made.args else None
        upsampled = isinstance(module, nn.Upsample) and isinstance(given, torch.Tensor)
        pooled = pools.of_module(made, module)
        result = resized.resized(made, given, module.size, module.scale_factor) if upsampled else pooled
        result = call_torch(made) if result is None else result
    else:
        result = _walk_module(made, module)
    session.notes.called(module, made.args[0] if made.args else None, result)
    return result


def _repeated(made: Call, module: Any) -> Any:
    """A chain of which the layers are known, but not how many there are: a value may go through them, or past them."""
    session = made.frame.session
    if not is_chain(module) or len(made.args) != 1 or session.journal.is_mixed(module):
        return UNKNOWN

    return fork(session, lambda: _chain(made, module), lambda: made.args[0])


def _walk_module(made: Call, module: Any) -> Any:
    """Walk the user's own module; a forward after which backward could only fail is a mistake of its own."""
    session = made.frame.session
    session.rounds += not session.forwards
    session.forwards += 1
    session.under_way.append(made)
    try:
        result = module(*made.args, **made.kwargs)
    finally:
        session.forwards -= 1
        session.under_way[-1:] = []
    returned(result)
    if not session.forwards and module.training and torch.is_grad_enabled() and session.graph.changes:
        session.graph.report(session.graph.stale(list(each(result))), None)
    return result


def _chain(made: Call, module: Any) -> Any:
    value, before = made.args[0], None
    for child in list(module._modules.values()):
        if isinstance(child, nn.Module) and not isinstance(value, Unknown):
            place = made_at(made, child)
            if isinstance(before, nn.RNNBase) and isinstance(value, tuple):
                place = made_at(made, before) or place
            value = _link(made, child, value, place)
        elif callable(child):
            value = call(made.frame, made.node, child, [value], {})
        before = child
    return value


def _link(made: Call, child: Any, value: Any, place: Any) -> Any:
    trace = made.frame.session.trace
    link = Call(
        made.frame, made.node, child, "", [value], {}, [(getattr(made.node, "func", made.node), child), *made.operands[1:2]]
    )
    before = trace.here
    if place is not None:
        link.node = _Place(place.span)
        trace.here = place
    try:
        return call_module(link)
    finally:
        trace.here = before


class _Place(ast.expr):
    """A node that only has a place."""

    def __init__(self, span: Any) -> None:
        super().__init__()
        self.lineno, self.col_offset, self.end_lineno, self.end_col_offset = span


def _first_part(made: Call) -> Any:
    """What stands for all parts of a tensor where it is not sure how many there are; None where it is."""
    given, step = made.argument(0, "tensor"), made.argument(1, "split_size_or_sections", made.kwargs.get("split_size"))
    if made.short != "split" or not isinstance(given, torch.Tensor) or not isinstance(step, (int, torch.SymInt)):
        return None
    axis = made.argument(2, "dim", 0)
    total = given.shape[axis] if isinstance(axis, int) else step
    if (fixed(total) is not None and fixed(step) is not None) or divided(total, step * step, step) is not None:
        return None
    return settle(made, given.narrow(axis, 0, step))


def _rounds_up(made: Call) -> bool:
    """Whether a pool has `ceil_mode`: torch leaves its last window out by what stands for a size."""
    given = [getattr(made.module, "ceil_mode", None), made.kwargs.get("ceil_mode"), *made.args]
    return "pool" in made.short.lower() and any(value is True for value in given)


def call_torch(made: Call) -> Any:
    """A call that torch, or Python itself, carries out on what is known."""
    too_large = refused(made)
    if too_large is not None:
        return too_large
    journal = made.frame.session.journal
    if journal.blurred:
        made.args = [Unknown() if journal.is_blurred(value) else value for value in made.args]
        made.kwargs = {name: Unknown() if journal.is_blurred(value) else value for name, value in made.kwargs.items()}
    device = made.kwargs.pop("device", None) if made.name.startswith("torch") else None
    if unknown_in([made.args, made.kwargs]) is not None and made.name and not with_free_sizes(made):
        return unknown_result(made)
    part = _first_part(made)
    if part is not None:
        return Unknown(item=lambda: part)
    session = made.frame.session
    session.sizes.told = False
    session.sizes.is_rounded |= _rounds_up(made)
    with session.graph.executing(Operation(made.name, made.tensors(), made.module)):
        try:
            result = recurrent.run(made) if isinstance(made.callee, nn.RNNBase) else made.callee(*made.args, **made.kwargs)
        except Exception as error:
            return raised(made, error)
    unlike = dtype_refusal(made)
    if unlike is not None:
        return raised(made, RuntimeError(unlike.text))
    result = settle(made, untold(made, result) if session.sizes.told else result)
    if device is not None and isinstance(result, torch.Tensor):
        put_on(result, place_of(device))
    if isinstance(result, nn.Module) and device is not None:
        move(result, None, place_of(device))
    return result
