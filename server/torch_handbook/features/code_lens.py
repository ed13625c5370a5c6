"""Lines above code that can be clicked: time it, and what came out the last time; sum a network up."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch_handbook.features import networks
from torch_handbook.features.code_actions import BENCHMARK, SUMMARY, is_about_speed
from torch_handbook.features.diagnostics import diagnose
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Span, Text

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
LEAVES = (ast.Yield, ast.YieldFrom, ast.Await)  # what the timing of a body by itself cannot have


@dataclass(frozen=True)
class Lens:
    """A title above a line, and the command that it runs."""

    span: Span
    title: str
    command: str
    arguments: tuple[object, ...]


@dataclass(frozen=True)
class Stretch:
    """Lines to time, from 1 and both included, and the line that the offer stands above."""

    above: int
    first: int
    last: int
    title: str = "Benchmark"


def lenses(snapshot: Snapshot, summaries: Mapping[str, str]) -> list[Lens]:
    """A lens on each finding about speed, each function that computes with torch, the block that runs as a script, and on what
    was timed; `summaries` maps the text of such lines, as `text_of` has it, to the outcome."""
    if not snapshot.settings.code_lens:
        return []
    slow = [item.finding for item in diagnose(snapshot) if is_about_speed(item.finding)]
    offered = [
        Stretch(finding.span.line, finding.span.line, finding.span.line, "Benchmark it against its replacement")
        for finding in slow
    ]
    found = {(one.first, one.last): one for one in [*_scripts(snapshot), *_functions(snapshot), *offered]}
    for first, last, outcome in _timed(snapshot.text, summaries):
        known = found.get((first, last))
        found[first, last] = Stretch(known.above if known else first, first, last, f"{outcome} · again")
    lines = [_lens(snapshot, one) for one in found.values()]
    return sorted([*lines, *_summaries(snapshot)], key=lambda lens: lens.span.start)


def text_of(text: Text, first: int, last: int) -> str:
    """What stands for some lines wherever they move to, until they are edited."""
    return "\n".join(text.line(number).strip() for number in range(first, last + 1))


def _timed(text: Text, summaries: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """First line, last line and outcome of what was timed and is still there."""
    lines = [text.line(number).strip() for number in range(1, text.line_count + 1)] if summaries else []
    for code, outcome in summaries.items():
        wanted = code.split("\n")
        for start, line in enumerate(lines):
            if line == wanted[0] and lines[start : start + len(wanted)] == wanted:
                yield start + 1, start + len(wanted), outcome


def _functions(snapshot: Snapshot) -> Iterator[Stretch]:
    """The bodies of functions and methods that call something of torch. Those within a function are timed with it."""
    tree = snapshot.file.tree
    within = [node for owner in tree.body if isinstance(owner, ast.ClassDef) for node in owner.body]
    for node in [*tree.body, *within]:
        special = isinstance(node, Function) and node.name.startswith("__") and node.name != "__call__"
        if isinstance(node, ast.FunctionDef) and not special and _computes(snapshot, node):
            yield from _body(node, min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.body)


def _scripts(snapshot: Snapshot) -> Iterator[Stretch]:
    """What runs when the file is started as a program."""
    for node in snapshot.file.tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("__name__ == '__main__'", "'__main__' == __name__"):
            yield from _body(node, node.lineno, node.body)


def _body(owner: ast.stmt, above: int, block: list[ast.stmt]) -> Iterator[Stretch]:
    """A block without its docstring; nothing where it stands behind the colon."""
    rest = block[1:] if isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant) else block
    if rest and rest[0].lineno > owner.lineno:
        yield Stretch(above, rest[0].lineno, rest[-1].end_lineno or rest[-1].lineno)


def _computes(snapshot: Snapshot, function: ast.FunctionDef) -> bool:
    index = snapshot.file.index
    names = (snapshot.file.name_of(call.func) for call in index.inside(function, ast.Call))
    return any(name and name.startswith("torch") for name in names) and not any(index.inside(function, kind) for kind in LEAVES)


def _summaries(snapshot: Snapshot) -> Iterator[Lens]:
    """Above each network that is no part of another one, where a worker can sum it up."""
    for node in networks.outermost(snapshot) if snapshot.facts.known else ():
        span = Span(node.lineno, node.col_offset, node.lineno, node.col_offset + len("class"))
        yield Lens(span, "Layers and memory", SUMMARY, (snapshot.uri, {"name": node.name}))


def _lens(snapshot: Snapshot, one: Stretch) -> Lens:
    text = snapshot.text.line(one.above)
    start = len(text) - len(text.lstrip())
    span = Span(one.above, start, one.above, len(text.encode("utf-8", "surrogatepass")))
    return Lens(span, one.title, BENCHMARK, (snapshot.uri, {"line": one.first - 1, "endLine": one.last - 1}))
