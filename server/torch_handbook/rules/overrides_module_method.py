"""A method or attribute of a module takes the place of one that torch itself uses.

Why
    eval() is train(False): in a class whose own train() runs the training, every eval() trains once more, or raises because
    arguments are missing. A list that is kept as self.modules or self.parameters breaks .to(), the optimizer and state_dict(),
    and a parameter of such a name raises KeyError. A layer is registered, but the method is found before it.

Bad
    class Net(nn.Module):
        def train(self, data, epochs):
            for x in data:
                self(x)

Good
    class Net(nn.Module):
        def fit(self, data, epochs):
            for x in data:
                self(x)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("overrides-module-method", Severity.ERROR, Category.MODULE, entry="guides/own-modules")
USED = words(
    "modules named_modules parameters named_parameters children named_children buffers named_buffers state_dict train eval"
)
VALUES = (ast.Call, ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Constant, ast.Tuple)


@RULE.on(ast.ClassDef)
def trains(node: ast.ClassDef, context: Context) -> Findings:
    """A `train` that cannot be called as `train(False)`."""
    if not context.modules.is_module_class(node):
        return
    for method in (part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "train"):
        if method.decorator_list or takes_mode(method) or calls_super(method, context):
            continue
        place = span_of(method).line, span_of(method).column + len("def ")
        words = f"eval() of {node.name} calls this train as train(False): give it another name, such as fit"
        # It does no harm until somebody calls eval().
        yield Finding.at(Span(*place, place[0], place[1] + len("train")), words, severity=Severity.WARNING)


def takes_mode(method: ast.FunctionDef) -> bool:
    """Whether it has one parameter that may be the mode: the others have a default."""
    arguments = [*method.args.posonlyargs, *method.args.args][1:]
    if method.args.vararg is not None:
        return True
    if not arguments:
        return False
    needed = len(arguments) - len(method.args.defaults)
    first = arguments[0].arg.lower()
    return needed <= 1 and (needed <= 0 or any(word in first for word in ("mode", "train", "flag", "is_")))


def calls_super(method: ast.FunctionDef, context: Context) -> bool:
    return any(node.attr == "train" for node in context.file.index.inside(method, ast.Attribute))


@RULE.on(ast.Assign)
def hidden(statement: ast.Assign, context: Context) -> Findings:
    """`self.modules = …` of a module."""
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or target.attr not in USED or not isinstance(statement.value, VALUES):
        return
    owner = context.file.flow.classes.owner_of(target.value)
    if owner is None or not context.modules.is_module_class(owner) or may_be_callable(statement.value, context):
        return
    what = f"{context.text_of(target)} is nn.Module's own method"
    if is_layer(statement.value, context):
        words = f"{what}, which is found before the layer of that name: take another name"
        yield Finding.at(target, words, severity=Severity.WARNING)  # it does no harm until somebody reads it
    else:
        yield Finding.at(target, f"{what}, which torch calls to move, save and train the network: take another name")


def is_layer(value: ast.expr, context: Context) -> bool:
    return isinstance(value, ast.Call) and context.name_of(value.func) != "torch.nn.Parameter"


def may_be_callable(value: ast.expr, context: Context) -> bool:
    """Whether a call may give a function that takes the place of the method."""
    return isinstance(value, ast.Call) and context.modules.made_by(value) is None
