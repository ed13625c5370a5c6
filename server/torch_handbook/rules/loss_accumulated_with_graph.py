"""Losses are gathered over a loop together with their graphs.

Why
    A loss remembers how it was computed. Adding it to a running total, or appending it to a list, keeps that graph alive as long
    as the total: after backward the nodes of every step, without backward (in validation) all activations too. Memory grows
    with every turn until it runs out. The number alone is enough: loss.detach() keeps it as a tensor and does not wait for the
    GPU, loss.item() makes it a float and does.

Bad
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    running = 0.0
    for _ in range(10):
        loss = model(torch.randn(8, 3)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss

Good
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    running = 0.0
    for _ in range(10):
        loss = model(torch.randn(8, 3)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.detach()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.einsum import atom
from torch_handbook.source.origins import given_by
from torch_handbook.source.scopes import Binding
from torch_handbook.source.text import span_of

RULE = Rule("loss-accumulated-with-graph", Severity.WARNING, Category.MEMORY, entry="guides/out-of-memory")

LOOPS = (ast.For, ast.AsyncFor, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Methods of a tensor whose result hangs on the same graph.
KEEPS = frozenset(
    {"mean", "sum", "to", "cpu", "cuda", "float", "double", "half", "clone", "squeeze", "view", "reshape", "abs", "sqrt"}
)


@dataclass(frozen=True)
class Store:
    """A place where a value is added to something: `total += loss`, `losses.append(loss)`."""

    statement: ast.stmt
    kept: ast.expr  # what it is added to
    value: ast.expr
    listed: bool  # appended, not summed


@RULE.on(ast.AugAssign, ast.Assign, ast.Expr)
def accumulated(statement: ast.stmt, context: Context) -> Findings:
    for store in stores(statement):
        loop = loop_of(store, context)
        if loop is None or context.gradients.off_at(statement) or has_no_graph(store.value, context):
            continue
        weight = Severity.HINT if is_emptied(store, loop, context) else None
        yield Finding.at(
            statement,
            words(store),
            severity=weight,
            fix=Fix(f"use {detached(store.value)}", (Edit(span_of(store.value), detached(store.value)),)),
            related=[Related(span_of(loop)._replace(end_line=loop.lineno, end_column=loop.col_offset + 3), "in this loop")],
        )


def words(store: Store) -> str:
    kept, shown = ast.unparse(store.kept), ast.unparse(store.value)
    if store.listed:
        return f"{kept} keeps the graph of every {shown}: append {detached(store.value)}"
    return f"{kept} grows a graph through every {shown}: add {detached(store.value)}"


def stores(statement: ast.stmt) -> Iterator[Store]:
    """The values that a statement adds to something."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        if isinstance(statement.value, (ast.List, ast.Tuple)):
            yield from (Store(statement, statement.target, item, True) for item in statement.value.elts)
        else:
            yield Store(statement, statement.target, statement.value, False)
    elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp) and isinstance(statement.value.op, ast.Add):
        target = statement.targets[0]
        for old, new in ((statement.value.left, statement.value.right), (statement.value.right, statement.value.left)):
            if isinstance(target, (ast.Name, ast.Attribute)) and ast.unparse(old) == ast.unparse(target):
                yield Store(statement, target, new, False)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append" and len(call.args) == 1:
            given = call.args[0]
            for item in given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]:
                yield Store(statement, call.func.value, item, True)


def detached(value: ast.expr) -> str:
    return f"{atom(ast.unparse(value))}.detach()"


def has_no_graph(value: ast.expr, context: Context) -> bool:
    """Whether the worker saw that the value hangs on no graph, or the file says so: `(labels != ignored).sum()` is a count."""
    fact = context.facts.tensor(value)
    return context.graphs.of(value).live is False or (fact is not None and not fact.requires_grad)


def is_emptied(store: Store, loop: ast.AST, context: Context) -> bool:
    """Whether the sum begins anew now and then, after some batches: then it holds the graphs of those, without their values."""
    bindings = [
        binding for binding in bindings_of(store.kept, context) if binding.kind != "augment" and not is_own(binding, store)
    ]
    return any(lies_in(binding.node, loop, context) for binding in bindings)


