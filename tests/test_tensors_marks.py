"""Every file in tests/tensors holds marks that say which shapes and failures the interpreter must find, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from torch_handbook_worker.protocol import InterpretRequest, InterpretResult, TensorFact

pytestmark = pytest.mark.torch
FOLDER = Path(__file__).parent / "tensors"
FILES = sorted(FOLDER.glob("*.py"))


def interpreted(path: Path) -> InterpretResult:
    """What the interpreter finds in a file."""
    pytest.importorskip("torch")
    from torch_handbook_worker.tensors.program import interpret

    return interpret(InterpretRequest(str(path), path.read_text(encoding="utf-8"), [], seconds=60.0))


def marks(path: Path, kind: str) -> Iterator[tuple[int, str]]:
    """The marks of a kind: the line, and what it says."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = re.search(rf"# {kind} (.*)$", line)
        if found:
            yield number, found.group(1).strip()


def shape_on(tree: ast.Module, result: InterpretResult, line: int) -> str:
    """The shape of what is assigned or returned on a line, as its mark is written."""
    spans = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.lineno <= line <= (node.end_lineno or 0):
            spans.append(node.targets[0])
        if isinstance(node, ast.Return) and node.lineno == line:
            spans.append(node.value)
    facts = {fact.span: fact.fact for fact in result.facts}
    found = [facts.get((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)) for node in spans]
    shapes = [fact.shape for fact in found if isinstance(fact, TensorFact)]
    return f"({', '.join(str(size) for size in shapes[0])})" if shapes else "no tensor"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_the_shapes_that_its_marks_say(path: Path) -> None:
    result = interpreted(path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wanted = dict(marks(path, "->"))
    assert {line: shape_on(tree, result, line) for line in wanted} == wanted
    assert result.complete and result.problem is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_the_failures_that_its_marks_say_and_no_others(path: Path) -> None:
    found = [(failure.span[0], f"{failure.reason} {failure.operation}") for failure in interpreted(path).failures]
    assert found == list(marks(path, "fails"))


def test_there_are_marks_of_both_kinds() -> None:
    assert len([mark for path in FILES for mark in marks(path, "->")]) > 35
    assert len([mark for path in FILES for mark in marks(path, "fails")]) > 12
