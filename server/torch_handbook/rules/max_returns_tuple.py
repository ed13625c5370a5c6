"""The pair of values and indices that max gives along an axis is used as if it were a tensor.

Why
    With a dim, max, min, median, mode, sort, topk and kthvalue return a named tuple. Comparing it with labels gives a plain
    Python False, so the accuracy is 0; arithmetic and methods raise. Take `.indices` or `.values`, or argmax and amax.

Bad
    logits, labels = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
    predicted = torch.max(logits, 1)
    correct = predicted == labels

Good
    logits, labels = torch.randn(4, 3), torch.tensor([0, 1, 2, 0])
    predicted = torch.max(logits, 1).indices
    correct = predicted == labels
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import members, returns, words

RULE = Rule("max-returns-tuple", Severity.ERROR, Category.DTYPE, entry="torch.max")

ALWAYS = words("sort topk kthvalue mode cummax cummin")
WITH_DIM = words("max min median nanmedian")
OF_TUPLES = words("values indices count index")


@RULE.on(ast.Compare, ast.BinOp, ast.Attribute, ast.Call, ast.UnaryOp)
def used(node: ast.AST, context: Context) -> Findings:
    for part in operands(node, context):
        call = pair_of(part, context)
        if call is not None and not is_guarded(context.file, node):
            name = last_of(call, context)
            shown = context.text_of(part)
            words_ = f"{shown} is the pair of values and indices that {name} gives along an axis: take .indices or .values"
            related = () if call is part else (Related(span_of(call), "the pair is made here"),)
            yield Finding.at(node, words_, related=related)
            return


def operands(node: ast.AST, context: Context) -> list[ast.expr]:
    """What must be a tensor for the node to make sense."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        plain = not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
        return [node.left, node.comparators[0]] if plain and not is_none(node.comparators[0]) else []
    if isinstance(node, ast.BinOp):
        numbers = isinstance(node.op, (ast.Sub, ast.Div)) or not isinstance(node.right, (ast.Tuple, ast.List))
        return [node.left, node.right] if numbers else []
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
        return [node.operand]
    if isinstance(node, ast.Attribute):
        return [node.value] if node.attr in members("torch.Tensor") - OF_TUPLES else []
    return taken(node, context) if isinstance(node, ast.Call) else []


def taken(call: ast.Call, context: Context) -> list[ast.expr]:
    """The first argument of a function of torch that takes a tensor and gives one."""
    owner, _, last = (context.name_of(call.func) or "").rpartition(".")
    takes = owner in ("torch", "torch.nn.functional") and returns(owner).get(last) == "tensor"
    joins = last in ("stack", "cat", "concat", "tensor", "as_tensor", "hstack", "vstack", "meshgrid")
    return [item for item in call.args[:2] if isinstance(item, (ast.Name, ast.Call))] if takes and not joins else []


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def pair_of(node: ast.expr, context: Context) -> ast.Call | None:
    """The call that made the pair that an expression is."""
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        value = given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None
        return value if isinstance(value, ast.Call) and makes_pair(value, context) else None
    return node if isinstance(node, ast.Call) and makes_pair(node, context) else None


def last_of(call: ast.Call, context: Context) -> str:
    name = context.name_of(call.func)
    return name.rpartition(".")[2] if name else call.func.attr if isinstance(call.func, ast.Attribute) else ""


def makes_pair(call: ast.Call, context: Context) -> bool:
    """Whether a call surely gives values and indices."""
    name, last = context.name_of(call.func), last_of(call, context)
    if last not in ALWAYS | WITH_DIM or (name is not None and name != f"torch.{last}"):
        return False
    if name is None:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        value = context.value_of(owner)
        if value is None or value.kind != "tensor" or not value.sure:
            return False
    skipped = 1 if name else 0
    if any(isinstance(item, ast.Starred) for item in call.args) or any(word.arg is None for word in call.keywords):
        return False
    if last in ALWAYS:
        return len(call.args) >= skipped
    if any(word.arg == "dim" for word in call.keywords):
        return True
    place = call.args[skipped] if len(call.args) > skipped else None
    number = place.operand if isinstance(place, ast.UnaryOp) else place
    return isinstance(number, ast.Constant) and type(number.value) is int
