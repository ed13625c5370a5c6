"""The bench itself: what it measures at, and what it says of a bar. Nothing is timed here."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from speed.editing import measured, positions
from speed.table import Row, drawn
from torch_handbook.lsp.server import Server

SPEED = Path(__file__).parent / "speed"


def test_places_are_on_the_last_names_of_torch_in_code() -> None:
    assert positions('x = torch.nn.Linear(torch.e)\n# torch.a\n\'torch.b\'\n"""torch.c\n"""\nF.relu\n') == [
        (0, 18),
        (0, 26),
        (5, 5),
    ]
    script = (SPEED / "script.py").read_text("utf-8")
    assert script.count("\n") == 44
    assert len(positions(script)) > 20


def test_a_bar_that_is_not_held_is_said() -> None:
    assert [Row("a", 2, 1, 2).holds, Row("a", 3, 1, 2).holds, Row("a", 99, None, 100, least=True).holds] == [True, False, False]
    assert Row("a", 5, None, None).holds
    assert drawn([Row("a", 3, 1, 2)]).splitlines()[-1] == "| a | 3.0 ms         | 1.0 ms     | ≤ 2.0 ms | NO    |"


def test_the_bare_server_answers_constants(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("import torch\ntorch.zeros\n")
    found = measured([sys.executable, str(SPEED / "bare.py")], os.environ, file, file.read_text())
    assert found.answered == found.asked > 0
    assert found.offers == 1000


def test_a_hover_waits_for_no_rules_and_no_torch() -> None:
    code = "import sys, torch_handbook.lsp.handlers, torch_handbook.session; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    unwanted = {"torch", "jedi", "sqlite3", "torch_handbook.engine.rule", "torch_handbook.features.completion"}
    assert not unwanted & set(imported)


@pytest.mark.asyncio
async def test_what_nobody_waits_for_comes_after_what_somebody_does() -> None:
    server = Server()
    server.asked = 1
    waiting = asyncio.create_task(server.calm())
    await asyncio.sleep(0.1)
    assert not waiting.done()
    server.asked = 0
    await asyncio.wait_for(waiting, 1.5)  # before it would have given up
