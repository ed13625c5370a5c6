"""A process of its own: imports one file with the recorder, runs its networks once, and prints the shapes as JSON."""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import torch

from real_models import recording
from real_models.recipes import RECIPES


def main(root: str, file: str, recipe: str) -> None:
    path, start = Path(file), import_root(Path(file), Path(root))
    sys.path.insert(0, str(start))
    recording.watch(path)
    without_operators()
    name = ".".join(path.relative_to(start).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    torch.manual_seed(0)
    problems: list[str] = []
    for model, given, *rest in RECIPES[recipe](module):
        recording.RECORDER.on, recording.RECORDER.run = True, "other" if rest else ""
        try:
            with torch.no_grad():
                model.eval()(*given)
        except Exception as error:
            problems.append(f"{type(error).__name__}: {error}")
        recording.RECORDER.on = False
    unique = {json.dumps(call, sort_keys=True): call for call in recording.RECORDER.calls if call["seen"]}
    print(json.dumps({"calls": list(unique.values()), "problems": problems}))


def import_root(path: Path, root: Path) -> Path:
    """Where the imports of a file start: the folder above its outermost package."""
    folder = path.parent
    while (folder / "__init__.py").exists() and folder != root:
        folder = folder.parent
    return folder


def without_operators() -> None:
    """torchvision's compiled operators may belong to another torch: two of them are stood in for, the others are not needed."""
    register: Any = torch.library.register_fake

    def registered(name: Any, *arguments: Any, **named: Any) -> Any:
        if str(name).startswith("torchvision::") and not hasattr(torch.ops.torchvision, str(name).split("::")[1]):
            return lambda function: function
        return register(name, *arguments, **named)

    torch.library.register_fake = registered
    for schema, stand_in in STAND_INS.items():
        with contextlib.suppress(Exception):
            torch.library.define(f"torchvision::{schema.split('(')[0]}", schema[schema.index("(") :])
            torch.library.impl(f"torchvision::{schema.split('(')[0]}", "CPU", stand_in)
    with contextlib.suppress(Exception):
        extension = importlib.import_module("torchvision.extension")
        extension._has_ops = lambda: True


def pooled(given: Any, boxes: Any, scale: float, height: int, width: int, ratio: int, aligned: bool) -> Any:
    return given.new_zeros(len(boxes), given.shape[1], height, width)


STAND_INS: dict[str, Any] = {
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor": lambda boxes, scores, threshold: scores.argsort()[:100],
    "roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int pooled_width, int sampling_ratio, "
    "bool aligned) -> Tensor": pooled,
}


if __name__ == "__main__":
    main(*sys.argv[1:4])
