"""A loss gets its targets first.

Why
    Losses of torch take the prediction first and the target second; scikit-learn and Keras have it the other way round. With
    binary losses nothing raises: gradients then flow through the wrong argument, and the value is another one.

Bad
    loss = F.binary_cross_entropy_with_logits(targets, logits)

Good
    loss = F.binary_cross_entropy_with_logits(logits, targets)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("loss-arguments-swapped", Severity.ERROR, Category.TRAINING, entry="guides/losses")
FUNCTIONS = words("cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits")
LAYERS = words("CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss")
TARGET = re.compile(r"(?:y_|batch_|train_)?(?:targets?|labels?|y_true|ground_truth|gt)")
PREDICTION = re.compile(r"(?:y_)?(?:logits?|outputs?|preds?|predictions?|scores?|y_hat|y_pred)")


@RULE.on(ast.Call)
def swapped(call: ast.Call, context: Context) -> Findings:
    if len(call.args) < 2 or not is_loss(call.func, context):
        return
    first, second = call.args[:2]
    if TARGET.fullmatch(name_of(first)) and PREDICTION.fullmatch(name_of(second)):
        edits = (Edit(span_of(first), context.text_of(second)), Edit(span_of(second), context.text_of(first)))
        told = f"{context.text_of(call.func)} takes the prediction first, but gets {context.text_of(first)}, then"
        fix = Fix("swap them", edits, safe=False)
        yield Finding.at(call, f"{told} {context.text_of(second)}: swap them", fix=fix)


def is_loss(func: ast.expr, context: Context) -> bool:
    owner, _, last = (context.name_of(func) or "").rpartition(".")
    if owner == "torch.nn.functional":
        return last in FUNCTIONS
    values = context.origins.instances(func)
    return bool(values) and all(value.sure and value.name.removeprefix("torch.nn.") in LAYERS for value in values)


def name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
