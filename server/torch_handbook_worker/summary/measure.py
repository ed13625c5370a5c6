"""Looks at a network while it is walked: which modules are called, what comes out, what they multiply and autograd keeps."""

from __future__ import annotations

import contextlib
import weakref
from dataclasses import dataclass, field
from typing import Any, Dict, Generator, List, Optional, Set, Tuple

import torch
from torch import nn
from torch.utils import flop_counter

from torch_handbook_worker.protocol import Failure
from torch_handbook_worker.tensors.autograd import Graph
from torch_handbook_worker.tensors.fakes import Fakes
from torch_handbook_worker.tensors.members import tensors


@dataclass
class Seen:
    """What was seen of one module."""

    module: Any
    calls: int = 0
    output: Any = None
    macs: int = 0
    saved: int = 0  # bytes


@dataclass
class Given:
    """What a module was first called with."""

    module: Any
    args: List[Any]
    kwargs: Dict[str, Any]


@dataclass
class Kept:
    """A tensor that autograd saved, as long as its graph lives, and the modules that were being called then."""

    alive: Any
    storage: Any
    inside: Tuple[int, ...]


@dataclass
class Measure:
    """Told of each call of a module: at first it only keeps what goes in, then, within `counting`, all is counted."""

    graph: Graph
    fakes: Fakes
    sizes: Dict[str, int]  # numbers that the user gives for free sizes
    given: Dict[int, Given] = field(default_factory=dict)
    taken: Dict[str, str] = field(default_factory=dict)  # what parameters of constructors are taken to be: {"config": "Config()"}
    optimizers: List[Any] = field(default_factory=list)
    stack: List[Any] = field(default_factory=list)
    seen: Dict[int, Seen] = field(default_factory=dict)
    kept: List[Kept] = field(default_factory=list)
    failed: Dict[Any, Failure] = field(default_factory=dict)  # what made the last attempt fail
    is_counting: bool = False

    def give(self, module: Any, args: List[Any], kwargs: Dict[str, Any]) -> None:
        """A module is taken to be called with these arguments; what is said later of the same module is known better."""
        if isinstance(module, nn.Module):
            self.given[id(module)] = Given(module, list(args), dict(kwargs))

    def enter(self, module: Any, args: Any = (), kwargs: Any = None) -> None:
        """A call of a module begins."""
        if self.is_counting:
            self.stack.append(module)
        elif id(module) not in self.given:
            self.give(module, args, kwargs or {})

    def leave(self, module: Any, result: Any) -> None:
        """It is over. Torch and the walk may both tell of one call: the outer of the two counts."""
        if not self.is_counting:
            return
        self.stack.pop()
        if not self.stack or self.stack[-1] is not module:
            found = self.seen.setdefault(id(module), Seen(module))
            found.calls += 1
            found.output = result if found.output is None else found.output

    @contextlib.contextmanager
    def counting(self) -> Generator[None, None, None]:
        """Count what happens, from nothing."""
        self.stack, self.seen, self.kept, self.is_counting = [], {}, [], True
        before = nn.modules.module.register_module_forward_pre_hook(lambda module, given: self.enter(module))
        after = nn.modules.module.register_module_forward_hook(
            lambda module, given, result: self.leave(module, result), always_call=True
        )
        self.fakes.counting = self._count
        try:
            with torch.autograd.graph.saved_tensors_hooks(self._pack, self.graph.unpack):
                yield
        finally:
            self.fakes.counting, self.is_counting = None, False
            before.remove()
            after.remove()

    def _count(self, func: Any, args: Any, kwargs: Any, result: Any) -> None:
        macs = multiplications(func, args, kwargs, result)
        if macs:
            for found in self._inside():
                found.macs += macs

    def _inside(self) -> List[Seen]:
        return [self.seen.setdefault(key, Seen(module)) for key, module in {id(one): one for one in self.stack}.items()]

    def _pack(self, tensor: Any) -> Any:
        saved = self.graph.pack(tensor)
        self.kept.append(Kept(weakref.ref(saved), tensor.untyped_storage(), tuple({id(one) for one in self.stack})))
        return saved

    def settle(self, network: Any) -> int:
        """Once the network is through and its result still lives: the bytes that wait for backward, each storage once, without
        the network's own weights; each is put down to the modules that saved it first."""
        own: Set[int] = {tensor.untyped_storage()._cdata for tensor in tensors(network)}
        total = 0
        for kept in self.kept:
            key = kept.storage._cdata
            if kept.alive() is None or key in own:
                continue
            own.add(key)
            size = int(kept.storage.nbytes())
            total += size
            for module in kept.inside:
                if module in self.seen:
                    self.seen[module].saved += size
        return total


def _rnn(given: Any, weight: Any, hidden_weight: Any, *rest: Any, **named: Any) -> int:
    """A recurrent layer in one operator, of one direction: each step of each sequence is multiplied with both weights."""
    steps = given.numel() // given.shape[-1]
    return 2 * steps * (weight.numel() + hidden_weight.numel())


def _attention(query: Any, key: Any, value: Any, *rest: Any, **named: Any) -> int:
    return int(flop_counter.sdpa_flop_count(query.shape, key.shape, value.shape))


# What torch's own counter passes over, though it multiplies as much as what it counts elsewhere.
MORE = {"aten::mkldnn_rnn_layer": _rnn, "aten::_scaled_dot_product_flash_attention_for_cpu": _attention}


def multiplications(func: Any, args: Any, kwargs: Any, result: Any) -> int:
    """The multiply-accumulate operations of one operator, as torch's own counter sees them; 0 for what is not a product."""
    schema = getattr(func, "_schema", None)
    own = MORE.get(schema.name) if schema is not None else None
    formula: Optional[Any] = own or flop_counter.flop_registry.get(getattr(func, "_overloadpacket", None))
    if formula is None:
        return 0
    count = formula(*args, **kwargs) if own else formula(*args, **kwargs, out_val=result)
    return int(count) // 2
