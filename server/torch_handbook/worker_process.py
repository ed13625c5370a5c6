"""One worker process: it is started in the user's Python, asked, and ended with all that it started itself."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import torch_handbook_worker
from torch_handbook_worker import protocol
from torch_handbook_worker.protocol import Hello, Progress

from torch_handbook.worker_error import WorkerDied, WorkerFailed, WorkerHangs, WorkerMissing

WORKER = Path(torch_handbook_worker.__file__).parent
HANDSHAKE_SECONDS = 30.0
LINE_BYTES = 1 << 28
STDERR_LINES = 40

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
