"""One file of torch: the names that it binds, and the texts that its docstrings are made of."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from torch_handbook.torchdocs.syntax import FUNCTIONS, dotted, is_overload, listed, parsed, statements

IMPORTS = re.compile(r"^(?:from|import) (?:[^(\n]+$|[^(\n]+\([^)]*\))", re.MULTILINE)
LONG, LONG_CLASS = 200_000, 50_000  # characters


@dataclass(frozen=True, eq=False)
class Definition:
    """What a name is in one module or class: code, or where that is to be found."""

    kind: Literal["function", "class", "import", "alias", "value", "module"]
    module: str
    name: str
    nodes: tuple[ast.AST, ...] = ()  # several for the overloads of a stub
    target: str | None = None  # dotted, of imports and aliases
    text: ast.expr | None = None  # the docstring that `_add_docstr`, `name.__doc__ = …` and their like give it
    owner: str | None = None  # the class, of members

    @property
    def place(self) -> str:
        return ".".join(part for part in (self.module, self.owner, self.name) if part)


@dataclass(eq=False)
class Source:
    """One file of torch, parsed: the names that it binds at its top level."""

    name: str
    path: Path
    names: dict[str, Definition] = field(default_factory=dict[str, Definition])
    stars: list[str] = field(default_factory=list[str])
    values: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    texts: dict[str, str] = field(default_factory=dict[str, str])  # of what is not parsed yet
    inside: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])  # class: member: its text
    added: list[tuple[ast.expr, ast.expr]] = field(default_factory=list[tuple[ast.expr, ast.expr]])  # add_docstr(what, text)
    exported: list[str] | None = None
    docstring: str | None = None

    @property
    def package(self) -> str:
        return self.name if self.path.stem == "__init__" else self.name.rpartition(".")[0]

    def get(self, name: str) -> Definition | None:
        """What a name is in this file."""
        text = self.texts.pop(name, None)
        for node in parsed(text) if text else ():
            note(self, node)
        return self.names.get(name)

    def member_text(self, owner: str, name: str) -> list[ast.stmt]:
        """The definition of a member of a long class."""
        return parsed(self.inside.get(owner, {}).get(name, ""))

    def absolute(self, module: str | None, level: int) -> str:
        """The full name of what is imported relative to this module."""
        if not level:
            return module or ""
        base = self.package.split(".")
        base = base[: len(base) - (level - 1)]
        return ".".join([*base, module] if module else base)


def read_source(name: str, path: Path) -> Source:
    """Read one file; one that cannot be read is empty. Of long stubs the pieces are parsed when they are asked for."""
    source = Source(name, path)
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return source
    if path.suffix == ".pyi" and len(text) > LONG:
        note_pieces(source, text)
        return source
    body = parsed(text)
    source.docstring = ast.get_docstring(ast.Module(body, []))
    for node in statements(body):
        note(source, node)
    return source


def note_pieces(source: Source, text: str) -> None:
    """The names of a long stub, each with its text; those of a long class too."""
    for found in IMPORTS.finditer(text):
        for node in parsed(found[0]):
            note(source, node)
    for name, piece in pieces(text, "").items():
        if piece.startswith("class ") and len(piece) > LONG_CLASS:
            head, _, body = piece.partition("\n")
            source.inside[name] = pieces(body, "    ")
            piece = head + " ..."
        source.texts[name] = piece


def pieces(text: str, indent: str) -> dict[str, str]:
    """What a stub defines at one indentation, by name: the overloads of a function are one piece."""
    found: dict[str, list[str]] = {}
    start, name = 0, ""
    for head in re.finditer(
        rf"^{indent}(?:(@)|(?:async )?(?:def|class) (\w+)|(\w+)\s*(?::(?!:)|=)|[^\s)\]}}])", text, re.MULTILINE
    ):
        if head.start() > start and name != "@":
            found.setdefault(name, []).append(text[start : head.start()])
            start, name = head.start(), ""
        if not name or name == "@":
            name = "@" if head[1] else head[2] or head[3] or ""
    found.setdefault(name, []).append(text[start:])
    return {name: textwrap.dedent("".join(parts)) for name, parts in found.items() if name.isidentifier()}


def note(source: Source, node: ast.stmt) -> None:
    """Add what a statement binds."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        source.names[node.name] = Definition(kind, source.name, node.name, gathered(source.names.get(node.name), node))
    elif isinstance(node, ast.Import):
        for alias in node.names:
            bound = alias.asname or alias.name.split(".")[0]
            target = alias.name if alias.asname else bound
            source.names.setdefault(bound, Definition("import", source.name, bound, target=target))
    elif isinstance(node, ast.ImportFrom):
        module = source.absolute(node.module, node.level)
        for alias in node.names:
            if alias.name == "*":
                source.stars.append(module)
            else:
                bound = alias.asname or alias.name
                source.names[bound] = Definition("import", source.name, bound, target=f"{module}.{alias.name}")
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        note_assignment(source, node)
    elif isinstance(node, ast.AugAssign) and dotted(node.target) == "__all__":
        source.exported = [*(source.exported or []), *listed(node.value)]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        note_call(source, node.value)


def gathered(earlier: Definition | None, node: ast.AST) -> tuple[ast.AST, ...]:
    """A definition after its overloads; another definition of the same name replaces the first."""
    before = earlier.nodes if earlier and earlier.kind == "function" else ()
    overloads = tuple(one for one in before if is_overload(one))
    return (*overloads, node)


def note_assignment(source: Source, node: ast.Assign | ast.AnnAssign) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        name = dotted(target)
        if name == "__all__" and node.value:
            source.exported = listed(node.value)
        elif name and name.endswith(".__doc__") and node.value:
            named = source.names.get(name.removesuffix(".__doc__"))
            if named:
                source.names[named.name] = replace(named, text=node.value)
        elif name and "." not in name:
            source.names[name] = assigned(source.name, name, node)
            if node.value:
                source.values[name] = node.value


def assigned(module: str, name: str, node: ast.Assign | ast.AnnAssign) -> Definition:
    """What an assignment makes of a name: another name for something, a documented builtin, or a value."""
    value = node.value
    if isinstance(value, ast.Call):
        function = (dotted(value.func) or "").rpartition(".")[2]
        if function in ("_add_docstr", "add_docstr") and len(value.args) == 2:
            return Definition("alias", module, name, (node,), dotted(value.args[0]), value.args[1])
        if function == "boolean_dispatch":
            chosen = {word.arg: word.value for word in value.keywords}
            text = ast.Attribute(chosen["if_true"], "__doc__", ast.Load()) if "if_true" in chosen else None
            return Definition("alias", module, name, (node,), dotted(chosen.get("if_false")), text)
    target = dotted(value) if value else None
    return Definition("alias" if target else "value", module, name, (node,), target)


def note_call(source: Source, call: ast.Call) -> None:
    """`add_docstr(torch.abs, "…")` and `add_docstr_all("view", "…")`; `__all__.extend([...])`."""
    name = dotted(call.func) or ""
    last = name.rpartition(".")[2]
    if last in ("add_docstr", "_add_docstr", "add_docstr_all") and len(call.args) == 2:
        source.added.append((call.args[0], call.args[1]))
    elif name == "__all__.extend" and call.args:
        source.exported = [*(source.exported or []), *listed(call.args[0])]
