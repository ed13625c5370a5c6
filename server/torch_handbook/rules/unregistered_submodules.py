"""Modules are kept in a plain list, tuple or dict, where their owner does not see them.

Why
    An nn.Module registers what is assigned to its attributes only if that is a module itself. Layers in a Python list or dict are
    missing from parameters(), so the optimizer never trains them; from to(), so they stay on the old device; and from
    state_dict(), so they are not saved. nn.ModuleList and nn.ModuleDict hold the same things and register them.

Bad
    class Net(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.layers = [nn.Linear(8, 8) for _ in range(depth)]

Good
    class Net(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("unregistered-submodules", Severity.ERROR, Category.MODULE, entry="torch.nn.ModuleList")

PLAIN = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)
READS = frozenset(
    {"len", "print", "zip", "enumerate", "range", "reversed", "isinstance", "iter", "next", "repr", "str", "list", "sum"}
)
ADDS = frozenset({"append", "insert", "extend"})
REGISTERS = frozenset({"add_module", "register_module"})
# Who overrides these takes care of the children in a way of their own.
OWN_WAYS = frozenset({"parameters", "named_parameters", "modules", "named_modules", "children", "named_children", "_apply", "to"})


@dataclass(frozen=True)
class Kept:
    """A plain container that becomes an attribute: where, its expression, and a place where a module goes into it."""

    attribute: str
    statement: ast.Assign | ast.AnnAssign
    value: ast.expr
    module: ast.expr
    name: str | None = None  # the local variable that it was gathered in


@RULE.on(ast.ClassDef)
def plain_containers(node: ast.ClassDef, context: Context) -> Findings:
    if not context.modules.is_module_class(node) or registers_itself(node, context):
        return
    for kept in containers(node, context):
        if handed_on(node, kept, context):
            continue
        holder = "ModuleDict" if is_mapping(kept.value) else "ModuleList"
        kind = "dict" if is_mapping(kept.value) else "tuple" if isinstance(kept.value, ast.Tuple) else "list"
        spelt = context.spell(f"torch.nn.{holder}", kept.value) or f"nn.{holder}"
        yield Finding.at(
            kept.statement,
            f"the modules in the plain {kind} self.{kept.attribute} are not registered: not trained, moved or saved; use {spelt}",
            fix=wrapped(kept, holder, node, context),
            related=related(kept, context),
        )


def registers_itself(node: ast.ClassDef, context: Context) -> bool:
    """Whether the class registers children by hand, somewhere: then what it keeps in lists may be just that."""
    for call in context.file.index.inside(node, ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
        if name in REGISTERS or name in ("setattr", "__setattr__"):
            return True
    if any(part.attr == "_modules" for part in context.file.index.inside(node, ast.Attribute)):
        return True
    return any(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part.name in OWN_WAYS for part in node.body)


def containers(node: ast.ClassDef, context: Context) -> Iterator[Kept]:
    """The attributes that are given a plain container into which the class puts modules."""
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or not method.args.args:
            continue
        owner = method.args.args[0].arg
        index = context.file.index
        for statement in (*index.inside(method, ast.Assign), *index.inside(method, ast.AnnAssign)):
            if statement.value is None:
                continue
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                if is_own(target, owner):
                    yield from kept_in(node, method, target.attr, statement, context)


def is_own(node: ast.AST, owner: str = "self", attribute: str | None = None) -> TypeGuard[ast.Attribute]:
    """Whether an expression is `self.attribute`, or any attribute of self."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    return node.value.id == owner and attribute in (None, node.attr)


def kept_in(
    node: ast.ClassDef, method: ast.FunctionDef, attribute: str, statement: ast.Assign | ast.AnnAssign, context: Context
) -> Iterator[Kept]:
    value, name = statement.value, None
    if isinstance(value, ast.Name):
        name = value.id
        made = [b for b in context.file.scope_of(value).bindings.get(name, []) if b.kind != "augment"]
        if len(made) != 1 or made[0].path != () or made[0].value is None:
            return
        value = made[0].value
    if value is None or not isinstance(unwrapped(value), (*PLAIN, ast.GeneratorExp)):
        return
    module = next(modules_in(value, context), None)
    if module is None:
        module = next(added(method if name else node, attribute, name, context), None)
    if module is not None:
        yield Kept(attribute, statement, value, module, name)


def unwrapped(value: ast.expr) -> ast.expr:
    """What `tuple(…)` or `list(…)` makes a container of."""
    builtin = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("tuple", "list")
    return value.args[0] if builtin and isinstance(value, ast.Call) and len(value.args) == 1 else value


def modules_in(value: ast.expr, context: Context) -> Iterator[ast.expr]:
    """The calls in a container's expression that make a module with state, one after the other."""
    value = unwrapped(value)
    if isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        yield from modules_in(value.elt, context)
    elif isinstance(value, ast.DictComp):
        yield from modules_in(value.value, context)
    elif isinstance(value, ast.Dict):
        for item in value.values:
            yield from modules_in(item, context)
    elif isinstance(value, (ast.List, ast.Tuple)):
        # A list of one is the known way to hide a module from its owner on purpose.
        if len(value.elts) > 1 or (value.elts and isinstance(value.elts[0], (ast.ListComp, ast.List))):
            for item in value.elts:
                yield from modules_in(item, context)
    elif context.modules.made_by(value) and context.modules.keeps_state(value):
        yield value


def added(where: ast.AST, attribute: str, name: str | None, context: Context) -> Iterator[ast.expr]:
    """The modules that are put into a container later: `self.layers.append(nn.Linear(…))`, `self.heads[key] = …`."""
    for part in ast.walk(where):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in ADDS:
            if is_container(part.func.value, attribute, name):
                for argument in part.args:
                    yield from put(argument, context)
        elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Subscript):
            if is_container(part.targets[0].value, attribute, name):
                yield from put(part.value, context)
        elif isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add) and is_container(part.target, attribute, name):
            yield from put(part.value, context)


