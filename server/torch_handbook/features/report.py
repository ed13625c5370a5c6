"""The figures of a benchmark as a document that reads well in a terminal, in Neovim and in VS Code."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from torch_handbook_worker.protocol import BenchmarkRequest, BenchmarkResult, Machine, Timing

CLEAR = 1.05  # a ratio below it is called the same
AGREED = 0.8  # of the turns: with 12 of them, chance alone gives that once in 25
BAR, EIGHTHS = 24, "▏▎▍▌▋▊▉█"  # letters of the longest bar of a chart, and what parts of one look like
SAME = "the same within the spread"
APART = 1.5  # medians that are further apart and still prove nothing were taken on a machine with other work
UNSTEADY = "too unsteady to tell which is faster"


@dataclass(frozen=True)
class Report:
    """The outcome as a document, and in a few words for a lens."""

    title: str
    markdown: str
    ok: bool
    summary: str


class Measured(Protocol):
    """An earlier measurement, as the history keeps it."""

    @property
    def at(self) -> float: ...
    @property
    def median(self) -> float: ...
    @property
    def torch(self) -> str: ...


Last = Callable[[str, str, Machine], Measured | None]


def earlier(last: Last, request: BenchmarkRequest, result: BenchmarkResult) -> str:
    """What the same code took the last time, as a sentence; "" for the first time."""
    if result.machine is None or not result.timings:
        return ""
    timing = result.timings[0]
    past = last(request.path, timing.code, result.machine)
    if past is None:
        return ""
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(past.at))
    torch = "" if past.torch == result.machine.torch else f" with torch {past.torch}"
    return f"The last time, on {day}{torch}, {timing.title} took {duration(past.median)}."


def report_of(request: BenchmarkRequest, result: BenchmarkResult, last_time: str = "") -> Report:
    """The whole document; `last_time` is a sentence about an earlier benchmark of the same code."""
    title = f"Benchmark of {place(request, result)}"
    ok = bool(result.timings)
    summary = verdict(result) if ok else f"the benchmark failed: {first_line(result)}"
    parts = [*figures(result), last_time] if ok else failure(request, result)
    markdown = "\n\n".join(part for part in (f"# {title}", *parts, setup(result)) if part)
    return Report(title, markdown + "\n", ok, summary)


def place(request: BenchmarkRequest, result: BenchmarkResult) -> str:
    """ "train.py, line 43"."""
    first, last = result.lines if result.lines[0] else (request.line, request.end_line)
    where = f"line {first}" if first == last else f"lines {first}–{last}"
    return f"{PurePath(request.path).name}, {where}"


def first_line(result: BenchmarkResult) -> str:
    words = result.problem or (result.traceback or "").strip().rpartition("\n")[2]
    return words or "it gave no figures"


def figures(result: BenchmarkResult) -> list[str]:
    return [
        f"**{sentence(result)}**",
        equality(result),
        table(result.timings),
        chart(result.timings),
        codes(result.timings),
        made_up(result),
        bullets([*warnings(result.timings), *result.notes]),
        machine(result.machine),
    ]


def failure(request: BenchmarkRequest, result: BenchmarkResult) -> list[str]:
    """Why there are no figures: in words, and the code's own traceback."""
    words = f"Nothing was timed: {result.problem.rstrip('.')}." if result.problem else "The code raised an error."
    return [words, fenced(result.traceback, "text") if result.traceback else "", made_up(result), bullets(result.notes)]


def verdict(result: BenchmarkResult) -> str:
    """A few words for a lens: "einsum 44.1 µs, torch.bmm 14.2 µs: 3.1× faster"."""
    device = f" on {result.machine.device}" if result.machine else ""
    if len(result.timings) < 2:
        return f"{duration(result.timings[0].median)}{device}"
    left, right = result.timings[:2]
    words = f"{left.title} {duration(left.median)}, {right.title} {duration(right.median)}{device}"
    if result.equal is False:
        return f"{words}, but the results differ"
    return f"{words}: {comparison(result)}"


def sentence(result: BenchmarkResult) -> str:
    """The answer in one sentence."""
    if len(result.timings) < 2:
        timing = result.timings[0]
        return f"It takes {duration(timing.median)} here (median of {timing.runs:,} runs)."
    left, right = result.timings[:2]
    if result.equal is False:
        return f"{right.title} is not the same as {left.title} here: do not replace it."
    words = comparison(result)
    if words == UNSTEADY:
        return f"The figures are {UNSTEADY}: stop what else keeps the machine busy, and measure again."
    if words == SAME:
        return f"{right.title} and {left.title} take about the same time here: the difference is within the spread."
    return f"{right.title} is {words} than {left.title} here."


