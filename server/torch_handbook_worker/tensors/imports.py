"""Imports: torch and a few modules that only compute are real, the workspace's own are read, all others are unknown."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, Callable, Sequence

from torch_handbook_worker.tensors.introspection import STAND_INS
from torch_handbook_worker.tensors.libraries import MODULES
from torch_handbook_worker.tensors.names import attribute_is_open, module_named
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.values import MISSING, Unknown
from torch_handbook_worker.tensors.workspace import Module, find, load

Execute = Callable[[Frame, Sequence[ast.stmt]], str]


def import_names(frame: Frame, node: Any, execute: Execute) -> None:
    """Bind what an import statement binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            module_named(alias.name)
            frame.bind(alias.asname or name, _load(frame, name, 0, execute))
        return
    module = _load(frame, node.module or "", node.level, execute)
    for alias in node.names:
        if alias.name == "*":
            _import_all(frame, module)
            continue
        frame.bind(alias.asname or alias.name, _member(module, node, alias.name))


def _import_all(frame: Frame, module: Any) -> None:
    if isinstance(module, Module):
        if module.handbook_scope is not frame.scope:
            frame.scope.lenders.append(module.handbook_scope)
        return
    for name, value in list(getattr(module, "__dict__", {}).items()):
        if not name.startswith("_") and not isinstance(module, Unknown) and attribute_is_open(module, name, value):
            frame.bind(name, value)


def _member(module: Any, node: Any, name: str) -> Any:
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
        known = MODULES.get(name) or (STAND_INS[name](frame.session) if name in STAND_INS else module_named(name))
        if known is not None:
            return known
    here = Path(frame.source.path).parent
    path = find(here, frame.session.request.roots, name, level)
    frame.session.imported[str(here), name, level, True] = str(path or "")
    if path is None:
        return Unknown(name=name.split(".")[-1])
    if str(path) == frame.session.trace.path and frame.session.main is not None:  # files that import each other
        return Module(frame.session.main, lambda part: None)

    def part(inner: Frame, package: Path, child: str) -> Any:
        if package.name != "__init__.py":
            return None
        found = find(package.parent, [], child, 1)
        frame.session.imported[str(package.parent), child, 1, False] = str(found or "")
        return None if found is None else load(inner, found, execute, part)

    return load(frame, path, execute, part)
