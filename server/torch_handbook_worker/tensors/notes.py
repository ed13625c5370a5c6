"""What is written down of a value at a place, small and comparable, and how two of them are joined into one fact."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

import torch
from torch import nn

from torch_handbook_worker.protocol import Fact, ModuleFact, ObjectFact, Size, TensorFact, TupleFact
from torch_handbook_worker.tensors.accelerators import shown
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.module_facts import common, count_parameters, is_of_file, parts, text_of
from torch_handbook_worker.tensors.names import public_type
from torch_handbook_worker.tensors.sizes import FREE, SYMBOLIC, Sizes, shape_of
from torch_handbook_worker.tensors.values import Stream, Unknown

# ("tensor", sizes, dtype, device, requires_grad, leaf, grad_fn, parameter, guessed), ("module", keys), ("object", type, text) or
# ("tuple", notes); a place that sees several modules, as the body of a loop over a ModuleList does, has several keys.
Note = Tuple[Any, ...]
Key = Tuple[Any, int]
DIFFERENT: Note = ("different",)
ANY = "…"  # one axis or more, in place of the first
MOST = 64  # modules that one place sees


class Notes:
    """Makes notes of values, and facts of notes."""

    def __init__(self, sizes: Sizes, path: str = "") -> None:
        self.sizes = sizes
        self.path = path  # of the file that is looked at
        self.unit: Any = ""  # the unit of the walk that is going on
        self.keys: Dict[int, Key] = {}  # by the address of a module
        self.modules: Dict[Key, Any] = {}
        self.calls: Dict[Key, Tuple[Optional[Note], Optional[Note]]] = {}
        self.called_now: Set[Key] = set()  # the modules that were called in that unit
        self.met: Dict[Any, int] = {}  # by unit: how many modules it met first

    def note(self, value: Any, depth: int = 2) -> Optional[Note]:
        """What to write down of a value; None where that is nothing."""
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, nn.Module):
            return ("module", (self.key(value),))
        if isinstance(value, (tuple, list)):
            return self.several(value, depth)
        return _object_note(value, self.sizes)

    def key(self, module: Any) -> Key:
        """What stands for a module: the unit of the walk that met it first, and which of the modules that this unit met it is."""
        found = self.keys.get(id(module))
        if found is None:
            self.met[self.unit] = self.met.get(self.unit, 0) + 1
            found = self.keys[id(module)] = (self.unit, self.met[self.unit])
            self.modules[found] = module  # which also keeps its address its own
        return found

    def tensor(self, value: Any) -> Note:
        """The note of a tensor."""
        sizes = tuple(self.sizes.show(size) for size in shape_of(value))
        function = value.grad_fn
        name = None if function is None else str(function.name()).replace("Backward0", "").replace("Backward", "")
        parameter = isinstance(value, nn.Parameter)
        guessed = bool(getattr(value, "handbook_loose", ""))
        autograd = (value.requires_grad, value.is_leaf, name, parameter)
        return ("tensor", sizes, str(value.dtype)[6:], shown(device_of(value)), *autograd, guessed)

    def several(self, value: Any, depth: int) -> Optional[Note]:
        """The note of a short tuple or list that holds something worth noting."""
        if not depth or not 0 < len(value) <= 12:
            return None
        notes = tuple(self.note(item, depth - 1) for item in value)
        if any(note is None for note in notes) or not any(note[0] != "object" for note in notes if note):
            return None if not isinstance(value, torch.Size) else ("tuple", notes)
        return ("tuple", notes)

    def called(self, module: Any, given: Any, result: Any) -> None:
        """Remember the shapes that a module was called with and gave."""
        found = self.note(given) if isinstance(given, torch.Tensor) else None
        made = self.note(result) if isinstance(result, torch.Tensor) else None
        key = self.key(module)
        self.called_now.add(key)
        before = self.calls.get(key)
        if before is None:
            self.calls[key] = (found, made)
        else:
            self.calls[key] = (_join_optional(before[0], found), _join_optional(before[1], made))

    def fact(self, note: Optional[Note]) -> Optional[Fact]:
        """The fact that a note stands for."""
        if note is None or note is DIFFERENT or note == DIFFERENT:
            return None
        if note[0] == "tensor":
            return TensorFact(list(note[1]), *note[2:])
        if note[0] == "module":
            return common([self.module_fact(key) for key in note[1]])
        if note[0] == "tuple":
            items = [self.fact(item) for item in note[1]]
            return None if any(item is None for item in items) else TupleFact([item for item in items if item is not None])
        return ObjectFact(note[1], note[2])

    def module_fact(self, key: Key) -> ModuleFact:
        """The fact of a module, counted now; of one that an earlier walk met, what it was then."""
        module = self.modules[key]
        if isinstance(module, ModuleFact):
            return module
        given, made = self.calls.get(key, (None, None))
        text = self.sizes.renamed(text_of(module))
        inside = {} if is_of_file(type(module), self.path) else parts(module)
        return ModuleFact(public_type(type(module)), count_parameters(module), text, _sizes_of(given), _sizes_of(made), inside)


def _sizes_of(note: Optional[Note]) -> Optional[List[Size]]:
    return list(note[1]) if note is not None and note[0] == "tensor" else None


def _join_optional(one: Optional[Note], other: Optional[Note]) -> Optional[Note]:
    return join_notes(one, other) if one is not None and other is not None else None


def join_notes(one: Note, other: Note) -> Note:
    """One note for a place that was seen twice."""
    if one == other:
        return one
    if one[0] != other[0]:
        return DIFFERENT
    if one[0] == "tensor":
        return _join_tensors(one, other)
    if one[0] == "tuple" and len(one[1]) == len(other[1]):
        return ("tuple", tuple(join_notes(left, right) for left, right in zip(one[1], other[1])))
    if one[0] == "object" and one[1] == other[1]:
        return ("object", one[1], "")
    if one[0] == "module":
        keys = (*one[1], *(key for key in other[1] if key not in one[1]))
        return ("module", keys) if len(keys) <= MOST else DIFFERENT
    return DIFFERENT


def _join_sizes(one: Size, other: Size) -> Size:
    return one if one == other else FREE


def is_vague(note: Note) -> bool:
    """Whether walks gave different notes of a place."""
    if note[0] == "tuple":
        return any(map(is_vague, note[1]))
    return note == DIFFERENT or (note[0] == "tensor" and FREE in note[1]) or (note[0] == "module" and len(note[1]) > 1)


def agreed(one: Note, other: Optional[Note]) -> Note:
    """What two walks say of a place of which the second had an axis more, behind the first one: any number may stand there."""
    if other is None or one == other or one[0] != "tensor" or other[0] != "tensor":
        if other is not None and one[0] == other[0] == "tuple" and len(one[1]) == len(other[1]):
            return ("tuple", tuple(agreed(left, right) for left, right in zip(one[1], other[1])))
        return DIFFERENT if other is None else join_notes(one, other)
    if len(other[1]) == len(one[1]) + 1 and one[1] and other[1][2:] == one[1][1:]:
        return ("tensor", (ANY, *one[1][1:]), *one[2:])
    return join_notes(one, other)


def _join_shapes(one: Tuple[Size, ...], other: Tuple[Size, ...]) -> Optional[Tuple[Size, ...]]:
    """What two shapes have in common; None where they have not as many axes."""
    if ANY in (*one[:1], *other[:1]):
        common = min(len(one), len(other)) - 1
        rows = zip(one[len(one) - common :], other[len(other) - common :])
        return (ANY, *(_join_sizes(left, right) for left, right in rows)) if common >= 0 else None
    return tuple(map(_join_sizes, one, other)) if len(one) == len(other) else None


def _join_tensors(one: Note, other: Note) -> Note:
    sizes = _join_shapes(one[1], other[1])
    if sizes is None or one[2] != other[2]:
        return DIFFERENT
    device = one[3] if one[3] == other[3] else "?"
    function = one[6] if one[6] == other[6] else None
    autograd = (one[4] or other[4], one[5] and other[5], function, one[7] and other[7])
    return ("tensor", sizes, one[2], device, *autograd, one[8] or other[8])


def _object_note(value: Any, sizes: Sizes) -> Optional[Note]:
    if isinstance(value, int) and value.bit_length() > 512:
        return None
    if isinstance(value, (bool, int, float, str)) or value is None:
        return None if value is None or isinstance(value, (str, bool)) else ("object", type(value).__name__, repr(value))
    if isinstance(value, SYMBOLIC):
        return ("object", "int", str(sizes.show(value))) if isinstance(value, torch.SymInt) else None
    if isinstance(value, (torch.dtype, torch.device)):
        return ("object", public_type(type(value)), str(value))
    if isinstance(value, Array):
        shown = ", ".join(str(sizes.show(size)) for size in shape_of(value.tensor))
        return ("object", "numpy.ndarray", f"[{shown}]" + ("" if value.is_vague else f" {str(value.tensor.dtype)[6:]}"))
    if isinstance(value, (Unknown, Stream, dict, type)) or callable(value):
        return None
    if type(value).__module__.split(".")[0] == "torch":
        return ("object", public_type(type(value)), "")
    return ("object", type(value).__name__, "") if hasattr(type(value), "written") else None


def device_of(value: Any) -> str:
    """The device that a tensor would be on: "cpu", "cuda:0", or "?" when it is not known."""
    return str(getattr(value, "handbook_device", "cpu"))


def is_placed(value: Any) -> bool:
    """Whether it is certain where a tensor is: what was made by something else than a walked operation may be anywhere."""
    return hasattr(value, "handbook_device") or isinstance(value, nn.Parameter)


def put_on(value: Any, device: str) -> Any:
    """Say which device a tensor is on."""
    value.handbook_device = device
    return value


def origin_of(value: Any) -> Any:
    """The span of the expression that made a tensor, where that is known."""
    return getattr(value, "handbook_origin", None)
