"""jedi, with a deadline."""

from __future__ import annotations

import time

import pytest
from torch_handbook.source import inference
from torch_handbook.source.inference import Inference, ask
from torch_handbook.source.text import Position


def test_a_late_answer_is_none_and_so_are_questions_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    running = inference.threading.Event()
    released = inference.threading.Event()

    def wait(*_: object) -> str:
        running.set()
        released.wait(30)
        return "torch.sum"

    monkeypatch.setattr(inference, "ask", wait)
    questions = Inference()
    began = time.monotonic()
    assert questions.name_at("x", "x.py", Position(1, 0), None, 0.05) is None
    assert running.wait(10)
    assert questions.name_at("x", "x.py", Position(1, 0), None, 10) is None
    assert time.monotonic() - began < 10
    released.set()
    while (answer := questions.name_at("x", "x.py", Position(1, 0), None, 10)) is None:
        assert time.monotonic() - began < 30
    assert answer == "torch.sum"


def test_whatever_goes_wrong_is_no_answer() -> None:
    assert ask("x = (", "x.py", Position(1, 3), None) is None
    assert ask("", "", Position(90, 90), None) is None
    assert Inference().name_at("x" * 1_000_000, "x.py", Position(1, 0), None, 1) is None


@pytest.mark.torch
def test_what_only_jedi_knows() -> None:
    pytest.importorskip("torch")
    source = "import torch\ndef f(): yield torch.ones(3)\nfor 中 in f(): 中.view"
    assert ask(source, "x.py", Position(3, len("for 中 in f(): 中.v".encode())), None) == "torch.Tensor.view"
