"""A tensor of whole numbers is asked to learn.

Why
    Only floating point and complex tensors can have a gradient: "Only Tensors of floating point and complex dtype can require
    gradients". torch.tensor([1, 2, 3]), torch.arange(3) and torch.full((2,), 1) are int64. Write 1.0, or dtype=torch.float32.

Bad
    weight = torch.tensor([1, 2, 3], requires_grad=True)

Good
    weight = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.torch_names import words

RULE = Rule("int-requires-grad", Severity.ERROR, Category.AUTOGRAD, entry="torch.tensor")
INTEGERS = words("int8 int16 int32 int64 uint8 uint16 uint32 uint64 short int long bool")
INTEGRAL = words("torch.randint torch.randperm torch.LongTensor torch.IntTensor torch.ByteTensor torch.BoolTensor")
MAKING = words("torch.tensor torch.full torch.arange")
CASTS = words("long int short bool byte char")
SHAPED = words("view reshape flatten squeeze unsqueeze t clone contiguous cuda cpu")


@RULE.on(ast.Call)
def asked(call: ast.Call, context: Context) -> Findings:
    integers = learning(call, context)
    if integers is not None and is_integral(integers, context) and not is_guarded(context.file, call):
        shown = context.text_of(integers.func)
        words = f"{shown} makes whole numbers here, and only floating point tensors can require grad: write them with a point, or"
        yield Finding.at(call, f"{words} give dtype=torch.float32")


def learning(call: ast.Call, context: Context) -> ast.Call | None:
    """The call that makes the tensor which this one asks to require grad."""
    name = context.name_of(call.func)
    wants = [word.value for word in call.keywords if word.arg == "requires_grad"]
    said = isinstance(wants[0], ast.Constant) and wants[0].value is True if wants else None
    if name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter"):
        given = call.args[0] if call.args and len(call.args) == 1 and said is not False else None
        return given if isinstance(given, ast.Call) and (said or not wants) else None
    if said:
        return call if name is not None and name.startswith("torch.") else None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_" and isinstance(call.func.value, ast.Call):
        plain = not call.args and not call.keywords
        true = len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and call.args[0].value is True
        return call.func.value if plain or true else None
    return None


def is_integral(call: ast.Call, context: Context) -> bool:
    """Whether a call surely makes a tensor of whole numbers or truth values."""
    if any(word.arg is None for word in call.keywords):
        return False
    name = context.name_of(call.func)
    given = [word.value for word in call.keywords if word.arg == "dtype"]
    if given:
        owner, _, last = (context.name_of(given[0]) or "").rpartition(".")
        return owner == "torch" and last in INTEGERS and (name or "").startswith("torch.")
    if name in INTEGRAL:
        return True
    if name in MAKING:
        values = {"torch.tensor": call.args[:1], "torch.full": call.args[1:2], "torch.arange": call.args}[name]
        return bool(values) and all(map(is_whole, values))
    if isinstance(call.func, ast.Attribute) and name is None:
        if call.func.attr in CASTS and not call.args:
            owner = context.value_of(call.func.value)
            return owner is not None and owner.kind == "tensor" and owner.sure
        return call.func.attr in SHAPED and isinstance(call.func.value, ast.Call) and is_integral(call.func.value, context)
    return False


def is_whole(node: ast.expr) -> bool:
    """Whether it is a whole number or a truth value that is written out, or a list of such."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return bool(node.elts) and all(map(is_whole, node.elts))
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(inner, ast.Constant) and isinstance(inner.value, int)