def loop_of(store: Store, context: Context) -> ast.stmt | None:
    """The loop over which the value's graphs pile up; None if they do not, or that is not certain."""
    names = list(hanging(store.value, context))
    if not names and not losses(store.value, context):
        return None
    for loop in context.file.grown.ancestors(store.statement):
        if isinstance(loop, FUNCTIONS):
            return None
        if isinstance(loop, LOOPS) and kept_over(store, loop, context):
            return loop if trained_in(loop, names, store, context) or only_evaluated(store, loop, context) else None
    return None


def hanging(value: ast.expr, context: Context) -> Iterator[ast.Name]:
    """The names in a value through which it hangs on their graphs."""
    if isinstance(value, ast.Name):
        yield value
    elif isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        yield from hanging(value.left, context)
        yield from hanging(value.right, context)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in KEEPS:
        yield from hanging(value.func.value, context)


# Training: backward runs on the value in the same loop, so the value has a graph, and whatever keeps it outlives the step.


def trained_in(loop: ast.AST, names: list[ast.Name], store: Store, context: Context) -> bool:
    """Whether each turn of the loop calls backward on the value, but never on what it is added to."""
    inside = [call for call in context.gradients.backwards if loop in context.file.grown.ancestors(call)]
    if not inside or any(map(context.gradients.keeps_graph, inside)) or any(mentions(call, store.kept) for call in inside):
        return False
    freed = set[Binding]().union(*(context.gradients.freed_by(call) for call in inside))
    if any(binding in freed for binding in own_bindings(store, context)):
        return False
    for name in names:
        bindings = context.file.names.bindings(name)
        if bindings and all(binding in freed for binding in bindings):
            return True
    return False


def own_bindings(store: Store, context: Context) -> list[Binding]:
    """What binds the name that the value is added to."""
    return context.file.names.bindings(store.kept) if isinstance(store.kept, ast.Name) else []


def mentions(call: ast.AST, kept: ast.expr) -> bool:
    """Whether a call speaks of the thing that values are added to."""
    wanted = ast.unparse(kept)
    return any(isinstance(part, ast.expr) and ast.unparse(part) == wanted for part in ast.walk(call))


def kept_over(store: Store, loop: ast.AST, context: Context) -> bool:
    """Whether what is added to lives longer than one turn of the loop, and is a number, a tensor or a list."""
    holder = store.kept.value if isinstance(store.kept, ast.Subscript) else store.kept
    bindings = [b for b in bindings_of(holder, context) if b.kind != "augment" and not is_own(b, store)]
    inside = [b for b in bindings if lies_in(b.node, loop, context)]
    if len(inside) == len(bindings) or any(is_each_turn(b, loop, context) for b in inside):
        return False
    if isinstance(store.kept, ast.Attribute) and any(mentions(call, store.kept) for call in context.gradients.backwards):
        return False
    return all(is_start(entry(given_by(b), store.kept, context), store.listed, context) for b in bindings)


def bindings_of(holder: ast.expr, context: Context) -> list[Binding]:
    """All that gives the thing a value: a variable, or an attribute of self."""
    if isinstance(holder, ast.Name):
        scope = context.file.scope_of(holder).find(holder.id)
        return scope.bindings[holder.id] if scope else []
    if isinstance(holder, ast.Attribute):
        owner = context.file.flow.classes.owner_of(holder.value)
        return context.file.flow.classes.attributes.get(owner, {}).get(holder.attr, []) if owner else []
    return []


def entry(value: ast.expr | None, kept: ast.expr, context: Context) -> ast.expr | None:
    """What a thing starts with; for `sums["loss"]` what the dict holds there: 0 in {"loss": 0}, and in defaultdict(float)."""
    if not isinstance(kept, ast.Subscript) or not isinstance(kept.slice, ast.Constant):
        return None if isinstance(kept, ast.Subscript) else value
    if isinstance(value, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in value.keys]
        return value.values[keys.index(kept.slice.value)] if kept.slice.value in keys else None
    if isinstance(value, ast.Call) and context.name_of(value.func) == "collections.defaultdict" and len(value.args) == 1:
        return {"float": ast.Constant(0.0), "int": ast.Constant(0), "list": ast.List([])}.get(ast.unparse(value.args[0]))
    return None


def is_own(binding: Binding, store: Store) -> bool:
    return isinstance(store.statement, ast.Assign) and binding.value is store.statement.value


