"""Lines above code that can be clicked: time it, and what came out the last time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch_handbook.features import networks
from torch_handbook.features.code_actions import BENCHMARK, SUMMARY, is_about_speed
from torch_handbook.features.diagnostics import diagnose
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Span


@dataclass(frozen=True)
class Lens:
    """A title above a line, and the command that it runs."""

    span: Span
    title: str
    command: str
    arguments: tuple[object, ...]


def lenses(snapshot: Snapshot, summaries: Mapping[str, str]) -> list[Lens]:
    """A lens on each finding about speed, and on each line that was timed; `summaries` maps such a line's text to the outcome."""
    if not snapshot.settings.code_lens:
        return []
    slow = [item.finding for item in diagnose(snapshot) if is_about_speed(item.finding)]
    lines = {finding.span.line: "Benchmark it against its replacement" for finding in slow}
    if summaries:
        numbered = ((number, snapshot.text.line(number).strip()) for number in range(1, snapshot.text.line_count + 1))
        lines |= {number: f"{summaries[text]} · again" for number, text in numbered if text in summaries}
    found = [_lens(snapshot, number, title) for number, title in lines.items()]
    return sorted([*found, *_summaries(snapshot)], key=lambda lens: lens.span.start)


def _summaries(snapshot: Snapshot) -> Iterator[Lens]:
    """Above each network that is no part of another one, where a worker can sum it up."""
    for node in networks.outermost(snapshot) if snapshot.facts.known else ():
        span = Span(node.lineno, node.col_offset, node.lineno, node.col_offset + len("class"))
        yield Lens(span, "Layers and memory", SUMMARY, (snapshot.uri, {"name": node.name}))


def _lens(snapshot: Snapshot, line: int, title: str) -> Lens:
    text = snapshot.text.line(line)
    start = len(text) - len(text.lstrip())
    span = Span(line, start, line, len(text.encode("utf-8", "surrogatepass")))
    return Lens(span, title, BENCHMARK, (snapshot.uri, {"line": line - 1, "endLine": line - 1}))
