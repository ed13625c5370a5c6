"""A tensor is wrapped in a Variable.

Why
    Since torch 0.4 every tensor is one. Variable(x) is x cut off from its graph, in the same memory: around the inputs it does
    nothing, around something that was computed it ends the gradient there.

Bad
    from torch.autograd import Variable
    x = Variable(torch.ones(3))

Good
    x = torch.ones(3)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("variable-wrapper", Severity.HINT, Category.DEPRECATION, entry="torch.autograd.Variable")
MAKING = frozenset(
    f"torch.{name}" for name in words("zeros ones full empty rand randn randint randperm arange linspace eye tensor from_numpy")
)
KINDS = words("Float Double Half BFloat16 Byte Char Short Int Long Bool")
OLD = frozenset(["torch.Tensor", *(f"torch.{place}{kind}Tensor" for kind in KINDS for place in ("", "cuda."))])
KEEPS = words("fill_ zero_ normal_ uniform_ reshape view unsqueeze squeeze float double long cuda cpu to type repeat expand")
SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


@RULE.on(ast.Call)
def wrapped(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.autograd.Variable" or len(call.args) != 1 or isinstance(call.args[0], ast.Starred):
        return
    given = {word.arg: word.value for word in call.keywords}
    asked = given.get("requires_grad")
    learns = isinstance(asked, ast.Constant) and asked.value is True
    if not given.keys() <= {"requires_grad"} or not (asked is None or isinstance(asked, ast.Constant)):
        return  # volatile is gone, which another rule says
    shown = context.text_of(call.args[0])
    fresh = is_fresh(call.args[0], context)
    plain = fresh or (context.graphs.of(call.args[0]).live is False and not learns)
    new = (shown if plain else f"{shown}.detach()") + ".requires_grad_()" * learns
    said = f"a Variable is a tensor since torch 0.4: {new} is the same"
    fix = unwrapped(call, new.removeprefix(shown), new, plain, context) if isinstance(call.args[0], SIMPLE) else None
    yield Finding.at(call, said, fix=fix)


def unwrapped(call: ast.Call, behind: str, new: str, safe: bool, context: Context) -> Fix | None:
    """Take away what is around the tensor, which keeps its lines; not where a comment would go with it."""
    outer, inner = span_of(call), span_of(call.args[0])
    edits = Edit(Span(*outer.start, *inner.start), ""), Edit(Span(*inner.end, *outer.end), behind)
    return None if any("#" in context.file.text.slice(edit.span) for edit in edits) else Fix(f"use {new}", edits, safe)


def is_fresh(node: ast.expr, context: Context) -> bool:
    """Whether a tensor is made on the spot, without a graph or another name: `torch.zeros(3)`, `Tensor(2, 1).fill_(0)`."""
    if not isinstance(node, ast.Call) or any(word.arg in ("requires_grad", None) for word in node.keywords):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr in KEEPS and context.name_of(node.func) is None:
        filled = node.func.attr == "fill_" and not all(isinstance(one, ast.Constant) for one in node.args)
        return not filled and is_fresh(node.func.value, context)
    names = classes(node.func, context)
    if names and all(name in MAKING for name in names):
        return True
    old = names and all(name in OLD for name in names)
    return bool(old) and all(is_number_or_array(one, context) for one in node.args)


def classes(node: ast.expr, context: Context) -> list[str]:
    """What may be called: one thing, or one of two as in `torch.cuda.FloatTensor if cuda else torch.FloatTensor`."""
    meant = context.assigned(node)
    either = [meant.body, meant.orelse] if isinstance(meant, ast.IfExp) else [node]
    return [context.name_of(one) or "" for one in either]


def is_number_or_array(node: ast.expr, context: Context) -> bool:
    """Whether an argument of an old constructor holds no tensor: a size, or what NumPy gives."""
    if isinstance(node, ast.Call):
        return (context.name_of(node.func) or "").startswith("numpy.") or is_size(node.func)
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Subscript) and is_size(node.value))


def is_size(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("size", "shape")
