"""Benchmarks in a real worker: figures, comparisons, the code's own errors, cancelling, limits."""

from __future__ import annotations

import asyncio
import sys
import textwrap
import time
from pathlib import Path

import pytest
from torch_handbook.worker_client import WorkerClient, WorkerError, WorkerTimeout
from torch_handbook_worker import loop
from torch_handbook_worker.bench import timer
from torch_handbook_worker.protocol import BenchmarkRequest, BenchmarkResult, Progress, TensorFact

torch = pytest.importorskip("torch")
psutil = pytest.importorskip("psutil")
pytestmark = [pytest.mark.torch, pytest.mark.asyncio]

MARK = "# here"


def script(folder: Path, code: str, name: str = "script.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(code).lstrip("\n"), "utf-8")
    return path


def marked(path: Path) -> int:
    return next(number for number, line in enumerate(path.read_text("utf-8").splitlines(), 1) if MARK in line)


async def bench(path: Path, seconds: float = 60.0, said: list[Progress] | None = None, **options: object) -> BenchmarkResult:
    """Benchmark the marked line."""
    line = marked(path)
    request = BenchmarkRequest(str(path), path.read_text("utf-8"), line, line, seconds, **options)  # type: ignore[arg-type]
    return await WorkerClient(sys.executable).benchmark(request, said.append if said is not None else None)


async def test_a_statement_in_a_forward_method(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 4)

            def forward(self, x):
                x = x.relu()
                x = self.fc(x)  # here
                return x
        """,
    )
    said: list[Progress] = []
    result = await bench(path, said=said, inputs={"x": TensorFact(["N", 8], "float32", "cpu")})
    assert (result.problem, result.traceback) == (None, None)
    [timing] = result.timings
    assert 1e-7 < timing.low <= timing.median <= timing.high < 1 and timing.runs > 10
    assert timing.code == "x = self.fc(x)  # here"
    assert timing.peak_memory == 32 * 4 * 4
    assert result.assumed == {"x": "torch.randn(32, 8)"} and result.lines == (11, 11)
    assert result.machine is not None and result.machine.torch == torch.__version__ and result.machine.device_name
    words = [progress.message for progress in said]
    assert words[0] == "running the set-up" and "warming up" in words and words[-1] == "measuring memory"
    assert [progress.percentage for progress in said] == sorted(progress.percentage for progress in said)


EINSUM = """
import torch
a = torch.randn(4, 5, 6)
b = torch.randn(4, 6, 7)
c = torch.einsum("bij,bjk->bik", a, b)  # here
"""
EXPRESSION = (4, 4, 4, 38)


async def test_an_einsum_beside_its_equivalent(tmp_path: Path) -> None:
    path = script(tmp_path, EINSUM)
    result = await bench(path, alternative="torch.bmm(a, b)", expression=EXPRESSION, alternative_title="torch.bmm")
    assert result.problem is None and result.traceback is None
    assert [timing.title for timing in result.timings] == ["einsum", "torch.bmm"]
    assert result.equal is True and result.difference is not None and result.difference < 1e-5
    assert result.timings[1].code == "torch.bmm(a, b)"
    assert result.ratio is not None and result.ratio > 0 and result.agreement is not None and 0.5 <= result.agreement <= 1


async def test_an_alternative_that_is_not_equal(tmp_path: Path) -> None:
    path = script(tmp_path, EINSUM)
    result = await bench(path, alternative="torch.bmm(a, b) * 1.01", expression=EXPRESSION)
    assert result.equal is False and result.difference is not None and result.difference > 1e-4


async def test_an_alternative_that_fails(tmp_path: Path) -> None:
    path = script(tmp_path, EINSUM)
    result = await bench(path, alternative="torch.bmm(b, a)", expression=EXPRESSION)
    assert not result.timings and result.traceback is not None and 'script.py", line 4, in <module>' in result.traceback


async def test_a_failing_snippet_shows_its_own_traceback(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import torch

        def layer(x, weight):

            return x @ weight

        def run(x):
            weight = torch.zeros(3, 4)
            return layer(x, weight)  # here

        run(torch.zeros(2, 5))
        """,
    )
    result = await bench(path)
    assert not result.timings and result.problem is None
    expected = f'''\
Traceback (most recent call last):
  File "{path}", line 9, in run
    return layer(x, weight)  # here'''
    assert result.traceback is not None and result.traceback.startswith(expected)
    assert f'  File "{path}", line 5, in layer\n    return x @ weight\n' in result.traceback
    assert result.traceback.splitlines()[-1].startswith("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x5 and 3x4)")
    assert "torch_handbook" not in result.traceback and "__timed__" not in result.traceback


