"""Modules of the workspace, read on demand: a name is made by walking only the statements that bind it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from torch_handbook_worker.tensors.scopes import Frame, Scope, Source
from torch_handbook_worker.tensors.values import MISSING, Unknown

Execute = Callable[[Frame, Sequence[ast.stmt]], str]
LARGEST = 600_000  # bytes of a file that is followed
STEPS = 12_000  # to make one name of another file
DEEPEST = 24  # modules that wait for each other


class LazyScope(Scope):
    """The names of a module that was not walked; each is made when it is asked for."""

    def __init__(
        self, make: Callable[[Sequence[ast.stmt]], None], binding: Dict[str, List[ast.stmt]], stars: List[ast.stmt]
    ) -> None:
        super().__init__("module")
        self.make = make
        self.waiting = dict(binding)
        self.stars = list(stars)

    def own(self, name: str) -> Any:
        value = self.names.get(name, MISSING)
        if value is not MISSING:
            return value
        statements = self.waiting.pop(name, None)
        if statements is not None:
            self.make(statements)
        while self.stars and name not in self.names:
            self.make([self.stars.pop(0)])
        value = self.names.get(name, MISSING)
        return self.borrowed(name) if value is MISSING else value


class Module:
    """A module of the workspace as a value: its names are attributes."""

    def __init__(self, scope: Scope, submodule: Callable[[str], Any]) -> None:
        self.handbook_scope = scope
        self.handbook_submodule = submodule

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = self.handbook_scope.own(name)
        if value is MISSING:
            value = self.handbook_submodule(name)
        return Unknown(name=name) if value is None or value is MISSING else value


class Parsed:
    """A parsed file: its tree, and which top-level statements bind which name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.size = len(text)
        self.tree = ast.parse(text)
        self.binding: Dict[str, List[ast.stmt]] = {}
        self.stars: List[ast.stmt] = []
        for statement in self.tree.body:
            for name in bound_names(statement):
                self.binding.setdefault(name, []).append(statement)
            if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
                self.stars.append(statement)


def bound_names(statement: ast.stmt) -> List[str]:
    """The names that a statement binds in its own scope."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    found: List[str] = []
    stack: List[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.extend((alias.asname or alias.name.split(".")[0]) for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                found.append(node.id)
        elif not isinstance(node, ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))
    return found


KEPT = 3_000_000  # characters of source text whose trees are kept: a tree takes some thirty times as much memory
READ: Dict[str, Tuple[Tuple[int, int], Optional[Parsed]]] = {}  # by path: the file's time and size, and what was read


def stamp(path: Path) -> Optional[Tuple[int, int]]:
    """By what it is known that a file changed: its time and size."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def parsed(path: Path) -> Optional[Parsed]:
    """A file of the workspace, parsed; read again only when it changed."""
    now = stamp(path)
    if now is None:
        return None
    known = READ.get(str(path))
    if known is not None and known[0] == now:
        return known[1]
    made: Optional[Parsed] = None
    if now[1] <= LARGEST:
        try:
            made = Parsed(path.read_text(encoding="utf-8-sig", errors="replace"))
        except (OSError, SyntaxError, ValueError, RecursionError):
            made = None
    if sum(known.size for _, known in READ.values() if known is not None) > KEPT:
        READ.clear()
    READ[str(path)] = (now, made)
    return made


def find(here: Path, roots: Sequence[str], name: str, level: int) -> Optional[Path]:
    """The file of a module: beside the file that imports it, in a workspace folder, or in a folder between them."""
    if level:
        folder = here
        for _ in range(level - 1):
            folder = folder.parent
        folders = [folder]
    else:
        folders = [here, *(Path(root) for root in roots), *above(here, roots), outside(here)]
    for folder in folders:
        base = folder.joinpath(*name.split(".")) if name else folder
        for path in (base.with_suffix(".py") if name else None, base / "__init__.py"):
            if path is not None and path.is_file():
                return path
    return None


def outside(here: Path) -> Path:
    """The folder above the outermost package that a file is in: its imports start there."""
    while (here / "__init__.py").is_file() and here.parent != here:
        here = here.parent
    return here


def above(here: Path, roots: Sequence[str]) -> List[Path]:
    """The folders between a file and its workspace folder: any of them may be where imports start."""
    tops = {str(Path(root)) for root in roots}
    found: List[Path] = []
    folder = here
    while str(folder) not in tops and folder.parent != folder and len(found) < 8 and tops:
        folder = folder.parent
        found.append(folder)
    return found if tops and str(folder) in tops else []


def load(frame: Frame, path: Path, execute: Execute, find_part: Callable[[Frame, Path, str], Any]) -> Any:
    """The module of a file, as a value; nothing of it is walked yet."""
    session = frame.session
    if str(path) in session.modules:
        return session.modules[str(path)]
    file = parsed(path)
    session.files[str(path)] = READ.get(str(path), (None,))[0]
    if file is None:
        return Unknown(name=path.stem)
    source = Source(str(path), path.stem, file.tree, file.text)

    def make(statements: Sequence[ast.stmt]) -> None:
        if len(session.reading) >= DEEPEST:
            return
        look = session.look if not session.reading else None
        if look is not None:
            look.before_loading()
        session.reading.append(str(path))
        expected, session.trace.expected = session.trace.expected, 1
        try:
            session.trace.within(STEPS, lambda: execute(inner, statements))
        finally:
            session.reading.pop()
            session.trace.expected = expected
            if look is not None:
                look.after_loading()

    scope = LazyScope(make, file.binding, file.stars)
    scope.names.update({"__name__": path.stem, "__file__": str(path)})
    inner = Frame(session, source, scope, "<module>")
    module = Module(scope, lambda part: find_part(inner, path, part))
    session.modules[str(path)] = module
    return module
