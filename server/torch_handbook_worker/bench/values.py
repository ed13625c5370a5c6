"""Where the values of a function's parameters can come from: known shapes, a call of it in the file, its defaults."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Set, Union

from torch_handbook_worker.bench.names import AnyFunction, Function, Names, all_arguments, default_of, local_names
from torch_handbook_worker.bench.selection import Level, Unusable, locate

INPUTS, INSTANCE, PART = "__inputs__", "__instance__", "__part__"
Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef]


@dataclass
class Source:
    """An expression for each parameter, and the place in the file where they mean something (None: after all of it)."""

    values: Dict[str, ast.expr] = field(default_factory=dict)
    levels: Optional[List[Level]] = None


@dataclass(frozen=True)
class Callee:
    """The function whose parameters are wanted."""

    function: AnyFunction
    owner: Optional[ast.ClassDef]

    @property
    def parameters(self) -> List[str]:
        return [argument.arg for argument in all_arguments(self.function.args)]

    @property
    def itself(self) -> Optional[str]:
        """The name of `self`, or of `cls`."""
        if self.owner is None or "staticmethod" in self.decorators or not self.parameters:
            return None
        return self.parameters[0]

    @property
    def decorators(self) -> Set[str]:
        return {item.id for item in self.function.decorator_list if isinstance(item, ast.Name)}


def find(tree: ast.Module, callee: Callee, wanted: Set[str], known: Set[str]) -> Source:
    """A value for every wanted parameter. Raises Unusable with the name of the first that has none."""
    itself = callee.itself
    made: Dict[str, ast.expr] = {name: made_up(name) for name in callee.parameters if name in wanted & known and name != itself}
    rest = [name for name in callee.parameters if name in wanted and name not in made and name != itself]
    defaults = {name: default for name in rest for default in [default_of(callee.function.args, name)] if default is not None}
    optional = {argument.arg for argument in (callee.function.args.vararg, callee.function.args.kwarg) if argument is not None}
    if set(rest) - optional:
        source = from_call(tree, callee, rest, defaults, optional)
        if source is not None:
            return Source({**source.values, **made}, source.levels)
    for name in rest:
        if name not in defaults and name not in optional:
            raise Unusable(missing(callee, name))
    if itself is None or itself not in wanted:
        return Source({**defaults, **made})
    source = instance_of(tree, callee, set())
    return Source({itself: source.values[itself], **defaults, **made}, source.levels)


def made_up(name: str) -> ast.expr:
    return ast.Subscript(ast.Name(INPUTS, ast.Load()), ast.Constant(name), ast.Load())


def missing(callee: Callee, name: str) -> str:
    where = f"{callee.owner.name}.{callee.function.name}" if callee.owner else callee.function.name
    return (
        f"it needs a value for {name}, a parameter of {where}: nothing in this file says its shape, and no call gives it. "
        f"Add a shape comment or annotation, or a call of {where} to the file"
    )


def from_call(
    tree: ast.Module, callee: Callee, rest: Sequence[str], defaults: Dict[str, ast.expr], optional: Set[str]
) -> Optional[Source]:
    """The arguments of the first call that gives all that is wanted; calls outside of functions come first."""
    for call in ranked(tree, [node for node in ast.walk(tree) if isinstance(node, ast.Call) and calls(node, callee)]):
        given = bound_arguments(call, callee)
        if given is not None and all(name in given or name in defaults or name in optional for name in rest):
            values = {name: given.get(name) or defaults[name] for name in rest if name in given or name in defaults}
            if callee.itself:
                made = call.func.value if isinstance(call.func, ast.Attribute) else call
                values = {callee.itself: instance(made), **values}
            return Source(values, locate(tree, call).levels)
    return None


def calls(node: ast.Call, callee: Callee) -> bool:
    """Whether it calls the function by its name; a method, on anything but super(); __init__, by the name of its class."""
    constructs = callee.owner is not None and callee.function.name == "__init__"
    if callee.owner is None or constructs:
        name = callee.owner.name if callee.owner else callee.function.name
        return isinstance(node.func, ast.Name) and node.func.id == name
    if not isinstance(node.func, ast.Attribute) or node.func.attr != callee.function.name:
        return False
    return not isinstance(node.func.value, ast.Call)


def ranked(tree: ast.Module, found: List[ast.Call]) -> List[ast.Call]:
    """Those outside of functions first, each group in file order."""
    return sorted(found, key=lambda call: (enclosing(tree, call) is not None, call.lineno))


def enclosing(tree: ast.Module, node: ast.AST) -> Optional[Callee]:
    """The outermost function around a node, with the class that it is a method of."""
    owners = [level.owner for level in locate(tree, node).levels]
    return next((callee_at(owners, index) for index, owner in enumerate(owners) if isinstance(owner, Function)), None)


def callee_at(owners: Sequence[Optional[ast.stmt]], index: int) -> Callee:
    function, outer = owners[index], owners[index - 1]
    assert isinstance(function, Function)
    return Callee(function, outer if isinstance(outer, ast.ClassDef) else None)


def bound_arguments(call: ast.Call, callee: Callee) -> Optional[Dict[str, ast.expr]]:
    """Which argument goes to which parameter; None where stars make that a matter of running it."""
    if any(isinstance(argument, ast.Starred) for argument in call.args) or any(word.arg is None for word in call.keywords):
        return None
    plain = [argument.arg for argument in (*callee.function.args.posonlyargs, *callee.function.args.args)]
    names = plain[1:] if callee.itself else plain
    given = dict(zip(names, call.args))
    given.update({word.arg: word.value for word in call.keywords if word.arg})
    return given


def instance(value: ast.expr) -> ast.expr:
    """The value, seen by the runner, so that inputs are made on the device of the module."""
    return ast.Call(ast.Name(INSTANCE, ast.Load()), [value], [])


def instance_of(tree: ast.Module, callee: Callee, seen: Set[str]) -> Source:
    """An object of the method's class: as the file makes one, or a part of an object that makes one."""
    owner, itself = callee.owner, callee.itself
    assert owner is not None and itself is not None
    if "classmethod" in callee.decorators:
        return Source({itself: ast.Name(owner.name, ast.Load())})
    source = construction(tree, owner, seen)
    if source is None:
        raise Unusable(f"it needs an object of {owner.name}, and nothing in this file makes one")
    return Source({itself: instance(source.values["self"])}, source.levels)


