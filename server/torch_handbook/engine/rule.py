"""What a rule is and what it yields: the one module that a rule imports."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

# What the worker says is read through these; they are named here so that a rule imports this module alone.
from torch_handbook_worker.protocol import Fact as Fact
from torch_handbook_worker.protocol import Failure as Failure
from torch_handbook_worker.protocol import ModuleFact as ModuleFact
from torch_handbook_worker.protocol import ObjectFact as ObjectFact
from torch_handbook_worker.protocol import Operand as Operand
from torch_handbook_worker.protocol import TensorFact as TensorFact
from torch_handbook_worker.protocol import TupleFact as TupleFact

from torch_handbook.engine.target import Target
from torch_handbook.source.batches import Batches
from torch_handbook.source.callers import Callers
from torch_handbook.source.dtypes import Dtypes
from torch_handbook.source.extents import Extents
from torch_handbook.source.gradients import Gradients
from torch_handbook.source.graphs import Graphs
from torch_handbook.source.grids import Grids
from torch_handbook.source.method_calls import MethodCalls
from torch_handbook.source.modules import Modules
from torch_handbook.source.objectives import Objectives
from torch_handbook.source.origins import Origin as Origin
from torch_handbook.source.origins import Origins, given_by
from torch_handbook.source.steps import Steps
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.value import Value

if TYPE_CHECKING:
    from torch_handbook.engine.facts import Facts
    from torch_handbook.source.file import File


class Severity(Enum):
    """How bad it is: it raises or computes the wrong thing; it is very likely a bug; a better way exists; it can be simpler."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


class Category(Enum):
    """What a rule is about; one word each, used in the pages and in the summaries."""

    AUTOGRAD = "autograd"
    SHAPE = "shape"
    DTYPE = "dtype"
    DEVICE = "device"
    TRAINING = "training"
    DATA = "data"
    MODULE = "module"
    MEMORY = "memory"
    PERFORMANCE = "performance"
    SERIALIZATION = "serialization"
    SECURITY = "security"
    DEPRECATION = "deprecation"
    META = "meta"


@dataclass(frozen=True)
class Edit:
    """Replace a span by a text; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True)
class Fix:
    """Edits that mend a finding.

    `safe`: code that is right gives the same results afterwards, within rounding, and code that is wrong can have been meant in
    no other way, so that nobody need look at each. What changes checkpoints, or the random numbers of a seed, is not.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True)
class Related:
    """Another place that explains the finding: where an operand came from, where the loop is."""

    span: Span
    message: str


@dataclass(frozen=True)
class Finding:
    """One thing that a rule saw, in the words and at the place that the user gets."""

    span: Span
    message: str
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    severity: Severity | None = None  # None until the engine fills in the rule's own
    rule: str = ""
    kind: str = ""  # the one id of the rule's `covers` that this finding is of, where it is of one

    @property
    def id(self) -> str:
        """The name that a reader is told: the most specific one."""
        return self.kind or self.rule

    @staticmethod
    def at(
        where: ast.AST | Span,
        message: str,
        *,
        fix: Fix | None = None,
        related: Iterable[Related] = (),
        severity: Severity | None = None,
        kind: str = "",
    ) -> Finding:
        """A finding on a node or span. Rule and, unless it is given here, severity are filled in by the engine."""
        span = where if isinstance(where, Span) else span_of(where)
        return Finding(span, message, (fix,) if fix else (), tuple(related), severity, kind=kind)


