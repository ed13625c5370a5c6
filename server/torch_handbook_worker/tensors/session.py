"""Everything that one interpretation shares: sizes, tensors without data, the trace, the journal, the autograd log."""

from __future__ import annotations

import ast
from typing import Any, Callable, Dict, List, Optional, Set

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
        self.trace.renamed = self.sizes.renamed
        self.notes = Notes(self.sizes, self.trace.path)
        self.journal = Journal()
        self.graph = Graph(self.trace)
        self.fakes = Fakes(self.sizes, self.graph.changed)
        self.modules: Dict[str, Any] = {}  # the workspace's modules that were read, by dotted name
        self.functions: List[Any] = []  # every function that was defined in this file, in order
        self.classes: List[Any] = []
        self.depth = 0
        self.making = 0  # constructors of the user's modules that are being walked
        self.under_way: List[Any] = []  # the calls of the user's modules that are being walked, the outermost first
        self.forwards = 0  # the user's modules that are being called, inside each other
        self.rounds = 0  # calls of the user's modules that are inside no other one
        self.again: List[Frame] = []  # whose loops are in their second round, or in a later one; the innermost last
        self.calls: Dict[int, List[Any]] = {}  # by function: the modules whose forward was called, and what with
        self.entered: Set[ast.AST] = set()  # the functions that were walked
        self.look: Any = None  # what is taken down of this walk for the next one, where there may be one
        self.files: Dict[str, Any] = {}  # the files of the workspace that were read, each with its time and size
        self.imported: Dict[Any, str] = {}  # which file each import of the workspace found, "" for none
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

    def instance(self, kind: Any) -> Any:
        """The first object that was made of a class, to be worked on."""
        return self.look.instance(kind) if self.look is not None else self.instances.get(kind)

    def live(self, made: Any) -> Any:
        """An object that another unit of the walk made, to be worked on."""
        return self.look.live(made) if self.look is not None else made

    def maker(self, made: Any) -> Any:
        """The unit that made an object, where a look is taken down."""
        return self.look.owner(made) if self.look is not None else None

    def keep(self, kind: Any, made: Any) -> None:
        """Keep an object if it is the first one of its class."""
        if self.look is not None:
            self.look.keep(kind, made)
        else:
            self.instances.setdefault(kind, made)

    def begin(self) -> None:
        """Begin a part of the walk that takes no names of free sizes over from the parts before."""
        self.sizes.begin()
        if self.stated is not None:
            self.stated.begin()

    def forget_place(self) -> None:
        """Forget where the walk was that was broken off."""
        self.depth = self.forwards = self.making = 0
        self.under_way.clear()
        self.trace.expected = 0
        self.trace.branches = ()

    def note(self, frame: Frame, node: ast.AST, value: Any) -> None:
        """Write down the value of an expression of this file."""
        if frame.source.path == self.trace.path and (isinstance(value, Array) or not isinstance(value, Unknown)):
            self.trace.note(frame.source.path, span_of(node), self.notes.note(value))
        elif self.again and self.again[-1] is frame:
            self.trace.lose(frame.source.path, span_of(node))
