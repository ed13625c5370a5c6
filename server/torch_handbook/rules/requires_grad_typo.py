"""A misspelt requires_grad is set, and nothing is frozen.

Why
    A tensor takes any attribute: `require_grad = False` is stored and read by nobody. The parameters go on learning.

Bad
    layer = nn.Linear(3, 1)
    for parameter in layer.parameters():
        parameter.require_grad = False

Good
    layer = nn.Linear(3, 1)
    for parameter in layer.parameters():
        parameter.requires_grad = False
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("requires-grad-typo", Severity.ERROR, Category.AUTOGRAD, entry="guides/gradients")
MISSPELT = frozenset(
    {
        *("require_grad", "require_grads", "requires_grads", "requiere_grad", "requieres_grad", "requires_gard", "required_grad"),
        *("requre_grad", "requres_grad", "reqires_grad", "require_gradient", "requires_gradient", "requires_gradients"),
        *(
            "requries_grad",
            "requires_garad",
            "requiers_grad",
            "requires_graf",
            "requires_grade",
            "requiresgrad",
            "requireds_grad",
        ),
    }
)
GIVING = ("parameters", "named_parameters")


@RULE.on(ast.Assign)
def misspelt(statement: ast.Assign, context: Context) -> Findings:
    for target in statement.targets:
        if isinstance(target, ast.Attribute) and target.attr in MISSPELT and is_tensor(target.value, context):
            end = span_of(target).end
            start = end._replace(column=end.column - len(target.attr))
            fix = Fix("write requires_grad", (Edit(Span(*start, *end), "requires_grad"),))
            words = f"{context.text_of(target.value)} has no {target.attr}, and takes it without a word: write requires_grad"
            yield Finding.at(target, words, fix=fix)


def is_tensor(node: ast.expr, context: Context) -> bool:
    """Whether it is a tensor, or one of what `parameters()` gives."""
    value = context.value_of(node)
    if value is not None and value.kind == "tensor":
        return True
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    return bool(bindings) and all(
        one.kind == "for" and isinstance(one.value, ast.Call) and gives_parameters(one.value) for one in bindings
    )


def gives_parameters(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in GIVING
