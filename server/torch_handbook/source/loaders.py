"""The DataLoaders of a file: what they are given, how many workers they have, which dataset class they read."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_handbook.source.arguments import UNKNOWN, Arguments, arguments_of

if TYPE_CHECKING:
    from torch_handbook.source.file import File

ORDER = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory", "drop_last")
Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, eq=False)
class Loader:
    """One call of DataLoader, and the class of this file that its dataset is of, where it is one."""

    file: File
    call: ast.Call
    given: Arguments
    dataset: ast.ClassDef | None

    @property
    def has_workers(self) -> bool:
        """Whether it surely starts worker processes."""
        workers = self.given.constant("num_workers", 0)
        return workers is not UNKNOWN and isinstance(workers, int) and workers > 0

    def methods(self, name: str) -> list[ast.FunctionDef]:
        """The method of the dataset's class, or of one of this file that it derives from; the nearest first."""
        classes = list(self.file.flow.classes.lineage(self.dataset)) if self.dataset else []
        parts = [part for node in classes for part in node.body]
        return [part for part in parts if isinstance(part, ast.FunctionDef) and part.name == name]


def loader_of(file: File, call: ast.Call) -> Loader | None:
    """What a call makes, if it makes a DataLoader."""
    if file.name_of(call.func) != "torch.utils.data.DataLoader":
        return None
    given = arguments_of(file, call, ORDER)
    value = file.value_of(given.given["dataset"]) if "dataset" in given.given else None
    sure = value is not None and value.sure and value.kind == "instance" and isinstance(value.node, ast.ClassDef)
    return Loader(file, call, given, value.node if sure and value and isinstance(value.node, ast.ClassDef) else None)


def spawns(file: File, call: ast.Call | None = None) -> bool:
    """Whether the file says that its processes are spawned: for all of them, or for this loader."""
    for node in file.index.all(ast.Call):
        if node.args and isinstance(node.args[0], ast.Constant):
            last = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else node.func.id
                if isinstance(node.func, ast.Name)
                else ""
            )
            if last == "set_start_method" and node.args[0].value in ("spawn", "forkserver"):
                return True
    words = call.keywords if call else []
    return any(
        word.arg == "multiprocessing_context" and isinstance(word.value, ast.Constant) and word.value.value == "spawn"
        for word in words
    )
