"""Fixes that put one public name in the place of another, with what that changes of a call, and with the imports it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from torch_handbook.engine.rule import Context, Edit, Fix
from torch_handbook.source.successors import Successor
from torch_handbook.source.text import span_of


def uses(alias: ast.alias, name: str, context: Context) -> Iterator[ast.Name]:
    """Where the name that an import brings is read."""
    local = alias.asname or alias.name
    for node in context.file.grown.nodes:
        if isinstance(node, ast.Name) and node.id == local and isinstance(node.ctx, ast.Load) and context.name_of(node) == name:
            yield node


def renamed_use(node: ast.Attribute, new: Successor, context: Context) -> Fix | None:
    """The new name in the place of one that is written with its module, and `import torch` where that is missing."""
    brought = context.bring(new.name, node) if new.rewrite else None
    if brought is None:
        return None
    spelt, more = brought
    edits = rewritten(node, new, spelt, context)
    return Fix(f"use {spelt}", (*edits, *more), new.sure) if edits else None


def renamed_method(call: ast.Call, owner: ast.expr, new: Successor, context: Context) -> Fix | None:
    """A function in the place of a method without arguments: `torch.linalg.qr(a)` for `a.qr()`."""
    brought = context.bring(new.name, call) if new.rewrite and not call.args and not call.keywords else None
    if brought is None:
        return None
    return Fix(f"use {brought[0]}", (Edit(span_of(call), f"{brought[0]}({context.text_of(owner)})"), *brought[1]), new.sure)


def rewritten(node: ast.expr, new: Successor, spelt: str, context: Context) -> list[Edit] | None:
    """The edits at one place where the old name is read; None where it cannot be said what must stand there."""
    parent = context.file.parent_of(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        changes = new.rewrite(context.file, parent, spelt) if new.rewrite else None
        return [Edit(span, text) for span, text in changes] if changes else None
    if new.plain:
        return [Edit(span_of(node), spelt)]
    if new.decorator and isinstance(parent, ast.FunctionDef) and node in parent.decorator_list:
        return [Edit(span_of(node), f"{spelt}({new.decorator})")]
    return None


def renamed_import(node: ast.ImportFrom, names: Mapping[ast.alias, tuple[str, Successor | None]], context: Context) -> Fix | None:
    """The import under the new names and every use of what it brings; None as soon as one of the uses takes a thought."""
    lines: dict[str, list[str]] = {}
    edits: list[Edit] = []
    for alias in node.names:
        module, last = node.module or "", alias.name
        if alias in names:
            name, new = names[alias]
            if new is None or new.rewrite is None or is_taken(alias, new, context):
                return None
            module, _, last = new.name.rpartition(".")
            for use in uses(alias, name, context):
                changes = rewritten(use, new, alias.asname or last, context)
                if changes is None:
                    return None
                edits.extend(changes)
        lines.setdefault(module, []).append(f"{last} as {alias.asname}" if alias.asname else last)
    text = context.break_at(node).join(f"from {module} import {', '.join(written)}" for module, written in lines.items())
    if "#" in context.text_of(node):
        return None
    return Fix("use the new names", (Edit(span_of(node), text), *edits), all(new.sure for _, new in names.values() if new))


def is_taken(alias: ast.alias, new: Successor, context: Context) -> bool:
    """Whether the file has another thing of the new name already."""
    local = new.name.rpartition(".")[2]
    if alias.asname or local == alias.name:
        return new.name in context.imports
    return any(isinstance(node, ast.Name) and node.id == local for node in context.file.grown.nodes)
