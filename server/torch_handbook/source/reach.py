"""Which of a name's bindings a use of it can see: those before it that nothing overwrites, and those that a loop brings back."""

from __future__ import annotations

import ast
from typing import TypeAlias

from torch_handbook.source.scopes import Binding, Scope
from torch_handbook.source.tree import Tree

Branch: TypeAlias = "tuple[ast.AST, str]"  # a compound statement and one of its blocks
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
LATER_LIMIT = 100


def reaching(tree: Tree, scope: Scope, name: str, use: ast.AST, home: Scope) -> list[Binding]:
    """The bindings of `name` in `scope` that a use in `home` may see, in the order of the text."""
    bindings = scope.bindings.get(name, [])
    if home is not scope or scope.kind == "comprehension" or len(bindings) == 1:
        return bindings
    place = (getattr(use, "lineno", 1), getattr(use, "col_offset", 0))
    around = branches(tree, use)
    before = [binding for binding in bindings if not binding.foreign and (binding.line, binding.column) <= place]
    found = [binding for binding in bindings if binding.foreign]
    last = seen_backwards(tree, before, around, found)
    loops: list[ast.AST] = [node for node, block in around if isinstance(node, LOOPS) and block == "body"]
    if loops:
        later = [binding for binding in bindings if not binding.foreign and (binding.line, binding.column) > place]
        found += brought_back(tree, later[:LATER_LIMIT], loops, last)
    return sorted(found, key=lambda binding: (binding.line, binding.column))


def seen_backwards(tree: Tree, before: list[Binding], around: list[Branch], found: list[Binding]) -> Binding | None:
    """Add to `found` what is seen going back from the use; the binding that hides all earlier ones, if there is one."""
    covered: set[Branch] = set()
    for binding in reversed(before):
        apart = [branch for branch in branches(tree, binding.node) if branch not in around]
        if any(leaves(tree, branch) or excludes(branch, around) for branch in apart) or hidden(apart, covered):
            continue
        if binding.kind != "delete":
            found.append(binding)
        if not apart or cover(tree, apart, covered):
            return binding
    return None


def hidden(apart: list[Branch], covered: set[Branch]) -> bool:
    """Whether a later binding in the same branch overwrites this one."""
    return any(branch in covered for branch in apart)


def cover(tree: Tree, apart: list[Branch], covered: set[Branch]) -> bool:
    """Note that the innermost branch binds the name; whether thereby every way to the use does."""
    covered.add(apart[0])
    for inner in range(len(apart)):
        node = apart[inner][0]
        if not all((node, block) in covered or leaves(tree, (node, block)) for block in exits(node)):
            return False
        if inner + 1 < len(apart):
            covered.add(apart[inner + 1])
    return True


def exits(node: ast.AST) -> list[str]:
    """The blocks of a compound statement one of which certainly runs to its end; an impossible one where that is not known."""
    if isinstance(node, ast.If):
        return ["body", "orelse"]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return ["body"]
    if isinstance(node, ast.Try):
        return ["finalbody"] if node.finalbody else ["body", "handlers"] if len(node.handlers) == 1 else ["?"]
    if isinstance(node, ast.ExceptHandler):
        return ["body"]
    return ["?"]


def brought_back(tree: Tree, later: list[Binding], loops: list[ast.AST], last: Binding | None) -> list[Binding]:
    """The bindings after the use that the next turn of a common loop makes visible."""
    hiding = set(tree.ancestors(last.node)) if last else set[ast.AST]()
    found: list[Binding] = []
    for binding in later:
        around = set(tree.ancestors(binding.node))
        if any(loop in around and loop not in hiding for loop in loops):
            found.append(binding)
    return found


def branches(tree: Tree, node: ast.AST) -> list[Branch]:
    """The blocks that a node is in within its scope, from the inside out."""
    found: list[Branch] = []
    here: ast.AST | None = node
    while here is not None and not (here is not node and here in tree.scopes):
        parent = tree.parents.get(here)
        block = tree.blocks.get(here)
        if block and parent is not None and parent not in tree.scopes:
            found.append((parent, block))
        here = parent
    return found


def leaves(tree: Tree, branch: Branch) -> bool:
    """Whether a block ends by leaving: what it binds is not seen behind it."""
    body: list[ast.AST] = getattr(branch[0], branch[1], [])
    if body and isinstance(body[-1], ast.ExceptHandler):
        return all(leaves(tree, (handler, "body")) for handler in body)
    return bool(body) and isinstance(body[-1], LEAVING)


def excludes(branch: Branch, around: list[Branch]) -> bool:
    """Whether the use is in the other branch of the same `if`."""
    node, block = branch
    return isinstance(node, (ast.If, ast.Match)) and any(other is node and taken != block for other, taken in around)
