"""Cross-entropy is given probabilities, and takes their softmax once more.

Why
    cross_entropy and CrossEntropyLoss begin with log_softmax: they want the scores of the last layer as they are. On
    probabilities the loss cannot come near zero, even for a perfect answer, and the gradients shrink, so training is slow and
    ends early. Nothing raises. log_softmax before it is harmless: doing it twice changes nothing.

Bad
    scores, labels = torch.randn(8, 10), torch.randint(0, 10, (8,))
    loss = F.cross_entropy(F.softmax(scores, dim=1), labels)

Good
    scores, labels = torch.randn(8, 10), torch.randint(0, 10, (8,))
    loss = F.cross_entropy(scores, labels)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Origin, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("softmax-before-cross-entropy", Severity.ERROR, Category.TRAINING, entry="torch.nn.CrossEntropyLoss")

SOFTMAX = frozenset(
    {
        "torch.softmax",
        "torch.nn.functional.softmax",
        "torch.special.softmax",
        "torch.Tensor.softmax",
        "torch.nn.Softmax",
        "torch.nn.Softmax2d",
    }
)


@RULE.on(ast.Call)
def loss_on_probabilities(call: ast.Call, context: Context) -> Findings:
    loss = cross_entropy(call, context)
    given = input_of(call)
    if loss is None or given is None:
        return
    origins = context.origins.of(given)
    if not all(origin.name in SOFTMAX for origin in origins):
        return
    yield Finding.at(given, words(loss, given, origins, context), fix=unwrapped(given, origins), related=related(given, origins))


def cross_entropy(call: ast.Call, context: Context) -> str | None:
    """What the call is named, if it computes a cross-entropy."""
    if context.name_of(call.func) == "torch.nn.functional.cross_entropy":
        return "cross_entropy"
    if any(value.name == "torch.nn.CrossEntropyLoss" for value in context.origins.instances(call.func)):
        return "CrossEntropyLoss"
    return None


def input_of(call: ast.Call) -> ast.expr | None:
    """The scores that a loss is given."""
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    return next((keyword.value for keyword in call.keywords if keyword.arg == "input"), None)


def words(loss: str, given: ast.expr, origins: list[Origin], context: Context) -> str:
    if given is origins[0].node:
        return f"{loss} takes the softmax itself: give it the scores, without softmax"
    lines = ", ".join(str(line) for line in sorted({origin.node.lineno for origin in origins}))
    shown = ast.unparse(given) if len(ast.unparse(given)) < 40 else "its input"
    return f"{loss} takes the softmax itself, but {shown} has been through softmax already (line {lines}): give it the scores"


def unwrapped(given: ast.expr, origins: list[Origin]) -> Fix | None:
    """Take the softmax away where it stands in the loss itself: nothing else sees its result."""
    if len(origins) != 1 or origins[0].node is not given or not isinstance(given, ast.Call):
        return None
    if origins[0].name == "torch.Tensor.softmax" and isinstance(given.func, ast.Attribute):
        scores = given.func.value
    else:
        scores = input_of(given)
    if scores is None:
        return None
    outer, inner = span_of(given), span_of(scores)
    before = Edit(outer._replace(end_line=inner.line, end_column=inner.column), "")
    behind = Edit(outer._replace(line=inner.end_line, column=inner.end_column), "")
    return Fix("remove softmax", (before, behind))


def related(given: ast.expr, origins: list[Origin]) -> list[Related]:
    return [Related(span_of(origin.node), "softmax is taken here") for origin in origins if origin.node is not given]
