"""A worker that is killed again and again while somebody edits: nothing is lost, and nothing is left behind."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import psutil
import pytest
from lsp_editor import Buffer, Editor, connected, profile, until

pytest.importorskip("torch")
pytestmark = [pytest.mark.asyncio, pytest.mark.torch, pytest.mark.heavy, pytest.mark.timeout(1200)]
KILLS = 50
SEED = 7
HEAD = "import torch\n\nx = torch.zeros(3, 4)\ny = x @ torch.ones(4, 5)\n"


def workers(server: int) -> list[psutil.Process]:
    """The workers of a server, by what they run."""
    found: list[psutil.Process] = []
    for process in psutil.Process(server).children(recursive=True):
        try:
            if any(part.endswith("torch_handbook_worker") for part in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


async def test_fifty_kills_during_an_edit_session(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    seen: dict[int, psutil.Process] = {}
    kills = number = 0
    async with connected(profile("neovim"), tmp_path) as editor:
        server = int((await editor.status())["process"])
        buffer = editor.open(f"file://{tmp_path}/net.py", HEAD)
        await shapes(buffer, 0)
        for number in range(1, 10 * KILLS):
            buffer.append(
                f"z{number} = y.reshape({number % 3 + 1}, -1)\n" if number % 2 else f"z{number} = z{number - 1}.sum(0)\n"
            )
            await editor.status()  # the edit has arrived: of a second death over one and the same text the user would be told
            await asyncio.sleep(chance.uniform(0, 0.8))
            for process in workers(server):
                seen[process.pid] = process
                process.kill()
                kills += 1
            assert "torch.zeros(" in (await buffer.hover("torch.zeros", 8) or "")
            if number % 3 == 0:  # a worker that only ever dies is started less and less often
                await shapes(buffer, number)
            if kills >= KILLS:
                break
        assert kills >= KILLS
        buffer.append(f"z{number + 1} = y.reshape(1, -1)\n")  # a worker that dies when all is known is started when it is needed
        await shapes(buffer, number + 1)
        status = await editor.status()
        seen |= {process.pid: process for process in workers(server)}
        assert status["errors"] == 0 and len(workers(server)) == 1
        assert await said(editor) == []
    gone, alive = await asyncio.to_thread(psutil.wait_procs, list(seen.values()), 10)
    assert len(gone) == len(seen) and alive == []


async def shapes(buffer: Buffer, number: int) -> None:
    """Wait until each line of the present text has its hint."""
    await until(buffer.hints, lambda hints: len(hints) == 2 + number, 120)


async def said(editor: Editor) -> list[str]:
    return [message for message in editor.messages() if "stopped" in message]
