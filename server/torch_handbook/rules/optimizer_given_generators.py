"""An optimizer gets the parameters of several models in a way that joins none.

Why
    parameters() is a generator. Two of them cannot be added, a list of them is no list of tensors, and extend and append give
    None: each raises TypeError. Put both into one list, or give each a group of its own.

Bad
    body, head = nn.Linear(4, 4), nn.Linear(4, 2)
    optimizer = torch.optim.Adam([body.parameters(), head.parameters()])

Good
    body, head = nn.Linear(4, 4), nn.Linear(4, 2)
    optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()])
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import span_of

RULE = Rule("optimizer-given-generators", Severity.ERROR, Category.TRAINING, entry="torch.nn.Module.parameters")


@RULE.on(ast.Call)
def given(call: ast.Call, context: Context) -> Findings:
    made = context.value_of(call)
    name = context.name_of(call.func) or ""
    if (
        made is None
        or not made.is_a("torch.optim.Optimizer")
        or not name.startswith("torch.optim.")
        or is_guarded(context.file, call)
    ):
        return
    node = arguments_of(context.file, call, ("params",)).given.get("params")
    value = context.assigned(node)
    if node is None or value is None:
        return
    if isinstance(value, (ast.List, ast.Tuple)) and value.elts and all(is_generator(one, context) for one in value.elts):
        listed = f"[{', '.join(f'*{context.text_of(one)}' for one in value.elts)}]"
        fix = Fix(f"use {listed}", (Edit(span_of(value), listed),))
        yield Finding.at(value, "this is a list of generators, and an optimizer takes tensors: put a star before each", fix=fix)


@RULE.on(ast.BinOp)
def added(node: ast.BinOp, context: Context) -> Findings:
    """`body.parameters() + head.parameters()`"""
    if isinstance(node.op, ast.Add) and is_generator(node.left, context) and is_generator(node.right, context):
        listed = f"[*{context.text_of(node.left)}, *{context.text_of(node.right)}]"
        fix = Fix(f"use {listed}", (Edit(span_of(node), listed),))
        yield Finding.at(node, f"generators cannot be added, this raises TypeError: {listed}", fix=fix)


@RULE.on(ast.Assign)
def stored(statement: ast.Assign, context: Context) -> Findings:
    """`model.parameters().requires_grad = False`"""
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or not (is_generator(target.value, context) or is_frozen(target, context)):
        return
    text = context.text_of(target.value)
    yield Finding.at(statement, f"{text} is a generator and has no {target.attr}, this raises AttributeError: set it of each")


def is_frozen(target: ast.Attribute, context: Context) -> bool:
    """The same of a network that is not in sight: nothing that is no parameter has a requires_grad."""
    call = target.value
    named = (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "parameters" and not call.args
    )
    return named and target.attr == "requires_grad" and isinstance(call, ast.Call) and is_unknown(call.func, context)


def is_unknown(method: ast.expr, context: Context) -> bool:
    return isinstance(method, ast.Attribute) and context.value_of(method.value) is None


def is_generator(node: ast.expr, context: Context) -> bool:
    """Whether it is the parameters of a network of torch, and not what a class of one's own gives under this name."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.func.attr not in ("parameters", "named_parameters")
    ):
        return False
    value = context.value_of(node.func.value)
    if value is None or value.kind != "instance" or value.base != "torch.nn.Module" or not value.sure or value.away is not None:
        return False
    return not (isinstance(value.node, ast.ClassDef) and context.file.flow.classes.lookup(value.node, node.func.attr))