async def test_a_failing_set_up_shows_its_line(tmp_path: Path) -> None:
    path = script(tmp_path, "import torch\n\nx = torch.zeros(2).view(3)\ny = x + 1  # here\n")
    result = await bench(path)
    assert result.traceback is not None and f'File "{path}", line 3, in <module>' in result.traceback


async def test_what_works_only_once(tmp_path: Path) -> None:
    path = script(tmp_path, "import torch\nbatches = iter([torch.ones(3)])\nx = next(batches)  # here\n")
    result = await bench(path)
    assert not result.timings and result.problem is not None and result.problem.startswith("it ran once, and failed when it was")
    assert result.traceback is not None and result.traceback.endswith("StopIteration")


async def test_backward_alone_keeps_its_graph(tmp_path: Path) -> None:
    code = "import torch\nw = torch.ones(3, requires_grad=True)\nloss = (w * w).sum()\nloss.backward()  # here\n"
    path = script(tmp_path, code)
    result = await bench(path)
    assert result.timings and result.timings[0].code == "loss.backward()  # here"
    assert any("retain_graph=True" in note for note in result.notes)


async def test_a_training_step_repeats(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset

        def train(model, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            running = 0.0
            for epoch in range(1000000):
                for x, y in loader:  # here
                    optimizer.zero_grad()
                    loss = nn.functional.cross_entropy(model(x), y)
                    loss.backward()
                    optimizer.step()
                    running += loss.item()
                print(running)

        if __name__ == "__main__":
            data = TensorDataset(torch.randn(8, 5), torch.arange(8) % 3)
            train(nn.Linear(5, 3), DataLoader(data, batch_size=4))
        """,
    )
    result = await bench(path)
    assert (result.problem, result.traceback) == (None, None)
    assert result.lines == (9, 14) and result.timings[0].runs > 1


async def test_prints_are_counted_not_shown(tmp_path: Path) -> None:
    path = script(tmp_path, "import torch, os, sys\nprint('set-up')\nos.write(1, b'raw\\n'); print('{\"id\": 1}')  # here\n")
    result = await bench(path)
    assert result.timings and any("it prints" in note for note in result.notes)


async def test_the_users_folder_shadows_nothing_and_its_modules_are_found(tmp_path: Path) -> None:
    for name in ("random", "json", "torch", "queue", "timeit", "inspect"):
        script(tmp_path, "raise RuntimeError('shadowed')\n", f"{name}.py")
    script(tmp_path, "def double(x):\n    return x * 2\n", "utils.py")
    path = script(tmp_path, "import torch\nfrom utils import double\nx = double(torch.ones(3))  # here\n")
    result = await bench(path)
    assert (result.problem, result.traceback) == (None, None) and result.timings


async def test_imports_inside_a_package(tmp_path: Path) -> None:
    script(tmp_path, "", "net/__init__.py")
    script(tmp_path, "WIDTH = 3\n", "net/config.py")
    path = script(tmp_path, "import torch\nfrom .config import WIDTH\nx = torch.ones(WIDTH) + 1  # here\n", "net/train.py")
    result = await bench(path)
    assert (result.problem, result.traceback) == (None, None) and result.timings


async def test_command_line_arguments_are_missed_clearly(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import argparse, torch
        parser = argparse.ArgumentParser()
        parser.add_argument("data")
        args = parser.parse_args()
        x = torch.ones(3) * len(args.data)  # here
        """,
    )
    result = await bench(path)
    assert result.problem is not None and "arguments from the command line" in result.problem


async def test_broken_text(tmp_path: Path) -> None:
    path = script(tmp_path, "import torch\nx = torch.ones(3  # here\n")
    result = await bench(path)
    assert result.problem is not None and "the file cannot be run as it is" in result.problem


async def test_windows_line_ends_and_unicode(tmp_path: Path) -> None:
    path = tmp_path / "学习 😀.py"
    path.write_bytes("\ufeffimport torch\r\n名 = torch.ones(3)  # 你好\r\n值 = 名.view(5)  # here\r\n".encode())
    request = BenchmarkRequest(str(path), path.read_bytes().decode(), 3, 3)
    result = await WorkerClient(sys.executable).benchmark(request)
    assert result.traceback is not None and f'File "{path}", line 3, in <module>\n    值 = 名.view(5)' in result.traceback


SLOW = """
import subprocess, sys, time
import torch
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open({path!r}, "w") as file:
    file.write(f"{{child.pid}} ")
    import os
    file.write(str(os.getpid()))
x = child
time.sleep(600 if x else file)  # here
"""


async def wait_for(path: Path) -> list[int]:
    """The process ids that the snippet wrote down."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        words = path.read_text("utf-8").split() if path.exists() else []
        if len(words) == 2:
            return [int(word) for word in words]
        await asyncio.sleep(0.05)
    raise AssertionError("the snippet did not start")


def running(pids: list[int]) -> list[int]:
    return [pid for pid in pids if is_running(pid)]


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def ended(pids: list[int], seconds: float) -> bool:
    """Whether all of them are gone within this time."""
    deadline = time.monotonic() + seconds
    while running(pids) and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    return not running(pids)


async def test_cancelling_leaves_no_process(tmp_path: Path) -> None:
    pids_path = tmp_path / "pids"
    path = script(tmp_path, SLOW.format(path=str(pids_path)))
    task = asyncio.create_task(bench(path))
    pids = await wait_for(pids_path)
    assert len(running(pids)) == 2
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await ended(pids, 5) and time.monotonic() - start < 5


async def test_the_time_limit(tmp_path: Path) -> None:
    pids_path = tmp_path / "pids"
    path = script(tmp_path, SLOW.format(path=str(pids_path)))
    with pytest.raises(WorkerTimeout, match=r"stopped after 8 s, while it was warming up"):
        await bench(path, seconds=8.0)
    pids = [int(word) for word in pids_path.read_text("utf-8").split()]
    assert await ended(pids, 5)


async def test_code_that_ends_the_process(tmp_path: Path) -> None:
    path = script(tmp_path, "import os, torch\nos.abort()  # here\n")
    with pytest.raises(WorkerError, match="was ended by signal"):
        await bench(path)
    result = await bench(script(tmp_path, "import torch\nx = torch.ones(2) + 1  # here\n", "next.py"))
    assert result.timings


async def test_the_time_that_the_start_took_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def benchmark(request: BenchmarkRequest, report: object) -> BenchmarkResult:
        given.append(request.seconds)
        return BenchmarkResult()

    monkeypatch.setattr("torch_handbook_worker.bench.run.benchmark", benchmark)
    monkeypatch.setattr(loop, "STARTED", time.monotonic() - 50)
    loop.benchmark(BenchmarkRequest("a.py", "", 1, 1, 60.0), lambda message, percentage: None)
    assert 9 < given[0] <= 10


async def test_no_memory_when_time_is_up() -> None:
    candidate = timer.Candidate("one", "x", lambda: None, 0.1)
    series = timer.Series(candidate, 1)
    series.turns, series.runs = [[0.1] * 5], 5
    assert timer.timing_of(series, time.monotonic() - 1).peak_memory is None
    assert timer.timing_of(series, time.monotonic() + 60).peak_memory is not None
