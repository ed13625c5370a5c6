"""What outlives the step keeps the graph of each step alive.

Why
    What a network gives remembers all that it was computed from. Kept in a replay buffer, or mixed into a running average that
    the next step goes on from, it keeps the graph and the activations of that step: memory grows with every step until it runs
    out, and a backward that reaches back into an older step raises "backward through the graph a second time". Act under no_grad,
    or store value.detach().

Bad
    from collections import deque
    replay = deque(maxlen=10000)
    policy = nn.Linear(4, 2)
    for observation in torch.randn(100, 4):
        action = policy(observation).tanh()
        replay.append((observation, action))

Good
    from collections import deque
    replay = deque(maxlen=10000)
    policy = nn.Linear(4, 2)
    for observation in torch.randn(100, 4):
        with torch.no_grad():
            action = policy(observation).tanh()
        replay.append((observation, action))
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS, Function
from torch_handbook.source.origins import given_by
from torch_handbook.source.scopes import Binding
from torch_handbook.source.steps import LOOPS
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("state-carries-graph", Severity.WARNING, Category.MEMORY, entry="torch.Tensor.detach")
STORES = words("append appendleft push add store remember put insert record save_transition store_transition add_experience")
BUFFER = re.compile(r"replay|buffer|memory|history|experience", re.IGNORECASE)
EMPTIES = words("clear popleft pop reset")
MADE = words("__init__ __post_init__ setup")
IN_PLACE = words("copy_ add_ mul_ lerp_ sub_")
RESETS = words("detach detach_ data backward zero_ fill_")
TURNS = words("forward training_step")


@RULE.on(ast.Expr)
def stored(statement: ast.Expr, context: Context) -> Findings:
    """`replay.push(observation, action)`, where the action still hangs on the graph of the policy."""
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in STORES:
        return
    if context.gradients.off_at(statement) or not is_repeated(statement, context) or context.file.text.has("retain_graph"):
        return
    holder = call.func.value
    if not (is_kept(holder, context) or is_buffer(call, context) or is_grown(holder, statement, context)):
        return
    live = next((item for item in items_of(call) if context.graphs.of(item).live and not is_reward(item)), None)
    if live is None:
        return
    shown = context.text_of(live)
    kept = context.text_of(holder)
    words = f"{kept} outlives the step and keeps the graph that {shown} was computed by: act under torch.no_grad(), or store"
    yield Finding.at(call, f"{words} {shown if isinstance(live, (ast.Name, ast.Attribute, ast.Call)) else f'({shown})'}.detach()")


def is_repeated(node: ast.AST, context: Context) -> bool:
    return context.file.enclosing(node, *LOOPS, *FUNCTIONS) is not None


def items_of(call: ast.Call) -> Iterator[ast.expr]:
    """What a call stores: its arguments, and what the tuples, dicts and named tuples among them are made of."""
    waiting: list[ast.expr] = [*call.args, *(word.value for word in call.keywords)]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.Tuple, ast.List)):
            waiting += node.elts
        elif isinstance(node, ast.Dict):
            waiting += node.values
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[:1].isupper():
            waiting += [*node.args, *(word.value for word in node.keywords)]
        elif isinstance(node, (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.Attribute)):
            yield node


def is_reward(item: ast.expr) -> bool:
    """Whether it is a loss term: those are summed and run backward together."""
    return "log_prob" in ast.unparse(item) or "loss" in ast.unparse(item)


def is_kept(holder: ast.expr, context: Context) -> bool:
    """Whether it is a deque of a fixed length, made once and never emptied."""
    bindings = bindings_of(holder, context)
    if len(bindings) != 1 or not is_window(given_by(bindings[0]), context) or is_emptied(holder, context):
        return False
    loops = [around for around in context.file.grown.ancestors(bindings[0].node) if isinstance(around, LOOPS)]
    return not loops


def is_grown(holder: ast.expr, statement: ast.stmt, context: Context) -> bool:
    """Whether it is a list of a network's that each forward adds to, and that nothing else in the file speaks of."""
    if not isinstance(holder, ast.Attribute) or not is_in(statement, TURNS, context):
        return False
    owner = context.file.flow.classes.owner_of(holder.value)
    bindings = bindings_of(holder, context)
    made = len(bindings) == 1 and isinstance(given_by(bindings[0]), ast.List) and is_in(bindings[0].node, MADE, context)
    alone = len(context.file.index.attributes.get(holder.attr, [])) == 2
    return made and alone and owner is not None and is_network(owner, context)


def is_window(value: ast.expr | None, context: Context) -> bool:
    """Whether it makes a deque that forgets only what is older than its length."""
    if not isinstance(value, ast.Call) or context.name_of(value.func) != "collections.deque":
        return False
    lengths = [*value.args[1:2], *(word.value for word in value.keywords if word.arg == "maxlen")]
    return bool(lengths) and not (isinstance(lengths[0], ast.Constant) and lengths[0].value in (None, 1, 2))


def bindings_of(holder: ast.expr, context: Context) -> list[Binding]:
    """All that gives a variable, or an attribute of self, its value."""
    if isinstance(holder, ast.Name):
        scope = context.file.scope_of(holder).find(holder.id)
        return scope.bindings[holder.id] if scope else []
    owner = context.file.flow.classes.owner_of(holder.value) if isinstance(holder, ast.Attribute) else None
    return context.file.flow.classes.lookup(owner, holder.attr) if owner and isinstance(holder, ast.Attribute) else []


