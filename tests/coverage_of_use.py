"""How much of what people use of torch the handbook has pages for, and what is missing most: `make coverage`."""

from __future__ import annotations

import sys
from pathlib import Path

from torch_handbook.handbook.handbook import Handbook

ROOT = Path(__file__).parents[1] / "entries"
MISSING = 20


def shares(root: Path = ROOT) -> dict[str, float]:
    """Each name with its share of all uses, in percent, the most used first."""
    lines = (root / "usage.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {name: float(share) for name, share in rows}


def covered(handbook: Handbook, name: str) -> bool:
    """Whether there is a page of this name, or of one that it is an alias of."""
    return handbook.line(name) is not None


def main(count: int = MISSING) -> None:
    used, handbook = shares(), Handbook.open(ROOT)
    missing = [name for name in used if not covered(handbook, name)]
    reached = sum(share for name, share in used.items() if name not in set(missing))
    print(f"{len(used) - len(missing)} of the {len(used)} most used names have a page: {reached:.1f} % of all uses of torch")
    for name in missing[:count]:
        print(f"  {used[name]:6.3f} %  {name}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
