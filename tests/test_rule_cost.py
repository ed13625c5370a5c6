"""What rules cost: in proportion to the lines, and not to the lines times themselves. Calls are counted, no clock is read."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from torch_handbook.engine import registry
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.run import check
from torch_handbook.settings import Settings
from torch_handbook.source.file import File

TESTS = Path(__file__).parent
SCRIPT = (TESTS / "speed" / "script.py").read_text("utf-8")
FEW, MORE = 8, 32


def repeated(times: int) -> str:
    """A file with so many networks, and a training loop for each."""
    top, _, rest = SCRIPT.partition("\n\nclass ")
    body = "class " + rest.partition("\n\nif __name__")[0]
    copies = [body.replace("Net", f"Net{n}").replace("train(", f"train{n}(") for n in range(times)]
    return "\n\n\n".join([top, *copies]) + "\n"


def calls(times: int) -> Counter[str]:
    """How often each function was called, Python's own included, to check such a file."""
    file, found = File.read("x.py", repeated(times)), Counter[str]()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            found[f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"] += 1
        elif event == "c_call":
            found[f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name} → {argument.__name__}"] += 1

    sys.setprofile(note)
    try:
        check(file, Facts.none(), Settings(select=("all",)))
    finally:
        sys.setprofile(None)
    return found


def test_the_cost_grows_with_the_lines() -> None:
    registry.rules()
    calls(1)  # what is made once for all files is made now
    few, more = calls(FEW), calls(MORE)
    factor = MORE / FEW
    worst = sorted(more, key=lambda name: few[name] * factor - more[name])[:8]
    shown = [f"{name}: {few[name]} calls, then {more[name]}" for name in worst]
    assert more.total() < 1.25 * factor * few.total(), shown


@pytest.mark.parametrize(
    "path", sorted((TESTS.parent / "server" / "torch_handbook" / "rules").glob("[!_]*.py")), ids=lambda path: path.stem
)
def test_no_rule_searches_the_whole_text_at_each_node(path: Path) -> None:
    assert " in context.file.text.content" not in path.read_text("utf-8"), 'ask context.file.text.has("word"), which remembers'
