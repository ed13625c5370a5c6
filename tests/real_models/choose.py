"""Which files are looked at: a seeded choice of those that define a network, the same number for everybody who asks.

From each package as many as `SHARE` says, of all files below its folders whose classes have a `forward` with at least three
assignments, in the order that a generator seeded with the package's name shuffles them into. A file whose networks cannot be made
or run here (see recipes.py) is passed over for the next one.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEAST = 3  # assignments in one `forward`


@dataclass(frozen=True)
class Share:
    """How many files of a folder below the packages are looked at, and what is run for them."""

    folder: str
    count: int
    recipe: str


SHARES = (
    Share("torchvision/models", 8, "torchvision"),
    Share("timm/models", 12, "timm"),
    Share("vit_pytorch", 8, "by_name"),
    Share("x_transformers", 2, "x_transformers"),
    Share("segmentation_models_pytorch", 5, "segmentation"),
    Share("minGPT/mingpt", 1, "mingpt"),
    Share("examples", 4, "by_name"),
)
PASSED_OVER = ("quantization", "detection", "test")  # the first two need operators or minutes


def candidates(root: Path, share: Share) -> list[Path]:
    """The files of a folder, in the order in which they are tried."""
    found = [path for path in sorted((root / share.folder).rglob("*.py")) if not any(part in str(path) for part in PASSED_OVER)]
    found = [path for path in found if any(True for _ in forwards(path))]
    random.Random(share.folder).shuffle(found)
    return found


def forwards(path: Path) -> Iterator[ast.FunctionDef]:
    """The methods named `forward` that assign enough."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        for method in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(method, ast.FunctionDef) and method.name == "forward":
                count = sum(isinstance(row, (ast.Assign, ast.AugAssign, ast.AnnAssign)) for row in ast.walk(method))
                if count >= LEAST:
                    yield method
