"""What a handbook page is, once loaded: plain values that any face (hover, web page, terminal) can render."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """What a page is about; for APIs the kind of the API."""

    MODULE = "module"  # a subclass of torch.nn.Module
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    ATTRIBUTE = "attribute"
    CONTEXT = "context"  # a context manager or decorator
    DTYPE = "dtype"
    COMPARISON = "comparison"
    GUIDE = "guide"
    ERROR = "error"

    @property
    def is_api(self) -> bool:
        """Whether the page is about one name of torch, rather than about a choice, a task or a message."""
        return self not in (Kind.COMPARISON, Kind.GUIDE, Kind.ERROR)


@dataclass(frozen=True)
class Example:
    """Code that runs, and what it shows."""

    title: str
    code: str
    given: str = ""  # set-up, run but not shown


@dataclass(frozen=True)
class Pitfall:
    """A mistake that people really make: what happens exactly, code that has it, code that has not, the rule that sees it."""

    title: str
    text: str
    bad: str = ""
    good: str = ""
    given: str = ""  # set-up for both, run but not shown
    rule: str | None = None


@dataclass(frozen=True)
class Advice:
    """A way to be faster or smaller, and when it does not matter. With `slow` and `fast` the benchmark runner measures it."""

    title: str
    text: str
    slow: str = ""
    fast: str = ""
    same: str = ""
    as_: str = ""  # "as" in the file: `same` and `as` take the same time
    given: str = ""
    rule: str | None = None  # the rule that sees `slow`, or `same`


@dataclass(frozen=True)
class Row:
    """A question that decides which API to take, with one answer for each column of the table."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A comparison: APIs across, questions down."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Section:
    """A part of a guide: text, and code that runs where there is some."""

    title: str
    text: str
    code: str = ""
    given: str = ""  # set-up, run but not shown


@dataclass(frozen=True)
class Entry:
    """One page. `name` is its path: "torch.nn.Linear", "compare/cat-or-stack", "guides/in-place"."""

    name: str
    kind: Kind
    summary: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    shapes: dict[str, str] = field(default_factory=dict[str, str])
    parameters: dict[str, str] = field(default_factory=dict[str, str])
    examples: tuple[Example, ...] = ()
    pitfalls: tuple[Pitfall, ...] = ()
    performance: tuple[Advice, ...] = ()
    compare: tuple[str, ...] = ()
    see_also: tuple[str, ...] = ()
    removed: dict[str, str] = field(default_factory=dict[str, str])
    deprecated: dict[str, str] = field(default_factory=dict[str, str])
    changed: dict[str, str] = field(default_factory=dict[str, str])
    source: str = ""
    title: str = ""  # of comparisons, guides and error pages
    sections: tuple[Section, ...] = ()  # of guides
    table: Table | None = None  # of comparisons
    search: tuple[str, ...] = ()  # what one wants to do, and what other libraries call it
    patterns: tuple[str, ...] = ()  # of error pages: the message, with {names} where it varies
    readings: tuple[str, ...] = ()  # of error pages: what those names' values mean
    locale: str = ""  # the language of its texts, where that is not English
