"""The worker's side of the conversation: one request a line comes in on stdin, its answer goes out on what stdout was."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import faulthandler
import importlib
import importlib.util
import io
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import BinaryIO, Callable, Dict, Optional

from torch_handbook_worker import protocol
from torch_handbook_worker.protocol import (
    BenchmarkRequest,
    Hello,
    InterpretRequest,
    InterpretResult,
    Message,
    Progress,
    Ready,
    SummaryRequest,
    SummaryResult,
)

Report = Callable[[str, int], None]
STARTED = time.monotonic()


class Stream:
    """Messages out and in, on file descriptors that no print of the user's or of torch's can reach."""

    def __init__(self) -> None:
        self.out: BinaryIO = os.fdopen(os.dup(1), "wb")
        self.source: BinaryIO = os.fdopen(os.dup(0), "rb")
        os.dup2(2, 1)
        if isinstance(sys.stdout, io.TextIOWrapper):  # else what is printed is only seen when the worker ends
            sys.stdout.reconfigure(line_buffering=True)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self.lines: "queue.Queue[bytes]" = queue.Queue()
        self.lock = threading.Lock()

    def send(self, message: Message) -> None:
        line = json.dumps(protocol.to_json(message), separators=(",", ":"), ensure_ascii=True).encode("ascii") + b"\n"
        with self.lock:
            self.out.write(line)
            self.out.flush()

    def listen(self) -> None:
        """Queue what comes in; when the server is gone, go too, whatever is being computed."""
        for line in iter(self.source.readline, b""):
            self.lines.put(line)
        leave()


def leave() -> None:
    """End this process, and with it the children that a benchmark may have started, at once."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


def die_with_parent() -> None:
    """On Linux the kernel ends this process when the server is gone, even while code holds the interpreter."""
    if sys.platform.startswith("linux"):
        import ctypes

        with contextlib.suppress(OSError, AttributeError):  # without it `listen` notices, most of the time
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def serve() -> None:
    """Say hello, then answer requests in turn until the server closes the stream."""
    die_with_parent()
    stream = Stream()
    stream.send(hello())
    threading.Thread(target=stream.listen, name="listen", daemon=True).start()
    while True:
        answer(stream, stream.lines.get())


def answer(stream: Stream, line: bytes) -> None:
    """Answer one request. Whatever goes wrong in it is an answer too."""
    number = None
    try:
        message = json.loads(line)
        number = message.get("id")
        handle = METHODS[message["method"]]
        result = handle(protocol.from_json(message.get("params")), reporter(stream))
        stream.send({"id": number, "result": result})
    except BaseException as error:
        last = traceback.format_exception_only(type(error), error)[-1].strip()
        stream.send({"id": number, "error": {"message": last, "traceback": traceback.format_exc()}})


def reporter(stream: Stream) -> Report:
    """What a long request calls to say how far it is."""

    def report(message: str, percentage: int) -> None:
        stream.send({"method": "progress", "params": Progress(message, percentage)})

    return report


def hello() -> Hello:
    """Who answers here; torch is looked for, not imported."""
    folder = torch_folder()
    version = installed_version(folder) if folder else None
    return Hello(protocol.VERSION, ".".join(map(str, sys.version_info[:3])), sys.executable, version, folder)


def torch_folder() -> Optional[str]:
    """The folder that `import torch` would load; finding the spec of a top-level package runs none of it."""
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return None
    return str(Path(spec.origin).parent) if spec is not None and spec.origin else None


def installed_version(folder: str) -> Optional[str]:
    """The version that torch/version.py states, else the one of its metadata."""
    try:
        tree = ast.parse(Path(folder, "version.py").read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return metadata_version()
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        named = any(isinstance(target, ast.Name) and target.id == "__version__" for target in targets)
        if named and isinstance(node.value, ast.Constant):  # type: ignore[union-attr]
            return str(node.value.value)  # type: ignore[union-attr]
    return metadata_version()


def metadata_version() -> Optional[str]:
    from importlib import metadata

    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return None


class State:
    """What is remembered between requests: why torch could not be imported, if so. A second try gives other, odder words."""

    tried = False
    problem: Optional[str] = None


def torch_problem() -> Optional[str]:
    """Import torch once; None, or why that failed, in its own words."""
    if not State.tried:
        State.tried = True
        State.problem = import_torch()
    return State.problem


def import_torch() -> Optional[str]:
    folder = torch_folder()
    if folder is None:
        return f"torch is not installed in {sys.executable}"
    try:
        importlib.import_module("torch")
    except BaseException as error:
        said = " ".join("".join(traceback.format_exception_only(type(error), error)).split())
        return f"torch in {folder} cannot be imported: {said}"
    return None


def ready(params: object, report: Report) -> Ready:
    """Import torch and the interpreter ahead of the first file, so that a time limit on that file is about the file."""
    start = time.perf_counter()
    lower_priority()
    problem = torch_problem() or interpreter_problem()
    return Ready(problem, time.perf_counter() - start, None if problem else device())


def device() -> Optional[str]:
    """What torch can compute on; None where it cannot say. GPUs are counted, which sets nothing up on them."""
    try:
        import torch

        count = torch.cuda.device_count()
        if count:
            return "cuda" if count == 1 else f"{count} × cuda"
        metal = getattr(torch.backends, "mps", None)
        return "mps" if metal is not None and metal.is_available() else "cpu"
    except Exception:
        return None


def interpreter_problem() -> Optional[str]:
    """Import the interpreter of tensors; None, or what it misses in this torch."""
    try:
        importlib.import_module("torch_handbook_worker.tensors.walk")
        importlib.import_module("torch_handbook_worker.tensors.program")
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def lower_priority() -> None:
    """Typing must never stall because a file is being looked at."""
    if hasattr(os, "nice") and os.nice(0) < 10:
        os.nice(10)


def interpret(params: InterpretRequest, report: Report) -> InterpretResult:
    problem = torch_problem()
    if problem is not None:
        return InterpretResult(complete=False, problem=problem)
    from torch_handbook_worker.tensors import program

    return program.interpret(params)


def summary(params: SummaryRequest, report: Report) -> SummaryResult:
    problem = torch_problem()
    if problem is not None:
        return SummaryResult(problem=problem)
    from torch_handbook_worker.summary import summarize

    return summarize.summarize(params)


def benchmark(params: BenchmarkRequest, report: Report) -> Message:
    problem = torch_problem()
    if problem is not None:
        return protocol.BenchmarkResult(problem=problem)
    from torch_handbook_worker.bench import run

    left = max(params.seconds - (time.monotonic() - STARTED), 1.0)  # the server's clock has run since it started this process
    # C code that does not let go of the interpreter keeps `listen` from noticing that the server is gone. This needs neither.
    faulthandler.dump_traceback_later(left + 5, exit=True)
    try:
        return run.benchmark(dataclasses.replace(params, seconds=left), report)
    finally:
        faulthandler.cancel_dump_traceback_later()


def machine(params: object, report: Report) -> Message:
    problem = torch_problem()
    if problem is not None:
        raise RuntimeError(problem)
    from torch_handbook_worker.bench.machine import accelerators, this_machine

    return dataclasses.replace(this_machine(), accelerators=accelerators())


METHODS: Dict[str, Callable[..., Message]] = {
    "ready": ready,
    "interpret": interpret,
    "summary": summary,
    "benchmark": benchmark,
    "machine": machine,
}
