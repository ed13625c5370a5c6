"""A sampling grid is made for one meaning of -1 and 1, and sampled with the other.

Why
    With align_corners=True -1 and 1 are the centres of the outermost pixels, with False (the default) their outer edges. A grid
    from linspace(-1, 1, n) means the centres: sampled with False the image is shifted and its border fades to 0. affine_grid and
    grid_sample must be told the same.

Bad
    axis = torch.linspace(-1, 1, 8)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    grid = torch.stack([x, y], dim=-1)[None]
    same = F.grid_sample(torch.randn(1, 3, 8, 8), grid, align_corners=False)

Good
    axis = torch.linspace(-1, 1, 8)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    grid = torch.stack([x, y], dim=-1)[None]
    same = F.grid_sample(torch.randn(1, 3, 8, 8), grid, align_corners=True)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import UNKNOWN, arguments_of, constant
from torch_handbook.source.bindings import part_of
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("align-corners-mismatch", Severity.WARNING, Category.SHAPE, entry="torch.nn.functional.grid_sample")

SAMPLE = ("input", "grid", "mode", "padding_mode", "align_corners")
AFFINE = ("theta", "size", "align_corners")
JOINS = frozenset({"torch.stack", "torch.cat", "torch.meshgrid", "torch.broadcast_tensors", "torch.concat"})
SAME = words(
    "unsqueeze expand repeat to clone permute view reshape float half contiguous cuda t transpose flip expand_as type_as"
    " requires_grad_"
)
DEPTH = 14


@RULE.on(ast.Call)
def sampled(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.nn.functional.grid_sample":
        return
    given = arguments_of(context.file, call, SAMPLE)
    aligned, grid = truth(given.constant("align_corners", False)), given.given.get("grid")
    if aligned is None or grid is None:
        return
    for source in sources(grid, context, DEPTH):
        name = context.name_of(source.func)
        if name == "torch.linspace" and not aligned:
            said = "linspace(-1, 1) puts -1 and 1 at the centres of the outermost pixels: give align_corners=True"
        elif name == "torch.nn.functional.affine_grid":
            made = truth(arguments_of(context.file, source, AFFINE).constant("align_corners", False))
            if made is None or made == aligned:
                continue
            said = f"affine_grid made the grid with align_corners={made}: give the same here"
        else:
            continue
        yield Finding.at(call, said, related=(Related(span_of(source), "the grid comes from here"),))
        return


def truth(value: object) -> bool | None:
    return bool(value) if value is None or isinstance(value, bool) else None


def sources(node: ast.expr, context: Context, depth: int) -> Iterator[ast.Call]:
    """The calls that made a grid, or the coordinates that it is stacked from; shifts on the way keep its meaning."""
    if depth == 0:
        return
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        if len(bindings) == 1 and bindings[0].kind == "assign" and bindings[0].value is not None and bindings[0].path is not None:
            found = part_of(bindings[0].value, bindings[0].path)
            if found is not None:
                yield from sources(found[0], context, depth - 1)
    elif isinstance(node, ast.Subscript):
        yield from sources(node.value, context, depth - 1)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for item in node.elts:
            yield from sources(item, context, depth - 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from sources(node.left, context, depth - 1)
    elif isinstance(node, ast.Call):
        yield from of_call(node, context, depth)


def of_call(call: ast.Call, context: Context, depth: int) -> Iterator[ast.Call]:
    name = context.name_of(call.func)
    if name == "torch.nn.functional.affine_grid" or (name == "torch.linspace" and is_whole_range(call, context)):
        yield call
    elif name in JOINS:
        for item in call.args:
            yield from sources(item, context, depth - 1)
    elif name is None and isinstance(call.func, ast.Attribute) and call.func.attr in SAME:
        yield from sources(call.func.value, context, depth - 1)


def is_whole_range(call: ast.Call, context: Context) -> bool:
    given = arguments_of(context.file, call, ("start", "end", "steps"))
    ends = [constant(context.file, given.given[name]) if name in given.given else UNKNOWN for name in ("start", "end")]
    return ends in ([-1, 1], [1, -1])
