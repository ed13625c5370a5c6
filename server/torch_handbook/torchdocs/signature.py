"""Signatures: from code, and from the first lines of docstrings, where builtins have theirs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from torch_handbook.torchdocs.doc import Parameter, ParameterKind

NAME = re.compile(r"[^\W\d]\w*")
HEAD = re.compile(r"\s*(?:[\w.]*\.)?(\w+)\(")
EQUALS = re.compile(r"\s*=\s*")
FUNCTION_LINE = re.compile(r"^\s*\.\. (?:function|method)::\s*(.+)$")


@dataclass(frozen=True)
class Signature:
    """One way to call something."""

    text: str  # "(input, weight, bias=None) -> Tensor"
    parameters: tuple[Parameter, ...]

    @property
    def tells_nothing(self) -> bool:
        """Whether it takes anything: `(*args, **kwargs)`."""
        return bool(self.parameters) and all(item.kind in ("var", "kw") for item in self.parameters)


def of_code(node: ast.FunctionDef | ast.AsyncFunctionDef, skip_first: bool) -> Signature:
    """The signature of a definition; `skip_first` leaves out `self`."""
    found = list(parameters_of(node.args))
    if skip_first and found and found[0].kind in ("positional", "keyword"):
        found = found[1:]
    found = [item for item in found if item.default is None or not item.name.startswith("_")]  # `_stacklevel=3` is torch's own
    written = list(words(found, len(node.args.posonlyargs) - skip_first))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return Signature(f"({', '.join(written)}){returns}", tuple(found))


def parameters_of(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    for index, item in enumerate(positional):
        yield parameter(item, arguments.defaults[index - missing] if index >= missing else None, "positional")
    if arguments.vararg:
        yield parameter(arguments.vararg, None, "var")
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield parameter(item, default, "keyword")
    if arguments.kwarg:
        yield parameter(arguments.kwarg, None, "kw")


def parameter(node: ast.arg, default: ast.expr | None, kind: ParameterKind) -> Parameter:
    annotation = ast.unparse(node.annotation) if node.annotation else None
    return Parameter(node.arg, ast.unparse(default) if default is not None else None, annotation, kind)


def words(items: Iterable[Parameter], positional_only: int) -> Iterator[str]:
    """The parameters as they are written between the brackets."""
    starred = False
    for index, item in enumerate(items):
        if index == positional_only > 0:
            yield "/"
        if item.kind == "keyword" and not starred:
            starred = True
            yield "*"
        starred = starred or item.kind == "var"
        star = {"var": "*", "kw": "**"}.get(item.kind, "")
        yield star + item.name + (f"={item.default}" if item.default is not None else "")


def of_docstring(docstring: str, name: str) -> tuple[list[Signature], str]:
    """The signatures at the head of a docstring and in its `.. function::` lines, and the docstring without its head."""
    rest = docstring.lstrip("\n")
    found: list[Signature] = []
    while (line := at_head(rest, name)) is not None:
        found.append(of_line(line[0]))
        rest = line[1].lstrip("\n")
    lines = rest.split("\n")
    for index, line in enumerate(lines):
        directive = FUNCTION_LINE.match(line)
        if directive:
            whole = at_head("\n".join([directive[1], *lines[index + 1 : index + 6]]), name)
            found.extend([of_line(whole[0])] if whole else [])
    return found, rest


def at_head(text: str, name: str) -> tuple[str, str] | None:
    """A signature that a text begins with, from its bracket to the end of the line it closes on, and what follows."""
    found = HEAD.match(text)
    if found is None or found[1] not in (name, "__init__"):
        return None
    end = closing(text, found.end() - 1)
    if end is None:
        return None
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    tail = text[end + 1 : line_end].strip()
    if tail and not tail.startswith(("->", "→")):
        return None
    parts = [EQUALS.sub("=", " ".join(part.split())) for part in split(text[found.end() : end].replace("\\\n", ""))]
    return f"({', '.join(parts)}) {tail}".strip(), text[line_end:]


def closing(text: str, start: int) -> int | None:
    """The bracket that closes the one at an offset."""
    depth = 0
    for offset in range(start, min(len(text), start + 3000)):
        depth += (text[offset] in "([{") - (text[offset] in ")]}")
        if depth == 0:
            return offset
    return None


def of_line(line: str) -> Signature:
    """A signature as docstrings write it, which need not be Python: `(*size, *, out=None) -> Tensor`."""
    end = closing(line, 0) or len(line) - 1
    found: list[Parameter] = []
    keyword = False
    for part in split(line[1:end]):
        stars = len(part) - len(part.lstrip("*"))
        name = NAME.match(part.lstrip("*").lstrip("["))
        if name is None:
            keyword = keyword or part == "*"
            continue
        rest, _, default = part.lstrip("*").partition("=")
        annotation = rest.partition(":")[2].strip() or None
        kind: ParameterKind = "var" if stars == 1 else "kw" if stars == 2 else "keyword" if keyword else "positional"
        found.append(Parameter(name[0], default.strip().rstrip("]") if "=" in part else None, annotation, kind))
        keyword = keyword or kind == "var"
    return Signature(line, tuple(found))


def split(text: str) -> list[str]:
    """The parts between the commas that are in no bracket."""
    parts, depth, start = list[str](), 0, 0
    for offset, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[start:offset].strip())
            start = offset + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def united(signatures: Iterable[Signature]) -> tuple[Parameter, ...]:
    """Every parameter of any of them once, with what any of them says of it."""
    found: dict[str, Parameter] = {}
    for signature in signatures:
        for item in signature.parameters:
            if item.name.startswith("_"):
                continue
            known = found.get(item.name)
            if known is None:
                found[item.name] = item
                continue
            default = known.default if known.default not in (None, "...") else item.default
            found[item.name] = Parameter(item.name, default or known.default, known.annotation or item.annotation, known.kind)
    return tuple(found.values())
