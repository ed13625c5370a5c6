"""Who may import whom, and the house's figures: read from the source with `ast`, TYPE_CHECKING and late imports included."""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[1] / "server"
PACKAGE, WORKER = "torch_handbook", "torch_handbook_worker"
PROTOCOL = f"{WORKER}.protocol"
# What a snapshot is made of; the session makes them.
SNAPSHOT = {"source", "handbook", "torchdocs", "engine.facts", "settings"}
# What each part may import besides the standard library and itself; a name stands for itself and all below it.
# The first part whose name a module begins with is the one that counts.
LAYERS: dict[str, set[str]] = {
    PROTOCOL: set(),
    WORKER: {"torch"},
    "source": set(),
    "handbook": set(),
    "torchdocs": set(),
    "requirement": set(),
    "settings": {"requirement"},
    "version": set(),
    "engine": {"source", PROTOCOL},
    "rules": {"engine.rule", "engine.words", "engine.operands", "engine.remarks", "engine.renames", "source"},
    "workspace": {"source"},
    "snapshot": SNAPSHOT,
    "features": {"snapshot", "engine", "handbook", "torchdocs", "source", PROTOCOL},
    "interpreter": {"settings", PROTOCOL},
    "worker_error": set(),
    "worker_process": {"worker_error", PROTOCOL, WORKER},
    "worker_client": {"worker_process", "worker_error", "settings", PROTOCOL, WORKER},
    "history": {"settings", PROTOCOL, "platformdirs"},
    "session": {
        "snapshot",
        "engine.naming",
        "engine.selection",
        "engine.baseline",
        *SNAPSHOT,
        "workspace",
        "worker_client",
        "worker_error",
        "history",
        "interpreter",
        PROTOCOL,
        "platformdirs",
    },
    "site": {"handbook", "engine"},
    "lsp": {"features", "session", "snapshot", "engine.rule", "source.text", "pygls", "lsprotocol", "attrs"},
    # `check` works over the engine alone, so that it starts fast.
    "cli": {
        "features",
        "session",
        "site",
        "engine",
        "source",
        "workspace",
        "settings",
        "interpreter",
        "worker_client",
        PROTOCOL,
        "rich",
    },
}
# Parts of a part that lie beside it.
BELONGS = {
    "jedi_client": "session",
    "rulebook": "session",
    "document": "session",
    "interpretation": "session",
    "heap": "session",
    "knowledge": "session",
    "open_notebook": "session",
}
# The modules that may import what the rest of their part may not.
DOORS = {
    f"{WORKER}.tensors.algebra": {"sympy"},  # an older torch's rules are mended in its own terms
    f"{WORKER}.tensors.sizes": {"sympy"},  # torch's own free sizes are made of it, and it keeps
    f"{WORKER}.tensors.fakes": {"sympy"},  # a cache that grows
    f"{WORKER}.tensors.certainty": {"sympy"},  # which sizes can be equal is decided on its expressions
    f"{WORKER}.tensors.solutions": {"sympy"},
    "source.inference": {"jedi"},
    "handbook.load": {"yaml"},
    "cli.target": {"torchdocs", "platformdirs"},  # what the installed torch deprecates
    "cli.bench": {"history"},
    "cli.installation": {"knowledge", "platformdirs"},  # the folders that are written to
    "cli.page": {"knowledge"},  # the pages, with no file open
    "cli.show": {"knowledge"},
    "cli.serve": {"lsp"},
    "cli.try_": {"lsp.client"},
    "cli.screen": {"lsp.client"},
    "lsp.show": {"platformdirs"},  # where reports go
    "lsp.pages": {"platformdirs"},  # where pages go
}
MODULE_LINES, FUNCTION_LINES = 400, 60


def modules() -> Iterator[Path]:
    for package in (PACKAGE, WORKER):
        yield from sorted((SERVER / package).rglob("*.py"))


