"""A functional dropout does not know whether the model is in training.

Why
    F.dropout has training=True by default, and scaled_dot_product_attention drops by dropout_p whatever the mode: model.eval()
    turns neither off. Validation is then random and a few points worse. Inside a module, self.training says which mode it is.

Bad
    class Net(nn.Module):
        def forward(self, x):
            return F.dropout(x, p=0.5)

Good
    class Net(nn.Module):
        def forward(self, x):
            return F.dropout(x, p=0.5, training=self.training)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("functional-dropout-no-training-flag", Severity.ERROR, Category.MODULE, entry="torch.nn.functional.dropout")

DROPOUTS = frozenset(f"torch.nn.functional.{name}" for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"))
ATTENTION = "torch.nn.functional.scaled_dot_product_attention"


@RULE.on(ast.Call)
def always_on(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name not in DROPOUTS and name != ATTENTION:
        return
    if any(keyword.arg is None for keyword in call.keywords) or any(isinstance(item, ast.Starred) for item in call.args):
        return
    owner = context.file.enclosing(call, ast.ClassDef)
    if not isinstance(owner, ast.ClassDef) or not context.modules.is_module_class(owner) or asks_mode(call, context):
        return
    short = ast.unparse(call.func)
    if name == ATTENTION:
        given = next((keyword for keyword in call.keywords if keyword.arg == "dropout_p"), None)
        if given is None or not is_rate(given.value):
            return
        rate = context.text_of(given.value)
        text = f"{rate} if self.training else 0.0"
        words = f"{short} drops by {rate} in evaluation too: use dropout_p={text}"
        yield Finding.at(call, words, fix=Fix(f"use dropout_p={text}", (Edit(span_of(given.value), text),), safe=False))
    elif not says_when(call, context):
        words = f"{short} stays on in evaluation: add training=self.training"
        yield Finding.at(call, words, fix=Fix("add training=self.training", (added(call),), safe=False))


def is_rate(node: ast.expr) -> bool:
    """Whether a rate is a fixed number, or an attribute of the module: neither knows the mode."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and node.value > 0
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def says_when(call: ast.Call, context: Context) -> bool:
    """Whether it has the mode, or its rate is a parameter that is 0 or has to be given: then the caller says when to drop."""
    if len(call.args) > 2 or any(keyword.arg == "training" for keyword in call.keywords):
        return True
    rate = next((keyword.value for keyword in call.keywords if keyword.arg == "p"), call.args[1] if len(call.args) > 1 else None)
    bindings = context.file.names.bindings(rate) if isinstance(rate, ast.Name) else []
    if [one.kind for one in bindings] != ["parameter"]:
        return False
    default = bindings[0].value
    return default is None or (isinstance(default, ast.Constant) and not default.value)


def asks_mode(call: ast.Call, context: Context) -> bool:
    """Whether the function around asks for the mode, in a branch or to set the rate."""
    function = context.file.enclosing(call, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return function is None or any(isinstance(part, ast.Attribute) and part.attr == "training" for part in ast.walk(function))


def added(call: ast.Call) -> Edit:
    """Behind the last argument, so that a comma at the end stays where it is."""
    last = span_of([*call.args, *call.keywords][-1]).end
    return Edit(Span(*last, *last), ", training=self.training")
