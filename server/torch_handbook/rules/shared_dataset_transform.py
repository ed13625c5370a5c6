"""The transform of one part of a split dataset is set, and all parts have the same dataset.

Why
    random_split and Subset keep a reference to the dataset and a list of places in it. `valid.dataset.transform = …` therefore
    changes the training data as well: it loses its augmentation, without a word.

Bad
    train, valid = torch.utils.data.random_split(images, [80, 20])
    valid.dataset.transform = plain

Good
    train, _ = torch.utils.data.random_split(images, [80, 20], torch.Generator().manual_seed(0))
    _, valid = torch.utils.data.random_split(unaugmented, [80, 20], torch.Generator().manual_seed(0))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("shared-dataset-transform", Severity.ERROR, Category.DATA, entry="torch.utils.data.random_split")


@RULE.on(ast.Assign)
def set_for_all(statement: ast.Assign, context: Context) -> Findings:
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or "transform" not in target.attr:
        return
    held = target.value
    if not isinstance(held, ast.Attribute) or held.attr != "dataset" or not isinstance(held.value, ast.Name):
        return
    bindings = context.file.names.bindings(held.value)
    made = bindings[0].value if len(bindings) == 1 and bindings[0].path else None
    if not isinstance(made, ast.Call) or context.name_of(made.func) != "torch.utils.data.random_split":
        return
    if any(not isinstance(node.ctx, ast.Load) for node in context.file.index.attributes.get("dataset", ())):
        return  # a part has been given a dataset of its own
    words = f"all parts of the split hold the same dataset, so this sets {target.attr} for every one of them: split two datasets"
    yield Finding.at(statement, f"{words}, each with its {target.attr}", related=[Related(span_of(made), "split here")])
