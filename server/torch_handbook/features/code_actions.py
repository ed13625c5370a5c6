"""What can be done about a place: fix a finding, read why, silence it, time the code; and about a file: fix all that is safe."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from torch_handbook.engine import registry, ruledoc
from torch_handbook.engine.fixes import TURNS, edits_of, fixed
from torch_handbook.engine.patch import Patch
from torch_handbook.engine.rule import Category, Edit, Finding
from torch_handbook.features import networks, say_shape
from torch_handbook.features.diagnostics import diagnose
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Span, span_of

QUICK_FIX, REWRITE, FIX_ALL = "quickfix", "refactor.rewrite", "source.fixAll.torch-handbook"
BENCHMARK, OPEN, SUMMARY = "torch-handbook.benchmark", "torch-handbook.open", "torch-handbook.summary"
WIDTH = 100  # characters of a line in a menu
SENTENCE = re.compile(r"\. |(?<=。)")
NAMES = re.compile(r"#\s*torch-handbook:\s*ignore\s*\[(?P<names>[^\]\n]*)\]")


@dataclass(frozen=True)
class Action:
    """A title, and either edits or a command."""

    title: str
    kind: str
    edits: tuple[Edit, ...] = ()
    finding: Finding | None = None
    preferred: bool = False
    command: str = ""
    arguments: tuple[Any, ...] = field(default=())


def actions(snapshot: Snapshot, span: Span) -> list[Action]:
    """Everything that is offered for a selection or a cursor, the best first."""
    everything = [diagnostic.finding for diagnostic in diagnose(snapshot)]
    here = [finding for finding in everything if _touch(finding.span, span)]
    return [
        *(action for finding in here for action in _fixes(finding)),
        *_fix_all(snapshot, here, everything),
        *_benchmarks(snapshot, here, span),
        *_reasons(snapshot, here),
        *_sayings(snapshot, span),
        *_summary(snapshot, span),
        *(_silence(snapshot, finding) for finding in here if finding.rule != "unused-suppression"),
    ]


def fix_all(snapshot: Snapshot) -> list[Action]:
    """Everything in the file that can be fixed and that nobody need look at: for editors that do so when a file is saved.

    It takes as many turns as change something: a fix may make room for another. It may take a while: call it in a thread.
    """
    patch, count, now = Patch.of(snapshot.text), 0, snapshot
    for _ in range(TURNS):
        fixes = [fix for item in diagnose(now) for fix in item.finding.fixes[:1] if fix.safe]
        content, applied = fixed(now.text, fixes, now.file.parsed)
        if not applied:
            break
        patch, count = patch.then(now.text, edits_of(applied)), count + len(applied)
        now = now.after(content)
    return [Action(f"Fix all {count} that Torch Handbook can fix", FIX_ALL, tuple(patch.edits()))] if count else []


def _reasons(snapshot: Snapshot, here: list[Finding]) -> Iterator[Action]:
    """The pitfall behind each finding, in a line that a menu shows; taken, it opens the page with the rest."""
    for finding in {finding.id: finding for finding in reversed(here)}.values():
        if finding.rule != "unused-suppression":
            title = f"Why: {reason(snapshot, finding.id, names_in(snapshot, finding.span))}"
            yield Action(title, QUICK_FIX, (), finding, command=OPEN, arguments=(finding.id,))


def names_in(snapshot: Snapshot, span: Span) -> frozenset[str]:
    """The public names of what is called within a span."""
    calls = [call for call in snapshot.file.index.all(ast.Call) if span.contains(span_of(call).start)]
    return frozenset(name for call in calls if (name := snapshot.file.name_of(call.func)))


def reason(snapshot: Snapshot, name: str, about: Collection[str] = ()) -> str:
    """What the pitfall, or the advice, that names a finding says first; else what the page of its rule begins with.

    Those on the page of what the finding is about come first. A pitfall that names another kind of the same rule is about
    other code.
    """
    book = snapshot.handbook
    rows = [*book.pitfalls_of_rule(name), *book.advice_of_rule(name)]
    if rows:
        _, part = min(rows, key=lambda row: row[0].name not in about)
        sentence = SENTENCE.split(" ".join(part.text.split()), maxsplit=1)[0].rstrip(".。")
        whole = f"{part.title}: {sentence}".replace("`", "")
        return whole if len(whole) <= WIDTH else f"{whole[:WIDTH]}…"
    doc = ruledoc.ruledoc(name)
    return doc.summary if doc else name


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _fixes(finding: Finding) -> Iterator[Action]:
    for number, fix in enumerate(finding.fixes):
        yield Action(_capital(fix.title), QUICK_FIX, fix.edits, finding, preferred=number == 0)


def _fix_all(snapshot: Snapshot, here: list[Finding], everything: list[Finding]) -> Iterator[Action]:
    """One action for each name at the cursor that has several findings in the file which can be fixed together."""
    for name in dict.fromkeys(finding.id for finding in here if finding.fixes):
        fixes = [finding.fixes[0] for finding in everything if finding.id == name and finding.fixes]
        _, applied = fixed(snapshot.text, fixes, snapshot.file.parsed) if len(fixes) > 1 else ("", [])
        if len(applied) > 1:
            yield Action(f"Fix all {len(applied)} of {name} in this file", QUICK_FIX, tuple(dict.fromkeys(edits_of(applied))))


def _benchmarks(snapshot: Snapshot, here: list[Finding], span: Span) -> Iterator[Action]:
    """Time what is selected; without a selection, a finding about speed."""
    slow = next((finding for finding in here if is_about_speed(finding)), None)
    if slow:
        arguments = (snapshot.uri, {"line": slow.span.line - 1, "endLine": slow.span.line - 1})
        yield Action("Benchmark this against its replacement", QUICK_FIX, finding=slow, command=BENCHMARK, arguments=arguments)
    elif span.start != span.end:
        last = span.end_line - (1 if span.end_column == 0 and span.end_line > span.line else 0)
        arguments = (snapshot.uri, {"line": span.line - 1, "endLine": last - 1})
        yield Action("Benchmark the selected lines", BENCHMARK, command=BENCHMARK, arguments=arguments)


def _sayings(snapshot: Snapshot, span: Span) -> Iterator[Action]:
    """Write down the shape of the name at the cursor."""
    for saying in say_shape.sayings(snapshot, span.start) if snapshot.facts.known else ():
        yield Action(saying.title, REWRITE, (saying.edit,))


def _summary(snapshot: Snapshot, span: Span) -> Iterator[Action]:
    """Sum up the network whose name stands at the cursor."""
    place = snapshot.file.place_at(span.start)
    name = networks.at(snapshot, span.start) if place and snapshot.facts.known else None
    if name and snapshot.text.slice(place.span if place else span) == name:
        yield Action(
            f"Show the layers and the memory of {name}", SUMMARY, command=SUMMARY, arguments=(snapshot.uri, {"name": name})
        )


def is_about_speed(finding: Finding) -> bool:
    """Whether a finding offers a faster way, which a benchmark can hold against the present one."""
    rule = registry.rule(finding.rule)
    return rule is not None and rule.category is Category.PERFORMANCE and bool(finding.fixes)


def _silence(snapshot: Snapshot, finding: Finding) -> Action:
    """The comment that silences a finding, behind a line of it or of its statement."""
    number = _line_for_comment(snapshot, finding.span)
    line = snapshot.text.line(number)
    found = NAMES.search(line)
    if found:
        start = end = _width(line[: found.end("names")])
        text = f", {finding.id}"
    else:
        start, end = _width(line.rstrip()), _width(line)
        text = f"  # torch-handbook: ignore[{finding.id}]"
    edit = Edit(Span(number, start, number, end), text)
    return Action(f"Silence {finding.id} on this line", QUICK_FIX, (edit,), finding)


def _line_for_comment(snapshot: Snapshot, span: Span) -> int:
    """The first of the finding's own lines, and its statement's last, that a comment can stand behind."""
    around = (node for node in ast.walk(snapshot.file.tree) if isinstance(node, ast.stmt) and _inside(span, node))
    statement = max(around, key=lambda node: node.lineno, default=None)
    lines = [span.line, span.end_line, *([statement.end_lineno or span.line] if statement else [])]
    nodes = list(ast.walk(statement)) if statement else []
    strings = [span_of(node) for node in nodes if isinstance(node, (ast.Constant, ast.JoinedStr))]
    for line in lines:
        in_string = any(string.line <= line < string.end_line for string in strings)
        if not in_string and not snapshot.text.line(line).endswith("\\"):
            return line
    return span.line


def _inside(span: Span, node: ast.stmt) -> bool:
    return span_of(node).start <= span.start and span.end <= span_of(node).end


def _width(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]
