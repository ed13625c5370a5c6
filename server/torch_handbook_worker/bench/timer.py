"""Times functions with torch.utils.benchmark: in turns where there are two, so that a busy machine hurts both alike."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Sequence

from torch_handbook_worker.protocol import Timing

Snippet = Callable[[], Any]
Say = Callable[[str, int], None]

ROUNDS = 5
SECONDS_A_ROUND = 0.3
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


def measure(candidates: Sequence[Candidate], deadline: float, threads: int, say: Say) -> List[Timing]:
    """Time each candidate, in turns. One that is too slow for the time that is left is reported by the run it had."""
    left = deadline - time.monotonic()
    slow = sum(candidate.first for candidate in candidates)
    times: List[List[float]] = [[] for _ in candidates]
    runs = [0 for _ in candidates]
    rounds = 0 if slow * 4 > left else rounds_for(slow, left)
    for turn in range(rounds):
        for index, candidate in enumerate(candidates):
            say(f"measuring {candidate.title} ({turn + 1}/{rounds})", 40 + 50 * turn // rounds)
            part = time_of(candidate, threads, min(SECONDS_A_ROUND, left / (4 * rounds * len(candidates))))
            times[index] += part.times
            runs[index] += part.number_per_run * len(part.times)
    say("measuring memory", 92)
    return [timing_of(*row) for row in zip(candidates, times, runs)]


def rounds_for(seconds: float, left: float) -> int:
    """Fewer turns for slow code: each turn runs it three times at least."""
    return max(1, min(ROUNDS, int(left / 2 / max(3 * seconds, 1e-9))))


def threads_for(candidates: Sequence[Candidate]) -> int:
    """The threads that torch uses anyway; one, where more of them only stand in each other's way on a busy processor."""
    import torch

    threads = torch.get_num_threads()
    if threads == 1 or torch.cuda.is_available() or any(candidate.first > WORTH_A_PROBE for candidate in candidates):
        return threads
    together = sum(usual(candidate.run) for candidate in candidates)
    torch.set_num_threads(1)
    alone = sum(usual(candidate.run) for candidate in candidates)
    torch.set_num_threads(threads)
    return 1 if alone * HINDRANCE < together else threads


def usual(run: Snippet) -> float:
    """The median of a few single runs."""
    return statistics.median(clock(run) for _ in range(PROBES))


def time_of(candidate: Candidate, threads: int, seconds: float) -> Any:
    """A measurement by torch's own timer."""
    from torch.utils.benchmark import Timer

    timer = Timer("run()", globals={"run": candidate.run}, num_threads=threads)
    return timer.blocked_autorange(min_run_time=seconds)


def timing_of(candidate: Candidate, times: List[float], runs: int) -> Timing:
    """Median and quartiles, and what to think of them."""
    warning = None
    if not times:
        times, runs = [candidate.first], 1
        warning = "it is slow, so this is the figure of a single run"
    low, median, high = quartiles(times)
    if warning is None and len(times) < 4:
        warning = f"only {runs} runs fitted into the time"
    elif warning is None and high - low > WIDE_SPREAD * median:
        warning = f"the spread is wide ({(high - low) / median:.0%} of the median): something else may keep the machine busy"
    memory = peak_memory(candidate.run) if runs > 1 else None
    return Timing(candidate.title, candidate.code, median, low, high, runs, memory, warning)


def quartiles(times: List[float]) -> List[float]:
    if len(times) < 2:
        return [times[0]] * 3
    low, median, high = statistics.quantiles(times, n=4, method="inclusive")
    return [low, median, high]


def peak_memory(run: Snippet) -> Optional[int]:
    """Bytes that torch had allocated at the most during one run, above what was allocated before it; None if unknown."""
    import torch

    if torch.cuda.is_available() and torch.cuda.is_initialized():
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
