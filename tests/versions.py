"""What the interpreter of tensors knows with other versions of torch, beside what it knows with the torch of this Python.

    PYTHONPATH=server:tests python tests/versions.py PYTHON… [--files PATH…] [--verbose]

Each PYTHON is one that has a torch. Files are those of tests/tensors, tests/rules and tests/scripts where none are named.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch_handbook_worker.protocol import (
    Failure,
    InterpretRequest,
    InterpretResult,
    ModuleFact,
    Span,
    TensorFact,
    from_json,
    to_json,
)

HERE = Path(__file__).parent
WORKER = HERE.parent / "server" / "torch_handbook_worker"
SECONDS = 60.0  # for one file: many, since a busy machine must not count
KINDS = ("same", "missing", "more", "differing")


@dataclass
class Version:
    """One Python and what its worker said."""

    python: str
    torch: str
    results: list[InterpretResult]


@dataclass
class Row:
    """How far one version agrees with another, counted."""

    facts: Counter[str] = field(default_factory=Counter[str])
    failures: Counter[str] = field(default_factory=Counter[str])
    problems: int = 0  # files in which the interpreter itself failed
    unfinished: int = 0  # files for which the budget was not enough
    lines: list[str] = field(default_factory=list[str])  # each difference


def main() -> int:
    options = parser().parse_args()
    paths = options.files or sorted(default_files())
    known = ask(sys.executable, paths)
    print(table_line("torch", "python", "facts", *KINDS[1:], "failures", *KINDS[1:], "problems", "unfinished", "seconds"))
    row = Row()
    for python in [sys.executable, *options.pythons]:
        version = known if python == sys.executable else ask(python, paths)
        row = compared(paths, known.results, version.results)
        seconds = sum(result.seconds for result in version.results)
        counts = [kind[name] for kind in (row.facts, row.failures) for name in KINDS]
        print(table_line(version.torch, version.python, *counts, row.problems, row.unfinished, f"{seconds:.0f}"), flush=True)
        if options.verbose:
            print("\n".join(row.lines))
    return 1 if row.problems else 0


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser("versions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("pythons", nargs="+", metavar="PYTHON", help="a Python that has a torch")
    found.add_argument("--files", nargs="+", type=Path, help="the files that are interpreted")
    found.add_argument("--verbose", action="store_true", help="print each difference")
    return found


def default_files() -> Iterator[Path]:
    for folder in ("tensors", "rules", "scripts"):
        yield from (path for path in (HERE / folder).glob("*.py") if ".fixed." not in path.name)


def table_line(*cells: object) -> str:
    widths = (13, 7, 6, *(9,) * 12)
    return " ".join(f"{cell!s:>{width}}" for cell, width in zip(cells, widths, strict=False))


def ask(python: str, paths: list[Path]) -> Version:
    """Let the worker of a Python interpret the files."""
    requests = [InterpretRequest(str(path), path.read_text("utf-8"), [str(path.parent)], seconds=SECONDS) for path in paths]
    command = [python, "-X", "utf8", str(WORKER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as worker:
        assert worker.stdin is not None and worker.stdout is not None
        hello: Any = from_json(json.loads(worker.stdout.readline()))
        results: list[InterpretResult] = []
        for number, request in enumerate(requests):
            message = {"id": number, "method": "interpret", "params": to_json(request)}
            worker.stdin.write(json.dumps(message).encode() + b"\n")
            worker.stdin.flush()
            answer = json.loads(worker.stdout.readline())
            problem = answer.get("error", {}).get("message")
            results.append(InterpretResult(complete=False, problem=problem) if problem else from_json(answer["result"]))
        worker.stdin.close()
    return Version(hello.python, hello.torch or "none", results)


def compared(paths: list[Path], known: list[InterpretResult], found: list[InterpretResult]) -> Row:
    """What is the same in both, missing or more in the second, or another one there."""
    row = Row()
    for path, one, other in zip(paths, known, found, strict=True):
        count(row, row.facts, path, facts_of(one), facts_of(other))
        count(row, row.failures, path, failures_of(one), failures_of(other))
        itself = [gap.why for gap in other.gaps if gap.why.startswith("the interpreter itself")]
        row.problems += bool(other.problem or itself)
        row.unfinished += not other.complete
        row.lines += [f"{path.name}: {text}" for text in [other.problem, *itself] if text]
    return row


def count(row: Row, counter: Counter[str], path: Path, one: dict[Any, Any], other: dict[Any, Any]) -> None:
    for key in sorted({*one, *other}, key=str):
        before, after = one.get(key), other.get(key)
        kind = "same" if before == after else "missing" if after is None else "more" if before is None else "differing"
        counter[kind] += 1
        if kind != "same":
            row.lines.append(f"{path.name}:{key}: {kind}: {before} -> {after}")


def facts_of(result: InterpretResult) -> dict[Span, Any]:
    """What is known at each span. How torch's versions name a node of the graph or describe a layer is no difference."""
    return {row.span: plainly(row.fact) for row in result.facts}


def plainly(value: Any) -> Any:
    if isinstance(value, TensorFact):
        return dataclasses.replace(value, grad_fn=None)
    if isinstance(value, ModuleFact):
        return dataclasses.replace(value, text="")
    return [plainly(item) for item in value.items] if hasattr(value, "items") else value


def failures_of(result: InterpretResult) -> dict[tuple[Span, str], str]:
    """What raises, and why: the words are torch's own."""
    found: dict[tuple[Span, str], str] = {}
    row: Failure
    for row in result.failures:
        found[row.span, row.operation] = row.reason
    return found


if __name__ == "__main__":
    sys.exit(main())
