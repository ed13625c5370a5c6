"""What the interpreter says of a file beside what a real run gave: known, partly known, unknown and wrong names."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from torch_handbook_worker.protocol import InterpretResult, TensorFact

Span = tuple[int, int, int, int]
Size = Any  # a number, or an expression of names
LARGEST = 4096  # of a size that only expressions name
NAME = re.compile(r"[A-Za-z_]\w*(?:\[\d+\])?")


@dataclass
class Verdict:
    """The assigned names of a file's `forward` methods that hold tensors in a real run."""

    names: dict[Span, str] = field(default_factory=dict)  # all of them, with their source text
    known: set[Span] = field(default_factory=set)
    partly: set[Span] = field(default_factory=set)  # of those known: a size is not
    wrong: dict[Span, str] = field(default_factory=dict)
    other: dict[Span, str] = field(default_factory=dict)  # wrong only of networks that are built otherwise
    reasons: dict[str, int] = field(default_factory=dict)

    @property
    def unknown(self) -> set[Span]:
        return set(self.names) - self.known


def verdict(text: str, calls: list[dict[str, Any]], result: InterpretResult) -> Verdict:
    """All of it for one file."""
    facts = {row.span: row.fact for row in result.facts}
    shapes = {span: fact.shape for span, fact in facts.items() if isinstance(fact, TensorFact)}
    found, tree = Verdict(), ast.parse(text)
    stores = {span_of(node): ast.unparse(node) for node in ast.walk(tree) if is_stored(node)}
    for call in calls:
        rows = [(tuple(span), real) for span, real in call["seen"]]
        found.names.update({span: stores[span] for span, _ in rows if span in stores})
        for span, why in refuted([(span, shapes[span], real) for span, real in rows if span in shapes]):
            (found.other if call.get("run") else found.wrong).setdefault(span, f"{call['class']}: {why}")
    found.known = {span for span in found.names if span in shapes and not vacant(shapes[span])}
    found.partly = {span for span in found.known if "?" in shapes[span]}
    found.reasons = reasons(text, tree, found, result)
    return found


def is_stored(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)


def span_of(node: Any) -> Span:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def vacant(shape: list[Size]) -> bool:
    """Whether a shape says no more than how many axes there are."""
    return bool(shape) and all(size == "?" for size in shape)


def refuted(rows: list[tuple[Span, list[Size], list[int]]]) -> Iterator[tuple[Span, str]]:
    """The names whose shape is another one than was said, whatever numbers the free sizes of this call are."""
    bound: dict[str, int] = {}
    open_rows: list[tuple[Span, str, int]] = []
    for span, said, real in rows:
        text = f"said {said}, is {real}"
        if said and said[0] == "…" and len(real) >= len(said):
            said, real = said[1:], real[len(real) - len(said) + 1 :]
        if len(said) != len(real):
            yield span, text
            continue
        for size, number in zip(said, real, strict=True):
            if isinstance(size, int) or size == "?":
                if size != "?" and size != number:
                    yield span, text
            elif NAME.fullmatch(size):
                if bound.setdefault(size, number) != number:
                    yield span, f"{text}, where {size} was {bound[size]}"
            else:
                open_rows.append((span, size, number))
    yield from expressions(open_rows, bound)


def expressions(rows: list[tuple[Span, str, int]], bound: dict[str, int]) -> Iterator[tuple[Span, str]]:
    """Those whose expressions give another number; a name that only expressions have may be any number that fits them all."""
    single: dict[str, list[tuple[Span, str, int]]] = defaultdict(list)
    for span, size, number in rows:
        waiting = set(NAME.findall(size)) - set(bound) - {"max", "min"}
        if not waiting:
            if value(size, bound) != number:
                yield span, f"said {size}, is {number}, with {bound}"
        elif len(waiting) == 1:
            single[waiting.pop()].append((span, size, number))
    for name, found in single.items():
        fits = (all(value(size, {**bound, name: number}) == real for _, size, real in found) for number in range(1, LARGEST))
        if not any(fits):
            yield found[-1][0], f"no {name} makes {', '.join(f'{size} = {real}' for _, size, real in found)}"


def value(expression: str, bound: dict[str, int]) -> int | None:
    try:
        plain = NAME.sub(lambda found: f"{bound.get(found.group(), found.group())}", expression)
        return int(eval(plain, {"__builtins__": {}, "max": max, "min": min}))
    except (ArithmeticError, NameError, SyntaxError, TypeError):
        return None


def source_line(text: str, number: int) -> str:
    return text.split("\n")[number - 1].strip()[:80]


def reasons(text: str, tree: ast.Module, found: Verdict, result: InterpretResult) -> dict[str, int]:
    """Why names are unknown: the gap at the first unknown name of each `forward`, counted for all that follow from it."""
    rows: dict[str, int] = defaultdict(int)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "forward":
            lost = sorted(span for span in found.unknown if node.lineno <= span[0] <= (node.end_lineno or 0))
            if lost:
                rows[f"{reason(node, lost[0], result)} [{source_line(text, lost[0][0])}]"] += len(lost)
    return dict(rows)


def reason(method: ast.FunctionDef, first: Span, result: InterpretResult) -> str:
    if not any(method.lineno <= row.span[0] <= first[2] for row in result.facts):
        return f"nothing is known in {method.lineno}"
    gaps = [row for row in result.gaps if method.lineno <= row.span[0] <= first[2]]
    return f"{first[0]}: {gaps[-1].why}" if gaps else f"{first[0]}: no gap"


def share(verdicts: Iterable[Verdict]) -> tuple[int, int, int, int, int]:
    """All names, known ones, partly known ones, wrong ones, and those that are wrong of other networks."""
    rows = list(verdicts)
    return (
        sum(len(row.names) for row in rows), sum(len(row.known) for row in rows), sum(len(row.partly) for row in rows),
        sum(len(row.wrong) for row in rows), sum(len(set(row.other) - set(row.wrong)) for row in rows),
    )  # fmt: skip
