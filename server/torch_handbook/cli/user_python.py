"""What `doctor` looks at on the user's side: the Python that is chosen and why, its packages, its torch, and the worker in it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import TypeVar

from torch_handbook_worker.protocol import Hello, InterpretRequest, Machine

from torch_handbook import interpreter
from torch_handbook.cli.remark import Remark
from torch_handbook.interpreter import Interpreter
from torch_handbook.settings import Settings
from torch_handbook.worker_client import WorkerClient, WorkerError, run_blocking

SAMPLE = "import torch\nx = torch.zeros(2, 3)\ny = x @ torch.zeros(3, 4)\n"
BUILD = re.compile(r"^(cuda|hip|xpu)\s*(?::[^=]+)?=\s*['\"]([^'\"]+)", re.MULTILINE)
BUILDS = {"cuda": "CUDA", "hip": "ROCm", "xpu": "XPU"}
PACKAGES = ("numpy", "einops", "torchvision")

Answer = TypeVar("Answer")


def examined(settings: Settings, root: Path, option: str) -> Iterator[Remark]:
    """The interpreter, and what it answers when it is asked."""
    found = interpreter.find(settings.python, root, os.environ, option=option)
    others = [item for item in interpreter.candidates(settings.python, root, os.environ, option=option) if item != found]
    passed_over = [Remark("python", None, f"also looked at: {described(item)}") for item in others]
    if found is None:
        yield Remark("python", False, "no Python was found", "install Python and torch, or set `python` to the one that has them")
    elif found.problem is not None:
        yield Remark("python", False, found.problem, "correct the path, or leave it out to have one found")
        yield from passed_over
    else:
        yield Remark("python", True, f"Python: {described(found)}")
        yield from passed_over
        yield from answers(found)
        yield packages(found)


def described(found: Interpreter) -> str:
    torch = f"torch {found.torch_version}" if found.torch_path else found.problem or "no torch"
    return f"{found.path} ({found.how}): {torch}"


def packages(found: Interpreter) -> Remark:
    """What else lies there that torch code uses, by the files."""
    folders = list(interpreter.package_folders(Path(found.path)))
    said = [f"{name} {version_in(folders, name) or 'not installed'}" for name in PACKAGES]
    return Remark("packages", None, f"beside it: {', '.join(said)}")


def version_in(folders: list[Path], name: str) -> str | None:
    """The version of a package, by the folder that its installer left."""
    left = (path for folder in folders for path in folder.glob(f"{name}-*.dist-info"))
    return next((path.name.removesuffix(".dist-info").partition("-")[2] for path in left), None)


def answers(found: Interpreter) -> list[Remark]:
    """Start a worker in it, look at a few lines with its torch, and name the devices."""
    remarks: list[Remark] = []

    async def work(client: WorkerClient) -> None:
        hello, seconds = await clocked(client.start())
        remarks.append(Remark("worker", True, f"worker: answered in {seconds * 1000:.0f} ms, Python {hello.python}"))
        remarks.append(torch_remark(hello))
        if hello.torch_path is None:
            return
        result, seconds = await clocked(client.interpret(InterpretRequest("sample.py", SAMPLE)))
        if result.problem is not None:
            advice = f"see whether `{found.path} -c 'import torch'` works; if it does not, install torch again"
            remarks.append(Remark("torch", False, result.problem, advice))
            return
        said = f"tensor shapes: {len(result.facts)} facts in {seconds:.1f} s, torch's import included"
        remarks.append(Remark("worker", bool(result.facts), said))
        remarks.extend(devices(await client.machine(), build_of(Path(hello.torch_path))))

    try:
        run_blocking(work, found.path)
    except WorkerError as error:
        remarks.append(
            Remark("worker", False, str(error), "see whether that Python starts by itself; the lines above name others")
        )
    return remarks


async def clocked(work: Awaitable[Answer]) -> tuple[Answer, float]:
    start = time.perf_counter()
    return await work, time.perf_counter() - start


def torch_remark(hello: Hello) -> Remark:
    if hello.torch_path is None:
        lost = "torch: not installed there, so there are no shapes and no benchmarks; the handbook works"
        return Remark("torch", False, lost, interpreter.way_to_torch(Path(hello.executable)))
    return Remark("torch", True, f"torch {hello.torch} in {hello.torch_path}, {build_of(Path(hello.torch_path))}")


def build_of(torch: Path) -> str:
    """What this torch was built for, as its version.py states it."""
    try:
        found = dict(BUILD.findall((torch / "version.py").read_text("utf-8", "replace")))
    except OSError:
        found = {}
    said = [f"{BUILDS[name]} {version}" for name, version in found.items()]
    return (
        f"built for {' and '.join(said)}"
        if said
        else "built for Metal and the CPU"
        if sys.platform == "darwin"
        else "built for the CPU"
    )


def devices(machine: Machine, build: str) -> Iterator[Remark]:
    """What torch sees, and where benchmarks run."""
    for accelerator in machine.accelerators:
        yield Remark("torch", None, f"sees {accelerator}")
    if not machine.accelerators and any(name in build for name in BUILDS.values()):
        unseen = f"sees no accelerator, though it is {build}"
        yield Remark(
            "torch",
            None,
            unseen,
            "where there is one, `nvidia-smi` says whether its driver works" if shutil.which("nvidia-smi") else "",
        )
    cuda = f", CUDA {machine.cuda}" if machine.cuda else ""
    yield Remark("torch", True, f"benchmarks run on {machine.device} ({machine.device_name}){cuda}, {machine.threads} threads")
