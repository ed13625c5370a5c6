"""A file is loaded that holds more than weights, which torch.load refuses.

Why
    Since torch 2.6 torch.load takes tensors and plain containers only, and raises UnpicklingError for other objects: an
    argparse.Namespace, a whole model. Store vars(args) and state_dict(); a file of your own opens with weights_only=False.

Bad
    model = nn.Linear(4, 2)
    torch.save(model, "model.pt")
    model = torch.load("model.pt")

Good
    model = nn.Linear(4, 2)
    torch.save(model.state_dict(), "model.pt")
    model.load_state_dict(torch.load("model.pt"))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of

RULE = Rule(
    "load-weights-only-custom-object",
    Severity.ERROR,
    Category.SERIALIZATION,
    entry="torch.load",
    covers=("load-weights-only-whole-model",),
)

MODEL, NAMESPACE = "load-weights-only-whole-model", "load-weights-only-custom-object"
ADVICE = {MODEL: "a whole model: save its state_dict()", NAMESPACE: "an argparse.Namespace: save vars() of it"}


@RULE.on(ast.Call)
def refused(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.load" or not call.args or is_guarded(context.file, call):
        return
    if any(word.arg in ("weights_only", "pickle_module", None) for word in call.keywords):
        return
    if context.file.text.has("safe_globals"):
        return
    path = ast.unparse(call.args[0])
    saves = [one for one in context.file.index.all(ast.Call) if len(one.args) > 1 and context.name_of(one.func) == "torch.save"]
    kinds = {one: kind_of(one.args[0], context) for one in saves if ast.unparse(one.args[1]) == path}
    homes = {one: context.file.scope_of(one) for one in kinds}
    for node, kind in kinds.items():
        # Where something else is written there too, it may be that which is loaded.
        if kind is not None and all(kinds[one] for one, home in homes.items() if home is homes[node]):
            where = (Related(span_of(node), "it is saved here"),)
            yield Finding.at(call, f"torch.load refuses this file, which holds {ADVICE[kind]}", related=where, kind=kind)
            return


def kind_of(node: ast.expr, context: Context) -> str | None:
    """What a saved object holds that cannot be loaded."""
    if isinstance(node, ast.Dict):
        return next((kind for item in node.values if (kind := kind_of(item, context))), None)
    value = context.value_of(node)
    if value is not None and value.kind == "instance" and value.sure and value.base == "torch.nn.Module":
        return MODEL
    return NAMESPACE if is_namespace(node, context) else None


def is_namespace(node: ast.expr, context: Context, depth: int = 4) -> bool:
    if isinstance(node, ast.Call):
        parses = isinstance(node.func, ast.Attribute) and node.func.attr == "parse_args"
        return parses or context.name_of(node.func) == "argparse.Namespace"
    if not isinstance(node, ast.Name) or depth == 0:
        return False
    bindings = context.file.names.bindings(node)
    if len(bindings) != 1:
        return False
    if bindings[0].kind == "parameter":
        given = context.callers.arguments_of(bindings[0])
        return bool(given) and all(is_namespace(one, context, depth - 1) for one in given or ())
    value = given_by(bindings[0])
    return value is not None and is_namespace(value, context, depth - 1)
