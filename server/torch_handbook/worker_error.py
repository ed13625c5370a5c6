"""What can go wrong with a worker."""

from __future__ import annotations


class WorkerError(Exception):
    """What went wrong with a worker, as a sentence for the user; `stderr` holds the last that it printed."""

    def __init__(self, sentence: str, stderr: str = "") -> None:
        super().__init__(sentence)
        self.stderr = stderr


class WorkerMissing(WorkerError):
    """There is no such Python."""


class WorkerDied(WorkerError):
    """The process ended before it answered."""


class WorkerPaused(WorkerDied):
    """It died several times in a row, and is not started again for some `seconds`."""

    def __init__(self, sentence: str, stderr: str, seconds: float) -> None:
        super().__init__(sentence, stderr)
        self.seconds = seconds


class WorkerTimeout(WorkerError):
    """The answer took too long; the process was ended."""


class WorkerHangs(WorkerTimeout):
    """It did not come so far as to look at a file: the Python or its torch hangs, and will at the next start."""


class WorkerFailed(WorkerError):
    """The worker answered with an error of its own: a bug in it, and it lives on."""
