"""What other files of the workspace give a network: the arguments that they make it with, and the shapes of its inputs.

Only scripts are walked that import the module and lie beside it or above it, few of them, and none again while they stay as they
are. What they give is a hint: whether something fails is not decided by it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, Optional, Tuple

import torch
from torch import nn

from torch_handbook_worker.protocol import InterpretRequest
from torch_handbook_worker.tensors.constructors import initialiser
from torch_handbook_worker.tensors.functions import Function
from torch_handbook_worker.tensors.nodes import inside
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.sizes import fixed
from torch_handbook_worker.tensors.walk import Walk

SCRIPTS = 2  # that are walked for one file
FOLDERS = 3  # the file's own, and those above it
FILES = 60  # of one folder that are looked at
LARGEST = 100_000  # bytes of a script
SECONDS, STEPS = 1.5, 40_000  # for one script
IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t][^\n]*", re.MULTILINE)
LOOP = re.compile(r"^(?:for|with|while)\b", re.MULTILINE)
PLAIN = (int, float, str, type(None))
Stamp = Tuple[str, int, int]


@dataclass
class Given:
    """What one class is given: its constructor's arguments, and by the name of a forward's parameter its sizes and dtype."""

    made: Dict[str, Any]
    inputs: Dict[str, Tuple[List[Optional[int]], Any]] = field(default_factory=dict)


NAMES: Dict[Stamp, FrozenSet[str]] = {}  # the words of a script's imports; none where it is no script
KNOWN: Dict[Tuple[Stamp, ...], Dict[str, Given]] = {}
KEPT = 400


def given(request: InterpretRequest, tree: ast.Module) -> Dict[str, Given]:
    """By the name of a class of the file: what all callers agree on."""
    waiting = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and _has_forward(node)]
    called = {node.func.id for node in inside(tree) if type(node) is ast.Call and type(node.func) is ast.Name}
    path = Path(request.path)
    own = _stamp(path) if set(waiting) - called and path.is_absolute() else None
    if own is None:
        return {}
    scripts = [script for script in _around(path, request.roots) if path.stem in _names(script)][:SCRIPTS]
    key = (own, *scripts)
    if key not in KNOWN:
        if len(KNOWN) > KEPT:
            KNOWN.clear()
        KNOWN[key] = _asked(request, path, [Path(script[0]) for script in scripts])
    return KNOWN[key]


def _has_forward(node: ast.ClassDef) -> bool:
    return any(isinstance(part, ast.FunctionDef) and part.name == "forward" for part in node.body)


def _stamp(path: Path) -> Optional[Stamp]:
    try:
        state = path.stat()
    except OSError:
        return None
    return str(path), state.st_mtime_ns, state.st_size


def _around(path: Path, roots: List[str]) -> List[Stamp]:
    """The files beside a file and above it, within the workspace."""
    found: List[Stamp] = []
    for folder in list(path.parents)[:FOLDERS]:
        if not any(Path(root) == folder or Path(root) in folder.parents for root in roots):
            break
        try:
            files = sorted(other for other in folder.glob("*.py") if other != path and other.name != "__init__.py")
        except OSError:
            break
        found += [stamp for stamp in map(_stamp, files[:FILES]) if stamp is not None and stamp[2] <= LARGEST]
    return found


def _names(script: Stamp) -> FrozenSet[str]:
    if script not in NAMES:
        if len(NAMES) > 20 * KEPT:
            NAMES.clear()
        try:
            text = Path(script[0]).read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        is_script = "__main__" in text or LOOP.search(text) is not None
        NAMES[script] = frozenset(re.findall(r"\w+", " ".join(IMPORT.findall(text)))) if is_script else frozenset()
    return NAMES[script]


def _asked(request: InterpretRequest, path: Path, scripts: List[Path]) -> Dict[str, Given]:
    rows: Dict[str, List[Given]] = {}
    lost: List[str] = []
    for script in scripts:
        try:
            text = script.read_text(encoding="utf-8-sig", errors="replace")
            asking = InterpretRequest(str(script), text, request.roots, SECONDS, STEPS, request.libraries)
            walk = Walk(asking, ast.parse(text))
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        walk.only(lambda session: _collect(session, path, rows, lost))
    return {name: found for name, calls in rows.items() if name not in lost and (found := _agreed(calls)) is not None}


def _collect(session: Session, path: Path, rows: Dict[str, List[Given]], lost: List[str]) -> None:
    """What the walk of a script gave to the classes of the file."""
    for calls in session.calls.values():
        for module, bound, _ in calls:
            forward = vars(type(module)).get("forward")
            if isinstance(forward, Function) and Path(forward.source.path) == path:
                made = _arguments(module)
                if made is None:
                    lost.append(type(module).__name__)
                else:
                    rows.setdefault(type(module).__name__, []).append(Given(made, _inputs(bound)))


def _arguments(module: nn.Module) -> Optional[Dict[str, Any]]:
    """What a module was made with; None where that is more than numbers and texts."""
    init = initialiser(type(module))
    if init is None:
        return {}
    bound = module.__dict__.get("handbook_bound", {}).get(id(init))
    rest = dict(list(bound.items())[1:]) if bound is not None else {}
    behind = [extra.arg for extra in (init.node.args.vararg, init.node.args.kwarg) if extra is not None]
    if any(rest.pop(name, None) for name in behind) or bound is None:
        return None
    return rest if all(map(_is_plain, rest.values())) else None


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple, dict)):
        return all(map(_is_plain, value.values() if isinstance(value, dict) else value))
    return isinstance(value, PLAIN)


def _inputs(bound: Dict[str, Any]) -> Dict[str, Tuple[List[Optional[int]], Any]]:
    rows = list(bound.items())[1:]
    sure = [(name, value) for name, value in rows if isinstance(value, torch.Tensor) and is_loose(value) != "shape"]
    return {name: ([fixed(size) for size in value.shape], value.dtype) for name, value in sure}


def _agreed(calls: List[Given]) -> Optional[Given]:
    """What is common to all calls; None where the network is made in several ways."""
    first = calls[0]
    if any(call.made != first.made for call in calls):
        return None
    found = Given(first.made)
    for name, (sizes, dtype) in first.inputs.items():
        others = [call.inputs.get(name) for call in calls]
        same = [other for other in others if other is not None and len(other[0]) == len(sizes) and other[1] == dtype]
        if len(same) == len(calls):
            columns = zip(*(other[0] for other in same))
            found.inputs[name] = ([column[0] if len(set(column)) == 1 else None for column in columns], dtype)
    return found if found.inputs else None
