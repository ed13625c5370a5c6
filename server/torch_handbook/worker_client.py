"""Talks to a worker in the user's Python: starts it, asks it, ends it, and says in a sentence what went wrong with it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import torch_handbook_worker
from torch_handbook_worker import protocol
from torch_handbook_worker.protocol import (
    BenchmarkRequest,
    BenchmarkResult,
    Hello,
    InterpretRequest,
    InterpretResult,
    Machine,
    Progress,
    Ready,
)

from torch_handbook.worker_error import (
    WorkerDied,
    WorkerError,
    WorkerFailed,
    WorkerHangs,
    WorkerMissing,
    WorkerPaused,
    WorkerTimeout,
)

WORKER = Path(torch_handbook_worker.__file__).parent
HANDSHAKE_SECONDS = 30.0
READY_SECONDS = 180.0  # torch's import from a network drive takes its time
GRACE_SECONDS = 4.0  # the worker keeps to its own limit; this is for a worker that does not
LINE_BYTES = 1 << 28
STDERR_LINES = 40
DEATHS_BEFORE_PAUSE = 3
LONGEST_PAUSE = 300.0

T = TypeVar("T")
OnProgress = Callable[[Progress], None]


class Process:
    """One worker process, from its start to its end; one request at a time."""

    def __init__(self, python: str, process: asyncio.subprocess.Process) -> None:
        self.python = python
        self.process = process
        self.tail: deque[str] = deque(maxlen=STDERR_LINES)
        self.drain = asyncio.create_task(self.read_stderr())
        self.number = 0
        self.greeted = False

    @staticmethod
    async def start(python: str, folder: str, environment: Mapping[str, str], *, background: bool) -> tuple[Process, Hello]:
        """Start it and wait for its hello."""
        command = [python, "-X", "utf8", str(WORKER)]
        options = platform_options(background)
        try:
            started = await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=dict(environment),
                limit=LINE_BYTES,
                **options,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise WorkerMissing(f"the Python {python} cannot be started: {reason}") from error
        process = Process(python, started)
        try:
            return process, await asyncio.wait_for(process.read_hello(), HANDSHAKE_SECONDS)
        except asyncio.TimeoutError:
            await process.kill()
            said = f"{python} did not answer within {HANDSHAKE_SECONDS:.0f} s of its start; is it a Python?"
            raise WorkerHangs(said, process.stderr()) from None
        except BaseException:
            await process.kill()
            raise

    async def read_hello(self) -> Hello:
        """The first message; what a sitecustomize prints before it is passed over."""
        while True:
            message = await self.read()
            if isinstance(message, Hello):
                self.greeted = True
                return message

    async def read(self) -> Any:
        """The next message, an object for what is not one."""
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            raise await self.death()
        try:
            return protocol.from_json(json.loads(line))
        except (ValueError, TypeError):
            return None

    async def death(self) -> WorkerDied:
        """The process is gone, or closed its stream: what there is to say of it."""
        await self.kill()
        code = self.process.returncode or 0
        how = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        last = next((line for line in reversed(self.tail) if line.strip()), "")
        known = self.greeted or code < 0
        who = f"the worker in {self.python}" if known else f"{self.python} is not a Python 3.9 or newer that starts: it"
        return WorkerDied(f"{who} {how}" + (f": {last.strip()}" if last else ""), self.stderr())

    async def ask(self, method: str, params: Any, on_progress: OnProgress | None = None) -> Any:
        """Send one request and wait for its answer."""
        assert self.process.stdin is not None
        self.number += 1
        message = {"id": self.number, "method": method, "params": protocol.to_json(params)}
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            await self.process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self.death() from None
        while True:
            answer = await self.read()
            if not isinstance(answer, dict):
                continue
            row = cast("dict[str, Any]", answer)
            if row.get("method") == "progress" and on_progress is not None:
                on_progress(row["params"])
            if row.get("id") == self.number:
                return self.result(row)

    def result(self, row: dict[str, Any]) -> Any:
        if "error" not in row:
            return row.get("result")
        error = row["error"]
        raise WorkerFailed(f"the worker could not answer: {error['message']}", error.get("traceback", ""))

    async def read_stderr(self) -> None:
        """Keep the last lines of what it prints; a pipe that nobody reads would stop it."""
        assert self.process.stderr is not None
        rest = b""
        while chunk := await self.process.stderr.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            self.tail.extend(line.decode("utf-8", "replace") for line in lines[-STDERR_LINES:])
            rest = rest[-4096:]
        if rest:
            self.tail.append(rest.decode("utf-8", "replace"))

    def stderr(self) -> str:
        return "\n".join(self.tail)

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def kill(self) -> None:
        """End it and the processes that it started, and wait until it is gone."""
        end_group(self.process)
        await self.process.wait()
        # A grandchild that left the group may hold stderr open for ever: what it prints is not waited for.
        await asyncio.wait([self.drain], timeout=1.0)
        self.drain.cancel()
        close_transport(self.process)


def close_transport(process: asyncio.subprocess.Process) -> None:
    """Close the pipes now: asyncio leaves them to the garbage collector, which complains once the loop is closed."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


def platform_options(background: bool) -> dict[str, Any]:
    """A process group of its own, so that all of it can be ended; on Windows the lower priority is set from here."""
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return {"creationflags": flags | (subprocess.BELOW_NORMAL_PRIORITY_CLASS if background else 0)}
    return {"start_new_session": True}


def end_group(process: asyncio.subprocess.Process) -> None:
    """Kill the process and its children. Its group bears its own number, and lives as long as any of its members."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, check=False, capture_output=True, timeout=10)
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        if process.returncode is None:
            process.kill()


def environment_for(environ: Mapping[str, str], *, background: bool) -> dict[str, str]:
    """The user's environment without what belongs to the server's Python; one thread for work in the background."""
    kept = {key: value for key, value in environ.items() if key not in ("PYTHONHOME", "PYTHONINSPECT", "__PYVENV_LAUNCHER__")}
    if background:
        kept |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return kept


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
        await self.started()
        if self.ready is None:
            self.ready = await self.prepared()
        assert self.ready is not None
        if self.ready.problem is not None:
            return InterpretResult(complete=False, problem=self.ready.problem)
        result = await self.limited("interpret", request, request.seconds + GRACE_SECONDS)
        self.deaths = 0
        return result

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
