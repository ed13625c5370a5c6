"""An array or tensor that shares its memory is changed in place.

Why
    numpy() and from_numpy copy nothing: tensor and array are two names of one memory. An operation in place on the one changes
    the other: the weights of the layer, or the array of the caller. copy() and clone() give memory of its own.

Bad
    layer = nn.Linear(3, 1)
    weights = layer.weight.detach().numpy()
    weights -= weights.mean()

Good
    layer = nn.Linear(3, 1)
    weights = layer.weight.detach().numpy().copy()
    weights -= weights.mean()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("numpy-shares-memory", Severity.WARNING, Category.AUTOGRAD, entry="guides/gradients")

# In place, but only the tensor changes, how it looks at its memory; what is in the memory stays.
VIEWING = words(
    "unsqueeze_ squeeze_ transpose_ t_ swapaxes_ swapdims_ as_strided_ detach_ requires_grad_ share_memory_ rename_ set_"
)


@RULE.on(ast.AugAssign, ast.Expr)
def changed(statement: ast.stmt, context: Context) -> Findings:
    name = changed_name(statement)
    bindings = context.file.names.bindings(name) if name is not None else []
    own = [one for one in bindings if one.kind != "augment"]
    made = own[0].value if len(own) == 1 and own[0].kind == "assign" and own[0].path == () else None
    if name is None or not isinstance(made, ast.Call) or made.lineno >= statement.lineno or is_repeated(statement, made, context):
        return
    source = shared(made, context)
    if source is not None and is_first(statement, name, context):
        text = f"{name.id} shares its memory with {context.text_of(source)}, which this changes too: copy it first"
        yield Finding.at(statement, text, related=[Related(span_of(made), "nothing is copied here")])


def changed_name(statement: ast.stmt) -> ast.Name | None:
    """The name of what a statement changes in place: `x -= 1`, `x.sub_(1)`, `x.sub_(1).div_(2)`."""
    if isinstance(statement, ast.AugAssign):
        return statement.target if isinstance(statement.target, ast.Name) else None
    node = statement.value if isinstance(statement, ast.Expr) else None
    is_changed = False
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
        is_changed = is_changed or node.func.attr not in VIEWING
        node = node.func.value
    return node if is_changed and isinstance(node, ast.Name) else None


def shared(made: ast.Call, context: Context) -> ast.expr | None:
    """What shares its memory with the result: the weight of `layer.weight.detach().numpy()`, an argument of from_numpy."""
    if context.name_of(made.func) == "torch.from_numpy" and len(made.args) == 1:
        given = made.args[0]
        bindings = context.file.names.bindings(given) if isinstance(given, ast.Name) else []
        return given if [one.kind for one in bindings] == ["parameter"] else None
    inner = receiver(made, "numpy")
    inner = receiver(inner, "cpu") or inner
    inner = receiver(inner, "detach")
    if not isinstance(inner, ast.Attribute) or inner.attr not in ("weight", "bias"):
        return None
    return inner


def receiver(call: ast.expr | None, method: str) -> ast.expr | None:
    """What a method without arguments is called on."""
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == method and not call.args:
        return call.func.value
    return None


def is_repeated(statement: ast.stmt, made: ast.Call, context: Context) -> bool:
    """Whether it stands in another function than what it changes."""
    return context.file.scope_of(statement) is not context.file.scope_of(made)


def is_first(statement: ast.stmt, name: ast.Name, context: Context) -> bool:
    """Whether it is the first change of this name: one finding is enough."""
    return not any(
        isinstance(one, (ast.AugAssign, ast.Expr)) and one.lineno < statement.lineno and same(changed_name(one), name, context)
        for one in context.file.grown.blocks
    )


def same(one: ast.Name | None, other: ast.Name, context: Context) -> bool:
    return one is not None and one.id == other.id and context.file.scope_of(one) is context.file.scope_of(other)
