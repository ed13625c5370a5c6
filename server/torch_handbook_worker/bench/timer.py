"""Times functions with torch.utils.benchmark: in turns where there are two, so that a busy machine hurts both alike."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Sequence, Tuple

from torch_handbook_worker.bench.machine import uses_cuda
from torch_handbook_worker.protocol import Timing

Snippet = Callable[[], Any]
Say = Callable[[str, int], None]

ROUNDS = 12
SECONDS_A_ROUND = 0.1
BLOCK_SECONDS = 1e-3
LONG_RUN = 5e-3  # seconds: what takes longer is a block by itself
PROBES = 9
WORTH_A_PROBE = 0.05  # seconds: what is slower than that has work for all threads
HINDRANCE = 2
WIDE_SPREAD = 0.15  # of the median, between the quartiles


@dataclass(frozen=True)
class Candidate:
    """One thing to be timed."""

    title: str
    code: str
    run: Snippet
    first: float  # seconds that its first runs took at best


def clock(run: Snippet) -> float:
    """How long one run takes, the device's work included."""
    from torch.utils.benchmark import timer

    start = timer()
    run()
    return timer() - start


class Series:
    """The times of one candidate, turn by turn."""

    def __init__(self, candidate: Candidate, threads: int) -> None:
        from torch.utils.benchmark import Timer

        self.candidate = candidate
        self.timer = Timer("run()", globals={"run": candidate.run}, num_threads=threads)
        probes = PROBES if candidate.first < WORTH_A_PROBE else 0
        self.once = min([candidate.first, *(clock(candidate.run) for _ in range(probes))])
        self.turns: List[List[float]] = []
        self.runs = 0

    def take_turn(self, seconds: float) -> None:
        """Time it for a while. Short blocks: between two of them another process may run, and only some blocks suffer."""
        end = time.monotonic() + seconds
        times: List[float] = []
        number = max(1, int(BLOCK_SECONDS / max(self.once, 1e-9)))
        while not times or time.monotonic() < end:
            part = self.timer.timeit(number) if self.once < LONG_RUN else self.timer.blocked_autorange(min_run_time=seconds)
            times += part.times
            self.runs += part.number_per_run * len(part.times)
        self.turns.append(times)


def measure(candidates: Sequence[Candidate], deadline: float, threads: int, say: Say) -> List[Series]:
    """Time each candidate, in turns; none where there is no time for that."""
    import torch

    usual_threads = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        series = [Series(candidate, threads) for candidate in candidates]
        take_turns(series, deadline, say)
    finally:
        torch.set_num_threads(usual_threads)
    say("measuring memory", 92)
    return series


def take_turns(series: Sequence[Series], deadline: float, say: Say) -> None:
    left = deadline - time.monotonic()
    slow = sum(one.once for one in series)
    rounds = 0 if slow * 4 > left else rounds_for(slow, left)
    for turn in range(rounds):
        for one in series:
            say(f"measuring {one.candidate.title} ({turn + 1}/{rounds})", 40 + 50 * turn // rounds)
            one.take_turn(min(SECONDS_A_ROUND, left / (4 * rounds * len(series))))


def agreement(first: Series, second: Series) -> Tuple[Optional[float], Optional[float]]:
    """How many times faster the second is, by the median of the turns, and the share of turns that agree on which one is faster.

    Of each turn its fastest block counts: another process can only add to the time, so this holds where the figures spread.
    """
    ratios = [min(a) / min(b) for a, b in zip(first.turns, second.turns)]
    if not ratios:
        return None, None
    faster = sum(ratio > 1 for ratio in ratios) / len(ratios)
    return statistics.median(ratios), max(faster, 1 - faster)


def rounds_for(seconds: float, left: float) -> int:
    """Fewer turns for slow code: each turn runs it three times at least."""
    return max(1, min(ROUNDS, int(left / 2 / max(3 * seconds, 1e-9))))


def threads_for(candidates: Sequence[Candidate]) -> int:
    """The threads that torch uses anyway; one, where more of them only stand in each other's way on a busy processor."""
    import torch

    threads = torch.get_num_threads()
    if threads == 1 or uses_cuda() or any(candidate.first > WORTH_A_PROBE for candidate in candidates):
        return threads
    together = sum(usual(candidate.run) for candidate in candidates)
    torch.set_num_threads(1)
    alone = sum(usual(candidate.run) for candidate in candidates)
    torch.set_num_threads(threads)
    return 1 if alone * HINDRANCE < together else threads


def usual(run: Snippet) -> float:
    """The median of a few single runs."""
    return statistics.median(clock(run) for _ in range(PROBES))


def timing_of(series: Series, deadline: float) -> Timing:
    """Median and quartiles, and what to think of them. Code too slow to be repeated is reported by the run it had.

    Memory is measured only while there is time.
    """
    candidate = series.candidate
    times = [value for turn in series.turns for value in turn] or [candidate.first]
    runs = series.runs or 1
    low, median, high = quartiles(times)
    warning = None
    if not series.turns:
        warning = "it is slow, so this is the figure of a single run"
    elif len(times) < 4:
        warning = f"only {runs} runs fitted into the time"
    elif high - low > WIDE_SPREAD * median:
        warning = f"the spread is wide ({(high - low) / median:.0%} of the median): something else may keep the machine busy"
    memory = peak_memory(candidate.run) if series.turns and time.monotonic() < deadline else None
    return Timing(candidate.title, candidate.code, median, low, high, runs, memory, warning)


def quartiles(times: List[float]) -> List[float]:
    if len(times) < 2:
        return [times[0]] * 3
    low, median, high = statistics.quantiles(times, n=4, method="inclusive")
    return [low, median, high]


def peak_memory(run: Snippet) -> Optional[int]:
    """Bytes that torch had allocated at the most during one run, above what was allocated before it; None if unknown."""
    import torch

    if uses_cuda():
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        run()
        torch.cuda.synchronize()
        peak = int(torch.cuda.max_memory_allocated() - before)
        if peak > 0:
            return peak
    return peak_memory_on_cpu(run)


def peak_memory_on_cpu(run: Snippet) -> Optional[int]:
    """The running sum of what torch's CPU allocator gave and took, as its profiler saw it."""
    from torch.profiler import ProfilerActivity, profile

    try:
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as watched:
            run()
        events: Any = watched.profiler.kineto_results.events()  # type: ignore[union-attr]
        steps = [(event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]"]
    except (AttributeError, RuntimeError):  # the profiler's insides differ between versions
        return None
    total = peak = 0
    for _, step in sorted(steps, key=lambda row: row[0]):
        total += step
        peak = max(peak, total)
    return peak
