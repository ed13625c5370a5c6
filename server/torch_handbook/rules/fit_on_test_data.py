"""A scaler is fitted once more on the data that it is tested on.

Why
    fit_transform measures mean and deviation anew: training and test data are scaled by different numbers, the network sees the
    same value as another one, and the score says nothing about new data. transform uses what was measured on the training data.

Bad
    from sklearn.preprocessing import StandardScaler
    scaler = StandardScaler()
    x_train = torch.from_numpy(scaler.fit_transform(x_train))
    x_test = torch.from_numpy(scaler.fit_transform(x_test))

Good
    from sklearn.preprocessing import StandardScaler
    scaler = StandardScaler()
    x_train = torch.from_numpy(scaler.fit_transform(x_train))
    x_test = torch.from_numpy(scaler.transform(x_test))
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("fit-on-test-data", Severity.WARNING, Category.DATA, entry="guides/evaluation")
PLACES = ("sklearn.preprocessing.", "sklearn.decomposition.", "sklearn.feature_extraction.", "sklearn.impute.")
HELD_OUT = re.compile(r"(?:^|_)(?:test|val|valid|validation)(?:$|_|\d)|^(?:X|x)(?:test|val)$", re.IGNORECASE)
TRAINING = re.compile(r"(?:^|_)(?:train|training|tr)(?:$|_|\d)|^(?:X|x)train$", re.IGNORECASE)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)


@RULE.on(ast.Call)
def fitted(call: ast.Call, context: Context) -> Findings:
    scaler = scaler_of(call, context)
    if scaler is None or HELD_OUT.search(data_of(call)) is None or TRAINING.search(data_of(call)):
        return
    scope = context.file.scope_of(scaler).node
    for other in context.file.index.inside(scope, ast.Call):
        before = scaler_of(other, context, ("fit_transform", "fit"))
        if before is None or before.id != scaler.id or span_of(other) >= span_of(call) or not TRAINING.search(data_of(other)):
            continue
        same = context.file.names.bindings(before) == context.file.names.bindings(scaler)
        if same and context.file.enclosing(other, *SCOPES) is context.file.enclosing(call, *SCOPES):
            end = span_of(call.func).end
            fix = Fix("use transform", (Edit(Span(end[0], end[1] - len("fit_transform"), *end), "transform"),), safe=False)
            words = f"fit_transform measures {data_of(call)} anew, and scales it otherwise than {data_of(other)}: use transform"
            yield Finding.at(call, words, fix=fix, related=[Related(span_of(other), "fitted on the training data here")])
            return


def scaler_of(call: ast.Call, context: Context, methods: tuple[str, ...] = ("fit_transform",)) -> ast.Name | None:
    """The scaler of sklearn whose method is called, bound once to what its class made."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in methods or not call.args:
        return None
    owner = call.func.value
    made = context.assigned(owner) if isinstance(owner, ast.Name) else None
    name = context.name_of(made.func) if isinstance(made, ast.Call) else None
    return owner if isinstance(owner, ast.Name) and (name or "").startswith(PLACES) else None


def data_of(call: ast.Call) -> str:
    """The name of the data: `x_test` of `x_test.reshape(-1, 1)` and of `x_test[columns]`."""
    node: ast.expr = call.args[0]
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
