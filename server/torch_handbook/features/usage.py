"""How much people use each name of torch, as an order; the numbers behind it are nobody's business here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def table() -> Mapping[str, Mapping[str, int]]:
    """By module or class, the place of each name that is used at all: 0 is the most used one."""
    text = Path(__file__).with_name("usage.txt").read_text("utf-8")
    rows = [line.partition(": ") for line in text.splitlines() if not line.startswith("#")]
    return {owner: {name: place for place, name in enumerate(names.split())} for owner, _, names in rows}


def order(owner: str) -> Mapping[str, int]:
    """The places of the names of one module or class; empty for one that is hardly used."""
    return table().get(owner, {})
