"""Builds the program that a benchmark runs: the set-up, the blocks around the statement, and the statement as a function."""

from __future__ import annotations

import ast
import builtins
import copy
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Set, cast

from torch_handbook_worker.bench import values
from torch_handbook_worker.bench.names import AnyFunction, Function, Names, all_arguments, is_main_guard, local_names
from torch_handbook_worker.bench.selection import Level, Selection, Unusable
from torch_handbook_worker.bench.slice import Slice

TIMED, OTHER, MEASURE, STAGE = "__timed__", "__other__", "__measure__", "__stage_%d__"
PROVIDED = frozenset({"__name__", "__file__", MEASURE, values.INPUTS, values.INSTANCE, values.PART, *dir(builtins)})
CONTEXTS = ("no_grad", "inference_mode", "enable_grad", "autocast")
DEEPEST = 5


@dataclass
class Program:
    """What is to be run: the file's own statements, functions written again around the selection, and what starts them."""

    setup: List[ast.stmt] = field(default_factory=list)
    stages: List[ast.stmt] = field(default_factory=list)
    body: List[ast.stmt] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)
    names: Dict[str, str] = field(default_factory=dict)  # the names of our functions -> those that a traceback should show

    @property
    def module(self) -> ast.Module:
        return ast.fix_missing_locations(ast.Module([*self.setup, *self.stages, *self.body], []))


