"""The gradient scalers of a file: which they are, and everything that is done with them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_handbook.source.file import File

SCALER = "torch.amp.GradScaler"


@dataclass(frozen=True, eq=False)
class Scalers:
    """Answers for one file."""

    file: File

    @cached_property
    def made(self) -> list[ast.Call]:
        """The calls that make a scaler that scales: neither switched off nor perhaps so."""
        calls = self.file.index.all(ast.Call)
        return [call for call in calls if (self.file.name_of(call.func) or "").endswith(".GradScaler") and self.makes(call)]

    def makes(self, call: ast.Call) -> bool:
        value = self.file.value_of(call)
        given = any(keyword.arg in ("enabled", None) for keyword in call.keywords)
        return value is not None and value.is_a(SCALER) and not given

    def methods_of(self, owner: ast.expr) -> set[str] | None:
        """The methods that the file calls on this scaler, by how it is written; None where it may be used elsewhere."""
        written, found = ast.unparse(owner), set[str]()
        for node in self.file.grown.nodes:
            if (
                type(node) is not type(owner)
                or ast.unparse(node) != written
                or not isinstance(getattr(node, "ctx", None), ast.Load)
            ):
                continue
            parent = self.file.parent_of(node)
            if not isinstance(parent, ast.Attribute):
                return None
            found.add(parent.attr)
        return found

    def is_scaler(self, node: ast.expr) -> bool:
        """Whether an expression is a scaler of torch."""
        value = self.file.value_of(node)
        return value is not None and value.is_a(SCALER) and value.sure and not value.written
