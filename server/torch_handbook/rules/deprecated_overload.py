"""The factor stands in front of the tensor, as it did long ago.

Why
    add_(2, other) once meant alpha first, addcmul_(2, a, b) value first. torch warns once per process, and reads it the old way:
    x.add_(-lr, grad) looks as if -lr were added. Name the factor, and put it last.

Bad
    x = torch.zeros(3)
    x.add_(2, torch.ones(3))

Good
    x = torch.zeros(3)
    x.add_(torch.ones(3), alpha=2)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("deprecated-overload", Severity.WARNING, Category.DEPRECATION, entry="torch.Tensor.add_")
# How many arguments by place the old form has, of the method; and what the factor is called.
FORMS = {"add": (2, "alpha"), "sub": (2, "alpha"), "addcmul": (3, "value"), "addcdiv": (3, "value")}


@RULE.on(ast.Call)
def factor_first(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute):
        return
    method = call.func.attr
    form = FORMS.get(method.removesuffix("_"))
    if form is None or any(isinstance(item, ast.Starred) for item in call.args):
        return
    count, factor = form
    is_function = context.name_of(call.func) == f"torch.{method}"
    own = call.args[1:] if is_function else call.args
    if len(own) != count or any(word.arg in (factor, None) for word in call.keywords):
        return
    if not is_function and not is_tensors(call.func, context):
        return
    first, rest = own[0], own[1:]
    others = context.file.text.slice(Span(*span_of(rest[0]).start, *span_of(rest[-1]).end))
    whole = Span(*span_of(first).start, *span_of(rest[-1]).end)
    new = f"{others}, {factor}={context.file.text.slice(span_of(first))}"
    words = f"{method} with the factor in front is deprecated: write {method}({', '.join(map(context.text_of, rest))}, {factor}="
    yield Finding.at(call, f"{words}{context.text_of(first)})", fix=Fix(f"name {factor}", (Edit(whole, new),)))


def is_tensors(function: ast.Attribute, context: Context) -> bool:
    """Whether a method is a tensor's: addcmul_ and its like are nobody else's, but others may have an add of two arguments."""
    if function.attr in ("addcmul_", "addcdiv_", "addcmul", "addcdiv"):
        return context.name_of(function) is None
    owner = context.value_of(function.value)
    if isinstance(function.value, ast.Attribute) and function.value.attr in ("data", "grad") and function.attr.endswith("_"):
        return True
    return owner is not None and owner.kind == "tensor" and owner.sure