class Builder:
    """Builds the program for one selection, from the inside out."""

    def __init__(self, tree: ast.Module, known: Set[str]) -> None:
        self.tree = tree
        self.known = known  # parameters whose tensors can be made from what is known of them
        self.program = Program()
        self.globally: Set[str] = set()  # what functions need of the module
        self.whole = Level(None, None, "body", tree.body)

    def build(self, selection: Selection, timed: Sequence[ast.stmt], other: Sequence[ast.stmt] = ()) -> Program:
        """The program that calls MEASURE, where the selection stands, with `timed` (and `other`) as functions."""
        names = Names.of([*timed, *other])
        functions = [function_of(TIMED, timed), *([function_of(OTHER, other)] if other else [])]
        call = statement_of(f"{MEASURE}({', '.join(function.name for function in functions)})")
        hole = [*functions, call]
        for statement in hole:
            place(statement, selection.statements[0])
        inside = [level.owner.name for level in selection.levels if isinstance(level.owner, Function)]
        self.program.names = dict.fromkeys((TIMED, OTHER), inside[-1] if inside else "<module>")
        self.enclose(selection.levels, hole, set(names.needed), [*timed, *other], 0)
        return self.program

    def enclose(self, levels: List[Level], hole: List[ast.stmt], needed: Set[str], after: Sequence[ast.AST], depth: int) -> None:
        """Put the blocks around the hole, out to the module."""
        if depth > DEEPEST:
            raise Unusable("the functions around it call one another in a circle; no value can be found for their parameters")
        start = next((index for index, level in enumerate(levels) if isinstance(level.owner, Function)), 0)
        block = self.nest(levels[start + 1 :], hole, needed, after)
        if levels[start].owner is None:
            self.finish(levels[start], block, needed, after)
        else:
            first = self.slice(levels[start].before, needed, after)
            self.stage(levels[: start + 1], levels[start:], [*first, *block], needed, depth)

    def nest(self, levels: Sequence[Level], hole: List[ast.stmt], needed: Set[str], after: Sequence[ast.AST]) -> List[ast.stmt]:
        """The blocks inside one function or the module, each with what must come before the hole in it."""
        block = hole
        for level in reversed(levels):
            first = self.slice(level.before, needed, after)
            block = self.wrap(level, [*first, *block], needed)
        return block

    def slice(self, before: Sequence[ast.stmt], needed: Set[str], after: Sequence[ast.AST]) -> List[ast.stmt]:
        part = Slice(before, needed, after)
        self.program.notes += part.notes
        return part.statements

    def wrap(self, level: Level, block: List[ast.stmt], needed: Set[str]) -> List[ast.stmt]:
        """The statement around a block, where it gives the block names or a context; a plain condition is not asked again."""
        owner = level.owner
        assert owner is not None
        if isinstance(owner, Function):
            return [*self.inner_parameters(owner, needed), *block]
        if isinstance(owner, ast.For) and level.field == "body":
            heading: List[Optional[ast.AST]] = [owner.iter, owner.target]
        elif isinstance(owner, ast.With):
            heading = list(owner.items)
        elif isinstance(owner, (ast.If, ast.While)) and level.field == "body":
            heading = [owner.test]
        elif type(owner).__name__ == "Match":
            heading = [owner.subject, level.part.pattern]  # type: ignore[union-attr]
        else:
            return block
        names = Names.of(heading)
        if not isinstance(owner, ast.With) and not names.bound & needed:
            return block
        needed.difference_update(names.bound)
        needed.update(names.needed)
        return [around(owner, level.part, block)]

    def inner_parameters(self, function: AnyFunction, needed: Set[str]) -> List[ast.stmt]:
        """Values for the parameters of a function within a function, as plain assignments."""
        callee = values.Callee(function, None)
        wanted = needed & set(callee.parameters)
        source = values.find(ast.Module([], []), callee, wanted, self.known)
        needed.difference_update(wanted)
        needed.update(Names.of(source.values.values()).needed)
        return [place(ast.Assign([ast.Name(name, ast.Store())], value), function) for name, value in source.values.items()]

    def stage(self, levels: List[Level], inside: List[Level], block: List[ast.stmt], needed: Set[str], depth: int) -> None:
        """The function around the hole: written again with the needed part of its body, and called with values."""
        callee = values.callee_at([level.owner for level in levels], len(levels) - 1)
        owners = [level.owner for level in inside if isinstance(level.owner, Function)]
        own = {name for owner in owners for name in local_names(owner)}
        parameters = set(callee.parameters)
        self.check_known(needed & own - parameters - Names.of(block).bound, callee, block)
        if callee.owner is not None and callee.itself is not None and "super" in needed:
            needed.add(callee.itself)  # super() will be super(Net, self) outside of the class
            self.globally.add(callee.owner.name)
        source = values.find(self.tree, callee, needed & parameters, self.known)
        name = STAGE % len(self.program.stages)
        self.program.names[name] = callee.function.name
        declared = Names.of(callee.function.body).declared
        start_afresh(block, parameters | Names.of(block).bound | declared)
        stage = written_again(callee, name, block, declared)
        self.program.stages.insert(0, stage)
        self.globally |= (needed - own) | Names.of(stage.decorator_list).needed
        call = ast.Expr(
            ast.Call(ast.Name(name, ast.Load()), [], [ast.keyword(key, value) for key, value in source.values.items()])
        )
        outside = Names.of(source.values.values()).needed
        self.enclose(source.levels or [self.whole], [place(call, callee.function)], set(outside), [], depth + 1)

    def check_known(self, lost: Set[str], callee: values.Callee, block: List[ast.stmt]) -> None:
        if lost:
            name = min(lost)
            raise Unusable(f"{name} has no value yet at this line of {callee.function.name}; select the line that gives it, too")

    def finish(self, module: Level, body: List[ast.stmt], needed: Set[str], after: Sequence[ast.AST]) -> None:
        """The module's own statements; where those leave a name open, also the ones under `if __name__ == "__main__"`."""
        ours = set(self.program.names)
        wanted = (needed | self.globally) - PROVIDED - ours
        before = list(module.before)
        plain = Names.of(statement for statement in before if not is_main_guard(statement))
        if wanted - plain.bound:
            before += [inner for statement in before if is_main_guard(statement) for inner in cast(ast.If, statement).body]
        setup = Slice(before, set(wanted), after)
        self.program.setup, self.program.body = setup.statements, body
        if not self.program.stages:
            start_afresh(body, setup.bound | Names.of(body).bound)
        self.program.notes += setup.notes
        missing = needed - setup.bound - PROVIDED - ours - Names.of(body).bound
        if missing and not plain.star:
            raise Unusable(f"it needs a value for {min(missing)}, which nothing before it in this file gives")


