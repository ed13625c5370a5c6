"""What the session makes of a worker that fails: which failure concerns one file, which all, and what is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
import pytest_asyncio
from torch_handbook.document import Document
from torch_handbook.interpretation import FIRST_SECONDS, SECONDS, Interpretation
from torch_handbook.source.text import Text
from torch_handbook.worker_client import WorkerClient
from torch_handbook.worker_error import WorkerDied, WorkerError, WorkerHangs, WorkerPaused, WorkerTimeout
from torch_handbook_worker.protocol import InterpretRequest, InterpretResult, Ready

pytestmark = pytest.mark.asyncio


@dataclass
class Worker:
    """A worker that gives what it was told to give, the last of it again and again."""

    answers: list[InterpretResult | WorkerError] = field(default_factory=list)
    ready: Ready = field(default_factory=Ready)
    asked: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    stops: int = 0

    async def interpret(self, request: InterpretRequest) -> InterpretResult:
        self.asked.append(request.path)
        self.seconds.append(request.seconds)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, WorkerError):
            raise answer
        return answer

    async def stop(self) -> None:
        self.stops += 1


@dataclass
class Desk:
    """An interpretation with such a worker, and what came of it."""

    worker: Worker
    said: list[str] = field(default_factory=list)
    learned: list[str] = field(default_factory=list)

    async def start(self) -> None:
        self.work = Interpretation(
            lambda document: self.learned.append(document.path), lambda severity, sentence: self.said.append(sentence)
        )
        await self.work.use(cast("WorkerClient", self.worker), [])

    async def look_at(self, *names: str) -> None:
        for name in names:
            wanted = len(self.learned) + 1
            self.work.ask(Document(name, name, 1, Text("import torch\n")), 0)
            await self.until(lambda wanted=wanted: len(self.learned) == wanted)

    async def until(self, true: Any) -> None:
        async def wait() -> None:
            while not true():
                await asyncio.sleep(0.01)

        await asyncio.wait_for(wait(), 10)


@pytest_asyncio.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk(Worker())
    await desk.start()
    yield desk
    await desk.work.stop()


async def test_a_file_that_is_too_much_for_the_worker_spoils_no_other(desk: Desk) -> None:
    desk.worker.answers = [InterpretResult(complete=False, problem="MemoryError: "), InterpretResult()]
    await desk.look_at("bad.py")
    assert desk.worker.stops == 1  # who knows what is left of it
    await desk.look_at("good.py")
    assert desk.worker.asked == ["bad.py", "good.py"] and desk.said == [] and desk.work.problem is None


async def test_a_look_at_a_file_is_limited_and_the_first_one_less_so(desk: Desk) -> None:
    desk.worker.answers = [InterpretResult()]
    document = Document("a.py", "a.py", 1, Text("import torch\n"))
    for _ in range(2):
        desk.work.ask(document, 0)
        await desk.until(desk.work.idle)
    assert desk.worker.seconds == [FIRST_SECONDS, SECONDS] and document.shortcoming() is None
    desk.worker.answers = [InterpretResult(complete=False)]
    desk.work.ask(document, 0)
    await desk.until(desk.work.idle)
    assert document.result == InterpretResult(complete=False) and desk.said == []
    assert (document.shortcoming() or "").startswith("a.py takes long")


async def test_a_torch_that_cannot_be_imported_is_said_once_and_not_asked_again(desk: Desk) -> None:
    desk.worker.ready = Ready("torch in /t cannot be imported: ImportError: no")
    desk.worker.answers = [InterpretResult(complete=False, problem=desk.worker.ready.problem)]
    await desk.look_at("a.py")
    desk.work.ask(Document("b.py", "b.py", 1, Text("import torch\n")), 0)
    await desk.until(desk.work.idle)
    assert desk.worker.asked == ["a.py"] and len(desk.said) == 1 and "ImportError: no" in desk.said[0]


async def test_a_file_is_looked_at_when_the_worker_may_be_started_again(desk: Desk) -> None:
    desk.worker.answers = [WorkerPaused("it died; not started again for 0 s", "", 0.05), InterpretResult()]
    await desk.look_at("a.py")
    assert desk.worker.asked == ["a.py", "a.py"] and desk.said == []


async def test_a_worker_that_dies_is_asked_once_more_about_the_same_text(desk: Desk) -> None:
    desk.worker.answers = [WorkerDied("it was ended by signal 9"), InterpretResult()]
    await desk.look_at("a.py")
    assert desk.worker.asked == ["a.py", "a.py"] and desk.said == []
    desk.worker.answers = [WorkerDied("it was ended by signal 11"), WorkerDied("it was ended by signal 11")]
    await desk.look_at("b.py")
    assert desk.worker.asked[2:] == ["b.py", "b.py"] and "signal 11" in desk.said[0]


async def test_a_closed_file_is_not_looked_at_after_a_pause(desk: Desk) -> None:
    desk.worker.answers = [WorkerPaused("it died; not started again for 0 s", "", 0.05), InterpretResult()]
    desk.work.ask(Document("a.py", "a.py", 1, Text("import torch\n")), 0)
    await desk.until(lambda: desk.worker.asked)
    desk.work.drop("a.py")
    await desk.look_at("b.py")
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(desk.until(lambda: len(desk.worker.asked) > 2), 0.3)
    assert desk.worker.asked == ["a.py", "b.py"]


@pytest.mark.parametrize(
    ("error", "words"), [(WorkerHangs("torch's import hangs"), ["torch's import hangs"]), (WorkerTimeout("a long loop"), [])]
)
async def test_a_hanging_torch_is_said_and_a_long_file_is_not(desk: Desk, error: WorkerError, words: list[str]) -> None:
    desk.worker.answers = [error]
    await desk.look_at("a.py")
    assert [word for word in words if word in " ".join(desk.said)] == words and len(desk.said) == len(words)
