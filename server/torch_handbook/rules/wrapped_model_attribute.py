"""A method of the model is looked up on the wrapper around it.

Why
    DataParallel and DistributedDataParallel have forward and what every module has; what you added to your class is on
    .module. The wrapper raises AttributeError.

Bad
    class Coder(nn.Module):
        def encode(self, x):
            return x
    net = nn.DataParallel(Coder())
    codes = net.encode(torch.randn(3, 6))

Good
    class Coder(nn.Module):
        def encode(self, x):
            return x
    net = nn.DataParallel(Coder())
    codes = net.module.encode(torch.randn(3, 6))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import members

RULE = Rule("wrapped-model-attribute", Severity.ERROR, Category.MODULE, entry="guides/own-modules")

WRAPPERS = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"})


@RULE.on(ast.Attribute)
def on_the_wrapper(node: ast.Attribute, context: Context) -> Findings:
    owner = node.value
    if not isinstance(owner, ast.Name) or not isinstance(node.ctx, ast.Load) or node.attr in members("torch.nn.Module"):
        return
    values = [given_by(binding) for binding in context.file.names.bindings(owner)]
    if not values or not all(is_defined(value, node.attr, context) for value in values) or is_guarded(context.file, node):
        return
    end = span_of(owner).end
    fix = Fix(f"look it up on {owner.id}.module", (Edit(Span(*end, *end), ".module"),))
    words = f"{owner.id} is the wrapper, which has no {node.attr}: use {owner.id}.module.{node.attr}"
    yield Finding.at(node, words, fix=fix)


def is_defined(call: ast.expr | None, name: str, context: Context) -> bool:
    """Whether a call wraps a module of this file whose class has an attribute of this name."""
    if not isinstance(call, ast.Call) or context.name_of(call.func) not in WRAPPERS or not call.args:
        return False
    model = context.value_of(call.args[0])
    if model is None or not model.sure or not isinstance(model.node, ast.ClassDef):
        return False
    return bool(context.file.flow.classes.lookup(model.node, name))
