"""What torch's docstrings say of each argument."""

from __future__ import annotations

import re
from dataclasses import dataclass

from torch_handbook.torchdocs.markdown import inline

SECTION = re.compile(r"^(Args|Arguments|Parameters|Keyword args|Keyword arguments|Keyword Arguments|Kwargs):\s*$", re.MULTILINE)
TYPE = r"\((?P<type>[^)]*(?:\([^)]*\)[^)]*)*)\)"
ARGUMENT = re.compile(rf"^(?P<names>\*{{0,2}}[\w, *.`]+?)\s*(?:{TYPE})?\s*:\s*(?P<text>.*)$", re.DOTALL)
FORMULA = re.compile(r"\.\. math::\s*([^\n`]+(?:\n[^\n`]+)*)")
NOTED = re.compile(r"\.\. (note|warning|tip|deprecated)::\s*")


@dataclass(frozen=True)
class Argument:
    """One entry of an "Args:" section."""

    name: str
    type: str
    text: str


def arguments(docstring: str) -> list[Argument]:
    """Every argument that the docstring explains, in its order."""
    found: list[Argument] = []
    for section in SECTION.finditer(docstring):
        found += [argument for item in _items(docstring[section.end() :]) for argument in _argument(item)]
    return found


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
    return [Argument(name, _line(found["type"] or ""), _line(found["text"])) for name in names if name.isidentifier()]


def _line(text: str) -> str:
    """A piece of reStructuredText as one paragraph of Markdown."""
    text = NOTED.sub(lambda found: f"{found[1].capitalize()}: ", FORMULA.sub(r":math:`\1`", text))
    return inline(re.sub(r"\s*\n\s*", " ", text)).strip()
