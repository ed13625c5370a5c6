"""What the call at hand takes: its keyword arguments, and the values of those that take one of a few."""

from __future__ import annotations

from torch_handbook.features import choices
from torch_handbook.features.offers import CONSTANT, KEYWORD, VALUE, Item
from torch_handbook.features.signature_help import active_parameter
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.open_call import OpenCall
from torch_handbook.source.place import Slot
from torch_handbook.torchdocs import signature
from torch_handbook.torchdocs.docs import Doc, Parameter

# What these take first may be a device, which their many signatures do not say in one.
DEVICE_FIRST = frozenset(("torch.Tensor.to", "torch.nn.Module.to", "torch.device"))


def keywords(snapshot: Snapshot, slot: Slot) -> list[Item]:
    """The keyword arguments that the call does not have yet, neither by name nor by position."""
    doc = snapshot.docs.doc(slot.call) if slot.call else None
    if doc is None or slot.call is None:
        return []
    places = [item.name for item in doc.parameters if item.kind == "positional" and item.name != "self"]
    taken = {*slot.given, *places[: max(slot.index - len(slot.given), 0)], "self", "input"}
    items = [item for item in doc.parameters if item.kind in ("positional", "keyword") and item.name not in taken]
    if snapshot.settings.completion_mode == "annotated":
        explained = _explained(snapshot, slot.call)
        items = [item for item in items if item.name in explained]
    return [_keyword(slot.call, item, number) for number, item in enumerate(items)]


def _keyword(call: str, item: Parameter, number: int) -> Item:
    default = "" if item.default in (None, "...") else f" {item.default}"
    return Item(f"{item.name}=", KEYWORD, f"{call}#{item.name}", f"0{number:03}", default)


def _explained(snapshot: Snapshot, call: str) -> set[str]:
    """The parameters that the handbook has something to say of."""
    entry = snapshot.handbook.find(call)
    return {name.strip(" *") for names in entry.parameters for name in names.split(",")} if entry else set()


def values(snapshot: Snapshot, slot: Slot, quote: str = "") -> list[Item]:
    """The values that an argument takes, where its docs list them; with quotes where the reader has not typed one yet."""
    doc = snapshot.docs.doc(slot.call) if slot.call else None
    keyword = _parameter(doc, slot) if doc else None
    if doc is None or keyword is None:
        return []
    name = f"{doc.name}#{keyword}"
    strings = choices.DEVICES if keyword == "device" and doc.name in DEVICE_FIRST else choices.of(doc, keyword)
    found = [Item(f"{quote}{value}{quote}", VALUE, name, f"{number:03}") for number, value in enumerate(strings)]
    return found or ([*_dtypes(snapshot, keyword), *_switch(snapshot, doc, keyword)] if quote else [])


def _parameter(doc: Doc, slot: Slot) -> str | None:
    """The parameter that a value is for, by its keyword, else by its place."""
    if slot.keyword or slot.call is None:
        return slot.keyword
    if slot.call in DEVICE_FIRST:
        return "device" if slot.index == 0 else None
    parameters = signature.of_line(doc.signature).parameters if doc.signature else ()
    active = active_parameter(parameters, OpenCall(slot.call, slot.index, None, slot.given))
    return parameters[active].name if active is not None else None


def _dtypes(snapshot: Snapshot, keyword: str) -> list[Item]:
    """The data types, by the name that torch goes by in the file."""
    bindings = snapshot.file.grown.module.bindings
    torch = next((name for name, found in bindings.items() if any(one.imported == "torch" for one in found)), None)
    if keyword != "dtype" or torch is None:
        return []
    return [Item(f"{torch}.{name}", CONSTANT, f"torch.{name}", f"{row:03}") for row, name in enumerate(choices.DTYPES)]


def _switch(snapshot: Snapshot, doc: Doc, keyword: str) -> list[Item]:
    """True and false, first what is not the default; other servers offer them anyway."""
    if snapshot.settings.completion_mode == "annotated" or not choices.is_switch(doc, keyword):
        return []
    default = next(item.default for item in doc.parameters if item.name == keyword)
    order = ("False", "True") if default == "True" else ("True", "False")
    return [Item(value, CONSTANT, f"{doc.name}#{keyword}", f"{row:03}") for row, value in enumerate(order)]
