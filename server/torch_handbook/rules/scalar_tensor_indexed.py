"""A loss is indexed, though it is a single number.

Why
    A loss is a tensor without axes, and indexing one raises IndexError. loss.data[0] is how it was read before torch 0.4;
    loss.item() gives the number.

Bad
    loss = F.mse_loss(torch.randn(3), torch.randn(3))
    print(loss.data[0])

Good
    loss = F.mse_loss(torch.randn(3), torch.randn(3))
    print(loss.item())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Origin, Rule, Severity
from torch_handbook.engine.words import NUMBER_INDEXED
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of

RULE = Rule("scalar-tensor-indexed", Severity.ERROR, Category.SHAPE, entry="guides/deprecations")

FUNCTIONS = frozenset(
    f"torch.nn.functional.{name}"
    for name in (
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "cross_entropy",
        "nll_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "kl_div",
    )
)
MODULES = frozenset(
    f"torch.nn.{name}Loss" for name in ("MSE", "L1", "SmoothL1", "Huber", "CrossEntropy", "NLL", "BCE", "BCEWithLogits", "KLDiv")
)
AVERAGED = frozenset({"reduction", "reduce", None})


@RULE.on(ast.Subscript)
def indexed(node: ast.Subscript, context: Context) -> Findings:
    if not isinstance(node.ctx, ast.Load):
        return
    plain = without_data(node)
    first = isinstance(node.slice, ast.Constant) and node.slice.value == 0 and isinstance(plain, ast.Name)
    if is_refused(node, context) or (first and isinstance(plain, ast.Name) and is_loss(plain, context)):
        text = context.text_of(plain)
        fix = Fix(f"use {text}.item()", (Edit(span_of(node), f"{text}.item()"),))
        yield Finding.at(node, f"{text} is a single number and cannot be indexed: use {text}.item()", fix=fix)


def without_data(node: ast.Subscript) -> ast.expr:
    owner = node.value
    return owner.value if isinstance(owner, ast.Attribute) and owner.attr == "data" else owner


def is_refused(node: ast.Subscript, context: Context) -> bool:
    """Whether torch itself refused this index, as the worker saw."""
    span = span_of(node)
    return any(NUMBER_INDEXED in failure.message and Span(*failure.span) == span for failure in context.facts.failures)


def is_loss(node: ast.Name, context: Context) -> bool:
    origins = context.origins.of(node)
    return bool(origins) and all(is_scalar(origin, context) for origin in origins)


def is_scalar(origin: Origin, context: Context) -> bool:
    """Whether a loss surely reduces to one number."""
    call = origin.node
    if not isinstance(call, ast.Call):
        return False
    if origin.name in FUNCTIONS:
        return is_averaged(call)
    if origin.name not in MODULES or not isinstance(call.func, ast.Name):
        return False
    bindings = context.file.names.bindings(call.func)
    made = [given_by(binding) for binding in bindings]
    return bool(made) and all(isinstance(one, ast.Call) and is_averaged(one) for one in made)


def is_averaged(call: ast.Call) -> bool:
    starred = any(isinstance(item, ast.Starred) for item in call.args)
    return not starred and not any(word.arg in AVERAGED for word in call.keywords) and len(call.args) < 4