def is_container(node: ast.AST, attribute: str, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name if name else is_own(node, attribute=attribute)


def put(node: ast.expr, context: Context) -> Iterator[ast.expr]:
    """The module that an expression puts into a container, itself or in a list; a variable is followed to where it was made."""
    if isinstance(node, ast.Name):
        made = context.file.scope_of(node).bindings.get(node.id, [])
        if len(made) == 1 and made[0].path == () and made[0].value is not None and not assigned_to_self(node, context):
            yield from modules_in(made[0].value, context)
    elif isinstance(node, (ast.List, ast.Tuple)):
        for item in node.elts:
            yield from modules_in(item, context)
    else:
        yield from modules_in(node, context)


def assigned_to_self(node: ast.Name, context: Context) -> bool:
    """Whether a variable becomes an attribute as well: then it is registered there."""
    function = context.file.scope_of(node).node
    return any(
        isinstance(part.value, ast.Name) and part.value.id == node.id and any(is_own(target) for target in part.targets)
        for part in context.file.index.inside(function, ast.Assign)
    )


def handed_on(node: ast.ClassDef, kept: Kept, context: Context) -> bool:
    """Whether the container is also given to something else, which may register it: `nn.Sequential(*layers)`."""
    for call in context.file.index.inside(node, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in READS and context.file.scope_of(call).find(call.func.id) is None:
            continue
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            if is_own(inner, attribute=kept.attribute):
                return True
            if kept.name and any(isinstance(part, ast.Name) and part.id == kept.name for part in ast.walk(inner)):
                return True
            if any(is_whole(part, kept.attribute, context) for part in ast.walk(inner)):
                return True
    return False


def is_whole(part: ast.AST, attribute: str, context: Context) -> bool:
    """Whether `self.attribute` stands there as a whole, not as one of its items or methods."""
    parent = context.file.parent_of(part)
    return is_own(part, attribute=attribute) and isinstance(parent, (ast.Starred, ast.BinOp, ast.List, ast.Tuple))


def is_mapping(value: ast.expr) -> bool:
    return isinstance(value, (ast.Dict, ast.DictComp))


def wrapped(kept: Kept, holder: str, node: ast.ClassDef, context: Context) -> Fix | None:
    """Put the container into the registering one, where that takes all that the class does with it."""
    spelt = context.spell(f"torch.nn.{holder}", kept.value)
    if spelt is None or kept.name is not None or isinstance(kept.statement, ast.AnnAssign) or isinstance(kept.value, ast.Tuple):
        return None
    if not only_modules(kept.value, context):
        return None
    if not all(understood(part, kept, context) for part in uses(node, kept.attribute)):
        return None
    span = span_of(kept.value)
    if isinstance(kept.value, (ast.List, ast.Dict)) and not elements(kept.value):
        edits = (Edit(span, f"{spelt}()"),)
    else:
        edits = (Edit(Span(*span.start, *span.start), f"{spelt}("), Edit(Span(*span.end, *span.end), ")"))
    # A plain list also is how a network is kept out of another's parameters, and checkpoints get other keys.
    return Fix(f"register the modules: {spelt}(…)", edits, safe=False)


def elements(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.Dict):
        return value.values
    return value.elts if isinstance(value, (ast.List, ast.Tuple)) else []


def only_modules(value: ast.expr, context: Context) -> bool:
    """Whether all that is in the container at first is a module, under a name that ModuleDict takes."""
    if isinstance(value, ast.ListComp):
        return context.modules.made_by(value.elt) is not None
    if isinstance(value, ast.DictComp):
        return context.modules.made_by(value.value) is not None and is_word(value.key)
    if isinstance(value, ast.Dict) and not all(is_word(key) for key in value.keys):
        return False
    return all(context.modules.made_by(item) is not None for item in elements(value))


def is_word(node: ast.expr | None) -> bool:
    """Whether a key is surely a string: ModuleDict takes no other, and none with a dot in it."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and "." not in node.value and node.value != ""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str"


def uses(node: ast.ClassDef, attribute: str) -> Iterator[ast.Attribute]:
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and is_own(part, attribute=attribute):
            yield part


def understood(use: ast.Attribute, kept: Kept, context: Context) -> bool:
    """Whether a module container can be used like the plain one at this place."""
    if isinstance(use.ctx, ast.Store):
        return True
    parent = context.file.parent_of(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        stored = context.file.parent_of(parent)
        if isinstance(parent.ctx, ast.Store):
            return (
                isinstance(stored, ast.Assign) and context.modules.made_by(stored.value) is not None and is_word_for(parent, kept)
            )
        return isinstance(parent.ctx, ast.Load)
    if isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is use:
        return True
    if (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in READS - {"list", "sum", "repr", "str"}
    ):
        return True
    if isinstance(parent, ast.Attribute):
        call = context.file.parent_of(parent)
        if is_mapping(kept.value):
            return parent.attr in ("items", "keys", "values")
        return (
            parent.attr in ADDS
            and isinstance(call, ast.Call)
            and all(context.modules.made_by(argument) is not None for argument in call.args[-1:])
        )
    return False


def is_word_for(target: ast.Subscript, kept: Kept) -> bool:
    return not is_mapping(kept.value) or is_word(target.slice)


def related(kept: Kept, context: Context) -> list[Related]:
    """Where a module goes into the container, if that is another place."""
    if kept.statement.lineno <= kept.module.lineno <= (kept.statement.end_lineno or 0):
        return []
    return [Related(span_of(kept.module), f"this module goes into self.{kept.attribute}")]
