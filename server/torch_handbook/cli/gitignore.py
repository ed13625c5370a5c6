"""What `.gitignore` files leave out, as git reads them: nested, with exceptions, the last pattern that matches decides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "xdigit": "0-9a-fA-F",
}
NAMED_CLASS = re.compile(r"\[:(\w+):\]")


@dataclass(frozen=True)
class Pattern:
    """One line of a .gitignore, as what it means for a path below its folder."""

    path: re.Pattern[str]
    negated: bool
    folders_only: bool


@dataclass(frozen=True)
class Ignored:
    """The patterns that hold in a folder: those of its own .gitignore, and behind them those of the folders above."""

    levels: tuple[tuple[str, tuple[Pattern, ...]], ...] = ()  # the folder, "/" at its end, and its patterns; the deepest first

    @staticmethod
    def above(folder: Path) -> Ignored:
        """What the folders from the top of the repository down to this one say of what is in them, this one excluded."""
        parents = list(folder.parents)
        top = next((number for number, place in enumerate([folder, *parents]) if (place / ".git").exists()), 0)
        found = Ignored()
        for place in reversed(parents[:top]):
            found = found.within(place)
        return found

    def within(self, folder: Path) -> Ignored:
        """The same with what this folder itself says."""
        names = (folder / ".git" / "info" / "exclude", folder / ".gitignore")
        more = tuple(pattern for name in names for pattern in patterns_in(name))
        return Ignored(((prefix(folder), more), *self.levels)) if more else self

    def has(self, path: Path, is_folder: bool) -> bool:
        """Whether git leaves a file or folder out, if the folder that it is in is not left out itself."""
        whole = path.as_posix()
        for start, patterns in self.levels:
            below = whole[len(start) :]
            for pattern in reversed(patterns):
                if (is_folder or not pattern.folders_only) and pattern.path.fullmatch(below):
                    return not pattern.negated
        return False


def prefix(folder: Path) -> str:
    text = folder.as_posix()
    return text if text.endswith("/") else f"{text}/"


def patterns_in(path: Path) -> Iterator[Pattern]:
    try:
        lines = path.read_bytes().decode("utf-8-sig", "surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        pattern = pattern_of(line)
        if pattern is not None:
            yield pattern


def pattern_of(line: str) -> Pattern | None:
    """What a line means; None for comments, empty lines and what git itself cannot read."""
    text = re.sub(r"(?<!\\) +$", "", line)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    text = text[: len(text) - folders_only]
    anchored = "/" in text
    body = expression(text.removeprefix("/"))
    if not text or body is None:
        return None
    return Pattern(re.compile(body if anchored else f"(?:.*/)?{body}", re.DOTALL), negated, folders_only)


def expression(text: str) -> str | None:
    """A pattern as a regular expression; None where it is not a whole one."""
    parts: list[str] = []
    place = 0
    while place < len(text):
        rest = text[place:]
        if rest.startswith("**/") and (place == 0 or text[place - 1] == "/"):
            part, taken = "(?:.*/)?", 3
        elif rest == "**" and (place == 0 or text[place - 1] == "/"):
            part, taken = ".+", 2
        elif rest[0] == "*":
            part, taken = "[^/]*", len(rest) - len(rest.lstrip("*"))
        elif rest[0] == "?":
            part, taken = "[^/]", 1
        elif rest[0] == "[":
            part, taken = bracket(rest)
        elif rest[0] == "\\":
            part, taken = (re.escape(rest[1]), 2) if len(rest) > 1 else ("", 0)
        else:
            part, taken = re.escape(rest[0]), 1
        if not taken:
            return None
        parts.append(part)
        place += taken
    return "".join(parts)


def bracket(rest: str) -> tuple[str, int]:
    """A set of characters such as [a-z], [!x] or []]; 0 characters taken where it has no end."""
    found = re.match(r"\[([!^]?)((?:\]|\\.|\[:\w+:\]|[^\]\\])(?:\\.|\[:\w+:\]|[^\]\\])*)\]", rest)
    if found is None:
        return "", 0
    inside = NAMED_CLASS.sub(lambda named: CLASSES.get(named[1], ""), found[2])
    inside = re.sub(r"(\\.)|([\[\]&~|^])", lambda one: one[1] or f"\\{one[2]}", inside)
    text = f"(?!/)[{'^' if found[1] else ''}{inside}]"
    try:
        re.compile(text)
    except re.error:
        return "", 0
    return text, found.end()
