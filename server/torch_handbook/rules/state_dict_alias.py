"""The weights to come back to are kept as state_dict(), which training goes on changing.

Why
    state_dict() returns the living tensors, and dict.copy() copies only references to them. What was kept as the best, or as
    the start, is at the end the last. Use copy.deepcopy, or clone each tensor, or save to a file.

Bad
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        best_state = model.state_dict()
        optimizer.step()
    model.load_state_dict(best_state)

Good
    import copy
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        best_state = copy.deepcopy(model.state_dict())
        optimizer.step()
    model.load_state_dict(best_state)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity

RULE = Rule("state-dict-alias", Severity.ERROR, Category.SERIALIZATION, entry="torch.nn.Module")

KEPT = re.compile(r"best|initial|init_|snapshot|backup|original|before", re.IGNORECASE)
CHANGES = frozenset({"step", "add_", "sub_", "mul_"})


@RULE.on(ast.Assign)
def kept_alive(statement: ast.Assign, context: Context) -> Findings:
    target, value = statement.targets[0], plain(statement.value)
    copied = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "copy"
    source = value.func.value if copied and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else value
    if not is_state_dict(source, context):
        return
    listed = value is not statement.value
    stored = isinstance(target, ast.Attribute) and is_own(target) and (copied or is_loaded_back(target, context))
    filed = isinstance(target, ast.Subscript) and is_filed_best(target, context)
    if stored or filed or (isinstance(target, ast.Name) and is_kept(target, context)):
        only = ", and copy() only references to them" if copied else ", and a new dict only references to them" if listed else ""
        words = f"state_dict() gives the living tensors{only}"
        yield Finding.at(statement.value, f"{words}, which training goes on changing: use copy.deepcopy")


@RULE.on(ast.Call)
def gathered(call: ast.Call, context: Context) -> Findings:
    """`snapshots.append(model.state_dict())` after each step."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "append" or len(call.args) != 1:
        return
    loop = context.file.enclosing(call, ast.For, ast.While)
    if loop is None or not is_state_dict(call.args[0], context):
        return
    steps = context.steps.of(loop.body) if isinstance(loop, (ast.For, ast.While)) else []
    state = call.args[0]
    trained = isinstance(state, ast.Call) and isinstance(state.func, ast.Attribute) and isinstance(state.func.value, ast.Name)
    if trained and any(step.kind == "step" for step in steps) and not is_bound_in(state, loop, context):
        words = "each of these state dicts holds the same living tensors, which the next step changes: append copy.deepcopy of it"
        yield Finding.at(state, words)


def is_bound_in(state: ast.expr, loop: ast.AST, context: Context) -> bool:
    """Whether each turn of the loop has a network of its own."""
    names = [part for part in ast.walk(state) if isinstance(part, ast.Name)]
    bindings = [binding for name in names for binding in context.file.names.bindings(name)]
    return not bindings or any(loop in context.file.grown.ancestors(binding.node) for binding in bindings)


def is_filed_best(target: ast.Subscript, context: Context) -> bool:
    """Whether it is `best["weights"] = …` in training, and loaded again in the same function."""
    if not KEPT.search(ast.unparse(target)) or not isinstance(target.value, ast.Name):
        return False
    place, written = context.file.scope_of(target.value).node, ast.unparse(target)
    calls = context.file.index.inside(place, ast.Call)
    uses = [use for use in context.file.index.inside(place, ast.Subscript) if use is not target and ast.unparse(use) == written]
    goes_on = any(isinstance(call.func, ast.Attribute) and call.func.attr in CHANGES for call in calls)
    return goes_on and any(is_loaded(use, context) for use in uses) and not any(is_written(use, context) for use in uses)


def plain(value: ast.expr) -> ast.expr:
    """The dict that `{k: v for k, v in x.items()}` or `dict(x)` holds the same values of."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict" and len(value.args) == 1:
        return value.args[0]
    if not isinstance(value, ast.DictComp) or len(value.generators) != 1:
        return value
    walked, pair = value.generators[0].iter, value.generators[0].target
    same = isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and ast.unparse(pair.elts[1]) == ast.unparse(value.value)
    if same and isinstance(walked, ast.Call) and isinstance(walked.func, ast.Attribute) and walked.func.attr == "items":
        return walked.func.value
    return value


def is_loaded_back(target: ast.Attribute, context: Context) -> bool:
    """Whether it is kept as the best weights: by its name, and because it is loaded again and not written to a file."""
    if not KEPT.search(target.attr):
        return False
    uses = [use for use in context.file.index.attributes.get(target.attr, ()) if isinstance(use.ctx, ast.Load)]
    return any(is_loaded(use, context) for use in uses) and not any(is_written(use, context) for use in uses)


def is_loaded(use: ast.expr, context: Context) -> bool:
    call = context.file.parent_of(use)
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "load_state_dict"


def is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def is_state_dict(node: ast.expr, context: Context) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "state_dict":
        return False
    owner = context.value_of(node.func.value)
    return owner is None or owner.base in (None, "torch.nn.Module")


def is_kept(target: ast.Name, context: Context) -> bool:
    """Whether training goes on in the same function before the weights are used again, and they are not written to a file."""
    if not KEPT.search(target.id):
        return False
    place = context.file.scope_of(target).node
    parts = list(ast.walk(place))
    loop = context.file.enclosing(target, ast.For, ast.While)
    steps = [
        part
        for part in parts
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in CHANGES
    ]
    goes_on = any(step.lineno > target.lineno or (loop is not None and step in ast.walk(loop)) for step in steps)
    uses = [part for part in parts if isinstance(part, ast.Name) and part.id == target.id and isinstance(part.ctx, ast.Load)]
    return goes_on and bool(uses) and not any(is_written(use, context) for use in uses)


def is_written(use: ast.expr, context: Context) -> bool:
    """Whether the weights are saved to a file, or copied, there."""
    for around in context.file.grown.ancestors(use):
        if isinstance(around, ast.Call) and re.search(r"save|copy|clone", ast.unparse(around.func)):
            return True
        if isinstance(around, ast.stmt):
            break
    return False
