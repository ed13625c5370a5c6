"""Samples of different length are batched by the default collate function.

Why
    The default collate stacks the samples of a batch and needs equal shapes: "stack expects each tensor to be equal size", often
    only after some batches. Pad them in a collate_fn, with pad_sequence, and keep their lengths.

Bad
    sentences = [torch.tensor([4, 2, 7]), torch.tensor([5])]
    loader = torch.utils.data.DataLoader(sentences, batch_size=2)

Good
    sentences = [torch.tensor([4, 2, 7]), torch.tensor([5])]
    loader = torch.utils.data.DataLoader(sentences, batch_size=2, collate_fn=torch.nn.utils.rnn.pad_sequence)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import UNKNOWN, constant
from torch_handbook.source.callers import argument_of
from torch_handbook.source.loaders import Loader, loader_of
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule("collate-variable-length", Severity.ERROR, Category.DATA, entry="torch.utils.data.DataLoader")

TENSORS = frozenset(f"torch.{name}" for name in ("tensor", "as_tensor", "LongTensor", "FloatTensor", "Tensor", "IntTensor"))
SIZED = frozenset(f"torch.{name}" for name in ("rand", "randn", "zeros", "ones", "empty", "arange"))
RANDOM = frozenset({"random.randint", "random.randrange", "numpy.random.randint", "torch.randint"})
SAME = frozenset({"long", "float", "to", "int", "clone"})


@RULE.on(ast.Call)
def stacked(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or not all(loader.given.lacks(word) for word in ("collate_fn", "batch_sampler", "sampler")):
        return
    if loader.given.constant("batch_size", 1) in (None, 1, UNKNOWN):
        return
    where = differing(loader, context)
    if where is not None:
        words = "its samples differ in length, and the default collate stacks them: pad them in a collate_fn"
        yield Finding.at(call, words, related=(Related(span_of(where), "samples of different length"),))


def differing(loader: Loader, context: Context) -> ast.AST | None:
    """Where the lengths differ: in a list that is the dataset, or in what the dataset class gives."""
    node = loader.given.given.get("dataset")
    if loader.dataset is None:
        listed = context.assigned(node)
        return listed if isinstance(listed, ast.List) and are_uneven(listed.elts, context) else None
    methods = loader.methods("__getitem__")
    if not methods or len(methods[0].args.args) != 2:
        return None
    index = methods[0].args.args[1].arg
    for part in ast.walk(methods[0]):
        if isinstance(part, ast.Return) and part.value is not None:
            for item in part.value.elts if isinstance(part.value, ast.Tuple) else [part.value]:
                if varies(item, index, loader, context):
                    return part
    return None


def are_uneven(items: list[ast.expr], context: Context) -> bool:
    """Whether rows that are written out differ in length."""
    lengths = {length_of(item, context) for item in items}
    return None not in lengths and len(lengths) > 1


def length_of(node: ast.expr, context: Context) -> int | None:
    """How long a row is: a list, a tensor of one, or a text that is split into words."""
    if isinstance(node, ast.Tuple) and node.elts:
        return length_of(node.elts[0], context)
    if isinstance(node, ast.List):
        plain = all(isinstance(item, (ast.Constant, ast.UnaryOp)) for item in node.elts)
        return len(node.elts) if plain else None
    if not isinstance(node, ast.Call) or not node.args:
        return None
    if context.name_of(node.func) in TENSORS:
        return length_of(node.args[0], context)
    size = constant(context.file, node.args[0]) if context.name_of(node.func) in SIZED else UNKNOWN
    return size if type(size) is int else None


def varies(node: ast.expr, index: str, loader: Loader, context: Context) -> bool:
    """Whether a part of a sample surely has another length for another index."""
    value = context.assigned(node)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in SAME:
        if context.name_of(value.func) is not None:
            break
        value = value.func.value
    if isinstance(value, ast.Subscript):
        return is_uneven_row(value, index, loader, context)
    if not isinstance(value, ast.Call) or not value.args:
        return False
    name = context.name_of(value.func)
    if name in TENSORS:
        row = context.assigned(value.args[0])
        if isinstance(row, ast.ListComp) and len(row.generators) == 1 and not row.generators[0].ifs:
            row = row.generators[0].iter
        row = context.assigned(row)
        return isinstance(row, ast.expr) and is_uneven_row(row, index, loader, context)
    return name in SIZED and is_drawn(value.args[0], index, context)


def is_drawn(size: ast.expr, index: str, context: Context) -> bool:
    """Whether a size is random, or counts with the index."""
    value = context.assigned(size)
    if isinstance(value, ast.Name):
        return value.id == index
    if isinstance(value, ast.Call):
        return any(isinstance(part, ast.Call) and context.name_of(part.func) in RANDOM for part in ast.walk(value))
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Mod, ast.Sub)):
        return any(is_drawn(side, index, context) for side in (value.left, value.right)) and not is_single(value)
    return size is not value and isinstance(size, ast.Name) and size.id == index


def is_single(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Constant) and node.right.value == 1


def is_uneven_row(node: ast.expr, index: str, loader: Loader, context: Context) -> bool:
    """`self.sentences[index]` of rows that are written out and differ in length; `.split()` of one counts its words."""
    words = False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split" and not node.args:
        node, words = node.func.value, True
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Name) or node.slice.id != index:
        return False
    rows = rows_of(node.value, loader, context)
    if rows is None:
        return False
    if words:
        texts = [item.value for item in rows if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        return len(texts) == len(rows) and len({len(text.split()) for text in texts}) > 1
    return are_uneven(rows, context)


def rows_of(node: ast.expr, loader: Loader, context: Context) -> list[ast.expr] | None:
    """The list that an attribute of the dataset holds, as the file writes it out."""
    if not isinstance(node, ast.Attribute) or loader.dataset is None:
        return None
    found = context.file.flow.classes.lookup(loader.dataset, node.attr)
    value = given_by(found[0]) if len(found) == 1 and found[0].kind == "assign" else None
    if isinstance(value, ast.Name):
        inits = loader.methods("__init__")
        dataset = context.assigned(loader.given.given.get("dataset"))
        if not inits or not isinstance(dataset, ast.Call) or value.id not in [one.arg for one in inits[0].args.args]:
            return None
        given = argument_of(ast.Call(dataset.func, [dataset.func, *dataset.args], dataset.keywords), inits[0], value.id)
        value = context.assigned(given)
    return value.elts if isinstance(value, ast.List) else None
