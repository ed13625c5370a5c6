"""A client of a language server that does as little as it can: bytes over a pipe, a clock around each answer."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

SECONDS = 60.0
CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "completion": {"completionItem": {"labelDetailsSupport": True, "documentationFormat": ["markdown"]}},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
    },
    "workspace": {"configuration": True, "workspaceFolders": True},
}

# One that asks for diagnostics and is not sent them, so that it is known how long they take.
PULLING = {**CAPABILITIES, "textDocument": {"diagnostic": {"dynamicRegistration": False}}}


class Client:
    """One server process, started when this is made."""

    def __init__(self, command: Sequence[str], root: Path, environment: Mapping[str, str]) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root, env=environment
        )
        self.root = root
        self._count = 0
        self._lock = threading.Lock()
        self._waiting: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._refreshes: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def begin(self, capabilities: Mapping[str, Any] = CAPABILITIES) -> None:
        """Say hello as an editor does."""
        folder = {"uri": self.root.as_uri(), "name": self.root.name}
        whole = {"processId": os.getpid(), "rootUri": folder["uri"], "workspaceFolders": [folder]}
        self.ask("initialize", {**whole, "capabilities": capabilities})
        self.tell("initialized", {})

    def ask(self, method: str, params: Any) -> tuple[Any, float]:
        """The result of a request, and the milliseconds that it took."""
        self._count += 1
        answer = self._waiting[self._count] = queue.Queue(1)
        begun = time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        message = answer.get(timeout=SECONDS)
        took = (time.perf_counter() - begun) * 1e3
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"], took

    def tell(self, method: str, params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def age(self) -> float:
        """Milliseconds since the process was started."""
        return (time.perf_counter() - self.started) * 1e3

    def worked(self) -> float:
        """Milliseconds of processor time that the server has had, without the worker's."""
        times = psutil.Process(self.process.pid).cpu_times()
        return (times.user + times.system) * 1e3

    def memory(self) -> float:
        """MiB that the server itself holds, without the worker, which holds torch."""
        return psutil.Process(self.process.pid).memory_info().rss / 2**20

    def refreshed(self) -> None:
        """Wait until the server says that there are other hints."""
        self._refreshes.get(timeout=SECONDS)

    def worker_worked(self) -> float:
        """Milliseconds of processor time that the worker has had."""
        times = [child.cpu_times() for child in psutil.Process(self.process.pid).children(recursive=True)]
        return sum(time.user + time.system for time in times) * 1e3

    def worker_memory(self) -> float:
        """MiB that the worker holds, torch among them."""
        return sum(child.memory_info().rss for child in psutil.Process(self.process.pid).children(recursive=True)) / 2**20

    def close(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait(SECONDS)

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps(message).encode()
        pipe = self.process.stdin
        assert pipe is not None
        with self._lock:
            pipe.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            pipe.flush()

    def _read(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        size = 0
        while line := pipe.readline():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
            elif line == b"\r\n":
                self._take(json.loads(pipe.read(size)))

    def _take(self, message: dict[str, Any]) -> None:
        """Hand on an answer; what the server asks is answered by nothing."""
        if "method" not in message:
            self._waiting.pop(message["id"]).put(message)
        elif "id" in message:
            asked = message["method"] == "workspace/configuration"
            if message["method"] == "workspace/inlayHint/refresh":
                self._refreshes.put("")
            result = [None for _ in message["params"]["items"]] if asked else None
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})
