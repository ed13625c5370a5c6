"""default_collate or default_convert is taken from a private module.

Why
    torch.utils.data._utils may change without notice. Both have been public since torch 1.11, in torch.utils.data.

Bad
    from torch.utils.data._utils.collate import default_collate
    batch = default_collate([torch.ones(2), torch.zeros(2)])

Good
    from torch.utils.data import default_collate
    batch = default_collate([torch.ones(2), torch.zeros(2)])
"""

from __future__ import annotations

import ast

from torch_handbook.engine.renames import renamed_import, renamed_use, uses
from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.successors import Successor, renamed

RULE = Rule("private-collate", Severity.INFORMATION, Category.DEPRECATION, entry="guides/deprecations-of-friends")
MODULE = "torch.utils.data._utils.collate"
NAMES = ("default_collate", "default_convert")


def public(name: str) -> Successor:
    return Successor(f"torch.utils.data.{name}", rewrite=renamed)


def words(name: str) -> str:
    return f"{MODULE}.{name} is private: use torch.utils.data.{name}"


@RULE.on(ast.Attribute)
def private_use(node: ast.Attribute, context: Context) -> Findings:
    if node.attr not in NAMES or context.name_of(node.value) != MODULE or not context.target.has(f"torch.utils.data.{node.attr}"):
        return
    if not is_guarded(context.file, node):
        yield Finding.at(node, words(node.attr), fix=renamed_use(node, public(node.attr), context))


@RULE.on(ast.ImportFrom)
def private_import(node: ast.ImportFrom, context: Context) -> Findings:
    """The import; where what it brings is used, a hint."""
    if node.module != MODULE or node.level or is_guarded(context.file, node):
        return
    found = [alias for alias in node.names if alias.name in NAMES and context.target.has(f"torch.utils.data.{alias.name}")]
    rows = {alias: (f"torch.utils.data.{alias.name}", public(alias.name)) for alias in found}
    fix = renamed_import(node, rows, context)
    for alias in found:
        yield Finding.at(alias, words(alias.name), fix=fix)
        for use in uses(alias, f"torch.utils.data.{alias.name}", context):
            yield Finding.at(use, words(alias.name), fix=fix, severity=Severity.HINT)
