"""torch's docstrings as Markdown: the first paragraph, and what is said of each argument."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

SIGNATURE = re.compile(r"\A\s*[\w.]+\(.*?\)\s*(?:->\s*[^\n]+)?\s*\n", re.DOTALL)
SECTION = re.compile(r"^(Args|Arguments|Parameters|Keyword args|Keyword arguments|Keyword Arguments|Kwargs):\s*$", re.MULTILINE)
TYPE = r"\((?P<type>[^)]*(?:\([^)]*\)[^)]*)*)\)"
ARGUMENT = re.compile(rf"^(?P<names>\*{{0,2}}[\w, *.`]+?)\s*(?:{TYPE})?\s*:\s*(?P<text>.*)$", re.DOTALL)
ROLE = re.compile(r":[\w:]+:`(?:~?\.?)?([^`<]+?)(?:\s*<[^`>]*>)?`")
LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_+")
DIRECTIVE = re.compile(r"^\s*\.\. (\w[\w-]*)::.*$", re.MULTILINE)


@dataclass(frozen=True)
class Argument:
    """One entry of an "Args:" section."""

    name: str
    type: str
    text: str


def first_paragraph(docstring: str) -> str:
    """The first paragraph of prose, without the signature line that torch writes above it."""
    body = SIGNATURE.sub("", docstring.lstrip("\n"), count=1)
    for paragraph in re.split(r"\n\s*\n", textwrap.dedent(body).strip()):
        text = paragraph.strip()
        if text and not text.startswith("..") and not SECTION.match(text):
            return plain(text)
    return ""


def arguments(docstring: str) -> list[Argument]:
    """Every argument that the docstring explains, in its order."""
    found: list[Argument] = []
    for section in SECTION.finditer(docstring):
        found += [argument for item in _items(docstring[section.end() :]) for argument in _argument(item)]
    return found


def plain(text: str) -> str:
    """A piece of reStructuredText as Markdown: roles become code, links their words, lines one paragraph."""
    text = DIRECTIVE.sub("", text)
    text = LINK.sub(r"\1", ROLE.sub(r"`\1`", text)).replace("``", "`")
    return re.sub(r"\s*\n\s*", " ", text).strip()


def _items(text: str) -> list[str]:
    """The items of an indented list: each starts at the list's own indentation."""
    lines = text.lstrip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    items: list[str] = []
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth < indent:
            break
        if line.strip() and depth == indent:
            items.append(line.strip())
        elif items:
            items[-1] += "\n" + line.strip()
    return items


def _argument(item: str) -> list[Argument]:
    found = ARGUMENT.match(item)
    if not found:
        return []
    names = [name.strip(" *`") for name in re.split(r",|\band\b", found["names"])]
    return [Argument(name, plain(found["type"] or ""), plain(found["text"])) for name in names if name.isidentifier()]