Findings = Iterator[Finding]
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Context:
    """What a rule may ask about the file it looks at."""

    file: File
    facts: Facts
    target: Target = field(default_factory=Target)

    @cached_property
    def nodes_by_span(self) -> dict[Span, list[ast.AST]]:
        found: dict[Span, list[ast.AST]] = {}
        for node in self.file.grown.nodes:
            if hasattr(node, "lineno"):
                found.setdefault(span_of(node), []).append(node)
        return found

    def nodes_at(self, span: Sequence[int] | None) -> list[ast.AST]:
        """What stands at exactly a span that the worker names: outer nodes first."""
        return self.nodes_by_span.get(Span(*span), []) if span else []

    def call_at(self, span: Sequence[int] | None) -> ast.Call | None:
        """The call at exactly this span."""
        return next((node for node in self.nodes_at(span) if isinstance(node, ast.Call)), None)

    def text_of(self, node: ast.AST) -> str:
        """The source text of a node, on one line."""
        first, *more = self.file.text.slice(span_of(node)).splitlines() or [""]
        text = first.rstrip() if more else first
        for line in filter(None, map(str.strip, more)):
            tight = text.endswith(("(", "[", "{")) or line.startswith((")", "]", "}"))
            text += line if tight else f" {line}"
        return text

    def value_of(self, node: ast.AST | None) -> Value | None:
        """What an expression's value is, as far as the file tells."""
        return self.file.value_of(node) if isinstance(node, ast.expr) else None

    def name_of(self, node: ast.AST | None) -> str | None:
        """The public name of what an expression refers to, through imports: "torch.nn.functional.relu" for `F.relu`."""
        return self.file.name_of(node) if isinstance(node, ast.expr) else None

    @cached_property
    def modules(self) -> Modules:
        """Which classes and calls of the file make modules."""
        return Modules(self.file.flow)

    @cached_property
    def callers(self) -> Callers:
        """Who calls the functions of the file."""
        return Callers(self.file)

    @cached_property
    def origins(self) -> Origins:
        """Which operations made a value."""
        return Origins(self.file, self.callers)

    @cached_property
    def batches(self) -> Batches:
        """The loops over loaders."""
        return Batches(self.file, self.callers)

    def assigned(self, node: ast.expr | None) -> ast.expr | None:
        """What a name was given, where it was given something once; other expressions are what they are."""
        if not isinstance(node, ast.Name):
            return node
        bindings = self.file.names.bindings(node)
        return given_by(bindings[0]) if len(bindings) == 1 and bindings[0].kind == "assign" else None

    @cached_property
    def dtypes(self) -> Dtypes:
        """What tensors are made of, by the file alone."""
        return Dtypes(self.file, self.callers)

    @cached_property
    def grids(self) -> Grids:
        """What small tensors hold that the file writes out."""
        return Grids(self.file, self.callers, MethodCalls(self.file))

    def dtype_of(self, node: ast.expr) -> str | None:
        """The dtype of a tensor, as "uint8": by the file, else by the worker."""
        found = self.dtypes.of(node)
        if found is not None:
            return found
        fact = self.facts.tensor(node)
        return None if fact is None or (fact.guessed and fact.dtype == "float32") else fact.dtype

    def shape_of(self, node: ast.expr) -> tuple[int | str, ...] | None:
        """The sizes of a tensor, free ones as text: by the worker, else by the file."""
        fact = self.facts.tensor(node)
        if fact is not None:
            return tuple(fact.shape)
        return Extents(self.file, self.grids).of(node)

    @cached_property
    def gradients(self) -> Gradients:
        """Where gradients are off, and what backward is called on."""
        return Gradients(self.file)

    @cached_property
    def graphs(self) -> Graphs:
        """Which values hang on the graph of weights that learn."""
        return Graphs(self.file, self.origins, self.gradients)

    @cached_property
    def objectives(self) -> Objectives:
        """What the losses that run backward are summed up from."""
        return Objectives(self.file, self.origins, self.gradients)

    @cached_property
    def steps(self) -> Steps:
        """The steps of training, block by block."""
        return Steps(self.file)

    @cached_property
    def imports(self) -> dict[str, str]:
        """What the imports at the top of the file bring in, and the first name that each has there."""
        bindings = self.file.grown.scopes[self.file.tree].bindings
        # `import torch` and `import torch.nn` both bind torch, to the same thing.
        rows = [(found[0].imported, name) for name, found in bindings.items() if len({one.imported for one in found}) == 1]
        return {imported: name for imported, name in reversed(rows) if imported}

    def line_before(self, statement: ast.stmt, line: str) -> Edit:
        """Put a line before a statement, indented as it is; on the same line where others stand there too."""
        place = span_of(statement).start
        return Edit(Span(*place, *place), f"{line}{self.break_at(statement)}")

    def break_at(self, statement: ast.stmt) -> str:
        """What parts two statements that stand where this one does: a new line with its indentation, else a semicolon."""
        place = span_of(statement).start
        before = self.file.text.slice(Span(place.line, 0, *place))
        return "; " if before.strip() else f"\n{before}"

    def spell(self, name: str, at: ast.AST) -> str | None:
        """How this file can write a public name at a place: "nn.ModuleList"; None where nothing that it imports leads there."""
        scope = self.file.scope_of(at)
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            head = self.imports.get(".".join(parts[:length]))
            if head is not None and scope.find(head) is scope.module:
                return ".".join([head, *parts[length:]])
        return None

    def bring(self, name: str, at: ast.AST) -> tuple[str, tuple[Edit, ...]] | None:
        """How this file can write a public name at a place, and the `import torch` that this may take; None where it cannot."""
        if (spelt := self.spell(name, at)) is not None:
            return spelt, ()
        scope = self.file.scope_of(at)
        first = next((node for node in self.file.tree.body if is_import(node)), None)
        if first is None or not name.startswith("torch.") or scope.find("torch") is not None:
            return None
        row = first.end_lineno or first.lineno
        end = len(self.file.text.line(row).rstrip("\r\n").encode("utf-8", "surrogatepass"))
        return name, (Edit(Span(row, end, row, end), "\nimport torch"),)


def is_import(node: ast.stmt) -> bool:
    """Whether another import may stand behind this one."""
    return isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__")


Visitor = tuple[tuple[type[ast.AST], ...], Callable[[ast.AST, Context], Findings]]


@dataclass(frozen=True)
class Rule:
    """A rule is a value: its identity, its weight, and the functions that look at nodes.

    `covers` lists the ids of kinds that this rule also finds. Each is a name of its own, for the findings that bear it as their
    `kind`: it is what a reader is told, and what chooses, weighs and silences them.
    `entry` is the path of the handbook page that explains it.
    """

    id: str
    severity: Severity
    category: Category
    entry: str
    needs_facts: bool = False
    default: bool = True
    covers: tuple[str, ...] = ()
    visitors: list[Visitor] = field(default_factory=list["Visitor"], compare=False)

    def on(self, *kinds: type[Node]) -> Callable[[Callable[[Node, Context], Findings]], Callable[[Node, Context], Findings]]:
        """Register a function that is called for every node of these kinds, in document order."""

        def register(function: Callable[[Node, Context], Findings]) -> Callable[[Node, Context], Findings]:
            self.visitors.append((kinds, cast("Callable[[ast.AST, Context], Findings]", function)))
            return function

        return register
