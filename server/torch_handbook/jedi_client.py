"""Asks jedi and never waits for it: what it does not say in time is left out, and is there when the same is asked again."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from torch_handbook.source.text import Position

logger = logging.getLogger(__name__)

# Without "" on the path, which stands for the folder that the editor runs in: a user's own `random.py` may lie there.
SERVE = """
import os, sys
sys.path[:] = filter(None, sys.path)
from torch_handbook.source.inference import serve
if hasattr(os, "nice"):
    os.nice(5)
serve()
"""
COMMAND = (sys.executable, "-c", SERVE)
LONGEST = 400_000  # characters: what is longer than this is not worth the wait
LIMIT = 30.0  # seconds for one question; its first one reads much of torch
IDLE = 300.0  # seconds without a question, after which its memory is given back
KEPT = 256  # answers


@dataclass(frozen=True)
class Question:
    """What stands at a position of a text, as a Python sees it."""

    content: str
    path: str
    position: Position
    environment: str | None

    @property
    def key(self) -> int:
        """What stands for it among the answers, without its text."""
        return hash(self)

    def line(self) -> bytes:
        return json.dumps([self.content, self.path, *self.position, self.environment]).encode() + b"\n"


class JediClient:
    """One process, started with the first question; one question at a time, and of those that wait only the newest."""

    def __init__(self, command: Sequence[str] = COMMAND, limit: float = LIMIT) -> None:
        self._command, self._limit = command, limit
        self._answers: dict[int, str | None] = {}
        self._waiting: tuple[Question, asyncio.Future[None]] | None = None
        self._asking: tuple[Question, asyncio.Future[None]] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._work: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def name_at(self, question: Question, seconds: float) -> str | None:
        """The public name of what stands there, if it is torch's and is known within so many seconds."""
        if len(question.content) > LONGEST:
            return None
        if question.key not in self._answers:
            await asyncio.wait({self._asked(question)}, timeout=seconds)
        return self._answers.get(question.key)

    async def stop(self) -> None:
        """End the process."""
        if self._idle:
            self._idle.cancel()
        if self._work:
            self._work.cancel()
        await self._end()

    def _asked(self, question: Question) -> asyncio.Future[None]:
        """Done when the question is answered, or passed over for a newer one."""
        for row in (self._asking, self._waiting):
            if row and row[0] == question:
                return row[1]
        if self._waiting:
            self._waiting[1].cancel()
        self._waiting = question, asyncio.get_running_loop().create_future()
        done = self._waiting[1]
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._converse())
        return done

    async def _converse(self) -> None:
        """Ask what waits, until nothing does."""
        if self._idle:
            self._idle.cancel()
        while self._waiting:
            self._asking, self._waiting = self._waiting, None
            question, done = self._asking
            try:
                answer = await asyncio.wait_for(self._answer(question), self._limit)
            except (OSError, ValueError, asyncio.TimeoutError) as error:
                logger.info("jedi does not answer: %r", error)
                await self._end()
                answer = None
            self._answers[question.key] = answer
            while len(self._answers) > KEPT:
                del self._answers[next(iter(self._answers))]
            self._asking = None
            if not done.done():
                done.set_result(None)
        self._idle = asyncio.get_running_loop().call_later(IDLE, lambda: asyncio.ensure_future(self._end()))

    async def _answer(self, question: Question) -> str | None:
        """Raises OSError and ValueError when the process cannot be started, or dies."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(question.line())
        await self._process.stdin.drain()
        answer = json.loads(await self._process.stdout.readline())
        return answer if isinstance(answer, str) else None

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process and process.returncode is None:
            process.kill()
            await process.wait()
