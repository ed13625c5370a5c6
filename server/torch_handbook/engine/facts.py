"""What the worker saw in a file, by place; or nothing, where there is no worker."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from torch_handbook_worker.protocol import Fact, Failure, InterpretResult, ModuleFact, TensorFact

from torch_handbook.engine.carry import carried
from torch_handbook.source.text import Span, Text, span_of


@dataclass(frozen=True)
class Facts:
    """Facts and failures of one file at one version. Without a result every question gets the answer "not known"."""

    result: InterpretResult | None = None

    @staticmethod
    def none() -> Facts:
        return Facts(None)

    def moved(self, old: Text, new: Text) -> Facts:
        """What of the facts of one text holds on another."""
        if self.result is None or old.content == new.content:
            return self
        return Facts(carried(self.result, old, new))

    @property
    def known(self) -> bool:
        """Whether a worker looked at the file, with a torch that works."""
        return self.result is not None and self.result.problem is None

    @property
    def complete(self) -> bool:
        """Whether it came to the end within its budget."""
        return self.known and self.result is not None and self.result.complete

    @property
    def problem(self) -> str | None:
        """Why the worker could not look, in torch's own words."""
        return self.result.problem if self.result else None

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(self.result.failures) if self.result else ()

    def remarks(self, kind: str) -> list[Failure]:
        """What runs, but with axes that can hardly be meant so, of one kind."""
        return [failure for failure in self.failures if failure.reason == "axes" and failure.details.get("kind") == kind]

    @cached_property
    def by_span(self) -> dict[Span, Fact]:
        return {Span(*fact.span): fact.fact for fact in self.result.facts} if self.result else {}

    def at(self, span: Span) -> Fact | None:
        """What stands at exactly this span."""
        return self.by_span.get(span)

    def of(self, node: ast.AST | None) -> Fact | None:
        """What an expression, an assigned name or a parameter is."""
        return self.at(span_of(node)) if node is not None else None

    def tensor(self, node: ast.AST | None) -> TensorFact | None:
        fact = self.of(node)
        return fact if isinstance(fact, TensorFact) else None

    def module(self, node: ast.AST | None) -> ModuleFact | None:
        fact = self.of(node)
        return fact if isinstance(fact, ModuleFact) else None
