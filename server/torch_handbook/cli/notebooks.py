"""Notebooks as files: the Python of their code cells, and the file with other code in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from torch_handbook.cli.files import Place, SourceFile
from torch_handbook.source.notebook import Notebook
from torch_handbook.source.text import Text

Cell = dict[str, Any]


def opened(shown: str, data: bytes) -> SourceFile:
    """The code cells of a notebook of format 4; of one in another language, none. Never an exception."""
    try:
        content = data.decode("utf-8-sig")
        whole: Any = json.loads(content)
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

    def data(self, content: str) -> bytes:
        """The file with another text in its cells; what did not change stays as it is, the layout of the JSON too."""
        notebook = json.loads(self.content)
        for number, before, after in zip(self.numbers, self.book.cells, self.book.split(content), strict=True):
            if after != before:
                cell: Cell = notebook["cells"][number]
                cell["source"] = after if isinstance(cell["source"], str) else re.findall(r"[^\n]*\n|[^\n]+$", after)
        indent = re.match(r"\{\r?\n([ \t]+)", self.content)
        text = json.dumps(notebook, ensure_ascii=self.content.isascii(), indent=indent[1] if indent else None)
        end = self.content[len(self.content.rstrip()) :]
        return f"{text}{end}".encode()

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
    return isinstance(cell, dict) and cast("Cell", cell).get("cell_type") == "code" and "source" in cell


def source_of(cell: Mapping[str, Any]) -> str:
    """The text of a cell, which is kept as one string or as a list of lines."""
    source: Sequence[Any] | str = cell["source"]
    return source if isinstance(source, str) else "".join(str(line) for line in source)
