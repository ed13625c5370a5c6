"""A vector is transposed, which changes nothing.

Why
    A 1-D tensor has no rows or columns to swap: v.T is v, so v @ v.T is the inner product, a single number, and not the matrix of
    all products; broadcasting then hides it. torch warns of .T on anything but two axes and will raise one day. Use torch.outer,
    or give the vector a second axis with v[:, None].

Bad
    v = torch.arange(5.0)
    table = v @ v.T

Good
    v = torch.arange(5.0)
    table = torch.outer(v, v)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import sizes

RULE = Rule("transpose-on-1d", Severity.WARNING, Category.SHAPE, entry="torch.matmul", needs_facts=True)


@RULE.on(ast.Attribute)
def attribute(node: ast.Attribute, context: Context) -> Findings:
    if node.attr == "T" and isinstance(node.ctx, ast.Load):
        yield from of_vector(node.value, node, context)


@RULE.on(ast.Call)
def method(call: ast.Call, context: Context) -> Findings:
    owner = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "t" else None
    parent = context.file.parent_of(call)
    if owner is not None and not call.args and isinstance(parent, ast.BinOp):
        yield from of_vector(owner, call, context)


def of_vector(vector: ast.expr, node: ast.expr, context: Context) -> Findings:
    fact = context.facts.tensor(vector)
    if fact is None or len(fact.shape) != 1:
        return
    name = context.text_of(vector)
    text = f"{name} is {sizes(fact.shape)}, so {context.text_of(node)} changes nothing"
    product = context.file.parent_of(node)
    if isinstance(product, ast.BinOp) and isinstance(product.op, ast.MatMult):
        other = product.left if product.right is node else product.right
        fact = context.facts.tensor(other)
        if fact is not None and len(fact.shape) == 1:
            text += f", and {context.text_of(product)} is one number: use torch.outer"
    yield Finding.at(node, text)