def construction(tree: ast.Module, owner: ast.ClassDef, seen: Set[str]) -> Optional[Source]:
    if owner.name in seen:
        return None
    seen.add(owner.name)
    named = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    for call in ranked(tree, [node for node in named if node.func.id == owner.name]):  # type: ignore[attr-defined]
        source = constructed_at(tree, call, owner, seen)
        if source is not None:
            return source
    if constructor_needs(owner):
        return None
    return Source({"self": ast.Call(ast.Name(owner.name, ast.Load()), [], [])})


def constructed_at(tree: ast.Module, call: ast.Call, owner: ast.ClassDef, seen: Set[str]) -> Optional[Source]:
    around = enclosing(tree, call)
    value = prepared(tree, call)
    if around is None or not Names.of([value]).needed & local_names(around.function):
        return Source({"self": value})
    if not Names.of([call]).needed & local_names(around.function):
        return Source({"self": call})
    if around.owner is None:
        return Source({"self": value}, locate(tree, call).levels)
    whole = construction(tree, around.owner, seen)
    if whole is None:
        return None
    part = ast.Call(ast.Name(PART, ast.Load()), [whole.values["self"], ast.Name(owner.name, ast.Load())], [])
    return Source({"self": part}, whole.levels)


def prepared(tree: ast.Module, call: ast.Call) -> ast.expr:
    """`Net().to(device).eval()` around `Net()`."""
    chain = {"to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "requires_grad_"}
    value: ast.expr = call
    grown = True
    while grown:
        grown = False
        for node in ast.walk(tree):
            function = node.func if isinstance(node, ast.Call) else None
            if isinstance(function, ast.Attribute) and function.value is value and function.attr in chain:
                value, grown = node, True  # type: ignore[assignment]
    return value


def constructor_needs(owner: ast.ClassDef) -> bool:
    """Whether its __init__ has parameters without a default."""
    for statement in owner.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            arguments = statement.args
            needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults) - 1
            return needed > 0 or any(default is None for default in arguments.kw_defaults)
    return False
