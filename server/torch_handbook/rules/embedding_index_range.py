"""An embedding has no row for the largest index.

Why
    nn.Embedding(n, d) has rows 0 to n - 1. Ids that start at 1 beside a padding 0, or a table as large as the largest id, need
    one more: "index out of range in self" on the CPU, a device-side assert on a GPU.

Bad
    table = nn.Embedding(5, 8, padding_idx=0)
    tokens = torch.tensor([[1, 4, 5], [2, 3, 0]])
    out = table(tokens)

Good
    table = nn.Embedding(6, 8, padding_idx=0)
    tokens = torch.tensor([[1, 4, 5], [2, 3, 0]])
    out = table(tokens)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, ModuleFact, Related, Rule, Severity
from torch_handbook.source.arguments import UNKNOWN, constant
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule("embedding-index-range", Severity.ERROR, Category.SHAPE, entry="torch.nn.Embedding", covers=("one-hot-index-range",))

EMBEDDINGS = frozenset({"torch.nn.Embedding", "torch.nn.EmbeddingBag"})
SAID = re.compile(r"Embedding(?:Bag)?\((\d+)")


@RULE.on(ast.Call)
def looked_up(call: ast.Call, context: Context) -> Findings:
    """Indices that the file writes out."""
    name = context.name_of(call.func)
    is_coded = False
    if name in ("torch.nn.functional.one_hot", "torch.one_hot"):
        is_coded = True
        rows = next((word.value for word in call.keywords if word.arg == "num_classes"), None)
        size = (
            constant(context.file, rows if rows is not None else call.args[1]) if rows is not None or len(call.args) > 1 else None
        )
    else:
        size = rows_of(call.func, context)
    if type(size) is not int or size < 1 or not call.args or is_guarded(context.file, call):
        return
    largest = max((value for grid in context.grids.of(call.args[0]) for value in grid.values), default=-1)
    if largest >= size:
        shown = context.text_of(call.args[0])
        what, kind = ("classes", "one-hot-index-range") if is_coded else ("rows", RULE.id)
        words = f"{shown} holds {largest:g}, and there are {size} {what}, 0 to {size - 1}: make it {largest + 1:g}"
        made = made_at(call.func, context)
        related = (Related(span_of(made), "made with too few rows"),) if made is not None else ()
        yield Finding.at(call, words, related=related, kind=kind)


@RULE.on(ast.Call)
def made(call: ast.Call, context: Context) -> Findings:
    """A table as large as the largest id, or as a vocabulary whose ids start at 1."""
    if context.name_of(call.func) not in EMBEDDINGS:
        return
    given = next((word.value for word in call.keywords if word.arg == "num_embeddings"), call.args[0] if call.args else None)
    if given is None:
        return
    source = resolved(given, context)
    shown = context.text_of(given)
    if is_length(source, context) and isinstance(source, ast.Call) and starts_at_one(source.args[0], context):
        words = f"the ids of {context.text_of(source.args[0])} start at 1 and end at its length: use {shown} + 1"
        yield Finding.at(given, words)
    elif is_largest_id(source, context) and not shifts_down(call, context):
        yield Finding.at(given, f"{shown} is the largest id, and the rows are numbered from 0: use {shown} + 1")


def resolved(node: ast.expr, context: Context) -> ast.expr:
    """What a name was given, once."""
    if not isinstance(node, ast.Name):
        return node
    bindings = context.file.names.bindings(node)
    value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
    return value if value is not None else node


def is_length(node: ast.expr, context: Context) -> bool:
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1
    return plain and isinstance(node, ast.Call) and isinstance(node.args[0], ast.Name)


def starts_at_one(node: ast.expr, context: Context) -> bool:
    """Whether a dict numbers its keys from 1 on: `{word: i + 1 for i, word in enumerate(words)}`."""
    value = resolved(node, context)
    name = node.id if isinstance(node, ast.Name) else ""
    if is_grown(name, node, context):
        return False
    if isinstance(value, ast.Dict):
        numbers = [constant(context.file, one) for one in value.values]
        whole = [number for number in numbers if type(number) is int]
        return len(whole) == len(numbers) > 0 and max(whole) >= len(whole)
    if not isinstance(value, ast.DictComp) or len(value.generators) != 1 or value.generators[0].ifs:
        return False
    source, target = value.generators[0].iter, value.generators[0].target
    counter = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else None
    if not isinstance(source, ast.Call) or not isinstance(source.func, ast.Name) or source.func.id != "enumerate":
        return False
    if not isinstance(counter, ast.Name):
        return False
    start = next(
        (word.value for word in source.keywords if word.arg == "start"), source.args[1] if len(source.args) > 1 else None
    )
    first = constant(context.file, start) if start is not None else 0
    return type(first) is int and first + added(value.value, counter.id, context) >= 1


def added(node: ast.expr, counter: str, context: Context) -> int:
    """What is added to the counter; -9 for anything else."""
    if isinstance(node, ast.Name) and node.id == counter:
        return 0
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            number = constant(context.file, other)
            if isinstance(side, ast.Name) and side.id == counter and type(number) is int:
                return number
    return -9


def is_grown(name: str, at: ast.AST, context: Context) -> bool:
    """Whether something else is put into the dict, or it is handed to who may."""
    for use in context.callers.names.get(name, []):
        parent = context.file.parent_of(use)
        if isinstance(parent, ast.Subscript) and parent.value is use and not isinstance(parent.ctx, ast.Load):
            return True
        if isinstance(parent, ast.Attribute) and parent.attr in ("update", "setdefault", "pop", "clear"):
            return True
    return False


def is_largest_id(node: ast.expr, context: Context) -> bool:
    """`ids.max()`, `int(ids.max())`, `ids.max().item()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int" and len(node.args) == 1:
        return is_largest_id(node.args[0], context)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return False
    if node.func.attr == "item" and not node.args:
        return is_largest_id(node.func.value, context)
    return node.func.attr == "max" and (not node.args if context.name_of(node.func) is None else len(node.args) == 1)


def shifts_down(call: ast.Call, context: Context) -> bool:
    """Whether the file takes 1 from ids somewhere: then the largest is the number of rows."""
    return any(
        isinstance(node, (ast.BinOp, ast.AugAssign))
        and isinstance(node.op, ast.Sub)
        and constant(context.file, node.right if isinstance(node, ast.BinOp) else node.value) == 1
        for node in context.file.grown.nodes
    )


def made_at(node: ast.expr, context: Context) -> ast.expr | None:
    """Where the embedding was made that a name holds."""
    value = resolved(node, context) if isinstance(node, ast.Name) else None
    return value if isinstance(value, ast.Call) else None


def rows_of(node: ast.expr, context: Context) -> object:
    """How many rows the embedding has that an expression is; UNKNOWN where it is none, or that is not known."""
    fact = context.facts.of(node)
    if isinstance(fact, ModuleFact) and fact.text:
        found = SAID.match(fact.text)
        return int(found[1]) if found is not None and fact.type in EMBEDDINGS else UNKNOWN
    call = made_at(node, context)
    if not isinstance(call, ast.Call) or context.name_of(call.func) not in EMBEDDINGS or not call.args:
        return UNKNOWN
    return constant(context.file, call.args[0])
