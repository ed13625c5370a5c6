"""Everything that one interpretation shares: sizes, tensors without data, the trace, the journal, the autograd log."""

from __future__ import annotations

import ast
from typing import Any, Callable, Dict, List, Optional

from torch_handbook_worker.protocol import InterpretRequest
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.autograd import Graph
from torch_handbook_worker.tensors.fakes import Fakes
from torch_handbook_worker.tensors.journal import Journal
from torch_handbook_worker.tensors.notes import Notes
from torch_handbook_worker.tensors.scopes import Frame, Scope
from torch_handbook_worker.tensors.sizes import Sizes
from torch_handbook_worker.tensors.stated import Stated
from torch_handbook_worker.tensors.trace import Trace, span_of
from torch_handbook_worker.tensors.values import Unknown


class Session:
    """One interpretation of one file."""

    def __init__(self, request: InterpretRequest) -> None:
        self.request = request
        self.sizes = Sizes()
        self.trace = Trace(request.path, request.seconds, request.steps)
        self.trace.text = request.text
        self.notes = Notes(self.sizes)
        self.journal = Journal()
        self.graph = Graph(self.trace)
        self.fakes = Fakes(self.sizes, self.graph.changed)
        self.modules: Dict[str, Any] = {}  # the workspace's modules that were read, by dotted name
        self.functions: List[Any] = []  # every function that was defined in this file, in order
        self.classes: List[Any] = []
        self.depth = 0
        self.making = 0  # constructors of the user's modules that are being walked
        self.forwards = 0  # the user's modules that are being called, inside each other
        self.rounds = 0  # calls of the user's modules that are inside no other one
        self.calls: Dict[int, List[Any]] = {}  # by function: the modules whose forward was called, and what with
        self.instances: Dict[type, Any] = {}  # the first module that was made of each of the user's classes
        self.given: Dict[str, Any] = {}  # by the name of a class: what other files of the workspace give it
        self.importer: Optional[Callable[[Frame, ast.AST], None]] = None
        self.call: Callable[..., Any] = lambda *arguments: None  # how a call is walked; set by the walk
        self.carry_out: Callable[..., Any] = lambda call: None  # how torch itself carries out a call; set by the walk
        self.reading: List[str] = []  # the files whose import is being walked
        self.problems: List[str] = []  # the interpreter's own mistakes
        self.stated: Optional[Stated] = None  # the shapes that comments state
        self.is_certain_of_devices = False  # whether code is walked from the file's beginning, as Python would run it
        self.is_plain = False  # whether options are their defaults, as in a script that is run without any
        self.wants_plain = False  # whether something could not be decided where options are read
        self.changed: Dict[str, int] = {}  # options that are something else in such a walk
        self.defaults: Dict[str, int] = {}  # of options that were read
        self.main: Optional[Scope] = None  # the names of the file itself
        self.measure: Any = None  # what looks at each call of a module, while a network is measured

    def begin(self) -> None:
        """Begin a part of the walk that takes no names of free sizes over from the parts before."""
        self.sizes.begin()
        if self.stated is not None:
            self.stated.begin()

    def forget_place(self) -> None:
        """Forget where the walk was that was broken off."""
        self.depth = self.forwards = self.making = 0
        self.trace.expected = 0
        self.trace.branches = ()

    def note(self, frame: Frame, node: ast.AST, value: Any) -> None:
        """Write down the value of an expression of this file."""
        if frame.source.path == self.trace.path and (isinstance(value, Array) or not isinstance(value, Unknown)):
            self.trace.note(frame.source.path, span_of(node), self.notes.note(value))
