"""Benchmarks: what to ask the worker to time, and where the figures that come back are put into words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torch_handbook_worker.protocol import BenchmarkRequest, BenchmarkResult, Fact, ObjectFact, TensorFact, TupleFact

from torch_handbook.engine import registry
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.fixes import FixError, apply
from torch_handbook.engine.rule import Category, Finding
from torch_handbook.features.diagnostics import diagnose
from torch_handbook.features.report import Report, report_of
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.file import File
from torch_handbook.source.text import Span, Text, span_of


@dataclass(frozen=True)
class Alternative:
    """Another way to compute an expression."""

    expression: Span
    code: str
    title: str


def request(snapshot: Snapshot, line: int, end_line: int, roots: Sequence[str] = ()) -> BenchmarkRequest:
    """Time lines of an open file; an expression among them that a rule knows a faster way for is held against that."""
    findings = [item.finding for item in diagnose(snapshot)]
    return request_for(snapshot.file, snapshot.facts, findings, (line, end_line), roots, snapshot.settings.benchmark_seconds)


def request_for(
    file: File, facts: Facts, findings: Iterable[Finding], lines: tuple[int, int], roots: Sequence[str], seconds: float
) -> BenchmarkRequest:
    line, end_line = lines
    found = alternative(file, findings, line, end_line)
    return BenchmarkRequest(
        file.path,
        file.text.content,
        line,
        end_line,
        seconds,
        alternative=found.code if found else None,
        expression=found.expression if found else None,
        alternative_title=found.title if found else "",
        roots=list(roots),
        inputs=inputs(file.tree, facts, line, end_line),
    )


def alternative(file: File, findings: Iterable[Finding], line: int, end_line: int) -> Alternative | None:
    """What the fix of a finding about speed would make of its expression. A longer selection is timed as it is."""
    for finding in findings:
        span = finding.span
        meant = (line == end_line and span.line <= line <= span.end_line) or (span.line, span.end_line) == (line, end_line)
        rule = registry.rule(finding.rule)
        if meant and rule is not None and rule.category is Category.PERFORMANCE:
            code = rewritten(file.text, finding)
            if code is not None:
                return Alternative(span, code, title_of(code))
    return None


def rewritten(text: Text, finding: Finding) -> str | None:
    """The finding's expression after its fix; None unless the fix stays within it and gives an expression."""
    for fix in finding.fixes:
        if all(finding.span.contains(edit.span.start) and finding.span.contains(edit.span.end) for edit in fix.edits):
            try:
                content = apply(text, fix.edits)
                start = text.offset(finding.span.start)
                end = text.offset(finding.span.end) + len(content) - len(text.content)
                ast.parse(code := f"({content[start:end]}\n)", mode="eval")
            except (FixError, SyntaxError, ValueError):
                continue
            return ast.unparse(ast.parse(code, mode="eval"))
    return None


def title_of(code: str) -> str:
    """A short name for an expression: the function that it calls, or the operator."""
    node = ast.parse(code, mode="eval").body
    if isinstance(node, ast.Call):
        function = ast.unparse(node.func)
        return function if len(function) < 30 else function.rpartition(".")[2]
    return "the @ operator" if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) else "the plain form"


def inputs(tree: ast.Module, facts: Facts, line: int, end_line: int) -> dict[str, Fact]:
    """What the parameters of the functions around the lines are known to be; inner functions hide outer ones."""
    known: dict[str, Fact] = {}
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.lineno <= line
            and end_line <= (node.end_lineno or 0)
        ):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            found = {argument.arg: parameter_fact(argument, facts) or first_use(node, argument, facts) for argument in arguments}
            known |= {name: fact for name, fact in found.items() if fact is not None and can_be_made(fact)}
    return known


def parameter_fact(argument: ast.arg, facts: Facts) -> Fact | None:
    """What a parameter is; its fact may stand at its name alone, without the annotation."""
    span = span_of(argument)
    name = Span(span.line, span.column, span.line, span.column + len(argument.arg.encode()))
    return facts.at(span) or facts.at(name)


def first_use(function: ast.AST, argument: ast.arg, facts: Facts) -> Fact | None:
    """What a parameter is where it is first used, when only the layer that takes it says so."""
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == argument.arg]
    line = min((use.lineno for use in uses), default=0)
    loads = [use for use in uses if use.lineno == line and isinstance(use.ctx, ast.Load)]
    return next((fact for fact in map(facts.of, loads) if fact is not None), None)


def can_be_made(fact: Fact) -> bool:
    """Whether such a value can be made up: tensors, plain numbers and words, and tuples of them."""
    if isinstance(fact, TupleFact):
        return all(map(can_be_made, fact.items))
    if isinstance(fact, ObjectFact):
        return fact.type in ("int", "float", "bool", "str") and is_literal(fact.text)
    return isinstance(fact, TensorFact)


def is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def report(snapshot: Snapshot, request: BenchmarkRequest, result: BenchmarkResult, last_time: str = "") -> Report:
    """The figures as a document; `last_time` is what `report.earlier` says of the history."""
    return report_of(request, result, last_time)
