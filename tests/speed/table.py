"""The table of what was measured: a row for each figure, beside the bare server's and the bar that it must hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from speed.editing import Round

MS = "{:,.1f} ms"


@dataclass(frozen=True)
class Row:
    """One figure. `bar` is the most that `value` may be, or with `least` the least; None: it is only shown."""

    what: str
    value: float
    bare: float | None
    bar: float | None
    form: str = MS
    least: bool = False

    @property
    def holds(self) -> bool:
        return self.bar is None or (self.value >= self.bar if self.least else self.value <= self.bar)

    def cells(self) -> list[str]:
        shown = [self.what, self.form.format(self.value), "" if self.bare is None else self.form.format(self.bare)]
        sign = "≥" if self.least else "≤"
        verdict = "" if self.bar is None else "yes" if self.holds else "NO"
        return [*shown, "" if self.bar is None else f"{sign} {self.form.format(self.bar)}", verdict]


def editing_rows(where: str, ours: Sequence[Round], bare: Sequence[Round]) -> Iterator[Row]:
    """What an editor waits for, as medians over the rounds."""
    first, floor = middle([one.first for one in ours]), middle([one.first for one in bare])
    yield Row(f"start to first hover, {where}", first, floor, 1.3 * floor)
    work, work_bare = middle([one.first_work for one in ours]), middle([one.first_work for one in bare])
    yield Row(f"processor time to first hover, {where}", work, work_bare, None)
    p50, p95 = middle([median(one.hovers) for one in ours]), middle([late(one.hovers) for one in ours])
    bare_p50, bare_p95 = middle([median(one.hovers) for one in bare]), middle([late(one.hovers) for one in bare])
    yield Row(f"warm hover p50, {where}", p50, bare_p50, bare_p50 + 2)
    yield Row(f"warm hover p95, {where}", p95, bare_p95, 10)
    share = 100 * sum(one.answered for one in ours) / sum(one.asked for one in ours)
    yield Row(f"torch names answered, {where}", share, None, 100, "{:.1f} %", least=True)
    begun, begun_bare = middle([one.completions[0] for one in ours]), middle([one.completions[0] for one in bare])
    yield Row(f"`torch.` completed first, {where}", begun, begun_bare, 300)
    typed = middle([late(one.completions[1:]) for one in ours])
    typed_bare = middle([late(one.completions[1:]) for one in bare])
    yield Row(f"`torch.` completed p95, {where}, {ours[0].offers:,} names", typed, typed_bare, 1.5 * typed_bare)
    yield Row(
        f"memory of the server, {where}",
        middle([one.memory for one in ours]),
        middle([one.memory for one in bare]),
        120,
        "{:.0f} MiB",
    )


def middle(values: Sequence[float]) -> float:
    return median(values)


def late(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def drawn(rows: Sequence[Row]) -> str:
    """The rows in columns, as Markdown."""
    table = [["", "Torch Handbook", "bare pygls", "bar", "holds"], *(row.cells() for row in rows)]
    widths = [max(len(cells[column]) for cells in table) for column in range(5)]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |" for cells in table]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])
