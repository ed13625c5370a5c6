"""A network's figures as a page: its layers, what it takes to train it, and which batch fits into a memory."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from torch_handbook_worker.protocol import LayerRow, OptimizerRow, SummaryResult

from torch_handbook.features import wording
from torch_handbook.features.tables import cut, table, word

DEEPEST = 3  # levels of modules that are shown
MOST = 400  # rows
ROOM = 48  # characters of what a layer is
LEAST = 10  # characters that are left of it in a narrow terminal
GAPS = 16  # characters between the columns of a terminal
SIZES = re.compile(r"\b(?:in|out)_features=")  # "Linear(16, 64)" says it all, in a column that is narrow
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
LETTERS = ("", " k", " M", " G", " T")
LEFT_OUT = (
    "Not counted: the loss, what the loss keeps, results that live only for a moment, what CUDA itself takes (some hundred MiB), "
    "workspaces of cuDNN and cuBLAS, and memory that lies idle between blocks. Kept for backward is what torch keeps on the CPU: "
    "on CUDA dropout keeps a mask of a quarter of the size, and autocast keeps halves."
)


@dataclass(frozen=True)
class Page:
    """A title and Markdown; `ok` says whether there are figures, and `gist` says them in a line."""

    title: str
    markdown: str
    ok: bool
    gist: str = ""


def page(result: SummaryResult, memory: int = 0, depth: int = DEEPEST, width: int = 0) -> Page:
    """The page of a network; a batch is to fit into `memory` bytes, and a row into `width` characters."""
    title = f"Summary of {result.name}" if result.name else "Summary"
    if result.problem is not None:
        return Page(title, f"# {title}\n\n{result.problem[:1].upper()}{result.problem[1:]}.\n", ok=False)
    parts = [f"# {title}", _measured_with(result), _layers(result, depth, width), _totals(result)]
    if result.saved:
        parts += ["## Memory of a training step", _memory(result), *_fits(result, memory), LEFT_OUT]
    parts += [f"Note: {note}." for note in result.notes]
    return Page(title, "\n\n".join(filter(None, parts)) + "\n", ok=True, gist=f"{title}: {_totals(result)}")


def _measured_with(result: SummaryResult) -> str:
    given = ", ".join(f"`{name}` {text}" for name, text in result.inputs.items())
    assumed = ", ".join(f"{name} = {number}" for name, number in result.assumed.items())
    said = f"With {given}, in training." if given else ""
    return f"{said} Taken since the file does not say: {assumed}." if assumed else said


def _layers(result: SummaryResult, depth: int, width: int) -> str:
    shown = [row for row in result.rows if row.depth <= depth]
    head = ("layer", "what it is", "output", "parameters", "MACs", "kept for backward")
    rows = [_row(row) for row in shown[:MOST]]
    if width:  # a row in one line, if what a layer is can be cut so far
        heads = [max(title.split(), key=len) for title in head]
        others = [max(map(len, column)) for number, column in enumerate(zip(heads, *rows, strict=True)) if number != 1]
        room = max(width - sum(others) - GAPS, LEAST)
        rows = [(name, cut(what, room), *rest) for name, what, *rest in rows]
    more = f"\n\n… and {len(shown) - MOST} more." if len(shown) > MOST else ""
    return table(head, rows) + more


def _row(row: LayerRow) -> tuple[str, ...]:
    """One module; its figures are those of all that is inside it, too.

    Dots say how deep it is: what draws Markdown takes away the spaces that would move a name to the right.
    """
    name = "whole" if not row.name else "· " * (row.depth - 1) + word(row.name.rpartition(".")[2])
    what = cut(SIZES.sub("", row.text) if row.leaf else row.type.rpartition(".")[2], ROOM)
    output = f"`{wording.sizes(row.output)}`" if row.output is not None else "" if row.calls else "not called"
    return name, what, output, _parameters(row), count(row.macs) if row.macs else "", size(row.saved) if row.saved else ""


def _parameters(row: LayerRow) -> str:
    if row.shared:
        return f"{row.parameters:,} (shared)"
    if row.trainable < row.parameters:
        return f"{row.parameters:,} (frozen)" if not row.trainable else f"{row.parameters:,} ({row.trainable:,} learn)"
    return f"{row.parameters:,}" if row.parameters else ""


def _totals(result: SummaryResult) -> str:
    if not result.rows:
        return ""
    whole = result.rows[0]
    frozen = whole.parameters - whole.trainable
    learn = f"{whole.trainable:,} of {whole.parameters:,} parameters learn" if frozen else f"{whole.parameters:,} parameters"
    shared = ", each counted once where layers share it" if any(row.shared for row in result.rows) else ""
    work = f", {count(whole.macs)} multiply-adds forward ({count(2 * whole.macs)} FLOPs)" if whole.macs else ""
    return f"{learn} ({size(result.weights)}){shared}{work}."


def _memory(result: SummaryResult) -> str:
    """What has to lie in memory when backward begins, for each optimizer."""
    kept = result.saved[str(result.batch)]
    own = result.weights + result.buffers
    rows = [
        (_of(row), *map(size, (own, result.gradients, row.state or 0, kept, _needs(result, row, kept)))) for row in known(result)
    ]
    head = ("optimizer", "parameters, buffers", "gradients", "its own state", f"kept, batch {result.batch}", "together")
    return table(head, rows)


def known(result: SummaryResult) -> list[OptimizerRow]:
    """The optimizers whose state is known."""
    return [row for row in result.optimizers if row.state is not None]


def _of(row: OptimizerRow) -> str:
    momentum = ", ".join(part for part in row.text.split(", ") if part.startswith(("momentum", "amsgrad", "centered")))
    name = row.type.removeprefix("torch.optim.") + (f" with {momentum}" if momentum else "")
    return f"{name} (this file's)" if row.found else name


def _needs(result: SummaryResult, row: OptimizerRow, kept: int) -> int:
    return result.weights + result.buffers + result.gradients + (row.state or 0) + kept


def _fits(result: SummaryResult, memory: int) -> Iterable[str]:
    if not memory:
        return
    for row in known(result):
        batch = largest_batch(result, row, memory)
        name = _of(row)
        if batch is None:
            yield f"How the memory grows with the batch is not known for {name}."
        else:
            said = f"a batch of {batch:,} fits into {size(memory)}" if batch else f"not even one sample fits into {size(memory)}"
            yield f"With {name} {said}."


def largest_batch(result: SummaryResult, row: OptimizerRow, memory: int) -> int | None:
    """The most samples that fit, by two batches that were measured; None where there are none."""
    points = sorted((int(batch), kept) for batch, kept in result.saved.items())[-2:]
    if len(points) < 2 or points[1][1] <= points[0][1]:
        return None
    (few, small), (many, large) = points
    each = (large - small) / (many - few)
    base = small - each * few
    return max(int((memory - _needs(result, row, 0) - base) // each), 0)


def size(count: int) -> str:
    """Bytes in a unit that a reader can compare: "337.4 MiB"."""
    power = next((power for power in range(len(UNITS)) if count < 1000 * 1024**power), len(UNITS) - 1)
    value = count / 1024**power
    return f"{value:.0f} {UNITS[power]}" if power == 0 or value >= 100 else f"{value:.1f} {UNITS[power]}"


def count(number: int) -> str:
    """A count with a letter for thousands: "4.1 G"."""
    power = next((power for power in range(len(LETTERS)) if number < 1000 ** (power + 1)), len(LETTERS) - 1)
    value = number / 1000**power
    return f"{value:,.0f}{LETTERS[power]}" if value >= 1000 else f"{value:.3g}{LETTERS[power]}"
