"""Remembers what changed while one arm of an unknown branch was walked, takes it back, and joins both arms afterwards."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

from torch import nn

from torch_handbook_worker.tensors.values import MISSING, UNKNOWN, Unknown

Key = Tuple[str, int, Any]
CONTAINERS = (list, dict, set)


class Slot:
    """One place that holds a value: an item of a mapping, an attribute, or the content of a container."""

    is_variable = False

    def __init__(self, target: Any, name: Any) -> None:
        self.target = target
        self.name = name

    def read(self) -> Any:
        raise NotImplementedError

    def write(self, value: Any) -> None:
        raise NotImplementedError


class ItemSlot(Slot):
    """An item of a dict: a variable in its scope."""

    is_variable = True

    def read(self) -> Any:
        return self.target.get(self.name, MISSING)

    def write(self, value: Any) -> None:
        if value is MISSING:
            self.target.pop(self.name, None)
        else:
            self.target[self.name] = value


class AttributeSlot(Slot):
    """An attribute of an object; a module keeps its own in four dicts."""

    def read(self) -> Any:
        for registry in _registries(self.target):
            if self.name in registry:
                return registry[self.name]
        return MISSING

    def write(self, value: Any) -> None:
        for registry in _registries(self.target):
            registry.pop(self.name, None)
        if value is MISSING:
            return
        try:
            setattr(self.target, self.name, value)
        except Exception:
            vars(self.target)[self.name] = value


class ContentSlot(Slot):
    """All that a list, dict or set holds."""

    def read(self) -> Any:
        return self.target.copy()

    def write(self, value: Any) -> None:
        if isinstance(self.target, list):
            self.target[:] = value
        else:
            self.target.clear()
            self.target.update(value)


def _registries(target: Any) -> List[Dict[str, Any]]:
    own = getattr(target, "__dict__", None)
    if not isinstance(own, dict):
        return []
    if isinstance(target, nn.Module):
        return [own.get(name, {}) for name in ("_parameters", "_modules", "_buffers")] + [own]
    return [own]


class Journal:
    """The changes of the unknown branches that are being walked, the innermost last."""

    def __init__(self) -> None:
        self.layers: List[Dict[Key, Tuple[Slot, Any]]] = []
        self.blurred: Dict[int, Any] = {}  # containers of which not all is known: how many items, or which
        self.counts: Dict[int, Any] = {}  # how many items lists among them have, where a free size says so
        self.mixed: Dict[int, Any] = {}  # those among them that may hold items that are not there

    def _keep(self, key: Key, slot: Slot) -> None:
        layer = self.layers[-1]
        if key not in layer:
            layer[key] = (slot, slot.read())

    def item(self, mapping: Dict[Any, Any], name: Any) -> None:
        """An item of a mapping is about to change."""
        if self.layers:
            self._keep(("item", id(mapping), name), ItemSlot(mapping, name))

    def attribute(self, target: Any, name: str) -> None:
        """An attribute is about to change."""
        if self.layers and isinstance(getattr(target, "__dict__", None), dict):
            self._keep(("attribute", id(target), name), AttributeSlot(target, name))

    def content(self, container: Any) -> None:
        """A container is about to change."""
        if isinstance(container, nn.Module):
            container = container._modules
        self.counts.pop(id(container), None)
        if self.layers and isinstance(container, CONTAINERS):
            self._keep(("content", id(container), None), ContentSlot(container, None))

    def is_blurred(self, value: Any) -> bool:
        """Whether a container's content is not known."""
        if not self.blurred:
            return False
        return id(_owned(value)) in self.blurred

    def has_blurred(self, value: Any, depth: int = 4) -> bool:
        """Whether a list, or one in it, has items that are not known."""
        if not self.blurred or not depth or not isinstance(value, (list, tuple)):
            return False
        return id(value) in self.blurred or any(self.has_blurred(item, depth - 1) for item in value[:256])

    def lose(self, container: Any) -> None:
        """Say that it is not known what a container holds."""
        self.blurred[id(container)] = self.mixed[id(container)] = container

    def blur(self, container: Any, source: Any = None) -> Any:
        """Say that it is not known how many items a container has; nor which, where that is not known of its source."""
        self.blurred[id(container)] = container
        if source is not None and self.is_mixed(source):
            self.mixed[id(container)] = container
        return container

    def count(self, container: Any, size: Any) -> None:
        """Say how many items a list has of which only some are there."""
        if size is not None and id(container) not in self.mixed:
            self.blurred[id(container)] = container
            self.counts[id(container)] = size

    def counted(self, container: Any) -> Any:
        """The free size that says how many items a list has; None where that is not known."""
        return None if id(container) in self.mixed else self.counts.get(id(container))

    def is_mixed(self, value: Any) -> bool:
        """Whether a container may hold other items than those that are there."""
        return bool(self.mixed) and id(_owned(value)) in self.mixed

    def run(self, arm: Callable[[], Any]) -> Tuple[Any, Dict[Key, Tuple[Slot, Any, Any]]]:
        """Run an arm; give its result, and what it changed as (slot, before, after)."""
        self.layers.append({})
        try:
            result = arm()
        except BaseException:  # the walk is broken off: what encloses it may take its changes back
            for key, row in self.layers.pop().items():
                if self.layers:
                    self.layers[-1].setdefault(key, row)
            raise
        layer = self.layers.pop()
        return result, {key: (slot, before, slot.read()) for key, (slot, before) in layer.items()}

    def keeping(self, targets: Iterable[Any], work: Callable[[], Any]) -> Any:
        """Do something, and take back what it changed of some objects, however it ends."""
        kept = {id(target) for target in targets}
        self.layers.append({})
        try:
            return work()
        finally:
            for slot, before in reversed(list(self.layers.pop().values())):
                if id(slot.target) in kept:
                    slot.write(before)

    def back(self, changes: Dict[Key, Tuple[Slot, Any, Any]]) -> None:
        """Take the changes of an arm back."""
        for slot, before, _ in reversed(list(changes.values())):
            slot.write(before)

    def settle(self, arms: Sequence[Dict[Key, Tuple[Slot, Any, Any]]], join: Callable[[Any, Any], Any]) -> None:
        """Make the state after a branch: what each of the arms that come out of it left, joined."""
        keys: Dict[Key, Tuple[Slot, Any]] = {}
        for changes in arms:
            for key, (slot, before, _) in changes.items():
                keys.setdefault(key, (slot, before))
        for key, (slot, before) in keys.items():
            values = [changes[key][2] if key in changes else before for changes in arms]
            if self.layers:
                self.layers[-1].setdefault(key, (slot, before))
            self._write(slot, values, join)

    def _write(self, slot: Slot, values: List[Any], join: Callable[[Any, Any], Any]) -> None:
        value = values[0]
        for other in values[1:]:
            if isinstance(slot, ContentSlot):
                if isinstance(value, list) and len(value) == len(other):
                    value = [join(left, right) for left, right in zip(value, other)]
                elif isinstance(value, dict) and list(value) == list(other):
                    value = {key: join(item, other[key]) for key, item in value.items()}
                elif not _equal_content(value, other):
                    self.blurred[id(slot.target)] = self.mixed[id(slot.target)] = slot.target
                    value = value if len(value) >= len(other) else other
            else:
                value = other if value is MISSING else value if other is MISSING else join(value, other)
        if type(value) is Unknown and value is not UNKNOWN and not value.name and value.number is None and slot.is_variable:
            value.name, value.handbook_joined = slot.name, True  # what a free size is called that will stand for it
        slot.write(value)


def _owned(value: Any) -> Any:
    """What holds the items of a container: of a module, those are its layers."""
    return value.__dict__.get("_modules") if isinstance(value, nn.Module) else value


def _equal_content(one: Any, other: Any) -> bool:
    if len(one) != len(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(one[key] is other[key] for key in one)
    if isinstance(one, set):
        return all(item in other for item in one)
    return all(left is right for left, right in zip(one, other))
