"""The parts of a split are unpacked in another order than they come in.

Why
    train_test_split gives both parts of the first array, then both parts of the second: X_train, X_test, y_train, y_test. In
    another order the network is trained with test rows as targets; where the shapes fit, nothing raises.

Bad
    from sklearn.model_selection import train_test_split
    X_train, y_train, X_test, y_test = train_test_split(X, y)

Good
    from sklearn.model_selection import train_test_split
    X_train, X_test, y_train, y_test = train_test_split(X, y)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("split-unpacked-in-wrong-order", Severity.ERROR, Category.DATA, entry="guides/evaluation")
TRAIN = re.compile(r"(?:^|_)(?:train|training|tr)(?:$|_)|^[Xxy]train$|^train[Xxy]$", re.IGNORECASE)
TEST = re.compile(r"(?:^|_)(?:test|val|valid|validation|te|dev)(?:$|_)|^[Xxy](?:test|val)$|^(?:test|val)[Xxy]$", re.IGNORECASE)


@RULE.on(ast.Assign)
def unpacked(statement: ast.Assign, context: Context) -> Findings:
    target, call = statement.targets[0], statement.value
    if not isinstance(call, ast.Call) or context.name_of(call.func) != "sklearn.model_selection.train_test_split":
        return
    if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(one, ast.Starred) for one in (*target.elts, *call.args)):
        return
    names = [one.id for one in target.elts if isinstance(one, ast.Name)]
    if len(names) != len(target.elts) or len(names) != 2 * len(call.args) or len(call.args) < 2:
        return
    parts = [part_of(name) for name in names]
    if "" in parts or parts.count("train") != len(call.args) or parts == ["train", "test"] * len(call.args):
        return
    order = ", ".join(f"both parts of {context.text_of(one)}" for one in call.args)
    yield Finding.at(target, f"train_test_split gives {order}, the training part first: these names stand in another order")


def part_of(name: str) -> str:
    """Which part a name speaks of: "train", "test", or "" where it is neither or both."""
    train, test = TRAIN.search(name), TEST.search(name)
    return "" if bool(train) == bool(test) else "train" if train else "test"
