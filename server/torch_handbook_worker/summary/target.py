"""Which network of a file is measured, and what it is measured with."""

from __future__ import annotations

import ast
import contextlib
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Union

import torch
from torch import nn

from torch_handbook_worker.summary.measure import Given, Measure
from torch_handbook_worker.summary.numbers import Numbers, free_names, is_batch
from torch_handbook_worker.tensors.axes import axes_of, has_axes
from torch_handbook_worker.tensors.constructors import outermost_first
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.members import layers, parameters
from torch_handbook_worker.tensors.module_facts import weight_of
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.trace import Exhausted
from torch_handbook_worker.tensors.uncalled import walk_forward
from torch_handbook_worker.tensors.values import each

_PLACE = ast.parse("network()").body[0]  # where the call that the file does not make is taken to be


@dataclass(frozen=True)
class Network:
    """A network and the name that it goes by."""

    name: str
    module: Any
    given: Optional[Given]


def networks(session: Session, frame: Frame) -> Dict[str, Any]:
    """The networks of a file by name: variables of the module, then classes of which one was made, also of other files."""
    found: Dict[str, Any] = {name: value for name, value in frame.scope.names.items() if _is_network(value)}
    for kind, _, _ in session.classes:
        made = session.instances.get(kind) or _made_of(session.measure, kind)
        if _is_network(made):
            found.setdefault(kind.__name__, made)
    for row in list(session.measure.given.values()):  # `model = Net()` in a function, of a class that was imported
        kind = type(row.module)
        if not kind.__module__.startswith("torch.") and _is_network(row.module):
            found.setdefault(kind.__name__, row.module)
    return found


def _outermost(known: Dict[str, Any]) -> Dict[str, Any]:
    """Those of a class that no other one has a part of."""
    inside = {type(part) for module in known.values() for part in layers(module) if part is not module}
    return {name: module for name, module in known.items() if type(module) not in inside}


def _is_network(value: Any) -> bool:
    return isinstance(value, nn.Module) and "_modules" in value.__dict__ and not isinstance(value, nn.modules.loss._Loss)


def _made_of(measure: Measure, kind: Any) -> Any:
    return next((row.module for row in measure.given.values() if type(row.module) is kind), None)


def choose(session: Session, frame: Frame, name: str) -> Union[Network, str]:
    """The network of a name, or the largest one that something calls; a sentence where there is none."""
    known = networks(session, frame)
    if not name:
        if not known:
            return "no network was found in this file"
        whole = _outermost(known) or known
        called = {key: module for key, module in whole.items() if _given_for(session.measure, module)}
        outer = [*reversed([kind.__name__ for kind in outermost_first(session)])]
        name = max(called or whole, key=lambda key: (weight_of(known[key]), outer.index(key) if key in outer else -1))
    module = known.get(name)
    if module is None:
        module = _made_by(session, frame, name)
    if module is None:
        names = ", ".join(sorted(known)) or "none"
        return f"{name} is no network of this file, and no function that makes one without arguments; there are: {names}"
    return Network(name, module, _given_for(session.measure, module) or _found_out(session, frame, module))


def _made_by(session: Session, frame: Frame, name: str) -> Any:
    """What a function of the file makes when it is called without arguments, or an attribute: `trainer.model`."""
    first, _, rest = name.partition(".")
    value: Any = frame.scope.find(first)
    for part in rest.split(".") if rest else ():
        value = None if part.startswith("_") else getattr(value, part, None)
    if isinstance(value, Function):
        value = session.call(frame, _PLACE, value.public, [], dict(session.measure.sizes))
    return value if _is_network(value) else None


def _given_for(measure: Measure, module: Any) -> Optional[Given]:
    """What a network was called with, or another one of its class."""
    found = measure.given.get(id(module))
    if found is None:
        found = next((row for row in measure.given.values() if type(row.module) is type(module)), None)
    return found if found is not None and any(isinstance(value, torch.Tensor) for value in _leaves(found)) else None


def _found_out(session: Session, frame: Frame, module: Any) -> Optional[Given]:
    """What its own code says of its inputs, where nobody calls it."""
    session.instances[type(module)] = module
    with contextlib.suppress(Exhausted):
        walk_forward(session, frame, type(module))
    return _given_for(session.measure, module)


def _leaves(given: Given) -> Iterator[Any]:
    yield from each([given.args, given.kwargs])


def unknown_weights(session: Session, module: Any) -> List[str]:
    """The free sizes that the network itself is made with: without numbers for them nothing can be counted."""
    weights = [weight for weight in parameters(module) if isinstance(weight, torch.Tensor)]
    return sorted(free_names(session.sizes, weights))


def own_batch(session: Session, given: Given) -> int:
    """The number of samples that the file itself gives to the network; 0 where that is free."""
    tensor = _first(given)
    size = tensor.shape[batch_axis(tensor)] if tensor.dim() else 1
    return fixed(size) or 0


def _first(given: Given) -> Any:
    return next(value for value in _leaves(given) if isinstance(value, torch.Tensor))


def batch_axis(tensor: Any) -> int:
    """The axis of the samples: the one that a layer or a loader says, else the first."""
    if has_axes(tensor):
        for place, axis in enumerate(axes_of(tensor)):
            if any(claim.role == "batch" for claim in axis.claims):
                return place
    return 0


def arguments(given: Given, numbers: Numbers) -> Given:
    """The arguments with numbers for all sizes, and with the batch that is wanted."""
    first = _first(given)
    before = first.shape[batch_axis(first)] if first.dim() else 1

    def with_batch(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            made = numbers.value(value)
            place = batch_axis(value)
            if value.dim() and str(value.shape[place]) == str(before) and not _is_named(numbers, value.shape[place]):
                sizes = [*made.shape]
                sizes[place] = numbers.batch
                made = torch.empty(sizes, dtype=made.dtype)
            return made
        if type(value) in (list, tuple):
            return type(value)(with_batch(item) for item in value)
        if type(value) is dict:
            return {key: with_batch(item) for key, item in value.items()}
        return numbers.value(value)

    return Given(given.module, [with_batch(value) for value in given.args], {k: with_batch(v) for k, v in given.kwargs.items()})


def _is_named(numbers: Numbers, size: Any) -> bool:
    """Whether a size is a free batch, which has its number already."""
    if fixed(size) is not None:
        return False
    names = [numbers.sizes.names.get(str(symbol), "") for symbol in size.node.expr.free_symbols]
    return len(names) == 1 and is_batch(names[0])