def is_emptied(holder: ast.expr, context: Context) -> bool:
    """Whether the file empties what goes by the same name, or runs backward through it."""
    name = holder.id if isinstance(holder, ast.Name) else holder.attr if isinstance(holder, ast.Attribute) else ""
    for node in context.file.grown.nodes:
        if isinstance(node, ast.Delete) and name in ast.unparse(node):
            return True
        if isinstance(node, ast.Attribute) and node.attr in EMPTIES and name in ast.unparse(node.value).split("."):
            call = context.file.parent_of(node)
            if not (isinstance(call, ast.Call) and call.args):  # pop(0) only forgets the oldest
                return True
        if isinstance(node, ast.Call) and node in context.gradients.backwards and re.search(rf"\b{name}\b", ast.unparse(node)):
            return True
    return False


def is_buffer(call: ast.Call, context: Context) -> bool:
    """Whether the method that a call runs puts what it is given into a store of its object's that is never emptied."""
    function = context.origins.function_of(call)
    owner = context.file.flow.classes.class_of(function) if function is not None else None
    if not isinstance(function, FUNCTIONS) or owner is None:
        return False
    text = ast.unparse(function)
    if any(word in text for word in ("detach", "numpy", "item(", "tolist", "no_grad", "clear")):
        return False
    given = {one.arg for one in (*function.args.args[1:], *function.args.kwonlyargs)}
    given |= {one.arg for one in (function.args.vararg, function.args.kwarg) if one is not None}
    for target in targets_in(function, given):
        starts = [one for one in context.file.flow.classes.lookup(owner, target.attr) if one.kind == "assign"]
        inside = all(is_in(one.node, MADE, context) for one in starts)
        values = [given_by(one) for one in starts]
        named = BUFFER.search(owner.name) is not None and any(isinstance(one, ast.List) for one in values)
        if inside and (named or any(is_window(one, context) for one in values)) and not is_emptied(target, context):
            return True
    return False


def targets_in(function: Function, given: set[str]) -> Iterator[ast.Attribute]:
    """The attributes of self that a method adds something of its parameters to: `self.data.append(x)`, `self.data[i] = x`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target, value = node.targets[0].value, [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STORES:
            target, value = node.func.value, node.args
        else:
            continue
        named = {part.id for one in value for part in ast.walk(one) if isinstance(part, ast.Name)}
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self" and named & given:
            yield target


def is_in(node: ast.AST, functions: frozenset[str], context: Context) -> bool:
    around = context.file.enclosing(node, *FUNCTIONS)
    return isinstance(around, FUNCTIONS) and around.name in functions


@RULE.on(ast.Assign, ast.AugAssign, ast.Expr)
def averaged(statement: ast.stmt, context: Context) -> Findings:
    """`self.mean = 0.9 * self.mean + 0.1 * h.mean(0)` in each forward, with gradients on."""
    found = mixed(statement)
    if found is None or not is_in(statement, TURNS, context) or context.gradients.off_at(statement):
        return
    target, value = found
    owner = context.file.flow.classes.owner_of(target.value)
    if owner is None or not is_network(owner, context):
        return
    others = [one for one in context.file.flow.classes.lookup(owner, target.attr) if not lies_in(one.node, statement, context)]
    if not all(is_in(one.node, MADE, context) for one in others) or is_touched(target, statement, context):
        return
    if any(context.graphs.of(one).live for one in parts(value, target)):
        shown = context.text_of(target)
        words = f"{shown} is carried to the next step with the graph of this one, which grows from step to step: mix in"
        related = [Related(span_of(others[0].node), "made once")] if others else []
        yield Finding.at(statement, f"{words} values that are detached", related=related)


def mixed(statement: ast.stmt) -> tuple[ast.Attribute, ast.expr] | None:
    """The attribute that a statement makes of its own old value and of something else."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Attribute):
        return statement.target, statement.value
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
        return carried(statement.targets[0], statement.value)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        target = statement.targets[0]
        shown = ast.unparse(target)
        told = any(isinstance(part, ast.Attribute) and ast.unparse(part) == shown for part in ast.walk(statement.value))
        return (target, statement.value) if told and isinstance(statement.value, ast.BinOp) else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    if call.func.attr not in IN_PLACE:
        return None
    root: ast.expr = call.func.value
    while isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute) and root.func.attr in IN_PLACE:
        root = root.func.value
    return (root, call.args[0]) if isinstance(root, ast.Attribute) else None


def carried(targets: ast.Tuple, value: ast.expr) -> tuple[ast.Attribute, ast.expr] | None:
    """The `self.h` of `out, self.h = self.rnn(x, self.h)`, and the call without the old state."""
    for target in targets.elts:
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Call):
            shown = ast.unparse(target)
            if any(ast.unparse(item) == shown for item in value.args):
                return target, value
    return None


def parts(value: ast.expr, target: ast.Attribute) -> Iterator[ast.expr]:
    """The summands of a value but for the old value itself."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
        yield from parts(value.left, target)
        yield from parts(value.right, target)
    elif isinstance(value, ast.Call) or ast.unparse(target) not in ast.unparse(value):
        yield value


def is_network(owner: ast.ClassDef, context: Context) -> bool:
    return "torch.nn.Module" in context.file.flow.classes.torch_bases(owner)[0]


def lies_in(node: ast.AST, statement: ast.AST, context: Context) -> bool:
    return node is statement or statement in context.file.grown.ancestors(node)


def is_touched(target: ast.Attribute, statement: ast.stmt, context: Context) -> bool:
    """Whether something else detaches, resets or runs backward what goes by the name."""
    own = context.file.flow.classes.owner_of(target.value)
    for node in context.file.index.attributes.get(target.attr, []):
        if not lies_in(node, statement, context):
            if context.file.flow.classes.owner_of(node.value) not in (None, own):
                continue
            parent = context.file.parent_of(node)
            stored = not isinstance(node.ctx, ast.Load) and not is_in(node, MADE, context)
            if stored or (isinstance(parent, ast.Attribute) and parent.attr in RESETS):
                return True
    return False
