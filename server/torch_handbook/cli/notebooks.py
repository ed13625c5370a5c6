"""Notebooks as files: the Python of their code cells, and the file with other code in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from torch_handbook.cli.files import Place, SourceFile
from torch_handbook.cli.json_text import Part, items, members, quoted, with_strings
from torch_handbook.source.notebook import Notebook
from torch_handbook.source.text import Text

Cell = dict[str, Any]


def opened(shown: str, data: bytes) -> SourceFile:
    """The code cells of a notebook of format 4; of one in another language, none. Never an exception."""
    try:
        content = data.decode("utf-8")
        whole: Any = json.loads(content.removeprefix("\ufeff"))
        if not isinstance(whole, dict) or not isinstance(cast("Cell", whole).get("cells", []), list):
            raise ValueError("it has no cells")
        notebook = cast("Cell", whole)
        if "cells" not in notebook:
            raise ValueError("only notebooks of format 4 and newer can be read; Jupyter saves it as one")
    except (ValueError, RecursionError) as error:
        return SourceFile(shown, problem=f"{shown} cannot be read as a notebook: {error}")
    numbers = [number for number, cell in enumerate(notebook["cells"]) if is_code(cell)] if is_python(notebook) else []
    book = Notebook(tuple(source_of(notebook["cells"][number]) for number in numbers))
    return SourceFile(shown, book.content, form=Saved(content, book, tuple(numbers)))


@dataclass(frozen=True)
class Saved:
    """A notebook on disk: `content` is its JSON, `numbers` are the places of its code cells among all cells, from 0."""

    content: str
    book: Notebook
    numbers: tuple[int, ...]
    is_script: bool = False

    def data(self, content: str) -> bytes:
        """The file with another text in its cells. All else stays: outputs have numbers that Python would write otherwise."""
        cells = list(items(self.content, dict(members(self.content, self.content.index("{")))["cells"].start))
        pieces, end = list[str](), 0
        for number, before, after in zip(self.numbers, self.book.cells, self.book.split(content), strict=True):
            if after != before:
                source = dict(members(self.content, cells[number].start))["source"]
                pieces += [self.content[end : source.start], self._written(source, after)]
                end = source.end
        return "".join([*pieces, self.content[end:]]).encode()

    def _written(self, source: Part, after: str) -> str:
        """The text of a cell as the JSON that was there had it: one string or a list of lines."""
        if self.content[source.start] != "[":
            return quoted(after, self.content)
        return with_strings(self.content, source, re.findall(r"[^\n]*\n|[^\n]+$", after))

    def place(self, line: int, text: Text) -> Place:
        """The cell as Jupyter's user counts them, text and code alike, and the line in it."""
        place = joined(self.book, text.content).place(line)
        return Place(self.numbers[place.cell] + 1 if self.numbers else 1, place.line)


@lru_cache(maxsize=8)
def joined(book: Notebook, content: str) -> Notebook:
    """The cells as they are in a text, which is longer after some fixes."""
    return book if content == book.content else Notebook(tuple(book.split(content)))


def is_python(notebook: Mapping[str, Any]) -> bool:
    """Whether its kernel speaks Python; one that does not say it is taken to."""
    about: Any = notebook.get("metadata")
    name: Any = within(within(about, "language_info"), "name") or within(within(about, "kernelspec"), "language") or "python"
    return str(name).lower().startswith(("python", "ipython"))


def within(value: Any, key: str) -> Any:
    """What a mapping has under a key; None in what is none."""
    return cast("Cell", value).get(key) if isinstance(value, dict) else None


def is_code(cell: Any) -> bool:
    """Whether a cell is of code and has a text, which anything may write that calls itself a notebook."""
    source = within(cell, "source")
    lines = cast("list[Any]", source) if isinstance(source, list) else [source]
    return within(cell, "cell_type") == "code" and all(isinstance(line, str) for line in lines)


def source_of(cell: Mapping[str, Any]) -> str:
    """The text of a cell, which is kept as one string or as a list of lines."""
    source: Sequence[str] | str = cell["source"]
    return source if isinstance(source, str) else "".join(source)
