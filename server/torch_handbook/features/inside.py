"""The modules inside a module, as the worker saw them: keys of a ModuleDict, items of a list, and what a loop goes through."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from torch_handbook_worker.protocol import ModuleFact

from torch_handbook.features.earlier import class_of, fact_of
from torch_handbook.features.naming import MODULE
from torch_handbook.features.offers import ATTRIBUTE, Item
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, span_of

IN_ORDER = ("torch.nn.ModuleList", "torch.nn.Sequential")  # a loop over these gives modules
VIEWS = {"torch.nn.ModuleDict": ("values", "items")}
CHILDREN = ("children", "named_children")


@dataclass(frozen=True)
class Spot:
    """One module that an expression may be: the one that is known, and the name that leads from it to this one: "", "h.0"."""

    known: ModuleFact
    path: str = ""

    @property
    def type(self) -> str:
        return self.known.parts[self.path] if self.path else self.known.type

    def inside(self) -> dict[str, Spot]:
        """The modules right inside, by the names that they have there, in their order."""
        head = f"{self.path}." if self.path else ""
        names = (path[len(head) :] for path in self.known.parts if path.startswith(head))
        return {name: Spot(self.known, f"{head}{name}") for name in names if "." not in name}


def spots(snapshot: Snapshot, node: ast.expr, place: Position) -> Sequence[Spot]:
    """What an expression that ends at a place may be; () where that is not known, or no module."""
    fact = fact_of(snapshot, node, place)
    if fact is not None:
        return (Spot(fact),) if isinstance(fact, ModuleFact) else ()
    if isinstance(node, ast.Attribute):
        return _attribute(snapshot, node, place)
    if isinstance(node, ast.Subscript):
        return _item(node.slice, spots(snapshot, node.value, place))
    return _of_loop(snapshot, node.id, place) if isinstance(node, ast.Name) else ()


def items(found: Sequence[Spot]) -> tuple[Item, ...]:
    """The modules inside as offers: those that each of the modules has that may be meant."""
    inside = [spot.inside() for spot in found]
    names = [name for name in inside[0] if name.isidentifier() and all(name in one for one in inside)] if inside else []
    return tuple(Item(name, ATTRIBUTE, "", f"!{name}", _kind([one[name] for one in inside])) for name in names)


def owners_of_spots(found: Sequence[Spot]) -> tuple[str, ...]:
    """The public classes whose members each of the modules has."""
    kinds = {spot.type for spot in found}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return (kind, MODULE) if kind.startswith("torch.") else (MODULE,) if found else ()


def _kind(found: Sequence[Spot]) -> str:
    kinds = {spot.type.rpartition(".")[2] for spot in found}
    return f": {kinds.pop()}" if len(kinds) == 1 else ""


def _attribute(snapshot: Snapshot, node: ast.Attribute, place: Position) -> Sequence[Spot]:
    """`model.blocks`: as its class says where it is in this file, else by what the worker saw inside."""
    owner = class_of(snapshot, node.value, place)
    if owner is None:
        found = [spot.inside().get(node.attr) for spot in spots(snapshot, node.value, place)]
        return tuple(spot for spot in found if spot is not None) if all(found) else ()
    bound = snapshot.file.flow.classes.lookup(owner, node.attr)
    fact = snapshot.facts.of(bound[0].node) if len(bound) == 1 else None
    return (Spot(fact),) if isinstance(fact, ModuleFact) else ()


def _item(key: ast.expr, found: Sequence[Spot]) -> Sequence[Spot]:
    """`blocks[0]`, `layers["fc"]`; with another key any of the modules inside."""
    if isinstance(key, ast.Slice):
        return ()
    wanted = _constant(key)
    if wanted is None:
        return [spot for one in found for spot in one.inside().values()]
    if isinstance(wanted, str):
        return [spot for one in found if (spot := one.inside().get(wanted))]
    rows = [[*one.inside().values()] for one in found]
    return [row[wanted] for row in rows if -len(row) <= wanted < len(row)]


def _constant(key: ast.expr) -> int | str | None:
    try:
        value = ast.literal_eval(key)
    except (ValueError, TypeError):
        return None
    return value if isinstance(value, (int, str)) else None


def _of_loop(snapshot: Snapshot, name: str, place: Position) -> Sequence[Spot]:
    """What a loop around a place goes through: `for block in self.blocks`, `for i, block in enumerate(self.blocks)`."""
    loops = snapshot.file.index.all(ast.For)
    around = [one for one in loops if _is_inside(place, one) and _binds(one.target, name)]
    if not around:
        return ()
    loop = max(around, key=span_of)
    given, is_pair = loop.iter, isinstance(loop.target, ast.Tuple)
    if is_pair and isinstance(given, ast.Call) and ast.unparse(given.func) == "enumerate" and given.args:
        given, is_pair = given.args[0], False
    if isinstance(given, ast.Call):
        return _of_call(snapshot, given, is_pair, place) if not given.args else ()
    # The place of what is looked up goes up to the loop, so that `for x in x` ends.
    found = spots(snapshot, given, span_of(loop).start)
    in_order = not is_pair and all(spot.type in IN_ORDER for spot in found)
    return [one for spot in found for one in spot.inside().values()] if in_order else ()


def _of_call(snapshot: Snapshot, call: ast.Call, is_pair: bool, place: Position) -> Sequence[Spot]:
    """The modules that `layers.values()`, `layers.items()`, `net.children()` and `net.named_children()` give."""
    if not isinstance(call.func, ast.Attribute):
        return ()
    found, name = spots(snapshot, call.func.value, span_of(call).start), call.func.attr
    given = all(name in (*VIEWS.get(spot.type, ()), *CHILDREN) for spot in found)
    if not given or is_pair != (name in ("items", "named_children")):
        return ()
    return [one for spot in found for one in spot.inside().values()]


def _is_inside(place: Position, loop: ast.For) -> bool:
    """Whether a place is in the body of a loop, or is typed at its end."""
    end = loop.end_lineno or loop.lineno
    return span_of(loop.iter).end < place and place.line <= end + 1 and place.column > loop.col_offset


def _binds(target: ast.expr, name: str) -> bool:
    last = target.elts[-1] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else target
    return isinstance(last, ast.Name) and last.id == name
