"""jedi, which is asked in a process of its own and never waited for."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from torch_handbook.jedi_client import JediClient, Question
from torch_handbook.source.inference import ask
from torch_handbook.source.text import Position

# Says nothing until a file is there, and then "torch.sum" to every question; it notes what it was asked.
SLEEPER = """
import json, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
for line in sys.stdin:
    with (folder / "asked").open("a") as log:
        print(json.loads(line)[0], file=log)
    while not (folder / "wake").exists():
        time.sleep(0.01)
    print(json.dumps("torch.sum"), flush=True)
"""


def question(content: str) -> Question:
    return Question(content, "x.py", Position(1, 0), None)


def sleeper(folder: Path, limit: float = 60) -> JediClient:
    return JediClient((sys.executable, "-c", SLEEPER, str(folder)), limit)


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(3000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


@pytest.mark.asyncio
async def test_an_answer_that_is_late_is_left_out_and_used_when_it_is_there(tmp_path: Path) -> None:
    client = sleeper(tmp_path)
    assert await client.name_at(question("x"), 0.15) is None
    (tmp_path / "wake").touch()
    assert await client.name_at(question("x"), 30) == "torch.sum"
    (tmp_path / "wake").unlink()
    assert await client.name_at(question("x"), 0) == "torch.sum"  # known: nobody is asked
    await client.stop()


@pytest.mark.asyncio
async def test_of_the_questions_that_wait_only_the_newest_is_asked(tmp_path: Path) -> None:
    client = sleeper(tmp_path)
    log = tmp_path / "asked"
    assert await client.name_at(question("first"), 0.01) is None
    await until(log.exists)
    assert await client.name_at(question("passed over"), 0.01) is None
    assert await client.name_at(question("newest"), 0.01) is None
    (tmp_path / "wake").touch()
    assert await client.name_at(question("newest"), 30) == "torch.sum"
    assert log.read_text().split("\n") == ["first", "newest", ""]
    await client.stop()


@pytest.mark.asyncio
async def test_a_jedi_that_hangs_or_dies_is_given_up_and_started_anew(tmp_path: Path) -> None:
    client = sleeper(tmp_path, limit=0.5)
    assert await client.name_at(question("x"), 30) is None
    (tmp_path / "wake").touch()
    assert await client.name_at(question("y"), 30) == "torch.sum"
    await client.stop()
    dead = JediClient((sys.executable, "-c", "1"))
    assert await dead.name_at(question("x"), 30) is None
    missing = JediClient((str(tmp_path / "no such program"),))
    assert await missing.name_at(question("x"), 30) is None


@pytest.mark.asyncio
async def test_whatever_goes_wrong_is_no_answer() -> None:
    assert ask("x = (", "x.py", Position(1, 3), None) is None
    assert ask("", "", Position(90, 90), None) is None
    assert await JediClient(()).name_at(question("x" * 1_000_000), 30) is None


ONLY_JEDI = "import torch\ndef f(): yield torch.ones(3)\nfor 中 in f(): 中.view"


@pytest.mark.torch
@pytest.mark.asyncio
async def test_what_only_jedi_knows() -> None:
    pytest.importorskip("torch")
    client = JediClient()
    place = Position(3, len("for 中 in f(): 中.v".encode()))
    assert await client.name_at(Question(ONLY_JEDI, "x.py", place, None), 120) == "torch.Tensor.view"
    await client.stop()
