"""What a network is made of, as a table: each layer, its parameters, and the shapes that went through it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from torch_handbook_worker.protocol import Fact, ModuleFact, TensorFact, TupleFact

from torch_handbook.features import wording
from torch_handbook.features.tables import cut, table, word
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.scopes import Binding

MOST = 24  # rows
ROOM = 56  # characters of what a layer is
LISTS = ("torch.nn.ModuleList", "torch.nn.Sequential")


@dataclass(frozen=True)
class Layer:
    """One part of a network, by the name that it has there; `text` is its own words in the file where no fact is known."""

    name: str
    text: str
    fact: Fact | None


def layers(snapshot: Snapshot, node: ast.expr, fact: ModuleFact | None) -> str:
    """The table of the module that an expression is; "" for one layer alone and where the file does not tell."""
    owner = _class_of(snapshot, node, fact)
    found = _of_class(snapshot, owner) if owner else list(_of_sequence(snapshot, node, fact))
    rows = [_row(layer) for layer in found[:MOST]]
    more = f"\n\n… and {len(found) - MOST} more." if len(found) > MOST else ""
    return table(("layer", "what it is", "parameters", "shapes"), rows) + more if rows else ""


def _class_of(snapshot: Snapshot, node: ast.expr, fact: ModuleFact | None) -> ast.ClassDef | None:
    """The class of this file that a module is an instance of."""
    value = snapshot.file.value_of(node)
    if value and value.kind == "instance" and isinstance(value.node, ast.ClassDef):
        return value.node if value.base == "torch.nn.Module" else None
    if fact is None or "." in fact.type:
        return None
    named = [one.node for one in snapshot.file.grown.module.bindings.get(fact.type, [])]
    return named[0] if len(named) == 1 and isinstance(named[0], ast.ClassDef) else None


def _of_class(snapshot: Snapshot, owner: ast.ClassDef) -> list[Layer]:
    """What a class and those that it derives from set on `self`: modules and parameters, each name once."""
    return snapshot.once(
        f"layers of line {owner.lineno}", lambda: list({one.name: one for one in _all(snapshot, owner)}.values())
    )


def _all(snapshot: Snapshot, owner: ast.ClassDef) -> Iterator[Layer]:
    classes = snapshot.file.flow.classes
    for here in reversed(list(classes.lineage(owner))):
        used = dict(_used(snapshot, here))
        for bindings in classes.attributes.get(here, {}).values():
            layer = next((found for one in bindings if (found := _layer(snapshot, used, one))), None)
            if layer:
                yield layer


def _layer(snapshot: Snapshot, used: Mapping[str, Fact], binding: Binding) -> Layer | None:
    """An attribute that is a module or a parameter, as the worker saw it, else as the file says."""
    name = binding.name
    fact = snapshot.facts.of(binding.node) or snapshot.facts.of(binding.value) or used.get(name)
    if isinstance(fact, ModuleFact) or (isinstance(fact, TensorFact) and fact.parameter):
        return Layer(name, _words(snapshot, binding.value, fact), fact)
    value = snapshot.file.value_of(binding.value) if isinstance(binding.value, ast.Call) else None
    is_module = value is not None and value.kind == "instance" and value.base == "torch.nn.Module"
    return Layer(name, ast.unparse(binding.value), None) if fact is None and is_module and binding.value else None


def _used(snapshot: Snapshot, owner: ast.ClassDef) -> Iterator[tuple[str, Fact]]:
    """What attributes of `self` are where they are used; where they are set, nothing is known of a class made in several ways."""
    for node in ast.walk(owner) if snapshot.facts.known else ():
        own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        if isinstance(node, ast.Attribute) and own and (fact := snapshot.facts.of(node)):
            yield node.attr, fact


def _words(snapshot: Snapshot, value: ast.expr | None, fact: Fact) -> str:
    """What says more of a part than its fact: how many modules a list has, or the file's words for what differs."""
    if isinstance(fact, ModuleFact) and fact.type == LISTS[0] and (items := _items(snapshot, value)):
        return items
    return ast.unparse(value) if isinstance(fact, ModuleFact) and not fact.text and isinstance(value, ast.Call) else ""


def _items(snapshot: Snapshot, value: ast.expr | None) -> str | None:
    """What a list of modules holds, where that is so many of one kind: "3 × Block(conv)"."""
    fact = snapshot.facts.of(value.args[0]) if isinstance(value, ast.Call) and value.args else None
    items = fact.items if isinstance(fact, TupleFact) else []
    texts = {wording.line(item) for item in items if isinstance(item, ModuleFact)}
    return f"{len(items)} × {texts.pop()}" if len(texts) == 1 and len(items) > 1 else None


def _of_sequence(snapshot: Snapshot, node: ast.expr, fact: ModuleFact | None) -> Iterator[Layer]:
    """The modules in a Sequential or a list that is written out where the variable is made."""
    made = _made_by(snapshot, node) if fact is None or fact.type in LISTS else None
    if not isinstance(made, ast.Call) or snapshot.file.name_of(made.func) not in LISTS:
        return
    if fact and (items := _items(snapshot, made)):
        yield Layer(f"0–{int(items.partition(' ')[0]) - 1}", items, fact)
        return
    given = made.args[0].elts if len(made.args) == 1 and isinstance(made.args[0], (ast.List, ast.Tuple)) else made.args
    if not all(isinstance(item, ast.Call) for item in given):
        return
    for number, item in enumerate(given):
        known = snapshot.facts.of(item)
        module = known if isinstance(known, ModuleFact) else None
        yield Layer(str(number), ast.unparse(item) if module is None or not module.text else "", module)


def _made_by(snapshot: Snapshot, node: ast.expr) -> ast.expr | None:
    """The one expression that a variable or an attribute of `self` got its value from."""
    file = snapshot.file
    if isinstance(node, ast.Name):
        bindings = file.names.made_by(node) if isinstance(node.ctx, ast.Store) else file.names.bindings(node)
    elif isinstance(node, ast.Attribute):
        owner = file.value_of(node.value)
        bindings = file.flow.classes.lookup(owner.node, node.attr) if owner and isinstance(owner.node, ast.ClassDef) else []
    else:
        return None
    return bindings[0].value if len(bindings) == 1 and not bindings[0].path else None


def _row(layer: Layer) -> tuple[str, str, str, str]:
    """Name, kind, how many parameters, what goes in and out."""
    name, fact = word(layer.name), layer.fact
    if isinstance(fact, ModuleFact):
        flow = wording.flow(fact)
        count = "" if fact.parameters is None else f"{fact.parameters:,}"
        return name, cut(layer.text or wording.line(fact), ROOM), count, flow
    if isinstance(fact, TensorFact):
        sizes = [size for size in fact.shape if isinstance(size, int)]
        count = f"{prod(sizes):,}" if len(sizes) == len(fact.shape) else ""
        return name, f"Parameter {'×'.join(map(str, fact.shape))}".rstrip(), count, ""
    return name, cut(layer.text, ROOM), "", ""
