"""Compares versions of torch as far as a handbook needs it: "2.13.0+cpu" is at least "2.6"."""

from __future__ import annotations

import re


def at_least(version: str, number: str) -> bool:
    """Whether an installed version is `number` or later; local parts and pre-release letters do not count."""
    return _parts(version) >= _parts(number)


def _parts(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:2]]
