"""What a benchmark asks of the worker: the lines, the faster way that a rule knows, what is known of the parameters."""

from __future__ import annotations

import pytest
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.run import check
from torch_handbook.features.benchmark import request_for
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook_worker.protocol import (
    BenchmarkRequest,
    FactAt,
    InterpretResult,
    ObjectFact,
    TensorFact,
    TupleFact,
    from_json,
    to_json,
)

X = TensorFact(["N", 8], "float32", "cpu")


def request(code: str, line: int, end_line: int | None = None, facts: Facts | None = None) -> BenchmarkRequest:
    file, facts = File.read("/home/me/a.py", code), facts or Facts.none()
    return request_for(file, facts, check(file, facts, Settings()), (line, end_line or line), ["/home/me"], 30.0)


EINSUM = """import torch
from torch import nn
def f(q, k):
    a = 1
    scores = torch.einsum(
        "bij,bjk->bik", q, k
    ) / 3
    return scores
"""


@pytest.mark.parametrize(("line", "end_line"), [(5, 5), (6, 6), (5, 7)])
def test_an_einsum_is_held_against_its_equivalent(line: int, end_line: int) -> None:
    asked = request(EINSUM, line, end_line)
    assert asked.alternative == "torch.matmul(q, k)" and asked.alternative_title == "torch.matmul"
    assert asked.expression == (5, 13, 7, 5)
    assert (asked.line, asked.end_line, asked.seconds, asked.roots) == (line, end_line, 30.0, ["/home/me"])


@pytest.mark.parametrize(("line", "end_line"), [(4, 4), (4, 8), (8, 8), (1, 8)])
def test_other_lines_and_longer_selections_are_timed_as_they_are(line: int, end_line: int) -> None:
    assert request(EINSUM, line, end_line).alternative is None


def test_the_names_and_signs_of_the_file_are_used() -> None:
    code = "import torch as th\na = b = th.ones(3, 3)\nc = '学', th.einsum('ij,jk->ik', a, b)\n"
    asked = request(code, 3)
    assert asked.alternative == "th.mm(a, b)" and asked.alternative_title == "th.mm"
    assert asked.expression is not None and asked.expression[1] == len("c = '学', ".encode())


def test_what_parameters_are_comes_from_the_facts() -> None:
    code = "class A:\n    def forward(self, x, n: int, pair, other, name):\n"
    code += "        def inner(x):\n            return x\n        return x\n"
    number, word = ObjectFact("int", "3"), ObjectFact("str", "no literal")
    found = {(2, 22, 2, 23): X, (2, 25, 2, 31): number, (2, 33, 2, 37): TupleFact([X, number]), (2, 39, 2, 44): word}
    inner = TensorFact([2], "int64", "cpu")
    rows = [FactAt(span, fact) for span, fact in {**found, (3, 18, 3, 19): inner}.items()]
    facts = Facts(InterpretResult(facts=rows))
    assert request(code, 5, facts=facts).inputs == {"x": X, "n": number, "pair": TupleFact([X, number])}
    assert request(code, 4, facts=facts).inputs["x"] == inner
    assert request("x = 1\n", 1, facts=facts).inputs == {}


def test_a_request_survives_the_way() -> None:
    asked = request(EINSUM, 5)
    assert from_json(to_json(asked)) == asked
    with_inputs = BenchmarkRequest("a.py", "x", 1, 1, inputs={"x": X, "pair": TupleFact([X])})
    assert from_json(to_json(with_inputs)) == with_inputs
