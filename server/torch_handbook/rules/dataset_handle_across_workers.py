"""A dataset opens a file once, and all workers read through it.

Why
    Workers are copies of the process in which the dataset was made. Forked ones share the place in an open file, so that one
    moves it while another reads; HDF5 gives wrong data or errors, and SQLite forbids it. Where they are spawned, the handle
    cannot be pickled. Keep the path, and open it at the first sample.

Bad
    import h5py

    class Images(torch.utils.data.Dataset):
        def __init__(self, path):
            self.file = h5py.File(path, "r")

        def __len__(self):
            return 100

        def __getitem__(self, index):
            return torch.from_numpy(self.file["images"][index])

    loader = torch.utils.data.DataLoader(Images("images.h5"), num_workers=4)

Good
    import h5py

    class Images(torch.utils.data.Dataset):
        def __init__(self, path):
            self.path, self.file = path, None

        def __len__(self):
            return 100

        def __getitem__(self, index):
            if self.file is None:
                self.file = h5py.File(self.path, "r")
            return torch.from_numpy(self.file["images"][index])

    loader = torch.utils.data.DataLoader(Images("images.h5"), num_workers=4)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.loaders import Loader, loader_of
from torch_handbook.source.text import span_of

RULE = Rule("dataset-handle-across-workers", Severity.WARNING, Category.DATA, entry="guides/dataloader-tuning")
# What opens a handle that processes cannot share, and what becomes of it.
HANDLES = {
    "h5py.File": "an HDF5 file that is shared by processes gives wrong data or errors",
    "sqlite3.connect": "SQLite forbids to carry a connection into another process",
    "zipfile.ZipFile": "forked workers move one another's place in the file",
    "tarfile.open": "forked workers move one another's place in the file",
    "io.open": "forked workers move one another's place in the file",
    "open": "forked workers move one another's place in the file",
}


@RULE.on(ast.Call)
def shared(call: ast.Call, context: Context) -> Findings:
    loader = loader_of(context.file, call)
    if loader is None or loader.dataset is None or not loader.has_workers or not loader.given.lacks("worker_init_fn"):
        return
    if any(loader.methods(name) for name in ("__getstate__", "__reduce__", "__getattr__")):
        return
    for name, opening in opened(loader, context):
        if is_read(name, loader, context):
            why = HANDLES[handle_of(opening, context)]
            words = f"each worker gets a copy of self.{name}, and {why}: keep the path, and open it at the first sample"
            yield Finding.at(opening, words, related=[Related(span_of(call), "workers are started here")])


def opened(loader: Loader, context: Context) -> list[tuple[str, ast.Call]]:
    """The attributes that hold a handle which `__init__` opened, and nothing else ever."""
    attributes = context.file.flow.classes.attributes.get(loader.dataset, {}) if loader.dataset is not None else {}
    found: list[tuple[str, ast.Call]] = []
    for name, bindings in attributes.items():
        made = bindings[0].value if len(bindings) == 1 and bindings[0].path == () else None
        method = context.file.enclosing(bindings[0].node, ast.FunctionDef)
        first = isinstance(method, ast.FunctionDef) and method.name == "__init__"
        if isinstance(made, ast.Call) and first and handle_of(made, context) in HANDLES and not is_closed(name, loader):
            found.append((name, made))
    return found


def handle_of(call: ast.Call, context: Context) -> str:
    name = context.name_of(call.func)
    plain = isinstance(call.func, ast.Name) and call.func.id == "open" and not context.file.names.bindings(call.func)
    return name or ("open" if plain else "")


def is_closed(name: str, loader: Loader) -> bool:
    """Whether the class closes the handle before it is read, or opens another one in a way that is not seen."""
    words = ast.unparse(loader.dataset) if loader.dataset is not None else ""
    return f"self.{name}.close()" in words or f"del self.{name}" in words or "setattr(self" in words


def is_read(name: str, loader: Loader, context: Context) -> bool:
    """Whether a sample is read through an attribute."""
    for method in loader.methods("__getitem__")[:1]:
        for part in context.file.index.inside(method, ast.Attribute):
            if part.attr == name and isinstance(part.value, ast.Name) and part.value.id == method.args.args[0].arg:
                return True
    return False
