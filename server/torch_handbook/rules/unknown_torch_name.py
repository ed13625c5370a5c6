"""torch has no such name.

Why
    A misspelt name, or one that an old torch had, raises AttributeError or ImportError as soon as the line is reached, which may
    be at the end of the first epoch.

Bad
    layer = nn.Liner(4, 2)

Good
    layer = nn.Linear(4, 2)
"""

from __future__ import annotations

import ast
from difflib import get_close_matches

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_releases import spans

RULE = Rule("unknown-torch-name", Severity.ERROR, Category.MODULE, entry="guides/errors")
# Modules of which every public name of every release is known; the others make names while they run.
COMPLETE = frozenset(
    (
        *("torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.optim.lr_scheduler", "torch.linalg"),
        *("torch.fft", "torch.amp", "torch.cuda.amp", "torch.utils.data", "torch.nn.utils.rnn"),
    )
)


@RULE.on(ast.Attribute)
def unknown(node: ast.Attribute, context: Context) -> Findings:
    if not isinstance(node.ctx, ast.Load) or node.attr.startswith("_"):
        return
    owner = context.name_of(node.value)
    if (
        (owner not in COMPLETE and not (owner == "torch" and is_misspelt(node, context)))
        or is_known(owner, node.attr, context)
        or is_guarded(context.file, node)
    ):
        return
    if any(
        other.attr == node.attr and not isinstance(other.ctx, ast.Load)
        for other in context.file.index.attributes.get(node.attr, ())
    ):
        return  # the file itself puts it there
    start = span_of(node.value).end
    end = span_of(node).end
    yield said(node, owner, node.attr, Span(end[0], end[1] - len(node.attr.encode()), *end) if start[0] == end[0] else None)


def is_misspelt(node: ast.Attribute, context: Context) -> bool:
    """Whether a function of torch itself, which makes some of its names while it is imported, is nearly called so.

    Those that are not listed are types with a number in their name, and what autocast has for rare devices.
    """
    call = context.file.parent_of(node)
    plain = len(node.attr) > 4 and node.attr.replace("_", "").isalpha() and node.attr.islower() and "autocast" not in node.attr
    return isinstance(call, ast.Call) and call.func is node and plain and bool(near_to(node.attr, "torch", 0.85))


def near_to(name: str, owner: str, cutoff: float) -> list[str]:
    """The nearest name, if one is near; the same letters in another case are nearer than any other ones."""
    same = [known for known in spans(owner) if known.lower() == name.lower()]
    return same[:1] or get_close_matches(name, list(spans(owner)), 1, cutoff)


@RULE.on(ast.ImportFrom)
def unknown_import(node: ast.ImportFrom, context: Context) -> Findings:
    if node.module not in COMPLETE or node.level or is_guarded(context.file, node):
        return
    for alias in node.names:
        if alias.name != "*" and not alias.name.startswith("_") and not is_known(node.module, alias.name, context):
            yield said(alias, node.module, alias.name, None)


def is_known(owner: str, name: str, context: Context) -> bool:
    """Whether the module has it, had it in a release that rules of their own tell of, or may have got it since."""
    return context.target.knows(owner, name) is not False


def said(node: ast.AST, owner: str, name: str, place: Span | None) -> Finding:
    near = near_to(name, owner, 0.8)
    hint = f": did you mean {near[0]}?" if near else ""
    fix = Fix(f"use {near[0]}", (Edit(place, near[0]),), safe=False) if near and place else None
    return Finding.at(node, f"{owner} has no {name}{hint}", fix=fix)
