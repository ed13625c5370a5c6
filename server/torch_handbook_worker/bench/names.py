"""Which names a piece of code needs from outside, which it binds, and which it changes in place."""

from __future__ import annotations

import ast
from typing import Iterable, List, Optional, Sequence, Set, Union

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
AnyFunction = Union[ast.FunctionDef, ast.AsyncFunctionDef]

# Calls that prepare what they are called on, and so belong to a set-up; any other call (fit, save, step) is left out.
PREPARING = frozenset(
    {
        "eval", "train", "to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "compile", "apply",
        "append", "extend", "insert", "update", "add", "pop", "remove", "clear", "sort", "reverse", "setdefault",
        "seed", "manual_seed", "manual_seed_all", "freeze", "unfreeze", "reset", "tie_weights", "share_memory",
        "filterwarnings", "simplefilter", "use_deterministic_algorithms", "zero_grad",
    }
)  # fmt: skip
PREPARING_STARTS = ("add_", "set_", "register_", "init", "freeze_", "enable", "disable", "load_", "seed_")


class Names(ast.NodeVisitor):
    """The names of statements that run one after the other in one scope."""

    def __init__(self) -> None:
        self.loaded: Set[str] = set()
        self.needed: Set[str] = set()  # loaded where the code itself had not surely bound them before
        self.bound: Set[str] = set()
        self.changed: Set[str] = set()  # roots of what is assigned into (a.b = …, a[0] = …) or prepared (a.eval())
        self.declared: Set[str] = set()  # global
        self.star = False
        self.sure: Set[str] = set()

    @staticmethod
    def of(nodes: Iterable[Optional[ast.AST]]) -> "Names":
        names = Names()
        for node in nodes:
            if node is not None:
                names.visit(node)
        return names

    def load(self, name: str) -> None:
        self.loaded.add(name)
        if name not in self.sure:
            self.needed.add(name)

    def bind(self, name: str) -> None:
        self.bound.add(name)
        self.sure.add(name)

    def visit_all(self, nodes: Iterable[Optional[ast.AST]]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def maybe(self, nodes: Sequence[ast.AST]) -> None:
        """Code that may not run: what it binds is not surely bound afterwards."""
        before = set(self.sure)
        self.visit_all(nodes)
        self.sure = before

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bind(node.id)
            return
        self.load(node.id)
        if isinstance(node.ctx, ast.Del):
            self.bound.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit_part(node, node.ctx)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit_part(node, node.ctx)

    def visit_part(self, node: ast.expr, context: ast.expr_context) -> None:
        root = root_of(node)
        if root is not None and not isinstance(context, ast.Load):
            self.changed.add(root)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        root = prepared_by(node)
        if root is not None:
            self.changed.add(root)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit_all([node.value, *node.targets])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit_all([node.annotation, node.value])
        if node.value is not None or not isinstance(node.target, ast.Name):
            self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self.load(node.target.id)
        self.visit(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit_all([node.value, node.target])

    def visit_For(self, node: Union[ast.For, ast.AsyncFor]) -> None:
        self.visit(node.iter)
        self.maybe([node.target, *node.body])
        self.maybe(node.orelse)

    visit_AsyncFor = visit_For

    def visit_While(self, node: Union[ast.While, ast.If]) -> None:
        self.visit(node.test)
        self.maybe(node.body)
        self.maybe(node.orelse)

    visit_If = visit_While

    def visit_Try(self, node: ast.Try) -> None:
        for block in (node.body, node.handlers, node.orelse, node.finalbody):
            self.maybe(block)

    visit_TryStar = visit_Try

    def visit_Match(self, node: ast.AST) -> None:
        self.visit(node.subject)  # type: ignore[attr-defined]
        self.maybe(node.cases)  # type: ignore[attr-defined]

    def visit_MatchAs(self, node: ast.AST) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            self.bind(name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchMapping = visit_MatchAs

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_Import(self, node: Union[ast.Import, ast.ImportFrom]) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.star = True
            else:
                self.bind(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: ast.Global) -> None:
        self.declared.update(node.names)

    def visit_FunctionDef(self, node: AnyFunction) -> None:
        everything = all_arguments(node.args)
        self.visit_all(
            [*node.decorator_list, *defaults(node.args), *(argument.annotation for argument in everything), node.returns]
        )
        self.enter(node.body, {argument.arg for argument in everything})
        self.bind(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit_all(defaults(node.args))
        self.enter([node.body], {argument.arg for argument in all_arguments(node.args)})

    def enter(self, body: Sequence[ast.AST], parameters: Set[str]) -> None:
        """A function's body: what is bound anywhere in it is its own."""
        inner = Names.of(body)
        own = (inner.bound | parameters) - inner.declared
        for name in inner.loaded - own:
            self.load(name)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.visit_all([*node.decorator_list, *node.bases, *node.keywords])
        for name in Names.of(node.body).needed:
            self.load(name)
        self.bind(node.name)

    def visit_ListComp(self, node: Union[ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp]) -> None:
        inner = Names.of(node.generators)
        parts: List[ast.AST] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        result = Names.of(parts)
        for name in (inner.loaded | result.loaded) - inner.bound - result.bound:
            self.load(name)
        self.bound |= result.bound

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit_all([node.iter, node.target, *node.ifs])


def all_arguments(arguments: ast.arguments) -> List[ast.arg]:
    """Every parameter, *args and **kwargs included."""
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument for argument in found if argument is not None]


def defaults(arguments: ast.arguments) -> List[Optional[ast.expr]]:
    return [*arguments.defaults, *arguments.kw_defaults]


def default_of(arguments: ast.arguments, name: str) -> Optional[ast.expr]:
    """The default of a parameter, as it is written."""
    plain = [*arguments.posonlyargs, *arguments.args]
    given = dict(zip([argument.arg for argument in plain][len(plain) - len(arguments.defaults) :], arguments.defaults))
    keyword = {argument.arg: value for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults)}
    return given.get(name) or keyword.get(name)


def root_of(node: ast.AST) -> Optional[str]:
    """The name at the start of a.b[0].c."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def prepared_by(statement: ast.stmt) -> Optional[str]:
    """The name that a bare call prepares: `model.eval()`, `x.requires_grad_()`, `torch.manual_seed(0)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, (ast.Attribute, ast.Name)):
        return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    in_place = name.endswith("_") and not name.endswith("__")
    if not (in_place or name in PREPARING or name.startswith(PREPARING_STARTS)):
        return None
    return root_of(call.func)


def local_names(function: AnyFunction) -> Set[str]:
    """What belongs to a function itself: its parameters, and what it binds and does not declare global."""
    names = Names.of(function.body)
    return (names.bound | {argument.arg for argument in all_arguments(function.args)}) - names.declared


def is_main_guard(node: ast.AST) -> bool:
    """if __name__ == "__main__":"""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    sides = [node.test.left, *node.test.comparators]
    return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
