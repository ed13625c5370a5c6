"""What shall be trained runs under no_grad.

Why
    Everything that is computed under no_grad is a constant to what comes after. A layer whose weights the optimizer has, but
    which only ever runs there, gets no gradient: its .grad stays None, the optimizer skips it without a word, and it keeps the
    random weights that it began with. A part of the loss that was computed there is a number that nothing learns from. Only what
    is frozen belongs into the block.

Bad
    backbone, head = nn.Linear(8, 4), nn.Linear(4, 2)
    optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()])
    for x in torch.randn(3, 16, 8):
        with torch.no_grad():
            features = backbone(x)
        loss = head(features).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

Good
    backbone, head = nn.Linear(8, 4), nn.Linear(4, 2)
    optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()])
    for x in torch.randn(3, 16, 8):
        features = backbone(x)
        loss = head(features).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.objectives import OFF
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule("no-grad-over-trained-params", Severity.WARNING, Category.AUTOGRAD, entry="torch.no_grad")
# Networks that are meant to stand still, or to follow another one.
STANDING = re.compile(
    r"target|teacher|ema|momentum|frozen|freeze|random|ref|old|lpips|vgg|clip|perceptual|pretrained", re.IGNORECASE
)
CONSTRUCTORS = ("__init__", "setup", "build", "configure_model")


@RULE.on(ast.Module)
def summands(module: ast.Module, context: Context) -> Findings:
    """A summand of a loss that was computed under no_grad."""
    for term in context.objectives.terms:
        if term.off is not None and not term.alone and is_of_network(term.node, context):
            shown = context.text_of(term.node)
            words = f"{shown} was computed under {context.text_of(term.off)}: in this loss it is a constant, which nothing learns"
            yield Finding.at(term.node, f"{words} from", related=[Related(span_of(term.off), "no gradient from here")])


def is_of_network(name: ast.expr, context: Context) -> bool:
    """Whether a network had a part in a value."""
    bindings = context.file.names.bindings(name) if isinstance(name, ast.Name) else []
    calls = [part for one in bindings if one.value is not None for part in ast.walk(one.value) if isinstance(part, ast.Call)]
    values = [context.value_of(call.func) for call in calls]
    return any(value is not None and value.kind == "instance" and value.base == "torch.nn.Module" for value in values)


@RULE.on(ast.Call)
def layers(call: ast.Call, context: Context) -> Findings:
    """A layer with weights of its own that the optimizer has, and that runs under no_grad wherever it runs."""
    if not context.file.text.has("optim"):
        return
    off = around(call, context)
    value = context.value_of(call.func) if off is not None else None
    if off is None or value is None or value.kind != "instance" or not is_learning(call.func, context):
        return
    if STANDING.search(ast.unparse(call.func)) or not always_off(call, context) or not goes_on(call, off, context):
        return
    optimizer = next(optimizers(call.func, context), None)
    if optimizer is not None:
        shown = context.text_of(call.func)
        words = (
            f"{context.text_of(optimizer.func)} has the weights of {shown}, but it runs under {context.text_of(off)} and gets no"
        )
        related = [Related(span_of(optimizer), "trained here"), Related(span_of(off), "no gradient from here")]
        yield Finding.at(call, f"{words} gradient: move it out of the block, or leave it out of the optimizer", related=related)


def around(node: ast.AST, context: Context) -> ast.expr | None:
    """The `torch.no_grad()` of a `with` around a node, or of the decorator of the method that it is in."""
    for outer in context.file.grown.ancestors(node):
        found = [item.context_expr for item in outer.items] if isinstance(outer, ast.With) else []
        if isinstance(outer, FUNCTIONS):
            found = list(outer.decorator_list)
        for one in found:
            if context.name_of(one.func if isinstance(one, ast.Call) else one) in OFF:
                return one
        if isinstance(outer, FUNCTIONS):
            return None
    return None


def is_learning(layer: ast.expr, context: Context) -> bool:
    """Whether it is made in this file of torch's own layers, and not frozen."""
    if context.graphs.frozen.holds(layer):
        return False
    owner = owner_of(layer, context)
    if owner is not None and isinstance(layer, ast.Attribute):
        bindings = context.file.flow.classes.lookup(owner, layer.attr)
    else:
        bindings = context.file.names.bindings(layer) if isinstance(layer, ast.Name) else []
    return len(bindings) == 1 and bindings[0].kind == "assign" and is_made(given_by(bindings[0]), context)


