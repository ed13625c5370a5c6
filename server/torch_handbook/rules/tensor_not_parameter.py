"""A tensor that should be trained is no parameter of its module.

Why
    Only an nn.Parameter that is assigned to self is registered. A tensor with requires_grad=True is not, and an operation on
    a parameter (nn.Parameter(t).to(device), nn.Parameter(t) * 0.1) gives a plain tensor again: parameters() does not list it,
    the optimizer never moves it, to() leaves it behind and state_dict() does not save it.

Bad
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = torch.ones(3, requires_grad=True)

Good
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = nn.Parameter(torch.ones(3))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.dtypes import CASTS
from torch_handbook.source.torch_names import words

RULE = Rule(
    "tensor-not-parameter",
    Severity.ERROR,
    Category.MODULE,
    entry="torch.nn.Module",
    covers=("parameter-wrapped-by-op",),
)

FACTORIES = words("zeros ones full rand randn randint tensor empty eye linspace arange normal")
MOVES = words("to cuda float double half mul div view reshape clone add unsqueeze")


@RULE.on(ast.Assign)
def not_registered(statement: ast.Assign, context: Context) -> Findings:
    target = statement.targets[0]
    method = context.file.enclosing(statement, ast.FunctionDef)
    owner = context.file.parent_of(method) if method is not None else None
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name) or target.value.id != "self":
        return
    if not isinstance(method, ast.FunctionDef) or method.name != "__init__" or not isinstance(owner, ast.ClassDef):
        return
    of_parameter = wrapped(statement.value, context)
    if not of_parameter and not is_trainable(statement.value, context):
        return
    if not context.modules.is_module_class(owner) or is_listed(target.attr, context):
        return
    if of_parameter:
        text = f"an operation on a parameter gives a plain tensor, so self.{target.attr} is not registered"
        text += ": put the operation inside of nn.Parameter(…)"
        yield Finding.at(statement, text, kind="parameter-wrapped-by-op")
    else:
        text = f"self.{target.attr} is no parameter: not trained by the optimizer, moved or saved; use nn.Parameter"
        yield Finding.at(statement, text)


def is_trainable(node: ast.expr, context: Context) -> bool:
    """Whether an expression makes a tensor that says that it wants a gradient."""
    if not isinstance(node, ast.Call):
        return False
    name = context.name_of(node.func) or ""
    known = name == "torch.autograd.Variable" or (name.startswith("torch.") and name.removeprefix("torch.") in FACTORIES)
    return known and any(
        word.arg == "requires_grad" and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in node.keywords
    )


def wrapped(node: ast.expr, context: Context) -> bool:
    """Whether an expression is arithmetic on, or a method of, a parameter that is made in it."""
    if isinstance(node, ast.BinOp):
        return any(is_parameter(side, context) for side in (node.left, node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MOVES:
        inner = node.func.value
        return wrapped(inner, context) or (is_parameter(inner, context) and not is_itself(node, node.func.attr, inner, context))
    return False


def is_itself(call: ast.Call, method: str, inner: ast.expr, context: Context) -> bool:
    """Whether a conversion may give back the parameter itself, since it has that dtype already."""
    asked = [*call.args, *(word.value for word in call.keywords)]
    new = CASTS.get(method) if method != "to" else context.dtypes.named(asked[0]) if len(asked) == 1 else None
    held = context.dtypes.of(inner.args[0]) if isinstance(inner, ast.Call) and inner.args else None
    return new is not None and held in (None, new)


def is_parameter(node: ast.expr, context: Context) -> bool:
    return isinstance(node, ast.Call) and context.name_of(node.func) == "torch.nn.Parameter"


def is_listed(name: str, context: Context) -> bool:
    """Whether somebody hands the tensor on by itself, to an optimizer for one: `Adam([net.delta])`."""
    holders = (ast.List, ast.Tuple, ast.Dict, ast.Starred)
    uses = context.file.index.attributes.get(name, ())
    return any(isinstance(use.ctx, ast.Load) and isinstance(context.file.parent_of(use), holders) for use in uses)
