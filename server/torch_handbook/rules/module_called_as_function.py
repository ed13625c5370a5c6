"""A module class is called with a tensor, as if it were a function.

Why
    nn.ReLU(x) makes a ReLU, and takes x for its option inplace; nn.MSELoss(a, b) makes a loss and takes a and b for the
    deprecated options size_average and reduce. Nothing is computed. What comes out is a module: it is called with the tensor
    in a second pair of brackets, or the function of torch.nn.functional takes its place.

Bad
    x = torch.randn(4, 8)
    hidden = nn.ReLU(x)

Good
    x = torch.randn(4, 8)
    hidden = nn.ReLU()(x)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("module-called-as-function", Severity.ERROR, Category.MODULE, entry="compare/module-or-functional")

# Modules whose constructors take no tensor at all, and can be made without any argument.
PLAIN = re.compile(
    r"torch\.nn\.(?:ReLU6?|LeakyReLU|ELU|CELU|SELU|GELU|SiLU|Mish|Hardtanh|Hardswish|Hardsigmoid|Sigmoid|LogSigmoid|Tanh|Softplus"
    r"|Softsign|Flatten|Dropout[123]?d?|AlphaDropout)"
)
# Losses that may take one tensor, the weights of the classes, but never two.
LOSSES = re.compile(r"torch\.nn\.\w*Loss")


@RULE.on(ast.Call)
def called_on_tensors(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or ""
    plain = PLAIN.fullmatch(name) is not None
    if not (plain or LOSSES.fullmatch(name)) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return
    tensors = [argument for argument in call.args if is_tensor(argument, context)]
    if plain and tensors and tensors[0] is call.args[0]:
        what = "takes no tensor when it is made"
    elif not plain and len(tensors) > 1:
        what = "takes no predictions and targets when it is made"
    else:
        return
    short, made = name.rpartition(".")[2], f"{ast.unparse(call.func)}()"
    given = ", ".join(ast.unparse(argument) for argument in call.args)
    yield Finding.at(call, f"{short} {what}: call the module, {made}({given})", fix=called(call))


def is_tensor(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "tensor" and value.sure


def called(call: ast.Call) -> Fix | None:
    """Make the module first, then call it."""
    if call.keywords:
        return None
    end = span_of(call.func).end
    return Fix(f"call the module: {ast.unparse(call.func)}()(…)", (Edit(Span(*end, *end), "()"),))
