"""One walk of a file: its module level first, then what nothing called."""

from __future__ import annotations

import ast
import contextlib
import traceback
from typing import Any, Callable, Dict, Optional, Set, Tuple

from torch_handbook_worker.protocol import InterpretRequest
from torch_handbook_worker.tensors.calls import call, call_torch
from torch_handbook_worker.tensors.composites import composed_in_python
from torch_handbook_worker.tensors.fakes import forget, quiet_torch
from torch_handbook_worker.tensors.generalized import generalize
from torch_handbook_worker.tensors.imported import importing
from torch_handbook_worker.tensors.imports import import_names
from torch_handbook_worker.tensors.opened import walk_opened
from torch_handbook_worker.tensors.scopes import Frame, Scope, Source
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.size_nodes import quick_nodes
from torch_handbook_worker.tensors.sizes import compared_by_witnesses
from torch_handbook_worker.tensors.stated import read
from torch_handbook_worker.tensors.statements import execute
from torch_handbook_worker.tensors.trace import Exhausted, Needed
from torch_handbook_worker.tensors.uncalled import walk_uncalled


class Walk:
    """The walk of one request."""

    def __init__(self, request: InterpretRequest, tree: ast.Module, given: Optional[Dict[str, Any]] = None) -> None:
        self.session = Session(request)
        self.needed: Set[Any] = set()  # units of the walk that have to be walked as well
        self.session.given = given or {}
        self.session.call = call
        self.session.carry_out = call_torch
        self.session.importer = lambda frame, node: import_names(frame, node, execute)
        self.source = Source(request.path, "__main__", tree, request.text)
        self.session.stated = read(request.text, tree, self.session.sizes, self.session.trace)

    def run(self, then: Optional[Callable[[Frame], None]] = None) -> Tuple[Optional[str], bool]:
        """Walk all of it, and do something with what it left; give a problem in words, and whether the budget was enough."""
        session = self.session
        try:
            with (
                importing(session.request.libraries),
                quiet_torch(),
                compared_by_witnesses(),
                quick_nodes(),
                composed_in_python(),
                session.fakes,
                session.graph.hooks(),
            ):
                frame = Frame(session, self.source, Scope("module"), "<module>")
                frame.scope.names.update({"__name__": "__main__", "__file__": self.source.path})
                session.main = frame.scope
                session.is_certain_of_devices = True
                try:
                    self._guarded(lambda: execute(frame, self.source.tree.body))
                    session.is_certain_of_devices = False
                    if session.look is not None:
                        session.look.begin()
                    self._guarded(lambda: walk_uncalled(session, frame))
                    self._guarded(lambda: generalize(session, frame))
                    self._guarded(lambda: walk_opened(session))
                    complete = True
                except Exhausted:
                    complete = False
                except Needed as found:
                    self.needed, complete = found.units, False
                try:
                    if then is not None:
                        self._guarded(lambda: then(frame))
                finally:
                    session.graph.forget()
                    session.fakes.forget()
                    forget()
        except Exception as error:
            return f"{type(error).__name__}: {error}", False
        return None, complete

    def plainly(self, changed: Dict[str, int]) -> Any:
        """Walk the file's own code where every option is its default, but for some; give the session."""
        self.session.is_plain, self.session.changed = True, changed
        self.only(lambda session: None)
        return self.session

    def only(self, then: Callable[[Session], None]) -> None:
        """Walk the file's own code and nothing that it does not call, and do something with what that left."""
        session, libraries = self.session, self.session.request.libraries
        with (
            importing(libraries),
            quiet_torch(),
            compared_by_witnesses(),
            quick_nodes(),
            composed_in_python(),
            session.fakes,
            session.graph.hooks(),
        ):
            frame = Frame(session, self.source, Scope("module"), "<module>")
            frame.scope.names.update({"__name__": "__main__", "__file__": self.source.path})
            session.main = frame.scope
            with contextlib.suppress(Exhausted):
                self._guarded(lambda: execute(frame, self.source.tree.body))
            self._guarded(lambda: then(session))
            session.graph.forget()
            session.fakes.forget()
            forget()

    def _guarded(self, step: Any) -> None:
        try:
            step()
        except Exception:
            lines = traceback.format_exc().strip().split("\n")
            self.session.trace.gap((1, 0, 1, 0), "the interpreter itself: " + lines[-1], self.source.path)
            self.session.problems.append("\n".join(lines))