def comparison(result: BenchmarkResult) -> str:
    """How the second compares to the first. Where turns, medians or middle halves disagree, no difference is claimed."""
    left, right = result.timings[:2]
    medians = left.median / right.median
    ratio = medians if result.ratio is None else result.ratio
    overlap = left.low <= right.high and right.low <= left.high
    unclear = overlap if result.agreement is None else result.agreement < AGREED or (ratio > 1) != (medians > 1)
    if unclear or 1 / CLEAR < ratio < CLEAR:
        return SAME if 1 / APART < medians < APART else UNSTEADY
    return f"{times(ratio)} faster" if ratio > 1 else f"{times(1 / ratio)} slower"


def times(ratio: float) -> str:
    """ "3.1×", "1.25×", "120×"."""
    return f"{ratio:.0f}×" if ratio >= 20 else f"{ratio:.1f}×" if ratio >= 2 else f"{ratio:.2f}×"


def equality(result: BenchmarkResult) -> str:
    """Whether both gave the same result."""
    if result.equal is None:
        return ""
    difference = "" if result.difference is None else f" (the largest difference is {result.difference:.2g})"
    if result.equal:
        return "Both give the same result" + ("." if result.difference == 0 else f" within rounding{difference}.")
    return f"⚠ **The results differ**{difference}. A replacement that changes the result is a mistake, however fast it is."


def table(timings: Sequence[Timing]) -> str:
    rows = ["| | median | middle 50 % | runs | peak memory |", "|---|---:|---:|---:|---:|"]
    for item in timings:
        spread = f"{duration(item.low)} – {duration(item.high)}"
        rows.append(f"| {item.title} | {duration(item.median)} | {spread} | {item.runs:,} | {memory(item.peak_memory)} |")
    return "\n".join(rows)


def chart(timings: Sequence[Timing]) -> str:
    """The medians as bars below each other, drawn with letters so that every editor shows them; nothing to compare, no chart."""
    if len(timings) < 2:
        return ""
    longest = max(item.median for item in timings)
    width = max(len(item.title) for item in timings)
    bars = [bar(item.median / longest) for item in timings]
    rows = [
        f"{item.title.ljust(width)}  {one.ljust(BAR)}  {duration(item.median)}" for item, one in zip(timings, bars, strict=True)
    ]
    return fenced("\n".join(rows), "text")


def bar(share: float) -> str:
    """A bar of so much of the whole width, to an eighth of a letter."""
    eighths = max(1, round(share * BAR * len(EIGHTHS)))
    whole, rest = divmod(eighths, len(EIGHTHS))
    return EIGHTHS[-1] * whole + (EIGHTHS[rest - 1] if rest else "")


def codes(timings: Sequence[Timing]) -> str:
    """What was timed, as code."""
    shown = [f"{item.title}:\n\n{fenced(item.code)}" if len(timings) > 1 else fenced(item.code) for item in timings]
    return "\n\n".join(["## What was timed", *shown])


def made_up(result: BenchmarkResult) -> str:
    if not result.assumed:
        return ""
    made = "\n".join(f"{name} = {code}" for name, code in result.assumed.items())
    return f"The parameters were made up from what is known of their shapes; free sizes are chosen:\n\n{fenced(made)}"


def bullets(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {item[:1].upper()}{item[1:]}." for item in dict.fromkeys(sentences))


def warnings(timings: Sequence[Timing]) -> list[str]:
    """What each timing warns of, by its title where there are several."""
    return [f"for {item.title}, {item.warning}" if len(timings) > 1 else item.warning for item in timings if item.warning]


def machine(found: Machine | None) -> str:
    """One line on where it was measured."""
    if found is None:
        return ""
    device = found.device_name if found.device == "cpu" else f"{found.device_name} ({found.device})"
    cuda = f", CUDA {found.cuda}" if found.cuda else ""
    threads = f"{found.threads} thread{'' if found.threads == 1 else 's'}"
    return f"Measured with `torch.utils.benchmark` on {device}, {threads}; torch {found.torch}{cuda}, Python {found.python}."


def setup(result: BenchmarkResult) -> str:
    return f"## What was run first\n\n{fenced(result.setup)}" if result.setup else ""


def fenced(code: str, language: str = "python") -> str:
    """A block of code; the fence is longer than any in the code."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


def duration(seconds: float) -> str:
    """Three significant figures: "14.2 µs", "1.03 ms", "2.50 s"."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= 0.9995 * factor:
            return f"{figure(seconds / factor)} {unit}"
    return f"{figure(seconds / 1e-9)} ns"


def figure(value: float) -> str:
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def memory(size: int | None) -> str:
    """ "1.2 MB"; "not known" where torch cannot say."""
    if size is None:
        return "not known"
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= factor:
            return f"{figure(size / factor)} {unit}"
    return f"{size} B"