MODULES = [pytest.param(path, id=str(path.relative_to(SERVER))) for path in modules()]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def name_of(path: Path) -> str:
    """The dotted name of a module, without the server's own package."""
    parts = path.relative_to(SERVER).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts[1:] if parts[0] == PACKAGE else parts)


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, wherever it does so, by its full name."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative imports are not used here"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield node.lineno, whole if is_module(whole) else str(node.module)


def is_module(name: str) -> bool:
    place = SERVER.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or place.is_dir()


def begins(name: str, head: str) -> bool:
    return name == head or name.startswith(f"{head}.")


def layer_of(name: str) -> str | None:
    return BELONGS.get(name) or next((layer for layer in LAYERS if begins(name, layer)), None)


def allowed(name: str, imported: str) -> bool:
    """Whether a module may import another."""
    layer = layer_of(name)
    assert layer is not None, f"{name} is in no layer: the design says where things go"
    if imported.split(".")[0] in sys.stdlib_module_names:
        return True
    own = imported.removeprefix(f"{PACKAGE}.") if begins(imported, PACKAGE) else imported
    rights = LAYERS[layer] | DOORS.get(name, set()) | {"version"}
    if BELONGS.get(own) in rights:
        return True
    if layer == "rules":
        return any(begins(own, right) for right in rights)  # never another rule
    if begins(own, layer) or BELONGS.get(own) == layer:
        return True
    return any(begins(own, right) for right in rights)


@pytest.mark.parametrize("path", MODULES)
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    name = name_of(path)
    if name in ("", "__main__", WORKER, f"{WORKER}.__main__"):
        return
    wrong = [f"line {line}: {imported}" for line, imported in imports_of(path) if not allowed(name, imported)]
    assert wrong == []


def test_there_are_no_circles() -> None:
    """Within the server no two modules import each other, however far around, except for type checkers."""
    graph = {name_of(path): {target for _, target in eager_imports(path)} for path in modules()}
    state: dict[str, int] = {}

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert state.get(name) != 1, f"a circle of imports: {' -> '.join((*way, name))}"
        if name in state:
            return
        state[name] = 1
        for target in sorted(graph.get(name, ())):
            visit(target, (*way, name))
        state[name] = 2

    for name in sorted(graph):
        visit(name, ())


def eager_imports(path: Path) -> Iterator[tuple[int, str]]:
    """What a module imports of ours when it is loaded."""
    waiting: list[ast.AST] = list(tree_of(path).body)
    lines: set[int] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            lines.add(node.lineno)
        waiting.extend(ast.iter_child_nodes(node))
    for line, imported in imports_of(path):
        if line in lines and imported.split(".")[0] in (PACKAGE, WORKER) and name_of(path) != imported:
            yield line, imported.removeprefix(f"{PACKAGE}.")


@pytest.mark.parametrize("path", MODULES)
def test_a_module_is_short_and_says_what_it_is(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= MODULE_LINES
    if path.name == "__init__.py":
        assert lines == []
        return
    doc = ast.get_docstring(tree_of(path))
    assert doc and doc.partition("\n")[0].rstrip().endswith((".", ":", "!", "`")), "the first line is a sentence"


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


@pytest.mark.parametrize("path", MODULES)
def test_functions_are_short_and_annotated(path: Path) -> None:
    wrong = [f"{f.name}: {length(f)} lines" for f in functions(path) if length(f) > FUNCTION_LINES]
    assert wrong == []
    if path.parent.name != WORKER or path.name != "__main__.py":  # that one is read by every Python that there is
        assert [f.name for f in functions(path) if f.returns is None] == []


def test_most_functions_are_very_short() -> None:
    assert statistics.median(length(f) for path in modules() for f in functions(path)) <= 10


def test_nothing_is_called_utils() -> None:
    words = {"util", "utils", "helper", "helpers", "manager", "misc", "common"}
    assert [name_of(path) for path in modules() if words & set(path.stem.split("_"))] == []
    classes = [node.name for path in modules() for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)]
    assert [name for name in classes if name.endswith(("Manager", "Helper", "Util", "Utils", "Provider", "Handler"))] == []
