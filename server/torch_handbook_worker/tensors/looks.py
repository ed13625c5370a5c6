"""What is kept of the last looks at files, so that the next one walks only what depends on the edit."""

from __future__ import annotations

import ast
import dataclasses
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional, Set, Tuple

from torch_handbook_worker.protocol import InterpretRequest
from torch_handbook_worker.tensors.look import Look, Past
from torch_handbook_worker.tensors.outline import Difference, Outline, difference, outline
from torch_handbook_worker.tensors.record import Name, Record, moved
from torch_handbook_worker.tensors.walk import Walk
from torch_handbook_worker.tensors.workspace import find, stamp

FILES = 12  # of which something is kept
PLACES = 60_000  # of texts, that all records hold together: some 40 MB
ATTEMPTS = 2  # after the first one; the last takes nothing over
Walked = Tuple[Walk, Optional[str], bool]


@dataclass
class Kept:
    """The last look at a file, and what its walk depended on besides its text."""

    past: Past
    settings: Any
    given: Dict[str, Any]
    files: Dict[str, Any]
    imported: Dict[Any, str]

    def holds(self, request: InterpretRequest, given: Dict[str, Any]) -> bool:
        """Whether all that it depended on is as it was."""
        if self.settings != _settings(request) or self.given != given:
            return False
        if any(stamp(Path(path)) != known for path, known in self.files.items()):
            return False
        rows = self.imported.items()
        return all(
            str(find(Path(here), request.roots if wide else [], name, level) or "") == known
            for (here, name, level, wide), known in rows
        )


KEPT: Dict[str, Kept] = {}  # by path, the latest last


def walked(request: InterpretRequest, tree: ast.Module, given: Dict[str, Any]) -> Walked:
    """Walk a file, as far as the last look at it does not say what comes of it."""
    if not request.again:
        walk = Walk(request, tree, given)
        return walk, *walk.run()
    kept = KEPT.pop(request.path, None)
    if kept is not None and not kept.holds(request, given):
        kept = None
    now = outline(request.text.lstrip("\ufeff"), tree)
    needed: Set[Name] = set()
    end = time.thread_time() + request.seconds
    look, done = _look(request, tree, given, now, kept, needed)
    for attempt in range(ATTEMPTS):
        if not done[0].needed:
            break
        needed |= done[0].needed
        left = dataclasses.replace(request, seconds=max(end - time.thread_time(), request.seconds / 4))
        look, done = _look(left, tree, given, now, kept if attempt < ATTEMPTS - 1 and look.is_sound else None, needed)
    _keep(request, given, done[0], look, kept)
    return done


def _look(
    request: InterpretRequest, tree: ast.Module, given: Dict[str, Any], now: Outline, kept: Optional[Kept], needed: Set[Name]
) -> Tuple[Look, Walked]:
    walk = Walk(request, tree, given)
    change = difference(kept.past.outline, now) if kept is not None else None
    past, stale = _moved(kept.past, change) if kept is not None and change is not None else (None, set())
    look = Look(walk.session, now, past, change)
    look.must |= needed | stale
    return look, (walk, *walk.run())


def _moved(past: Past, change: Difference) -> Tuple[Past, Set[Name]]:
    """A look with its records at the lines where those are now, and the units that have to be walked again."""
    records: Dict[Name, Record] = dict(past.records)
    stale = {name for name, record in records.items() if record.entered & change.changed}
    for name, record in past.records.items():
        there = moved(record, change.lines) if name not in stale else None
        if there is None:
            stale.add(name)
        else:
            records[name] = there
    return Past(past.outline, past.summary, records, past.inputs), stale


def _keep(request: InterpretRequest, given: Dict[str, Any], walk: Walk, look: Look, before: Optional[Kept]) -> None:
    past, session = look.kept(), walk.session
    if past is None or session.problems:
        return
    files, imported = dict(session.files), dict(session.imported)
    if before is not None and look.past is not None:
        files, imported = {**before.files, **files}, {**before.imported, **imported}
    KEPT[request.path] = Kept(past, _settings(request), given, files, imported)
    while len(KEPT) > FILES or (len(KEPT) > 1 and sum(kept.past.size() for kept in KEPT.values()) > PLACES):
        del KEPT[next(iter(KEPT))]


def _settings(request: InterpretRequest) -> Any:
    return request.roots, request.libraries, request.steps
