"""One open notebook: its code cells as the editor has them, and the one text that they make together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from torch_handbook.source.notebook import Notebook
from torch_handbook.source.text import Text


@dataclass(frozen=True)
class Cell:
    """A code cell. Its text is what the editor has, with all that IPython adds to Python."""

    uri: str
    version: int | None
    text: Text


@dataclass(frozen=True)
class OpenNotebook:
    """A notebook at one version."""

    uri: str
    path: str
    version: int | None
    cells: tuple[Cell, ...]

    @cached_property
    def joined(self) -> Notebook:
        """The text of all cells, and how its lines lie in them."""
        return Notebook(tuple(cell.text.content for cell in self.cells))

    def index(self, uri: str) -> int | None:
        """Which of the cells this is."""
        return next((index for index, cell in enumerate(self.cells) if cell.uri == uri), None)

    def with_cells(self, cells: Iterable[Cell], version: int | None) -> OpenNotebook:
        return OpenNotebook(self.uri, self.path, version, tuple(cells))

    def with_text(self, uri: str, text: Text, version: int | None) -> OpenNotebook:
        """The notebook with another text in one cell."""
        cells = (Cell(uri, version, text) if cell.uri == uri else cell for cell in self.cells)
        return self.with_cells(cells, self.version)

    def spliced(self, start: int, deleted: int, added: Sequence[Cell]) -> OpenNotebook:
        """The notebook with some cells in the place of others."""
        return self.with_cells([*self.cells[:start], *added, *self.cells[start + deleted :]], self.version)
