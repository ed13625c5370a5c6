"""What is said of the figures of a benchmark, and which earlier ones are remembered."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from torch_handbook.features.report import SAME, UNSTEADY, chart, comparison, duration, earlier, memory, report_of
from torch_handbook.history import History
from torch_handbook_worker.protocol import BenchmarkRequest, BenchmarkResult, Machine, Timing

MACHINE = Machine("cpu", "Some Processor (8 cores)", "3.12.1", "2.9.0", threads=4)
REQUEST = BenchmarkRequest("/home/me/train.py", "", 41, 41)
EINSUM = Timing("einsum", 'torch.einsum("bij,bjk->bik", a, b)', 44.1e-6, 43e-6, 46e-6, 21000, 166_000)
BMM = Timing("torch.bmm", "torch.bmm(a, b)", 14.2e-6, 14.0e-6, 15e-6, 70000, None)
PAIR = BenchmarkResult([EINSUM, BMM], MACHINE, "import torch", (41, 41), True, 1.19e-7)


def test_a_pair() -> None:
    found = report_of(REQUEST, PAIR)
    assert found.ok and found.title == "Benchmark of train.py, line 41"
    assert found.summary == "einsum 44.1 µs, torch.bmm 14.2 µs on cpu: 3.1× faster"
    assert "**torch.bmm is 3.1× faster than einsum here.**" in found.markdown
    assert "Both give the same result within rounding (the largest difference is 1.2e-07)." in found.markdown
    assert "| einsum | 44.1 µs | 43.0 µs – 46.0 µs | 21,000 | 166 kB |" in found.markdown
    assert "| torch.bmm | 14.2 µs | 14.0 µs – 15.0 µs | 70,000 | not known |" in found.markdown
    assert "on Some Processor (8 cores), 4 threads; torch 2.9.0, Python 3.12.1." in found.markdown
    assert found.markdown.index("## What was timed") < found.markdown.index("## What was run first")


def test_a_pair_is_drawn() -> None:
    rows = chart([EINSUM, BMM]).split("\n")
    assert rows == ["```text", f"einsum     {'█' * 24}  44.1 µs", f"torch.bmm  {'█' * 7}▊{' ' * 16}  14.2 µs", "```"]
    assert chart([BMM]) == "" and "█" not in report_of(REQUEST, replace(PAIR, timings=[BMM])).markdown
    assert rows[1] in report_of(REQUEST, PAIR).markdown
    assert "▏ " in chart([EINSUM, replace(BMM, median=1e-9)])


def test_no_difference_is_claimed_within_the_spread() -> None:
    near = replace(BMM, median=40e-6, low=39e-6, high=43.5e-6)
    found = report_of(REQUEST, replace(PAIR, timings=[EINSUM, near]))
    assert "about the same time here: the difference is within the spread" in found.markdown
    assert found.summary.endswith("the same within the spread")
    close = replace(EINSUM, low=42.4e-6, median=42.5e-6, high=42.6e-6)
    assert comparison(replace(PAIR, timings=[EINSUM, close])) == SAME


def test_turns_that_agree_outweigh_a_wide_spread() -> None:
    left, right = replace(EINSUM, low=20e-6, high=90e-6), replace(BMM, low=10e-6, high=60e-6)
    wide = replace(PAIR, timings=[left, right], ratio=2.04)
    assert comparison(replace(wide, agreement=1.0)) == "2.0× faster"
    assert comparison(replace(wide, agreement=0.6)) == UNSTEADY
    assert comparison(replace(wide, agreement=1.0, ratio=1.01)) == UNSTEADY
    assert comparison(replace(wide, agreement=1.0, timings=[right, left])) == UNSTEADY
    assert "too unsteady to tell which is faster: stop what else" in report_of(REQUEST, replace(wide, agreement=0.6)).markdown
    near = replace(wide, timings=[replace(left, median=16e-6), right])
    assert comparison(replace(near, agreement=0.6)) == SAME


def test_slower_is_said_as_plainly() -> None:
    assert comparison(replace(PAIR, timings=[BMM, EINSUM])) == "3.1× slower"
    ten, eight = replace(BMM, median=10e-6, low=9e-6, high=10e-6), replace(BMM, median=8e-6, low=8e-6, high=8e-6)
    assert comparison(replace(PAIR, timings=[ten, eight])) == "1.25× faster"


def test_results_that_differ_come_first() -> None:
    found = report_of(REQUEST, replace(PAIR, equal=False, difference=3.0))
    assert "do not replace it" in found.markdown and "⚠ **The results differ**" in found.markdown
    assert found.summary.endswith("but the results differ") and "faster" not in found.summary


def test_one_statement_with_made_up_inputs_and_warnings() -> None:
    timing = replace(EINSUM, title="the selection", warning="the spread is wide (40% of the median)")
    result = BenchmarkResult([timing], MACHINE, lines=(3, 5), assumed={"x": "torch.randn(32, 8)"}, notes=["it prints"])
    found = report_of(REQUEST, result)
    assert found.title == "Benchmark of train.py, lines 3–5" and found.summary == "44.1 µs on cpu"
    assert "It takes 44.1 µs here (median of 21,000 runs)." in found.markdown
    assert "```python\nx = torch.randn(32, 8)\n```" in found.markdown
    assert "- The spread is wide (40% of the median).\n- It prints." in found.markdown


def test_a_gpu_is_named() -> None:
    machine = Machine("cuda:0", "NVIDIA H100", "3.11.2", "2.9.0+cu128", "12.8", 16)
    found = report_of(REQUEST, replace(PAIR, machine=machine))
    assert "on NVIDIA H100 (cuda:0), 16 threads; torch 2.9.0+cu128, CUDA 12.8, Python 3.11.2." in found.markdown
    assert "on cuda:0" in found.summary


@pytest.mark.parametrize(
    ("result", "summary", "words"),
    [
        (
            BenchmarkResult(problem="there is no statement on line 3"),
            "there is no statement on line 3",
            "Nothing was timed: there is",
        ),
        (BenchmarkResult(traceback="Traceback …\nValueError: no"), "ValueError: no", "```text\nTraceback …\nValueError: no\n```"),
        (BenchmarkResult(), "it gave no figures", "The code raised an error."),
    ],
)
def test_failures(result: BenchmarkResult, summary: str, words: str) -> None:
    found = report_of(REQUEST, result)
    assert not found.ok and found.summary == f"the benchmark failed: {summary}" and words in found.markdown


def test_code_with_fences_stays_inside_its_block() -> None:
    found = report_of(REQUEST, replace(PAIR, setup='"""\n```python\nx\n```\n"""'))
    assert '````python\n"""\n```python\nx\n```\n"""\n````' in found.markdown


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2.5, "2.50 s"),
        (0.9999, "1.00 s"),
        (12.34e-3, "12.3 ms"),
        (1e-3, "1.00 ms"),
        (999.6e-6, "1.00 ms"),
        (1.234e-6, "1.23 µs"),
        (85e-9, "85.0 ns"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_memory() -> None:
    assert [memory(size) for size in (0, 512, 1_500, 73_728, 2_500_000, 3_100_000_000)] == [
        "0 B", "512 B", "1.50 kB", "73.7 kB", "2.50 MB", "3.10 GB",
    ]  # fmt: skip


def test_the_last_time_is_remembered(tmp_path: Path) -> None:
    history = History(tmp_path / "data" / "benchmarks.sqlite")
    assert earlier(history.last, REQUEST, PAIR) == ""
    history.add(REQUEST.path, PAIR)
    history.add(REQUEST.path, replace(PAIR, machine=replace(MACHINE, torch="2.8.0"), timings=[replace(EINSUM, median=50e-6)]))
    assert earlier(history.last, REQUEST, PAIR).endswith(" with torch 2.8.0, einsum took 50.0 µs.")
    assert earlier(history.last, replace(REQUEST, path="/else.py"), PAIR) == ""
    assert earlier(history.last, REQUEST, replace(PAIR, machine=replace(MACHINE, threads=1))) == ""
    assert "The last time" in report_of(REQUEST, PAIR, earlier(history.last, REQUEST, PAIR)).markdown


def test_the_history_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch_handbook.history.KEPT", 4)
    history = History(tmp_path / "benchmarks.sqlite")
    for _ in range(5):
        history.add(REQUEST.path, PAIR)
    with sqlite3.connect(history.path) as database:
        assert database.execute("select count(*) from run").fetchone() == (4,)


def test_a_history_that_cannot_be_used_is_left_out(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_text("this is not a database, however long it may be\n" * 50, "utf-8")
    for path in (broken, broken / "below" / "a.sqlite"):
        history = History(path)
        history.add(REQUEST.path, PAIR)
        assert history.last(REQUEST.path, EINSUM.code, MACHINE) is None