def lies_in(node: ast.AST, loop: ast.AST, context: Context) -> bool:
    return loop in context.file.grown.ancestors(node)


def is_each_turn(binding: Binding, loop: ast.AST, context: Context) -> bool:
    """Whether a binding inside the loop happens in each turn: then nothing piles up."""
    for around in context.file.grown.ancestors(binding.node):
        if around is loop:
            return True
        if isinstance(around, (ast.If, ast.Try, *LOOPS)):
            return False
    return False


def is_start(value: ast.expr | None, listed: bool, context: Context) -> bool:
    """Whether an accumulator starts like this: a list; or a number, a tensor of zeros."""
    if listed:
        return isinstance(value, ast.List) or (isinstance(value, ast.Call) and ast.unparse(value) == "list()")
    if isinstance(value, ast.UnaryOp):
        return is_start(value.operand, listed, context)
    if isinstance(value, ast.Constant):
        return isinstance(value.value, (int, float)) and not isinstance(value.value, bool)
    called = value.func if isinstance(value, ast.Call) else None
    return called is not None and context.name_of(called) in ("torch.zeros", "torch.tensor", "torch.zeros_like", "torch.Tensor")


# Evaluation: nothing here or in the callers ever runs backward, but the loss comes from a network with gradients on.


def losses(value: ast.expr, context: Context) -> bool:
    """Whether a value is surely a loss: the result of one of torch's loss functions or loss modules."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div)):
        return losses(value.left, context) or losses(value.right, context)
    return all(is_loss(origin.name) for origin in context.origins.of(value))


def is_loss(name: str) -> bool:
    last = name.rpartition(".")[2]
    if name.startswith("torch.nn.functional."):
        return last.endswith("_loss") or "cross_entropy" in last or last == "kl_div"
    return name.startswith("torch.nn.") and last.endswith("Loss")


def only_evaluated(store: Store, loop: ast.AST, context: Context) -> bool:
    """Whether the loss comes from a network with gradients on, and nobody ever runs it backward."""
    if store.listed or not losses(store.value, context) or not isinstance(store.kept, ast.Name):
        return False
    if not all(from_network(origin.node, context) for part in factors(store.value) for origin in context.origins.of(part)):
        return False
    function = next((node for node in context.file.grown.ancestors(store.statement) if isinstance(node, FUNCTIONS)), None)
    if function is None:
        return not context.gradients.backwards
    if isinstance(function, ast.Lambda) or any(lies_in(call, function, context) for call in context.gradients.backwards):
        return False
    calls = context.callers.calls_of(function)
    return bool(calls) and all(is_only_read(call, context) for call in calls or ())


def factors(value: ast.expr) -> Iterator[ast.expr]:
    """The part of a scaled loss that is the loss."""
    if isinstance(value, ast.BinOp):
        yield value.left if not isinstance(value.left, ast.Constant) else value.right
    else:
        yield value


def from_network(loss: ast.expr, context: Context) -> bool:
    """Whether a loss is computed from what a network with parameters gives."""
    if not isinstance(loss, ast.Call) or not loss.args:
        return False
    calls = [part for part in ast.walk(loss.args[0]) if isinstance(part, ast.Call)]
    if isinstance(loss.args[0], ast.Name):
        made = [b.value for b in context.file.names.bindings(loss.args[0])]
        calls += [value for value in made if isinstance(value, ast.Call)]
    return any(is_network(value.name, value.base) for call in calls for value in context.origins.instances(call.func))


def is_network(name: str, base: str | None) -> bool:
    return base == "torch.nn.Module" and not name.endswith("Loss")


def is_only_read(call: ast.Call, context: Context) -> bool:
    """Whether the result of a call is given a name, printed or computed with where no backward is in sight, gradients on."""
    if context.gradients.off_at(call):
        return False
    for around in context.file.grown.ancestors(call):
        if isinstance(around, (ast.Return, ast.Yield)):
            return False
        if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            here = [c for c in context.gradients.backwards if lies_in(c, around, context)]
            return not any(of_result(backward, call, context) for backward in here)
    return False


def of_result(backward: ast.Call, call: ast.Call, context: Context) -> bool:
    """Whether a backward may run through the result of a call: through a name that the call's statement binds."""
    freed = context.gradients.freed_by(backward)
    return any(binding.value is not None and call in ast.walk(binding.value) for binding in freed) or call in ast.walk(backward)
