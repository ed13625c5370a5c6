"""How many tensors in `forward` the interpreter knows the shape of, in the networks of real packages, and that none is wrong.

    PYTHONPATH=server:tests TORCH_HANDBOOK_MODELS=FOLDER python -m real_models

FOLDER holds what choose.py names: `pip install --target FOLDER torchvision timm …`, and checkouts of minGPT and pytorch/examples.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from torch_handbook.cli.project import workspace_of
from torch_handbook_worker.protocol import InterpretRequest
from torch_handbook_worker.tensors.program import interpret

from real_models.choose import SHARES, Share, candidates
from real_models.compare import Verdict, share, verdict


def main() -> int:
    options = parser().parse_args()
    root = Path(os.environ["TORCH_HANDBOOK_MODELS"])
    rows: dict[Path, Verdict] = {}
    for part in SHARES:
        for path, calls in chosen(root, part, options.truth):
            if not options.only or options.only in str(path):
                rows[path] = looked_at(path, calls, options)
                line(str(path.relative_to(root)), [rows[path]])
    why = Counter[str]()
    for path, row in rows.items():
        for reason, count in row.reasons.items():
            why[f"{path.name}:{reason}"] += count
    if options.verbose:
        print("\n".join(f"{count:4} {reason}" for reason, count in why.most_common()))
    for path, row in rows.items():
        for span, text in sorted(row.wrong.items()):
            print(f"wrong {path.relative_to(root)}:{span[0]} {row.names.get(span, 'a parameter')}: {text}")
    return 0 if line("all", list(rows.values())) >= 0.7 and not any(row.wrong for row in rows.values()) else 1


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser("real_models", description=__doc__)
    found.add_argument("--truth", type=Path, help="a folder that keeps what the real runs gave")
    found.add_argument("--only", default="", help="only files with this in their path")
    found.add_argument("--seconds", type=float, default=60.0, help="for one file: many, since a busy machine must not count")
    found.add_argument("--verbose", action="store_true", help="why names are unknown")
    return found


def line(name: str, rows: list[Verdict]) -> float:
    total, known, partly, wrong, other = share(rows)
    figures = (
        f"{known:4} of {total:4} known ({100 * known / max(1, total):3.0f} %), {partly} partly, {wrong} wrong, {other} otherwise"
    )
    print(f"{name:64} {figures}", flush=True)
    return known / max(1, total)


def chosen(root: Path, part: Share, kept: Path | None) -> list[tuple[Path, list[dict[str, Any]]]]:
    """The files of a package that can be run, with what their runs gave."""
    found: list[tuple[Path, list[dict[str, Any]]]] = []
    for path in candidates(root, part):
        calls = truth(root, path, part.recipe, kept)
        if calls:
            found.append((path, calls))
        if len(found) == part.count:
            break
    return found


def truth(root: Path, path: Path, recipe: str, kept: Path | None) -> list[dict[str, Any]]:
    """What a real run gives, from a process of its own."""
    store = None if kept is None else kept / (str(path.relative_to(root)).replace("/", "+") + ".json")
    if store is not None and store.exists():
        return json.loads(store.read_text("utf-8"))["calls"]
    command = [sys.executable, "-m", "real_models.truth", str(root), str(path), recipe]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(root)])}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=here, timeout=240, check=False)
        answer = done.stdout.strip().split("\n")[-1] if done.returncode == 0 else ""
    except subprocess.TimeoutExpired:
        answer = ""
    answer = answer or json.dumps({"calls": [], "problems": ["it could not be run"]})
    if store is not None:
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_text(answer, encoding="utf-8")
    return json.loads(answer)["calls"]


def looked_at(path: Path, calls: list[dict[str, Any]], options: argparse.Namespace) -> Verdict:
    text = path.read_text("utf-8")
    started = time.process_time()
    result = interpret(InterpretRequest(str(path), text, [str(workspace_of(path))], options.seconds))
    if result.problem or not result.complete:
        print(f"{path}: {result.problem or 'the budget was not enough'}")
    spent = time.process_time() - started
    if spent > InterpretRequest.seconds:
        print(f"{path}: {spent:.1f} s, which is more than an editor waits for")
    for failure in result.failures:
        print(f"failure {path}:{failure.span[0]} {failure.operation}: {failure.error}" if hasattr(failure, "error") else failure)
    return verdict(text, calls, result)


if __name__ == "__main__":
    sys.exit(main())
