"""What a torch marks as deprecated or removed, by every name that leads to it: read from all of its files."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from torch_handbook.torchdocs import deprecation
from torch_handbook.torchdocs.describe import SEE, Describer, guesses, public
from torch_handbook.torchdocs.library import Library
from torch_handbook.torchdocs.signature import of_docstring
from torch_handbook.torchdocs.syntax import FUNCTIONS, dotted, statements

# Compilers and tests inside of torch, which nobody calls by name.
INNER = ("_inductor", "_dynamo", "_vendor", "testing/_internal", "_refs", "_numpy", "fx/experimental", "onnx/_internal")
MENTION = re.compile(r"deprecat|now removed", re.IGNORECASE)
REMOVED = re.compile(r"deprecated since .*now removed|was removed|has been removed", re.DOTALL)
THIN = "torch._functorch.deprecated"  # the functions of the package functorch, which lies beside torch
ROLE = re.compile(r":\w+:`~?\.?([^`]*)`")
INSTEAD = re.compile(
    r"\b(?:use|using|in favou?r of|renamed to|switch to|switching to|see|consider)\s+([A-Za-z_][\w.]*\w)(?=[\s(,;]|\.(?:\s|$)|$)",
    re.IGNORECASE,
)
LENGTH = 240  # characters that are kept of a text
MADE = "deprecate"  # part of the name of a function that makes another one warn


@dataclass(frozen=True)
class Mark:
    """A name, what torch says of it, and whether that is about one keyword only, or that it is gone already."""

    name: str
    text: str  # plain: one line, without markup
    keyword: str = ""
    state: str = (
        ""  # "warns": so it does when it is used; "removed": it only says that it was; "": it is written in its docstring
    )
    instead: str = ""  # what torch names as taking its place: a public name, or of a keyword another keyword


def instead_of(mark: Mark, library: Library) -> str:
    """What takes the place of a thing, where torch says so and there is such a thing."""
    for found in INSTEAD.finditer(mark.text):
        name = found[1]
        if mark.keyword:
            return name if "." not in name and "renamed" in mark.text else ""
        owner = mark.name.rpartition(".")[0]
        for whole in (name, f"torch.{name}") if "." in name else (f"{owner}.{name}",):
            if whole != mark.name and library.find(whole):
                return whole
    return ""


def plain(text: str) -> str:
    """A text on one line, without the marks of reStructuredText."""
    line = " ".join(ROLE.sub(r"\1", text).replace("`", "").split())
    return line if len(line) <= LENGTH else line[:LENGTH].rsplit(" ", 1)[0] + "…"


def marks(root: Path) -> list[Mark]:
    """All marks of the torch in a folder, sorted by name; one that several ways lead to is there several times."""
    describer = Describer(Library(root))
    found: dict[tuple[str, str], Mark] = {}
    for mark in (*of_files(describer), *of_builtins(describer)):
        found.setdefault((mark.name, mark.keyword), replace(mark, instead=instead_of(mark, describer.library)))
    return sorted(found.values(), key=lambda mark: (mark.name, mark.keyword))


def rows(root: Path) -> list[tuple[str, ...]]:
    """The marks of one torch in the form in which they are kept: name, keyword, state, since, until, instead, text."""
    return [(m.name, m.keyword, m.state, "", "", m.instead, m.text) for m in marks(root)]


def of_files(describer: Describer) -> Iterator[Mark]:
    """What is written in Python."""
    library = describer.library
    for path in sorted(library.root.rglob("*.py")):
        inside = path.relative_to(library.root)
        if inside.as_posix().startswith(INNER) or not MENTION.search(path.read_text("utf-8", "replace")):
            continue
        parts = inside.with_suffix("").parts
        module = ".".join(("torch", *(parts[:-1] if parts[-1] == "__init__" else parts)))
        source = library.source(module)
        for name in list(source.names) if source and source.path == path else ():
            for place, text, keyword, state in of_definition(describer, module, name):
                yield from (Mark(way, plain(text), keyword, state) for way in ways(library, module, name, place))


Row = tuple[str, str, str, str]  # the name below the module, the text, the keyword, the state


def of_definition(describer: Describer, module: str, name: str) -> Iterator[Row]:
    """What is marked of a function, of a class and its members, or of what a function makes of another one."""
    library = describer.library
    source = library.source(module)
    definition = source.get(name) if source else None
    if definition is None or not definition.nodes:
        return
    node, strings = definition.nodes[-1], library.strings(module)
    if isinstance(node, FUNCTIONS):
        yield from of_function(node, name, strings)
    elif isinstance(node, ast.ClassDef):
        loud = deprecation.decorated(node, strings)
        text = loud or deprecation.documented(ast.get_docstring(node) or "", name)
        if text:
            yield name, text, "", "warns" if loud else ""
        for member in statements(node.body):
            whole = isinstance(member, FUNCTIONS) and member.name in ("__init__", "__new__")
            if isinstance(member, FUNCTIONS) and (whole or not member.name.startswith("_")):
                rows = of_function(member, member.name, strings, name if whole else "")
                yield from ((name if whole else f"{name}.{member.name}", *row[1:]) for row in rows)
    elif definition.text is not None:
        if text := deprecation.documented(inspect.cleandoc(strings.text(definition.text) or ""), name):
            yield name, text, "", ""
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args:
        maker, new = dotted(node.value.func) or "", dotted(node.value.args[0])
        if MADE in maker and new and not new.startswith("_"):
            yield name, f"{name} is deprecated in favor of {new}", "", "warns"


def of_function(node: ast.AST, name: str, strings: deprecation.Strings, owner: str = "") -> Iterator[Row]:
    """What is marked of a function as a whole, and of its keywords."""
    assert isinstance(node, FUNCTIONS)
    keywords = dict(deprecation.keywords(node, strings))
    loud = deprecation.decorated(node, strings) or deprecation.warned(node, owner or name, strings)
    text = loud or deprecation.documented(ast.get_docstring(node) or "", owner or name)
    gone = deprecation.raised(node, strings)
    if gone and REMOVED.search(gone):
        yield name, gone, "", "removed"
    elif text and deprecation.subject(text) not in [word.arg for word in (*node.args.args, *node.args.kwonlyargs)]:
        yield name, text, "", "warns" if loud else ""
    for keyword, said in keywords.items():
        yield name, said, keyword, "warns"


def of_builtins(describer: Describer) -> Iterator[Mark]:
    """What is written in C++ and marked in its docstring; methods that only point to such a function too."""
    found: dict[str, str] = {}
    bodies = {name: of_docstring(text, name.rpartition(".")[2])[1] for name, text in describer.builtins.items()}
    for name, body in bodies.items():
        text = deprecation.documented(body, name.rpartition(".")[2])
        if text:
            found[name] = text
    for name, body in bodies.items():
        see = SEE.match(body.strip())
        target = next((guess for guess in guesses(see[1], name) if guess in found), None) if see else None
        if target and name not in found and name.rpartition(".")[2] == target.rpartition(".")[2]:
            found[name] = found[target]
    yield from (Mark(name, plain(text)) for name, text in found.items())


def ways(library: Library, module: str, name: str, place: str) -> Iterator[str]:
    """The names by which something is reached: where it is defined, and from each package above that hands it on."""
    if module == THIN:
        yield f"functorch.{place}"
        return
    yield public(f"{module}.{place}")
    target = library.find(f"{module}.{name}")
    package = module
    while "." in package:
        package = package.rpartition(".")[0]
        found = library.find(f"{package}.{name}")
        if found and target and found.place == target.place:
            yield f"{package}.{place}"
