"""How the call that is being typed is called, and what the argument under the cursor means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from torch_handbook.features import apidoc, own
from torch_handbook.features.earlier import method_of
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.open_call import OpenCall
from torch_handbook.source.text import Position
from torch_handbook.torchdocs import signature
from torch_handbook.torchdocs.docs import Parameter

ANY_FORWARD = "torch.nn.Module.forward"  # of a network that nothing is known of: its own `forward` takes what it likes


@dataclass(frozen=True)
class Argument:
    """One parameter of a signature: where it stands in the label, in characters, and what it means."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True)
class Signature:
    """One way to call it. `active` is None where the cursor's argument is none that it takes."""

    label: str
    arguments: tuple[Argument, ...]
    active: int | None


@dataclass(frozen=True)
class Help:
    """All ways to call it; the first that fits what is written is `active`."""

    signatures: tuple[Signature, ...]
    active: int
    summary: str


def help_at(snapshot: Snapshot, position: Position) -> Help | None:
    """The signatures of the innermost call around a position: of torch's names, and of what the file itself defines."""
    call = snapshot.file.open_call_at(position)
    if call is None:
        return None
    if not call.name:
        if (help_of_own := _of_own(snapshot, call)) is not None:
            return help_of_own
        call = replace(call, name=method_of(snapshot, call.function) or "")
    doc = snapshot.docs.doc(call.name) if call.name and call.name != ANY_FORWARD else None
    if doc is None or not doc.signature.startswith("("):
        return None
    ways = [text for text in (doc.signature, *doc.overloads) if not text.startswith("(*args, **kwargs)")] or [doc.signature]
    name = call.name.removeprefix("torch.")
    found = tuple(_signature(f"{name}{text}", text, call, partial(_meaning, snapshot, call.name)) for text in ways)
    best = min(range(len(ways)), key=lambda number: _misfit(ways[number], found[number], call))
    return Help(found, best, apidoc.summary(snapshot.handbook, snapshot.docs, call.name))


def _of_own(snapshot: Snapshot, call: OpenCall) -> Help | None:
    """The signature of a function, class or module of the file: `forward(x, mask=None)` for `model(`."""
    found = own.callable_of(snapshot, call.function) if call.function else None
    if found is None:
        return None
    shown = _signature(f"{found.name}{found.signature}", found.signature, call, partial(own.meaning, snapshot, found))
    return Help((shown,), 0, own.summary(snapshot, found))


def _misfit(text: str, way: Signature, call: OpenCall) -> int:
    """How badly a signature fits what is written: 0 where the cursor's argument and all keywords are its own."""
    parameters = signature.of_line(text).parameters
    if way.active is None:
        return 3
    if not call.given <= {item.name for item in parameters} and all(item.kind != "kw" for item in parameters):
        return 2
    return int(call.keyword is None and parameters[way.active].kind == "keyword")


def _signature(label: str, text: str, call: OpenCall, meaning: Callable[[str], str]) -> Signature:
    """One way to call it, with the explanation of the argument under the cursor alone: it is asked again for the next one."""
    spans = _spans(label)
    parameters = signature.of_line(text).parameters
    active = active_parameter(parameters, call) if len(parameters) == len(spans) else None
    said = meaning(parameters[active].name) if active is not None else ""
    arguments = [Argument(*span, said if number == active else "") for number, span in enumerate(spans)]
    return Signature(label, tuple(arguments), active)


def active_parameter(parameters: Sequence[Parameter], call: OpenCall) -> int | None:
    """Which parameter the cursor's argument is for: by its keyword, else by its position, else the next that may follow."""
    kinds = [item.kind for item in parameters]
    if call.keyword:
        names = [item.name if item.kind in ("positional", "keyword") else "" for item in parameters]
        return names.index(call.keyword) if call.keyword in names else kinds.index("kw") if "kw" in kinds else None
    if call.given:
        # No argument without a keyword may come behind one with, so it is one of those that are left.
        left = (number for number, item in enumerate(parameters) if number >= call.index and item.name not in call.given)
        return next(left, None)
    places = [number for number, kind in enumerate(kinds) if kind == "positional"]
    rest = kinds.index("var") if "var" in kinds else None
    before = [number for number in places if rest is None or number < rest]
    if call.starred:
        return rest
    return before[call.index] if call.index < len(before) else rest if rest is not None else _keyword_only(kinds, call, before)


def _keyword_only(kinds: Sequence[str], call: OpenCall, before: Sequence[int]) -> int | None:
    """Behind the last positional argument only a keyword can come: the first of them is shown."""
    return kinds.index("keyword") if call.index == len(before) and "keyword" in kinds else None


def _meaning(snapshot: Snapshot, name: str, parameter: str) -> str:
    """What a parameter means; of the input of a layer, whose `forward` has no page, its shape."""
    owner, _, method = name.rpartition(".")
    entry = snapshot.handbook.find(owner) if method == "forward" else None
    if entry:
        return entry.shapes.get(parameter, "")
    said = apidoc.parameter(snapshot.handbook, snapshot.docs, name, parameter)
    return said.partition("\n\n")[2] if said else ""


def _spans(label: str) -> list[tuple[int, int]]:
    """Where each parameter stands in "name(a, *, b=1) -> Tensor"; the marks `*` and `/` are none."""
    start, depth, found = label.index("(") + 1, 0, list[tuple[int, int]]()
    for offset in range(start, len(label)):
        letter = label[offset]
        if (letter == "," and depth == 0) or (letter == ")" and depth == 0):
            part = label[start:offset]
            head = start + len(part) - len(part.lstrip())
            found += [(head, offset)] if part.strip() not in ("", "*", "/") else []
            start = offset + 1
        if letter == ")" and depth == 0:
            break
        depth += (letter in "([{") - (letter in ")]}")
    return found
