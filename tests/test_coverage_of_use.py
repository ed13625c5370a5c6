"""The list of what people use of torch is in order, and says what has a page."""

from __future__ import annotations

from pathlib import Path

from coverage_of_use import covered, main, shares
from torch_handbook.handbook.handbook import Handbook

HANDBOOK = Handbook.open(Path(__file__).parents[1] / "entries")


def test_the_list_is_in_order() -> None:
    used = shares()
    assert len(used) == 600
    assert list(used.values()) == sorted(used.values(), reverse=True)
    assert 90 < sum(used.values()) <= 100


def test_aliases_count_as_covered() -> None:
    assert covered(HANDBOOK, "torch.cat") and covered(HANDBOOK, "torch.concat")
    assert not covered(HANDBOOK, "torch.nothing")


def test_what_it_prints(capsys) -> None:  # type: ignore[no-untyped-def]
    main(3)
    first, *missing = capsys.readouterr().out.splitlines()
    assert "of the 600 most used names have a page" in first
    assert len(missing) <= 3
