"""What can be typed at a place: names only. What is said of one comes when the editor asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch_handbook.features import apidoc, offers
from torch_handbook.features.arguments import keywords, values
from torch_handbook.features.earlier import method_of, owners_of
from torch_handbook.features.inside import owners_of_spots, spots
from torch_handbook.features.offers import MODULE, Item
from torch_handbook.features.own_members import members_of_own
from torch_handbook.features.snippets import documentation
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.at_once import slot_at_once
from torch_handbook.source.guesses import last_word, named_after
from torch_handbook.source.place import Slot
from torch_handbook.source.text import Position, Text, head_of
from torch_handbook.torchdocs.docs import TorchDocs


def complete(snapshot: Snapshot, position: Position) -> Sequence[Item]:
    """The offers at a position, the likeliest first by their `sort`."""
    slot = snapshot.file.slot_at(position) if snapshot.settings.completion_mode != "off" else None
    if slot is None:
        return ()
    if slot.call is None and slot.kind == "name":
        slot = _argument(snapshot, slot, position)
    if slot.kind == "argument":
        return keywords(snapshot, slot)
    if slot.kind == "value":
        return values(snapshot, slot)
    if slot.kind == "name" and slot.keyword:
        return values(snapshot, slot, quote='"')
    return _members(snapshot, slot)


def _argument(snapshot: Snapshot, slot: Slot, position: Position) -> Slot:
    """A name as an argument of a method that is called on what only the worker knows: `x.sum(|`, `x.sum(dim=|`."""
    call = snapshot.file.open_call_at(position)
    name = method_of(snapshot, call.function) if call and call.direct else None
    if call is None or name is None:
        return slot
    head = head_of(snapshot.text.line(slot.span.line), slot.span.column).rstrip()
    kind = "argument" if not head or head[-1] in "(," else "name"
    return replace(slot, kind=kind, call=name, keyword=call.keyword, index=call.index, given=call.given)


def at_once(earlier: Snapshot, text: Text, position: Position) -> Sequence[Item] | None:
    """The same behind the name of an imported module, in a text that is not parsed yet; None where one has to wait for that."""
    if earlier.settings.completion_mode == "off":
        return ()
    slot = slot_at_once(text, position, earlier.file)
    return _members(earlier, slot) if slot else None


def resolve(handbook: Handbook, docs: TorchDocs, name: str) -> str | None:
    """The text of an offer, by its name; "torch.nn.Conv2d#padding" is a parameter."""
    name, _, parameter = name.partition("#")
    if parameter:
        return apidoc.parameter(handbook, docs, name, parameter)
    if name.startswith("snippets/"):
        return next((documentation(one) for one in handbook.snippets if name == f"snippets/{one.name}"), None)
    return apidoc.short(handbook, docs, name)


def _members(snapshot: Snapshot, slot: Slot) -> Sequence[Item]:
    found = spots(snapshot, slot.receiver, slot.span.start) if slot.kind == "member" and slot.receiver else ()
    owners = dict.fromkeys((*owners_of_spots(found), *_owners(snapshot, slot)))
    owned = [offers.members(snapshot, owner) for owner in owners]
    if slot.kind == "member" and slot.receiver is not None:
        owned[:0] = filter(None, [members_of_own(snapshot, slot.receiver, slot.span.start, found)])
    if slot.kind == "module":
        return [item for items in owned for item in items if item.kind == MODULE]
    if len(owned) == 1:
        return owned[0]
    return list({item.label: item for items in reversed(owned) for item in items}.values())


def _owners(snapshot: Snapshot, slot: Slot) -> tuple[str, ...]:
    """Whose members are offered: what the file says before the dot, or what the worker saw there."""
    value = snapshot.file.value_of(slot.receiver) if slot.receiver is not None else None
    if slot.owner:  # of a layer what its own class has, too: `self.fc.weight`
        own = value.name if value and value.kind == "instance" and not value.written and value.base == slot.owner else ""
        return tuple(dict.fromkeys(filter(None, (own, slot.owner))))
    if slot.receiver is None:
        return ()
    known = owners_of(snapshot, slot.receiver, slot.span.start)
    guessed = None if known else named_after(last_word(slot.receiver))  # an `optimizer` that a function is given
    return known or ((guessed,) if guessed else ())
