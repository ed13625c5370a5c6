"""A second network is only a second name of the first one.

Why
    `target = net` binds another name to the same object. A target network that shall lag behind, a teacher, the best model so
    far: each changes with every step of the optimizer, and copying weights from one to the other copies them onto themselves.
    copy.deepcopy(net) makes a second one.

Bad
    net = nn.Linear(3, 2)
    target_net = net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.randn(10, 8, 3):
        loss = F.mse_loss(net(x), target_net(x).detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

Good
    import copy
    net = nn.Linear(3, 2)
    target_net = copy.deepcopy(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.randn(10, 8, 3):
        loss = F.mse_loss(net(x), target_net(x).detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.steps import LOOPS
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("network-alias-not-copy", Severity.ERROR, Category.TRAINING, entry="guides/training-loop")
FOLLOWS = re.compile(r"target|teacher|(^|_)ema(_|$)|shadow|momentum|frozen|(^|_)old(_|$)|_k$|(^|_)averaged?(_|$)", re.IGNORECASE)
KEPT = re.compile(r"(^|_)best(_|$)|snapshot|backup|(^|_)initial(_|$)|(^|_)prev(ious)?(_|$)", re.IGNORECASE)
CHANGES = words("step backward fit train_step train_epoch optimize")
WRITES = words("copy_ lerp_ mul_ load_state_dict")


@RULE.on(ast.Assign)
def aliased(statement: ast.Assign, context: Context) -> Findings:
    for target, value in pairs(statement):
        shallow = isinstance(value, ast.Call) and context.name_of(value.func) == "copy.copy" and len(value.args) == 1
        value = value.args[0] if shallow and isinstance(value, ast.Call) else value
        if not isinstance(value, (ast.Name, ast.Attribute)):
            continue
        name, source = last_of(target), last_of(value)
        if not (FOLLOWS.search(name) or KEPT.search(name)) or not is_network(value, context):
            continue
        related = None
        if FOLLOWS.search(name) and not FOLLOWS.search(source):
            related = next(separate(target, value, statement, context), None)
        elif KEPT.search(name) and not KEPT.search(source):
            related = trained_after(target, value, statement, context)
        if related is not None:
            shown = context.text_of(value)
            words = f"{context.text_of(target)} is the same network as {shown}, and changes with it: use copy.deepcopy({shown})"
            if shallow:
                words = f"copy.copy leaves {context.text_of(target)} the weights of {shown} itself: use copy.deepcopy({shown})"
            told = Related(span_of(related), "takes them for two networks" if FOLLOWS.search(name) else "trained on here")
            yield Finding.at(statement, words, fix=None if shallow else copied(value, context), related=[told])


def copied(value: ast.expr, context: Context) -> Fix | None:
    """Where the file imports copy, or its deepcopy."""
    spelled = context.spell("copy.deepcopy", value)
    return Fix("make a copy", (Edit(span_of(value), f"{spelled}({context.text_of(value)})"),), safe=False) if spelled else None


def pairs(statement: ast.Assign) -> Iterator[tuple[ast.Name | ast.Attribute, ast.expr]]:
    """The targets of an assignment with what each is given."""
    for target in statement.targets:
        if isinstance(target, (ast.Name, ast.Attribute)):
            yield target, statement.value
        elif (
            isinstance(target, ast.Tuple)
            and isinstance(statement.value, ast.Tuple)
            and len(target.elts) == len(statement.value.elts)
        ):
            for one, value in zip(target.elts, statement.value.elts, strict=True):
                if isinstance(one, (ast.Name, ast.Attribute)):
                    yield one, value


def last_of(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def is_network(node: ast.expr, context: Context) -> bool:
    value = context.value_of(node)
    return value is not None and value.kind == "instance" and value.base == "torch.nn.Module"


def mentions(node: ast.AST, wanted: ast.Name | ast.Attribute) -> bool:
    return any(isinstance(part, (ast.Name, ast.Attribute)) and last_of(part) == last_of(wanted) for part in ast.walk(node))


def reach_of(target: ast.expr, statement: ast.stmt, context: Context) -> ast.AST:
    """Where the name means this network: the class of a `self.target`, else the function."""
    if isinstance(target, ast.Attribute):
        return context.file.enclosing(statement, ast.ClassDef) or context.file.tree
    return context.file.scope_of(target).node


def separate(target: ast.Name | ast.Attribute, source: ast.expr, statement: ast.stmt, context: Context) -> Iterator[ast.AST]:
    """The places where the two are taken for different networks: weights are copied over, or one is compared with the other."""
    if not isinstance(source, (ast.Name, ast.Attribute)) or is_rebound(target, statement, context):
        return
    place = reach_of(target, statement, context)
    calls = [node for node in ast.walk(place) if isinstance(node, ast.Call)]
    learns = isinstance(place, ast.ClassDef) and "torch.nn.Module" in context.file.flow.classes.torch_bases(place)[0]
    trained = learns or any(call in context.gradients.backwards for call in calls)
    compared = trained and any(isinstance(call.func, type(target)) and last_of(call.func) == last_of(source) for call in calls)
    for node in ast.walk(place):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load_state_dict":
            if mentions(node.func.value, target) and any(mentions(item, source) for item in node.args):
                yield node
        elif isinstance(node, (ast.For, ast.AsyncFor)) and mentions(node.iter, target) and mentions(node.iter, source):
            if any(isinstance(part, ast.Attribute) and part.attr in WRITES for part in ast.walk(node)):
                yield node.iter
        elif compared and isinstance(node, ast.Call) and is_constant(node, target, context):
            yield node


def is_constant(call: ast.Call, target: ast.expr, context: Context) -> bool:
    """Whether a call runs the second network, and its result is used without its gradient."""
    if ast.unparse(call.func) != ast.unparse(target):
        return False
    parent = context.file.parent_of(call)
    detached = isinstance(parent, ast.Attribute) and parent.attr == "detach"
    return detached or any(
        isinstance(around, ast.With) and any(context.gradients.is_off(item.context_expr) for item in around.items)
        for around in context.file.grown.ancestors(call)
    )


def is_rebound(target: ast.Name | ast.Attribute, statement: ast.stmt, context: Context) -> bool:
    """Whether the name is given anything else as well: then it may mean a network of its own."""
    place = reach_of(target, statement, context)
    stores = [
        node
        for node in ast.walk(place)
        if isinstance(node, type(target)) and isinstance(node.ctx, ast.Store) and ast.unparse(node) == ast.unparse(target)
    ]
    return len(stores) > 1


def trained_after(target: ast.Name | ast.Attribute, source: ast.expr, statement: ast.stmt, context: Context) -> ast.AST | None:
    """The step by which the network that was kept goes on changing: one in the loop around, of a network made before it."""
    loops = [around for around in context.file.grown.ancestors(statement) if isinstance(around, LOOPS)]
    function = context.file.enclosing(statement, *FUNCTIONS)
    loops = [loop for loop in loops if function is None or function in context.file.grown.ancestors(loop)]
    if not loops or not isinstance(source, (ast.Name, ast.Attribute)) or not is_used_after(target, statement, loops[-1], context):
        return None
    stores = [
        node for node in ast.walk(loops[-1]) if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
    ]
    if any(ast.unparse(node) == ast.unparse(source) for node in stores) or leaves(statement, context):
        return None
    calls = [node for node in ast.walk(loops[0]) if isinstance(node, ast.Call)]
    return next((call for call in calls if is_training(call, source, context)), None)


def is_training(call: ast.Call, source: ast.Name | ast.Attribute, context: Context) -> bool:
    """Whether a call changes the network: a step of its optimizer, or a function for it that is given the network."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in CHANGES:
        return call.func.attr != "step" or context.steps.kind_of(call) in ("step", "scaled-step")
    called = call.func.id if isinstance(call.func, ast.Name) else ""
    return called.startswith("train") and any(mentions(item, source) for item in call.args)


def is_used_after(target: ast.expr, statement: ast.stmt, loop: ast.AST, context: Context) -> bool:
    """Whether what was kept is read behind the loop."""
    wanted, end = ast.unparse(target), getattr(loop, "end_lineno", 0)
    return any(
        isinstance(node, type(target)) and isinstance(getattr(node, "ctx", None), ast.Load) and ast.unparse(node) == wanted
        for node in ast.walk(reach_of(target, statement, context))
        if getattr(node, "lineno", 0) > end
    )


def leaves(statement: ast.stmt, context: Context) -> bool:
    """Whether the loop ends right after."""
    parent = context.file.parent_of(statement)
    block: list[ast.stmt] = getattr(parent, context.file.grown.blocks.get(statement, "body"), [])
    return any(isinstance(one, (ast.Break, ast.Return)) for one in block)
