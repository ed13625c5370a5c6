"""Which earlier statements must run first: those that bind or prepare the names that are needed, and what these need."""

from __future__ import annotations

import ast
import copy
from typing import Dict, List, Sequence, Set

from torch_handbook_worker.bench.names import Names, is_main_guard
from torch_handbook_worker.bench.selection import Loop

# What a set-up must never repeat only because it binds a name that is needed.
TRAINING_CALLS = frozenset({"backward", "step", "fit"})
GRADIENT_USES = frozenset({"step", "grad", "clip_grad_norm_", "clip_grad_value_", "unscale_"})


class Slice:
    """The needed part of a block's earlier statements, in their order. `needed` grows by what they need themselves."""

    def __init__(self, before: Sequence[ast.stmt], needed: Set[str], after: Sequence[ast.AST] = ()) -> None:
        self.before = list(before)
        self.needed = needed
        self.kept: Dict[int, ast.stmt] = {}
        self.notes: List[str] = []
        self.names = [Names.of([statement]) for statement in self.before]
        self.modules = imported(self.before)
        self.gradients = any(uses_gradients(node) for node in after)
        self.grow(training=False)
        self.grow(training=True)

    @property
    def statements(self) -> List[ast.stmt]:
        return [trimmed(self.kept[index], self.needed) for index in sorted(self.kept)]

    @property
    def bound(self) -> Set[str]:
        return {name for index in self.kept for name in self.names[index].bound}

    def grow(self, *, training: bool) -> None:
        """Keep what is needed until nothing is added; a training loop only for names that nothing else binds, and once around."""
        grown = True
        while grown:
            grown = False
            for index, statement in enumerate(self.before):
                if index in self.kept or is_main_guard(statement):
                    continue
                trains = is_training_loop(statement)
                if trains and not (training and self.names[index].bound & self.needed - self.bound):
                    continue
                if trains or self.wanted(index, statement):
                    self.keep(index, once(statement) if trains else statement)
                    grown = True

    def keep(self, index: int, statement: ast.stmt) -> None:
        if statement is not self.before[index]:
            self.notes.append(f"the training loop on line {statement.lineno} was run once around, for the names that it binds")
        self.kept[index] = statement
        self.needed |= self.names[index].needed

    def wanted(self, index: int, statement: ast.stmt) -> bool:
        names = self.names[index]
        if names.star or is_future(statement) or sets_environment(statement) or names.bound & self.needed:
            return True
        if self.gradients and called(statement) == "backward":
            return True
        if names.changed & self.modules and isinstance(statement, ast.Expr) and not sets_module(statement):
            return False
        return bool(names.changed & self.needed)


def trimmed(statement: ast.stmt, needed: Set[str]) -> ast.stmt:
    """An import without the names that nobody needs: one of them may not be installed, or take long."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)) or is_future(statement):
        return statement
    names = [alias for alias in statement.names if alias.name == "*" or Names.of([ast.Import([alias])]).bound & needed]
    if len(names) == len(statement.names):
        return statement
    short = copy.copy(statement)
    short.names = names
    return short


def imported(statements: Sequence[ast.stmt]) -> Set[str]:
    found = (node for statement in statements for node in ast.walk(statement) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return Names.of(found).bound


def is_training_loop(statement: ast.stmt) -> bool:
    """A loop that trains: running it only to learn a name would take hours, and change the model."""
    if not isinstance(statement, Loop):
        return False
    calls = (node.func for node in ast.walk(statement) if isinstance(node, ast.Call))
    return any(isinstance(function, ast.Attribute) and function.attr in TRAINING_CALLS for function in calls)


def once(statement: ast.stmt) -> ast.stmt:
    """The same loop, left after its first time around, and so the loops in it."""
    short = copy.deepcopy(statement)
    for node in ast.walk(short):
        if isinstance(node, Loop):
            node.body.append(ast.copy_location(ast.Break(), node.body[-1]))
            node.orelse = []
    return short


def is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def sets_environment(statement: ast.stmt) -> bool:
    """sys.path and os.environ decide what an import finds and how torch starts."""
    return isinstance(statement, (ast.Expr, ast.Assign)) and ast.unparse(statement).startswith(("sys.path", "os.environ["))


def sets_module(statement: ast.stmt) -> bool:
    """`torch.manual_seed(0)`, `torch.set_num_threads(4)`: of a module's functions only those that set something."""
    name = called(statement)
    return name.startswith(("set_", "seed", "manual_seed", "enable", "disable", "use_deterministic")) or name.endswith("filter")


def called(statement: ast.stmt) -> str:
    """The last name of what a bare call calls."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def uses_gradients(node: ast.AST) -> bool:
    """Whether it reads gradients, so that a backward() before it matters though it binds no name."""
    return any(isinstance(part, ast.Attribute) and part.attr in GRADIENT_USES for part in ast.walk(node))