def function_of(name: str, statements: Sequence[ast.stmt]) -> ast.FunctionDef:
    """A function without parameters that runs the statements."""
    function = cast(ast.FunctionDef, statement_of(f"def {name}(): pass"))
    function.body = list(statements)
    return function


def statement_of(code: str) -> ast.stmt:
    """A statement without a place: parsed, because the fields of nodes differ between versions of Python."""
    statement = ast.parse(code).body[0]
    for node in ast.walk(statement):
        for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, attribute):
                delattr(node, attribute)
    return statement


def place(statement: ast.stmt, like: ast.AST) -> ast.stmt:
    """The statement, for a traceback at the line of another; parts that have a place keep it."""
    ast.copy_location(statement, like)
    return ast.fix_missing_locations(statement)


def around(owner: ast.stmt, part: Optional[ast.AST], block: List[ast.stmt]) -> ast.stmt:
    """A copy of a compound statement with this block alone."""
    outer = copy.copy(owner)
    if part is not owner and part is not None:
        case = copy.copy(part)
        case.body = block  # type: ignore[attr-defined]
        outer.cases = [case]  # type: ignore[attr-defined]
        return outer
    outer.body = block  # type: ignore[attr-defined]
    if hasattr(outer, "orelse"):
        outer.orelse = []  # type: ignore[attr-defined]
    return outer


def start_afresh(block: Sequence[ast.stmt], available: Set[str]) -> None:
    """Let every run of the timed functions begin with the values that their names had before: so `x = layer(x)` repeats."""
    found = (node for statement in block for node in ast.walk(statement) if isinstance(node, ast.FunctionDef))
    for function in [node for node in found if node.name in (TIMED, OTHER)]:
        names = Names.of(function.body)
        rebound = sorted(names.bound & names.needed & available - names.declared)
        again = cast(ast.FunctionDef, statement_of(f"def again({', '.join(f'{name}={name}' for name in rebound)}): pass"))
        function.args = again.args
        place(function, function.body[0])


def written_again(callee: values.Callee, name: str, block: List[ast.stmt], declared: Set[str]) -> ast.FunctionDef:
    """The function with another body: every parameter may be left out, and contexts such as no_grad stay on it."""
    function = callee.function
    stage = cast(ast.FunctionDef, statement_of(f"def {name}({parameters_of(function)}): pass"))
    stage.body = [*([ast.Global(sorted(declared))] if declared else []), *block]
    stage.decorator_list = [item for item in function.decorator_list if ast.unparse(item).rstrip("()").endswith(CONTEXTS)]
    place(stage, function)
    if callee.owner is not None and callee.itself is not None:
        Unbound(callee.owner.name, callee.itself).visit(stage)
    return ast.fix_missing_locations(stage)


def parameters_of(function: AnyFunction) -> str:
    arguments = function.args
    stars = {arguments.vararg.arg: "()"} if arguments.vararg else {}
    stars.update({arguments.kwarg.arg: "{}"} if arguments.kwarg else {})
    return ", ".join(f"{item.arg}={stars.get(item.arg, 'None')}" for item in all_arguments(arguments))


class Unbound(ast.NodeTransformer):
    """What only works inside a class, said so that it works outside: super() and private names."""

    def __init__(self, owner: str, itself: str) -> None:
        self.owner, self.itself = owner, itself

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [ast.Name(self.owner, ast.Load()), ast.Name(self.itself, ast.Load())]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self.owner.lstrip('_')}{node.attr}"
        return node
