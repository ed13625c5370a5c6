"""Talks to a worker in the user's Python: starts it, asks it, ends it, and says in a sentence what went wrong with it."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from torch_handbook_worker.protocol import (
    BenchmarkRequest,
    BenchmarkResult,
    Hello,
    InterpretRequest,
    InterpretResult,
    Machine,
    Progress,
    Ready,
    SummaryRequest,
    SummaryResult,
)

from torch_handbook.worker_error import (
    WorkerDied,
    WorkerError,
    WorkerHangs,
    WorkerPaused,
    WorkerTimeout,
)
from torch_handbook.worker_process import OnProgress, Process, environment_for

READY_SECONDS = 180.0  # torch's import from a network drive takes its time
GRACE_SECONDS = 8.0  # the worker keeps to its own limit; this is for a worker that does not
DEATHS_BEFORE_PAUSE = 3
LONGEST_PAUSE = 300.0


class WorkerClient:
    """A worker that is started when it is needed, and again after it died."""

    def __init__(self, python: str, environ: Mapping[str, str] | None = None) -> None:
        self.python = str(Path(python).absolute()) if Path(python).exists() else python  # the worker runs in another folder
        self.environ = os.environ if environ is None else environ
        self.hello: Hello | None = None
        self.ready: Ready | None = None
        self.running: Process | None = None
        self.benchmarks: set[Process] = set()
        self.lock = asyncio.Lock()
        self.deaths = 0
        self.pause_until = 0.0
        self.last_death: WorkerError | None = None
        self.stops = 0

    async def start(self) -> Hello:
        """The worker's hello; starts it if it is not running. Raises WorkerError."""
        await self.lock.acquire()
        return await self.locked(self.started())

    async def interpret(self, request: InterpretRequest) -> InterpretResult:
        """What is known of one file. Raises WorkerError; the next call starts a worker anew."""
        await self.lock.acquire()
        return await self.locked(self.interpreted(request))

    async def summary(self, request: SummaryRequest) -> SummaryResult:
        """The figures of a network. Raises WorkerError; the next call starts a worker anew."""
        await self.lock.acquire()
        return await self.locked(self.summarized(request))

    async def locked(self, work: Any) -> Any:
        """Do it to its end and free the lock then, even if the caller goes: an answer half read would spoil the stream."""

        async def whole() -> Any:
            try:
                return await work
            finally:
                self.lock.release()

        task = asyncio.ensure_future(whole())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # a caller that left asks for no exception
        return await asyncio.shield(task)

    async def started(self) -> Hello:
        if self.running is not None and self.running.alive and self.hello is not None:
            return self.hello
        self.refuse_while_paused()
        environment = environment_for(self.environ, background=True)
        self.ready = None
        stops = self.stops
        try:
            process, self.hello = await Process.start(self.python, tempfile.gettempdir(), environment, background=True)
        except WorkerError as error:
            self.count_death(error)
            raise
        if stops != self.stops:  # nobody waits for it any more, and nobody would end it
            await process.kill()
            raise WorkerDied(f"the worker in {self.python} was stopped while it started")
        self.running = process
        return self.hello

    async def interpreted(self, request: InterpretRequest) -> InterpretResult:
        if (problem := await self.torch_problem()) is not None:
            return InterpretResult(complete=False, problem=problem)
        result = await self.limited("interpret", request, request.seconds + GRACE_SECONDS)
        self.deaths = 0
        return result

    async def summarized(self, request: SummaryRequest) -> SummaryResult:
        if (problem := await self.torch_problem()) is not None:
            return SummaryResult(problem=problem)
        return await self.limited("summary", request, 2 * request.seconds + GRACE_SECONDS)  # it walks the file, then the network

    async def torch_problem(self) -> str | None:
        """Have a worker run with torch imported; or why torch cannot be."""
        await self.started()
        if self.ready is None:
            self.ready = await self.prepared()
        return self.ready.problem

    async def prepared(self) -> Ready:
        """Have torch imported."""
        try:
            return await self.limited("ready", None, READY_SECONDS)
        except WorkerTimeout as error:
            raise WorkerHangs(f"{self.python} took longer than {READY_SECONDS:.0f} s to import torch", error.stderr) from None

    async def limited(self, method: str, params: Any, seconds: float) -> Any:
        """Ask within a time limit; a worker that does not keep to it is ended."""
        process = self.running
        assert process is not None
        try:
            return await asyncio.wait_for(process.ask(method, params), seconds)
        except asyncio.TimeoutError:
            await process.kill()
            timeout = WorkerTimeout(
                f"the worker in {self.python} took longer than {seconds:.0f} s and was ended", process.stderr()
            )
            self.count_death(timeout)
            raise timeout from None
        except WorkerDied as error:
            self.count_death(error)
            raise

    def count_death(self, error: WorkerError) -> None:
        """After several deaths without an answer in between, wait longer and longer before the next start."""
        self.running = None
        self.deaths += 1
        self.last_death = error
        if self.deaths >= DEATHS_BEFORE_PAUSE:
            self.pause_until = time.monotonic() + min(2.0**self.deaths, LONGEST_PAUSE)

    def refuse_while_paused(self) -> None:
        left = self.pause_until - time.monotonic()
        if left > 0 and self.last_death is not None:
            sentence = f"{self.last_death}; after {self.deaths} failures it is not started again for {left:.0f} s"
            raise WorkerPaused(sentence, self.last_death.stderr, left)

    def forgive(self) -> None:
        """Forget earlier deaths: the user asked for a restart."""
        self.deaths, self.pause_until = 0, 0.0

    async def benchmark(self, request: BenchmarkRequest, on_progress: OnProgress | None = None) -> BenchmarkResult:
        """Time a snippet in a worker of its own, which ends with it; cancel the task to stop it at once. Raises WorkerError."""
        said: list[str] = ["starting"]

        def note(progress: Progress) -> None:
            said[0] = progress.message
            if on_progress is not None:
                on_progress(progress)

        try:
            return await asyncio.wait_for(self.once("benchmark", request, note, folder_of(request.path)), request.seconds)
        except asyncio.TimeoutError:
            sentence = f"the benchmark was stopped after {request.seconds:.0f} s, while it was {said[0]}"
            raise WorkerTimeout(sentence) from None

    async def machine(self, seconds: float = READY_SECONDS) -> Machine:
        """The device and the versions that a benchmark would run on."""
        try:
            return await asyncio.wait_for(self.once("machine", None, None, tempfile.gettempdir()), seconds)
        except asyncio.TimeoutError:
            raise WorkerTimeout(f"{self.python} took longer than {seconds:.0f} s to import torch") from None

    async def once(self, method: str, params: Any, on_progress: OnProgress | None, folder: str) -> Any:
        """Ask a worker that is started for this alone."""
        environment = environment_for(self.environ, background=False)
        process, _ = await Process.start(self.python, folder, environment, background=False)
        self.benchmarks.add(process)
        try:
            return await process.ask(method, params, on_progress)
        finally:
            self.benchmarks.discard(process)
            await asyncio.shield(process.kill())

    async def stop(self) -> None:
        """End every process that this client started."""
        processes = [*self.benchmarks, *([self.running] if self.running is not None else [])]
        self.running = None
        self.stops += 1
        await asyncio.gather(*(process.kill() for process in processes))


def folder_of(path: str) -> str:
    """Where a script finds the files that it names: beside itself."""
    folder = Path(path).parent
    return str(folder) if folder.is_dir() else tempfile.gettempdir()


def run_blocking(work: Callable[[WorkerClient], Any], python: str) -> Any:
    """Run one coroutine with a client of its own: the face for a terminal."""

    async def whole() -> Any:
        client = WorkerClient(python)
        try:
            return await work(client)
        finally:
            await client.stop()

    return asyncio.run(whole())


def interpret_files(python: str, requests: Iterable[InterpretRequest]) -> Iterator[InterpretResult]:
    """One result a request, in order; where the worker fails, a result that says so as its `problem`."""
    loop = asyncio.new_event_loop()
    client = WorkerClient(python)
    try:
        for request in requests:
            yield loop.run_until_complete(interpret_or_say(client, request))
    finally:
        loop.run_until_complete(client.stop())
        loop.close()


async def interpret_or_say(client: WorkerClient, request: InterpretRequest) -> InterpretResult:
    try:
        return await client.interpret(request)
    except WorkerError as error:
        return InterpretResult(complete=False, problem=str(error))
