"""The worker process and its client: what a user sees when Python, torch or the process fails, and that work goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from lsp_editor import until
from torch_handbook.worker_client import WorkerClient, interpret_files
from torch_handbook.worker_error import WorkerDied, WorkerFailed, WorkerHangs, WorkerMissing, WorkerTimeout
from torch_handbook.worker_process import environment_for
from torch_handbook_worker import protocol
from torch_handbook_worker.protocol import InterpretRequest

REQUEST = InterpretRequest("sample.py", "import torch\nx = torch.zeros(2, 3)\n")
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals")


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python without torch."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    return str(folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


def broken_torch(folder: Path, body: str) -> dict[str, str]:
    """An environment in which `import torch` runs this."""
    (folder / "torch").mkdir()
    (folder / "torch" / "__init__.py").write_text(body, "utf-8")
    (folder / "torch" / "version.py").write_text("__version__ = '2.9.9'\n", "utf-8")
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.mark.asyncio
async def test_hello_without_importing_torch(tmp_path: Path, bare_python: str) -> None:
    client = WorkerClient(bare_python, broken_torch(tmp_path, "raise SystemExit('imported')"))
    try:
        hello = await client.start()
    finally:
        await client.stop()
    assert hello.protocol == protocol.VERSION
    assert (hello.torch, hello.torch_path) == ("2.9.9", str(tmp_path / "torch"))
    assert Path(hello.executable).samefile(bare_python)


@pytest.mark.asyncio
async def test_python_without_torch(bare_python: str) -> None:
    client = WorkerClient(bare_python)
    try:
        result = await client.interpret(REQUEST)
        assert (await client.start()).torch is None
    finally:
        await client.stop()
    assert result.problem is not None and "torch is not installed" in result.problem and not result.complete


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "raise ImportError('libcudart.so.12: cannot open shared object file')",
            "libcudart.so.12: cannot open shared object file",
        ),
        ("import sys; sys.exit('a licence is missing')", "a licence is missing"),
        ("import torch.nowhere", "No module named 'torch.nowhere'"),
    ],
)
async def test_torch_that_fails_to_import(tmp_path: Path, bare_python: str, body: str, words: str) -> None:
    client = WorkerClient(bare_python, broken_torch(tmp_path, body))
    try:
        first = await client.interpret(REQUEST)
        second = await client.interpret(REQUEST)
    finally:
        await client.stop()
    assert first.problem is not None and words in first.problem
    assert second.problem == first.problem


@pytest.mark.asyncio
async def test_torch_that_takes_the_process_down(tmp_path: Path, bare_python: str) -> None:
    body = "import os, sys\nprint('Illegal instruction in libtorch', file=sys.stderr, flush=True)\nos._exit(132)"
    client = WorkerClient(bare_python, broken_torch(tmp_path, body))
    try:
        with pytest.raises(WorkerDied, match=r"ended with status 132: Illegal instruction in libtorch") as caught:
            await client.interpret(REQUEST)
        assert "Illegal instruction" in caught.value.stderr
        for _ in range(2):
            with pytest.raises(WorkerDied):
                await client.interpret(REQUEST)
        with pytest.raises(WorkerDied, match=r"after 3 failures it is not started again for \d+ s"):
            await client.interpret(REQUEST)
        client.forgive()
        with pytest.raises(WorkerDied, match="status 132"):
            await client.interpret(REQUEST)
    finally:
        await client.stop()


@pytest.mark.asyncio
async def test_prints_of_torch_do_not_reach_the_stream(tmp_path: Path, bare_python: str) -> None:
    body = "import os\nprint('hello')\nos.write(1, b'{\"id\": 1, \"result\": 3}\\n')\nos.system('echo shell')\n"
    client = WorkerClient(bare_python, broken_torch(tmp_path, body + "raise ImportError('no')"))
    try:
        result = await client.interpret(REQUEST)
        assert result.problem is not None and result.problem.endswith("ImportError: no")
        assert client.running is not None
        running = client.running

        async def said() -> set[str]:  # what it prints comes another way than its answer
            return set(running.stderr().split())

        await until(said, lambda words: {"hello", "shell"} <= words)
    finally:
        await client.stop()


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/no/such/python", __file__, str(Path(__file__).parent)])
async def test_wrong_path(path: str) -> None:
    with pytest.raises(WorkerMissing, match="cannot be started"):
        await WorkerClient(path).start()


@posix
@pytest.mark.asyncio
async def test_a_program_that_is_not_python(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'this is not Python' >&2\nexit 3\n", "utf-8")
    program.chmod(0o755)
    with pytest.raises(WorkerDied, match=r"not a Python 3\.9 or newer that starts: it ended with status 3: this is not Python"):
        await WorkerClient(str(program)).start()


@posix
@pytest.mark.asyncio
async def test_a_program_that_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch_handbook.worker_process.HANDSHAKE_SECONDS", 0.5)
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
    program.chmod(0o755)
    with pytest.raises(WorkerTimeout, match="did not answer"):
        await WorkerClient(str(program)).start()


@posix
@pytest.mark.asyncio
async def test_killed_in_the_middle(bare_python: str) -> None:
    client = WorkerClient(bare_python)
    try:
        await client.start()
        assert client.running is not None
        first = client.running.process.pid
        os.kill(first, signal.SIGSTOP)
        asked = asyncio.create_task(client.interpret(REQUEST))
        await asyncio.wait([asked], timeout=0.3)
        assert not asked.done()
        os.kill(first, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="was ended by signal 9"):
            await asked
        assert (await client.interpret(REQUEST)).problem is not None
        assert client.running.process.pid != first
    finally:
        await client.stop()


@posix
@pytest.mark.asyncio
async def test_stopped_while_it_starts(bare_python: str) -> None:
    client = WorkerClient(bare_python)
    asked = asyncio.create_task(client.interpret(REQUEST))

    def children() -> list[psutil.Process]:
        return [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]

    others = set(children())
    while not set(children()) - others:
        await asyncio.sleep(0)
    await client.stop()
    with pytest.raises(WorkerDied, match="was stopped while it started"):
        await asked
    assert not set(children()) - others
    assert (await client.interpret(REQUEST)).problem is not None
    await client.stop()


@posix
@pytest.mark.asyncio
async def test_torch_whose_import_hangs(tmp_path: Path, bare_python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch_handbook.worker_client.READY_SECONDS", 0.5)
    client = WorkerClient(bare_python, broken_torch(tmp_path, "import time; time.sleep(60)"))
    try:
        with pytest.raises(WorkerHangs, match="took longer than 0 s to import torch"):
            await client.interpret(REQUEST)
        assert client.running is None
    finally:
        await client.stop()


@posix
@pytest.mark.asyncio
async def test_a_worker_that_hangs_is_ended(bare_python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch_handbook.worker_client.READY_SECONDS", 0.5)
    client = WorkerClient(bare_python)
    try:
        await client.start()
        assert client.running is not None
        hanging = client.running
        os.kill(hanging.process.pid, signal.SIGSTOP)
        with pytest.raises(WorkerTimeout, match="took longer than"):
            await client.interpret(REQUEST)
        assert not hanging.alive
        monkeypatch.undo()
        assert (await client.interpret(REQUEST)).problem is not None
    finally:
        await client.stop()


@pytest.mark.asyncio
async def test_a_caller_that_leaves_spoils_nothing(bare_python: str) -> None:
    client = WorkerClient(bare_python)
    try:
        tasks = [asyncio.create_task(client.interpret(REQUEST)) for _ in range(8)]
        await asyncio.wait(tasks[:1], timeout=0.01)
        for task in tasks[::2]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(not isinstance(result, BaseException) for result in results[1::2])
        assert (await client.interpret(REQUEST)).problem is not None
    finally:
        await client.stop()


@pytest.mark.asyncio
async def test_large_messages(bare_python: str) -> None:
    client = WorkerClient(bare_python)
    try:
        await client.start()
        assert client.running is not None
        with pytest.raises(WorkerFailed, match=r"KeyError: 'x{3000000}'"):
            await client.running.ask("x" * 3_000_000, {"text": "é\n" * 1_000_000})
        assert (await client.interpret(InterpretRequest("a.py", "x = 1\n" * 200_000))).problem is not None
    finally:
        await client.stop()


@pytest.mark.asyncio
async def test_modules_beside_the_worker_and_in_the_folder_shadow_nothing(
    tmp_path: Path, bare_python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("random", "json", "queue", "torch", "traceback"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('shadowed')", "utf-8")
    monkeypatch.chdir(tmp_path)
    client = WorkerClient(bare_python, {**os.environ, "PYTHONPATH": os.pathsep.join([".", ""])})
    try:
        hello = await client.start()
        result = await client.interpret(REQUEST)
    finally:
        await client.stop()
    assert hello.torch_path is None and result.problem is not None and "shadowed" not in result.problem


def test_interpret_files_says_what_failed(bare_python: str) -> None:
    results = list(interpret_files(bare_python, [REQUEST, REQUEST]))
    assert [result.problem is not None and "torch is not installed" in result.problem for result in results] == [True, True]
    [missing] = interpret_files("/no/such/python", [REQUEST])
    assert missing.problem is not None and "/no/such/python" in missing.problem


@posix
def test_the_worker_ends_with_its_server(bare_python: str) -> None:
    """A server that is killed closes the pipe, however busy the worker is."""
    code = (
        "import asyncio, sys, time\n"
        "from torch_handbook.worker_client import WorkerClient\n"
        "async def main():\n"
        "    client = WorkerClient(sys.argv[1])\n"
        "    await client.start()\n"
        "    print(client.running.process.pid, flush=True)\n"
        "    time.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    server = subprocess.Popen([sys.executable, "-c", code, bare_python], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    worker = int(server.stdout.readline())
    server.kill()
    server.communicate(timeout=10)
    assert gone(worker, 10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere only a benchmark's own time limit ends it")
def test_the_worker_ends_with_its_server_even_in_code_that_never_lets_go(tmp_path: Path, bare_python: str) -> None:
    code = (
        "import asyncio, sys\n"
        "from torch_handbook.worker_client import WorkerClient\n"
        "from torch_handbook_worker.protocol import InterpretRequest\n"
        "async def main():\n"
        "    client = WorkerClient(sys.argv[1])\n"
        "    await client.start()\n"
        "    asyncio.get_running_loop().create_task(client.interpret(InterpretRequest('a.py', '')))\n"
        "    while not any('about to' in line for line in client.running.tail):\n"
        "        await asyncio.sleep(0.01)\n"
        "    print(client.running.process.pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    body = "import re, sys\nprint('about to', file=sys.stderr, flush=True)\nre.match('(a+)+$', 'a' * 60 + 'b')\n"
    environ = broken_torch(tmp_path, body)
    server = subprocess.Popen([sys.executable, "-c", code, bare_python], stdout=subprocess.PIPE, text=True, env=environ)
    assert server.stdout is not None
    worker = int(server.stdout.readline())
    server.kill()
    server.communicate(timeout=10)
    assert gone(worker, 10)


def gone(pid: int, seconds: float) -> bool:
    """Whether a process is no longer there within this time."""
    try:
        process = psutil.Process(pid)
        deadline = time.monotonic() + seconds
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
            time.sleep(0.02)
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_the_environment_of_the_server_is_not_the_users() -> None:
    given = {"PYTHONHOME": "/server", "PYTHONPATH": "/mine", "PATH": "/bin"}
    assert environment_for(given, background=False) == {"PYTHONPATH": "/mine", "PATH": "/bin"}
    assert environment_for(given, background=True)["OMP_NUM_THREADS"] == "1"


def old_pythons() -> list[str]:
    """Other versions on PATH that the worker must run on."""
    names = [f"python3.{minor}" for minor in range(9, 15) if minor != sys.version_info[1]]
    found = [str(Path(folder, name)) for folder in os.environ.get("PATH", "").split(os.pathsep) for name in names]
    working = []
    for path in found:
        if os.access(path, os.X_OK):
            said = subprocess.run([path, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True, timeout=20)
            working += [said.stdout.strip()] if said.returncode == 0 else []
    return working


@pytest.mark.asyncio
@pytest.mark.parametrize("python", old_pythons())
async def test_other_versions_of_python(python: str) -> None:
    client = WorkerClient(python)
    try:
        assert (await client.start()).python.startswith("3.")
        result = await client.interpret(REQUEST)
        assert result.problem is None or "torch" in result.problem
    finally:
        await client.stop()


@pytest.mark.torch
@pytest.mark.asyncio
async def test_facts_come_back() -> None:
    pytest.importorskip("torch")
    client = WorkerClient(sys.executable)
    try:
        result = await client.interpret(REQUEST)
    finally:
        await client.stop()
    assert result.problem is None
    shapes = [fact.fact.shape for fact in result.facts if isinstance(fact.fact, protocol.TensorFact)]
    assert [2, 3] in shapes
