"""Imports: torch and a few modules that only compute are real, the workspace's own are read, all others are unknown."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence, Tuple

from torch_handbook_worker.tensors.names import attribute_is_open, module_named
from torch_handbook_worker.tensors.scopes import Frame, Scope, Source
from torch_handbook_worker.tensors.values import MISSING, Unknown

Execute = Callable[[Frame, Sequence[ast.stmt]], str]
LARGEST = 400_000  # bytes of a file that is followed
DEEPEST = 12


class Module:
    """A module of the workspace: what it defines, as attributes."""

    def __init__(self, name: str, scope: Scope, search: Any) -> None:
        self.handbook_name = name
        self.handbook_scope = scope
        self.handbook_search = search

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = self.handbook_scope.names.get(name, MISSING)
        if value is MISSING:
            value = self.handbook_search(name)
        return Unknown(name=name) if value is None else value


def import_names(frame: Frame, node: Any, execute: Execute) -> None:
    """Bind what an import statement binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            _load(frame, alias.name, 0, execute)
            frame.bind(alias.asname or name, _load(frame, name, 0, execute))
        return
    module = _load(frame, node.module or "", node.level, execute)
    for alias in node.names:
        if alias.name == "*":
            _import_all(frame, module)
            continue
        frame.bind(alias.asname or alias.name, _member(frame, module, node, alias.name, execute))


def _import_all(frame: Frame, module: Any) -> None:
    names = module.handbook_scope.names if isinstance(module, Module) else getattr(module, "__dict__", {})
    for name, value in list(names.items()):
        if not name.startswith("_") and (isinstance(module, Module) or attribute_is_open(module, name, value)):
            frame.bind(name, value)


def _member(frame: Frame, module: Any, node: Any, name: str, execute: Execute) -> Any:
    if isinstance(module, Unknown):
        return Unknown(name=name)
    if isinstance(module, Module):
        return getattr(module, name, Unknown(name=name))
    value = getattr(module, name, MISSING)
    if value is MISSING:
        value = module_named(f"{node.module}.{name}")
        return Unknown(name=name) if value is None else value
    return value if attribute_is_open(module, name, value) else Unknown(name=name)


def _load(frame: Frame, name: str, level: int, execute: Execute) -> Any:
    if level == 0:
        known = module_named(name)
        if known is not None:
            return known
    found = _find(frame, name, level)
    if found is None:
        return Unknown(name=name.split(".")[-1])
    return _read(frame, *found, execute)


def _find(frame: Frame, name: str, level: int) -> Optional[Tuple[str, Path]]:
    """The dotted name and the file of a module of the workspace."""
    here = Path(frame.source.path).parent
    folders: List[Path] = []
    if level:
        folder = here
        for _ in range(level - 1):
            folder = folder.parent
        folders = [folder]
    else:
        folders = [here, *(Path(root) for root in frame.session.request.roots), *_above(here, frame.session.request.roots)]
    for folder in folders:
        base = folder.joinpath(*name.split(".")) if name else folder
        for path in (base.with_suffix(".py") if name else None, base / "__init__.py"):
            if path is not None and path.is_file():
                return str(path), path
    return None


def _above(here: Path, roots: Sequence[str]) -> List[Path]:
    """The folders between a file and its workspace root: any of them may be where imports start."""
    tops = {str(Path(root)) for root in roots}
    found: List[Path] = []
    folder = here
    while str(folder) not in tops and folder.parent != folder and len(found) < 8 and tops:
        folder = folder.parent
        found.append(folder)
    return found if tops and str(folder) in tops else []


def _read(frame: Frame, name: str, path: Path, execute: Execute) -> Any:
    session = frame.session
    if name in session.modules:
        return session.modules[name]
    if len(session.reading) >= DEEPEST or path.stat().st_size > LARGEST:
        return Unknown(name=path.stem)
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return Unknown(name=path.stem)
    source = Source(str(path), name, tree, text)
    inner = Frame(session, source, Scope("module"), "<module>")
    inner.scope.names.update({"__name__": path.stem, "__file__": str(path)})
    module = Module(name, inner.scope, lambda part: _submodule(inner, path, part, execute))
    session.modules[name] = module
    session.reading.append(name)
    try:
        execute(inner, tree.body)
    finally:
        session.reading.pop()
    return module


def _submodule(frame: Frame, path: Path, part: str, execute: Execute) -> Any:
    if path.name != "__init__.py":
        return None
    found = _find(frame, part, 1)
    return None if found is None else _read(frame, *found, execute)
