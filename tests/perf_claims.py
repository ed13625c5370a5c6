"""Measures what pages say of speed, each `slow` against its `fast` and each `same` against its `as`: `make perf-claims`.

Not a test, as it depends on the machine: it prints the claims that do not hold here. Names on the command line choose pages.
One thread is used, so that a busy machine slows both ways alike.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from entry_code import PRELUDE, clean_state
from torch_handbook.handbook.entry import Advice
from torch_handbook.handbook.handbook import Handbook
from torch_handbook_worker.bench import timer

ROOT = Path(__file__).parents[1] / "entries"
SECONDS = 5.0  # for one claim, at most
FASTER = 1.05  # what is called faster must be at least this much faster
ALIKE = 1.3  # what is called as fast may differ by this much either way


@dataclass(frozen=True)
class Claim:
    """Two ways to do something, and whether the second is said to be faster, or as fast."""

    page: str
    advice: Advice

    @property
    def same(self) -> bool:
        return bool(self.advice.same)

    @property
    def codes(self) -> tuple[str, str]:
        return (self.advice.same, self.advice.as_) if self.same else (self.advice.slow, self.advice.fast)

    def holds(self, ratio: float) -> bool:
        """Whether it holds if the first way takes so many times as long as the second."""
        return 1 / ALIKE <= ratio <= ALIKE if self.same else ratio >= FASTER


def claims(handbook: Handbook, wanted: list[str]) -> Iterator[Claim]:
    for name in handbook.names():
        entry = handbook.find(name) if not wanted or name in wanted else None
        for advice in entry.performance if entry else ():
            if advice.slow or advice.same:
                yield Claim(name, advice)


def runnable(code: str, given: str) -> Callable[[], None]:
    """A function that runs a code in a namespace of its own, set up as the entries' tests do."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    exec(compile(PRELUDE, "<prelude>", "exec"), module.__dict__)
    exec(compile(given, "<given>", "exec"), module.__dict__)
    compiled = compile(code, "<claim>", "exec")

    def run() -> None:
        sys.modules["__main__"] = module
        exec(compiled, module.__dict__)

    return run


def ratio_of(claim: Claim) -> float | None:
    """How many times as long the first way takes; None where it cannot be run here."""
    import torch

    if any(code.startswith("# needs cuda") for code in claim.codes) and not torch.cuda.is_available():
        return None
    runs = [runnable(code, claim.advice.given) for code in claim.codes]
    torch.set_num_threads(1)
    for seconds in (SECONDS, 2 * SECONDS, 4 * SECONDS):  # a machine that is busy with something else may let none of it through
        candidates = [timer.Candidate(code, code, run, warm(run)) for code, run in zip(claim.codes, runs, strict=True)]
        series = timer.measure(candidates, time.monotonic() + seconds, 1, lambda _said, _share: None)
        ratio = timer.agreement(series[0], series[1])[0]
        if ratio is not None:
            return ratio
    return None


def warm(run: Callable[[], None]) -> float:
    """Run it twice; how long the better run took."""
    return min(timer.clock(run), timer.clock(run))


def measured(claim: Claim) -> str:
    """One claim as a line: whether it holds, and the ratio."""
    with clean_state(), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            ratio = ratio_of(claim)
        except Exception as error:
            return f"FAILS   {claim.page}: {claim.advice.title}: {type(error).__name__}: {error}"
    if ratio is None:
        return f"skipped {claim.page}: {claim.advice.title}: it needs more time or another machine"
    verdict = "holds  " if claim.holds(ratio) else "DOES NOT HOLD"
    said = "as fast as each other" if claim.same else "slow and fast"
    return f"{verdict} {claim.page}: {claim.advice.title}: {said}, {ratio:.2f}× as long"


def main(wanted: list[str]) -> int:
    main_module, counts = sys.modules["__main__"], {"holds": 0, "other": 0}
    os.chdir(tempfile.mkdtemp())
    for claim in claims(Handbook.open(ROOT), wanted):
        line = measured(claim)
        sys.modules["__main__"] = main_module
        counts["holds" if line.startswith("holds") else "other"] += 1
        if wanted or not line.startswith("holds"):
            print(line, *(f"\n    {row}" for row in claim.advice.given.splitlines()[:3] if "DOES" in line), flush=True)
    print(f"{counts['holds']} claims hold on this machine, {counts['other']} do not or could not be measured")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