def is_made(value: ast.expr | None, context: Context) -> bool:
    """Whether a call makes a layer with weights: one of torch's, or a network of this file."""
    made = context.value_of(value) if isinstance(value, ast.Call) else None
    if made is None or made.kind != "instance":
        return False
    plain = (
        isinstance(made.node, ast.ClassDef) and made.base == "torch.nn.Module" and context.modules.class_keeps_state(made.node)
    )
    return context.graphs.learns(made) or plain


def owner_of(layer: ast.expr, context: Context) -> ast.ClassDef | None:
    """The class whose `self` a layer is an attribute of."""
    return context.file.flow.classes.owner_of(layer.value) if isinstance(layer, ast.Attribute) else None


def always_off(call: ast.Call, context: Context) -> bool:
    """Whether the layer is only made, handed to optimizers, and called under no_grad."""
    shown = ast.unparse(call.func)
    home = owner_of(call.func, context)
    for node in context.file.index.all(type(call.func)):
        if ast.unparse(node) != shown or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        if isinstance(call.func, ast.Name) or owner_of(node, context) is home:
            parent = context.file.parent_of(node)
            called = isinstance(parent, ast.Call) and parent.func is node and around(parent, context) is not None
            listed = isinstance(parent, ast.Attribute) and parent.attr in (
                "parameters",
                "train",
                "to",
                "weight",
                "named_parameters",
            )
            if not called and not listed:
                return False
    return True


def goes_on(call: ast.Call, off: ast.expr, context: Context) -> bool:
    """Whether what is computed there is trained on: backward follows in the same function, or it is part of a forward."""
    function = context.file.enclosing(call, *FUNCTIONS)
    if owner_of(call.func, context) is None:
        later = [one for one in context.gradients.backwards if context.file.scope_of(one) is context.file.scope_of(call)]
        return any(one.lineno > call.lineno for one in later) and not isinstance(context.file.parent_of(off), FUNCTIONS)
    if not isinstance(function, FUNCTIONS) or function.name in CONSTRUCTORS:
        return False
    if function.name in ("forward", "training_step"):
        return not isinstance(context.file.parent_of(off), FUNCTIONS)
    home = owner_of(call.func, context)
    calls = [part for part in ast.walk(home) if isinstance(part, ast.Call)] if home is not None else []
    used = [part for part in calls if isinstance(part.func, ast.Attribute) and part.func.attr == function.name]
    return bool(used) and all(is_in_forward(part, context) and around(part, context) is None for part in used)


def is_in_forward(node: ast.AST, context: Context) -> bool:
    function = context.file.enclosing(node, *FUNCTIONS)
    return isinstance(function, FUNCTIONS) and function.name in ("forward", "training_step")


def optimizers(layer: ast.expr, context: Context) -> Iterator[ast.Call]:
    """The optimizers that are given the weights of a layer: by its name, or with the whole network that it is part of."""
    home, shown = owner_of(layer, context), ast.unparse(layer)
    meant = context.file.names.bindings(layer) if isinstance(layer, ast.Name) else []
    for call in context.gradients.calls:
        value = context.value_of(call)
        if value is None or not value.is_a("torch.optim.Optimizer") or not call.args or value.node is not None:
            continue
        for given in parameters_in(call.args[0], context, 0):
            held = context.value_of(given)
            same = home is None and isinstance(given, ast.Name) and context.file.names.bindings(given) == meant
            part = home is not None and (ast.unparse(given) == shown or (held is not None and held.node is home))
            if same or part:
                yield call


def parameters_in(node: ast.expr, context: Context, depth: int) -> Iterator[ast.expr]:
    """What the calls of `parameters()` in an expression are called on; behind names too."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "parameters":
            yield part.func.value
        elif isinstance(part, ast.Name) and depth < 3:
            for binding in context.file.names.bindings(part):
                if (
                    binding.kind == "assign"
                    and binding.value is not None
                    and isinstance(binding.value, (ast.List, ast.BinOp, ast.Call))
                ):
                    yield from parameters_in(binding.value, context, depth + 1)
