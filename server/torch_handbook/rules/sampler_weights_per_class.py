"""A WeightedRandomSampler gets one weight per class in the place of one per sample.

Why
    The sampler draws places in the dataset, and weights[i] is the weight of sample i. Given the weights of two classes it draws
    the samples 0 and 1 only, again and again. Look up the weight of each sample's class: class_weights[labels].

Bad
    class_weights = 1 / torch.bincount(labels)
    sampler = torch.utils.data.WeightedRandomSampler(class_weights, len(labels))

Good
    class_weights = 1 / torch.bincount(labels)
    sampler = torch.utils.data.WeightedRandomSampler(class_weights[labels], len(labels))
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.text import span_of

RULE = Rule("sampler-weights-per-class", Severity.ERROR, Category.DATA, entry="torch.utils.data.WeightedRandomSampler")
# What counts the samples of each class, and gives one number for each of them.
COUNTS = re.compile(r"\b(?:bincount|class_counts?|counts?_per_class|label_counts?|num_per_class|class_sample_counts?)\b")


@RULE.on(ast.Call)
def drawn(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.utils.data.WeightedRandomSampler":
        return
    given = arguments_of(context.file, call, ("weights", "num_samples")).given.get("weights")
    made = context.assigned(given)
    if not isinstance(given, ast.Name) or made is None or made is given or not is_per_class(made):
        return
    words = f"{given.id} has one weight for each class, and the sampler takes one for each sample: give {given.id}[labels]"
    yield Finding.at(given, words, related=[Related(span_of(made), "one number for each class")])


def is_per_class(made: ast.expr) -> bool:
    """Whether it is arithmetic on the counts of the classes, and nothing looks up the class of a sample."""
    looks_up = any(isinstance(part, (ast.Subscript, ast.comprehension)) for part in ast.walk(made))
    return not looks_up and COUNTS.search(ast.unparse(made)) is not None and isinstance(made, (ast.BinOp, ast.Call))
