"""What can follow a dot, as offers: a list for each module and class, which holds as long as the handbook and torch do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch_handbook.features import usage
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.torch_names import base_of
from torch_handbook.torchdocs.docs import Outline
from torch_handbook.torchdocs.listing import CLASSES, MODULES

# Classes, functions and the like, in the protocol's words without the protocol.
CLASS, FUNCTION, METHOD, ATTRIBUTE, VALUE, KEYWORD = "class", "function", "method", "attribute", "value", "keyword"
MODULE, CONSTANT, SNIPPET = "module", "constant", "snippet"
# Members that no code of a user speaks of; they have no docs, and the alphabet would put one of them first.
UNSAID = frozenset(
    (
        *(f"torch.nn.Module.{name}" for name in ("T_destination", "call_super_init", "dump_patches")),
        *(f"torch.optim.Optimizer.{name}" for name in ("OptimizerPostHook", "OptimizerPreHook")),
    )
)
ROOM = 44  # characters of a signature for which a list has room


@dataclass(frozen=True)
class Item:
    """One offer. `name` is the public name that its text is found by, `mark` says how many pitfalls the handbook knows."""

    label: str
    kind: str
    name: str
    sort: str
    signature: str = ""  # as much of it as a list has room for
    mark: str = ""
    deprecated: bool = False
    insert: str = ""  # of a snippet: its text, with places to fill in
    above: tuple[int, str] | None = None  # of a snippet: what goes before a line, from 1


def members(snapshot: Snapshot, owner: str) -> tuple[Item, ...]:
    """Everything that a module or class has; in the mode "annotated" only what has a page."""
    annotated = snapshot.settings.completion_mode == "annotated"
    return snapshot.for_all(f"{owner}.{'annotated' if annotated else '*'}", lambda: _members(snapshot, owner, annotated))


def _members(snapshot: Snapshot, owner: str, annotated: bool) -> tuple[Item, ...]:
    labels, pitfalls = snapshot.docs.members(owner) or _pages(snapshot, owner), snapshot.handbook.pitfall_counts()
    if annotated:
        labels = [label for label in labels if snapshot.handbook.line(f"{_described_in(snapshot, owner, label)}.{label}")]
    return tuple(_member(snapshot, owner, label, pitfalls) for label in labels)


def _member(snapshot: Snapshot, owner: str, label: str, pitfalls: Mapping[str, int]) -> Item:
    owner = _described_in(snapshot, owner, label)
    name = f"{owner}.{label}"
    line = snapshot.handbook.line(name)
    known = snapshot.docs.outline(name) or Outline(_kind_of_page(line.kind) if line else "", False, "")
    place = None if known.deprecated else usage.order(owner).get(label)
    sort = f"0{place:04}" if place is not None else f"{_rank(label, name, bool(line), known.deprecated)}{label}"
    kind, warning = _kind(owner, label, known.kind), mark(pitfalls.get(name, 0))
    return Item(label, kind, name, sort, brief(known.signature), warning, known.deprecated)


def _described_in(snapshot: Snapshot, owner: str, label: str) -> str:
    """The class that says what a member is: `step` of SGD is that of Optimizer."""
    base = base_of(owner)
    inherited = base is not None and base != owner and label in snapshot.docs.members(base)
    return base if base and inherited and not snapshot.handbook.line(f"{owner}.{label}") else owner


def mark(pitfalls: int) -> str:
    """What a list of completions shows beside a name."""
    return f"⚠ {pitfalls} pitfall{'s' if pitfalls > 1 else ''}" if pitfalls else ""


def brief(signature: str) -> str:
    """The arguments of a signature, the first ones where there are too many for a list."""
    text = signature.rpartition(" -> ")[0] or signature
    return text if len(text) <= ROOM else f"{text[: ROOM - 3].rpartition(',')[0] or text[: ROOM - 4]}, …)"


def _rank(label: str, name: str, has_page: bool, deprecated: bool) -> str:
    """Where a name comes that people hardly use: with a page, without, deprecated, and what nobody speaks of."""
    if label.startswith("_") or name in UNSAID:
        return "4"
    return "3" if deprecated else "1" if has_page else "2"


def _pages(snapshot: Snapshot, owner: str) -> list[str]:
    """Without torch the handbook's own pages are all there is to offer."""
    head = f"{owner}."
    rest = [name.removeprefix(head) for name in snapshot.handbook.names() if name.startswith(head)]
    return sorted({name.split(".")[0] for name in rest})


def _kind_of_page(kind: str) -> str:
    """What a page says of a name; pages call layers modules, and so does torch its modules."""
    return kind if kind in (CLASS, FUNCTION, METHOD, ATTRIBUTE) else ""


def _kind(owner: str, label: str, known: str) -> str:
    """The kind of a member; by its owner and its spelling where nothing is known of it."""
    in_class = owner.rpartition(".")[2][:1].isupper() or owner in ("torch.device", "torch.dtype")
    if known == ATTRIBUTE:
        return ATTRIBUTE if in_class else CONSTANT
    if known in (CLASS, MODULE, METHOD) or (known == FUNCTION and not in_class):
        return known
    if f"{owner}.{label}" in MODULES:
        return MODULE
    return METHOD if in_class else CLASS if label[:1].isupper() or f"{owner}.{label}" in CLASSES else FUNCTION
