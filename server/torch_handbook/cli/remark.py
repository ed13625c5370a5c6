"""What `doctor` says of one thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

STATES = {True: "well", False: "wrong", None: "note"}


@dataclass(frozen=True)
class Remark:
    """One thing that was looked at: whether it is well (None: only said), and what to do if not."""

    topic: str  # "server", "handbook", "folders", "settings", "python", "worker", "torch", "packages", "editors"
    good: bool | None
    words: str
    advice: str = ""

    def record(self) -> dict[str, str]:
        """The same for other programs."""
        return {"topic": self.topic, "state": STATES[self.good], "text": self.words, "advice": self.advice}


def without_home(text: str) -> str:
    """The text with ~ for the user's home, which reports need not show; the shell reads it all the same."""
    try:
        home = str(Path.home())
    except RuntimeError:  # a user without a home, as there are in containers
        return text
    return text.replace(home, "~") if len(home) > 1 and Path(home).is_absolute() else text
