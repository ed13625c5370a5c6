"""All code that the handbook shows does what it says: every example, bad, good, slow and fast of every entry is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from entry_code import Block, Wrong, alike, blocks_of, marks_of, run
from torch_handbook.handbook.handbook import Handbook

HANDBOOK = Handbook.open(Path(__file__).parents[1] / "entries")
BLOCKS = [block for name in HANDBOOK.names() if (entry := HANDBOOK.find(name)) for block in blocks_of(entry) if block.code]


@pytest.mark.torch
@pytest.mark.parametrize("block", BLOCKS, ids=[block.id for block in BLOCKS])
def test_code_does_what_it_says(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    run(block)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.kind == "bad"], ids=lambda block: block.id)
def test_bad_code_shows_what_is_bad(block: Block) -> None:
    assert marks_of(block.code), "end a line with '# raises …', '# prints …', '# warns …' or '# -> …'"


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.kind == "good"], ids=lambda block: block.id)
def test_good_code_neither_raises_nor_warns(block: Block) -> None:
    kinds = {kind for marks in marks_of(block.code).values() for kind, _ in marks}
    assert not kinds & {"raises", "warns"}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_code_is_not_too_wide(block: Block) -> None:
    assert [line for line in block.code.splitlines() if len(line) > 100] == []


def block(code: str, given: str = "") -> Block:
    return Block("test", "here", "code", code, given)


@pytest.mark.torch
@pytest.mark.parametrize(
    "code",
    [
        "torch.zeros(2).shape  # -> torch.Size([2])",
        "x = 1 / 3  # -> 0.33",
        "for i in range(3):\n    print(i, end=' ')  # prints 0 1 2",
        "torch.zeros(2) @ torch.zeros(3)  # raises RuntimeError: inconsistent tensor size",
        "torch.tensor(torch.zeros(1))  # warns UserWarning",
        "print(torch.ones(3).T.sum().item())  # prints 3.0  # warns UserWarning",
        "torch.arange(3.)  # -> tensor([0., 1., 2.])",
        "torch.rand(3, requires_grad=True).sum()  # -> tensor(…)",
    ],
)
def test_marks_that_hold(code: str) -> None:
    pytest.importorskip("torch")
    run(block(code))


@pytest.mark.torch
@pytest.mark.parametrize(
    "code",
    [
        "torch.zeros(2).shape  # -> torch.Size([3])",
        "x = 1 / 3  # -> 0.34",
        "print(1)  # prints 2",
        "torch.zeros(2)  # raises RuntimeError",
        "torch.zeros(2) @ torch.zeros(3)  # raises ValueError",
        "torch.zeros(2) @ torch.zeros(3)  # raises RuntimeError: other words",
        "torch.zeros(2)  # warns UserWarning",
        "torch.tensor(torch.zeros(1))",
        "undefined",
    ],
)
def test_marks_that_do_not_hold(code: str) -> None:
    pytest.importorskip("torch")
    with pytest.raises(Wrong):
        run(block(code))


def test_numbers_are_compared_as_written() -> None:
    assert alike("tensor([0.24, 1.])", "tensor([0.2413, 1.0000])")
    assert not alike("0.24", "0.25")
    assert not alike("3", "2.6")
    assert alike("(2, 3)", "(2,3)")
    assert not alike("1 2", "12")
