"""A method is named and not called.

Why
    Without brackets the line looks the method up and does nothing with it: gradients are not cleared, nothing runs backward, the
    model stays in the mode it is in. Nothing raises. torch.save(model.state_dict, …) pickles the method, and the whole model
    with it.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad
    model(torch.randn(8, 3)).mean().backward()

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.randn(8, 3)).mean().backward()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words
from torch_handbook.source.value import Value

RULE = Rule("method-not-called", Severity.ERROR, Category.TRAINING, entry="guides/training-loop")
# Methods that do something even without arguments, by whose they are.
METHODS = {
    "torch.optim.Optimizer": frozenset({"zero_grad", "step"}),
    "torch.optim.lr_scheduler.LRScheduler": frozenset({"step"}),
    "torch.amp.GradScaler": frozenset({"update"}),
    "torch.nn.Module": frozenset({"zero_grad", "train", "eval", "cuda", "cpu", "half", "double", "float", "requires_grad_"}),
    "torch.Tensor": frozenset({"backward", "zero_", "detach_", "requires_grad_", "retain_grad"}),
}
PLAIN = frozenset({"zero_grad"})  # nothing else has a method of this name


@RULE.on(ast.Expr)
def named(statement: ast.Expr, context: Context) -> Findings:
    node = statement.value
    if not isinstance(node, ast.Attribute) or context.file.enclosing(node, ast.Try) is not None:
        return
    value = context.value_of(node.value)
    base = value.base if value is not None and value.kind in ("instance", "tensor") else None
    if node.attr not in METHODS.get(base or "", PLAIN):
        return
    end = span_of(node).end
    fix = Fix("call it", (Edit(Span(*end, *end), "()"),))
    yield Finding.at(node, f"{context.text_of(node)} is named here and not called, so nothing happens: add brackets", fix=fix)


# Methods of a tensor that give a number, a size or a tensor, and of a model and an optimizer that do something.
VALUES = {
    "torch.Tensor": words(
        "item tolist numel dim size mean sum max min argmax std var abs exp log sqrt softmax sigmoid float long int double half"
        " bool cpu cuda detach clone numpy squeeze flatten t any all is_contiguous norm"
    ),
    "torch.nn.Module": words("train eval parameters state_dict zero_grad named_parameters"),
    "torch.optim.Optimizer": words("state_dict step zero_grad"),
    "torch.optim.lr_scheduler.LRScheduler": words("get_last_lr step state_dict"),
}


@RULE.on(ast.Attribute)
def used(node: ast.Attribute, context: Context) -> Findings:
    """`total += loss.item`, `if model.train:`, `f"{loss.item:.3f}"`: a method where a value is meant."""
    if not any(node.attr in found for found in VALUES.values()) or not isinstance(node.ctx, ast.Load):
        return
    what = place_of(node, context)
    value = context.value_of(node.value) if what else None
    if (
        value is None
        or not (value.sure or what == "its own name")
        or value.kind not in ("instance", "tensor")
        or node.attr not in VALUES.get(value.base or "", ())
    ):
        return
    if is_own(value, node.attr, context) or is_guarded(context.file, node):
        return
    end = span_of(node).end
    fix = Fix("call it", (Edit(Span(*end, *end), "()"),), safe=False)
    # Within an f-string of several lines nodes have no exact place.
    fix = fix if context.file.enclosing(node, ast.JoinedStr) is None else None
    instead = node.attr in ("train", "eval") and what == "a condition"
    advice = f"ask {context.text_of(node.value)}.training" if instead else "add brackets"
    yield Finding.at(
        node,
        f"{context.text_of(node)} is named here and not called, and a method {WHY[what]}: {advice}",
        fix=None if instead else fix,
    )


WHY = {
    "its own name": "takes the place of the tensor",
    "arithmetic": "cannot be computed with",
    "a comparison": "is equal to no value",
    "a condition": "is always true",
    "a format": "cannot be formatted as a number",
    "a text": "prints as an address",
}


def place_of(node: ast.Attribute, context: Context) -> str:
    """What a value is used for where it stands; "" where a method can be meant."""
    parent = context.file.parent_of(node)
    if isinstance(parent, ast.BinOp) or (isinstance(parent, ast.AugAssign) and parent.value is node):
        return "arithmetic"
    if isinstance(parent, ast.Assign):  # `labels = labels.long`
        target = parent.targets[0] if len(parent.targets) == 1 else None
        same = isinstance(target, ast.Name) and isinstance(node.value, ast.Name) and target.id == node.value.id
        return "its own name" if same and parent.value is node else ""
    if isinstance(parent, ast.UnaryOp):
        return "a condition" if isinstance(parent.op, ast.Not) else "arithmetic"
    if isinstance(parent, ast.Compare):
        methods = (ast.Attribute, ast.Name)
        others = [one for one in (parent.left, *parent.comparators) if one is not node]
        plain = all(isinstance(op, (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in parent.ops)
        return "a comparison" if plain and not all(isinstance(one, methods) for one in others) else ""
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return "a condition" if parent.test is node else ""
    if isinstance(parent, ast.BoolOp):
        return "a condition" if place_of_condition(parent, context) else ""
    if isinstance(parent, ast.FormattedValue):
        return "a format" if parent.format_spec is not None else "a text"
    function = parent.func if isinstance(parent, ast.Call) else None
    is_print = isinstance(function, ast.Name) and function.id == "print" and not context.file.names.bindings(function)
    return "a text" if is_print else ""


def place_of_condition(node: ast.BoolOp, context: Context) -> bool:
    parent = context.file.parent_of(node)
    return isinstance(parent, (ast.If, ast.While, ast.Assert)) and parent.test is node


def is_own(value: Value, name: str, context: Context) -> bool:
    """Whether a class of the file, or the file itself, gives the name another meaning."""
    if value.away is not None:
        return True
    if isinstance(value.node, ast.ClassDef) and context.file.flow.classes.lookup(value.node, name):
        return True
    return any(not isinstance(one.ctx, ast.Load) for one in context.file.index.attributes.get(name, ()))


CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.parameters_to_vector")


@RULE.on(ast.Call)
def given(call: ast.Call, context: Context) -> Findings:
    """`torch.optim.SGD(net.parameters, lr=0.1)`."""
    part = call.args[0] if call.args else None
    if not isinstance(part, ast.Attribute) or part.attr not in ("parameters", "named_parameters"):
        return
    name = context.name_of(call.func) or ""
    made = context.value_of(call)
    owner = context.value_of(part.value)
    optimizer = made is not None and made.is_a("torch.optim.Optimizer") and name.startswith("torch.optim.")
    if (optimizer or name in CLIPS) and (owner is None or owner.base == "torch.nn.Module"):
        end = span_of(part).end
        said = f"{context.text_of(part)} is named here and not called, and a method cannot be iterated over: add brackets"
        yield Finding.at(part, said, fix=Fix("call it", (Edit(Span(*end, *end), "()"),)))


@RULE.on(ast.Call)
def saved(call: ast.Call, context: Context) -> Findings:
    """`torch.save(model.state_dict, path)`, also in a dict of several."""
    if context.name_of(call.func) != "torch.save" or not call.args:
        return
    given = context.assigned(call.args[0])
    parts = given.values if isinstance(given, ast.Dict) else [call.args[0]]
    for part in parts:
        if isinstance(part, ast.Attribute) and part.attr == "state_dict":
            value = context.value_of(part.value)
            if value is not None and value.kind == "instance" and value.base is not None:
                end = span_of(part).end
                said = f"{context.text_of(part)} is named here and not called, so the method is pickled with all that it is of"
                yield Finding.at(part, f"{said}: add brackets", fix=Fix("call it", (Edit(Span(*end, *end), "()"),)))
