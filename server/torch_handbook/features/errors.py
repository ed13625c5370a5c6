"""Explains an error: the page that its message leads to, what its values mean, and the user's own line in the traceback."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torch_handbook.engine import registry
from torch_handbook.features.explain import Page
from torch_handbook.handbook import markdown
from torch_handbook.handbook.errors import Recognised, reading
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.locale import said
from torch_handbook.handbook.wrap import wrapped
from torch_handbook.source import traceback
from torch_handbook.source.traceback import Raised

QUOTED = re.compile(r"""got \w+\((?P<quote>['"])(?P<said>.+?)(?P=quote)\)""", re.DOTALL)
NEAREST = 4
LINES = 6  # of a message that are shown
TAIL = 200  # lines of a log that are looked through where no exception stands in it


@dataclass(frozen=True)
class Explained(Page):
    """The page of an error; `name` is that of the handbook's page, "" where the message is unknown."""

    name: str = ""
    reading: str = ""


def explained(handbook: Handbook, log: str, folder: str = "", version: str | None = None) -> Explained | None:
    """What a message, a traceback or a whole log ends with, explained; None where there is nothing in it.

    `folder` is the one whose files are shown with short paths, `version` that of the user's torch.
    """
    chain = traceback.chain(log) or _alone(log)
    if not chain:
        return None
    found = next(((one, match) for one in chain for text in _messages(one) if (match := handbook.recognise(text))), None)
    if found is None:
        return _unknown(handbook, chain, folder)
    first = next(one for one in reversed(chain) if one.text == found[0].text)  # raised again, it has lost its stack
    return _known(handbook, found[1], _ahead(chain, first), folder, version)


def _alone(log: str) -> tuple[Raised, ...]:
    """A message without a traceback, as it is copied from a terminal or a question."""
    text = "\n".join(traceback.cleaned(log)[-TAIL:]).strip()
    return (Raised("", text),) if text else ()


def _messages(raised: Raised) -> Iterator[str]:
    """The message that torch.compile quotes, which says more than what it says itself; then the whole one."""
    yield from (match["said"] for match in QUOTED.finditer(raised.message))
    yield raised.text


def _ahead(chain: Sequence[Raised], one: Raised) -> tuple[Raised, ...]:
    """A chain that begins with the exception that was recognised, then those that it led to, then those it came from."""
    place = chain.index(one)
    return (one, *reversed(chain[:place]), *chain[place + 1 :])


def _known(handbook: Handbook, match: Recognised, chain: Sequence[Raised], folder: str, version: str | None) -> Explained | None:
    entry = handbook.find(match.page)
    if entry is None:
        return None
    meaning = reading(entry, match.values)
    whole = markdown.page(replace(entry, patterns=()), version=version, rules=registry.finders())
    heading, _, body = whole.partition("\n\n")
    bold = [wrapped(f"**{meaning}**")] if meaning else []
    text = "\n\n".join([heading, _message(chain[0]), *bold, *_place(chain, folder, handbook.locale), body])
    return Explained(entry.title, text, entry.name, meaning)


def _unknown(handbook: Handbook, chain: Sequence[Raised], folder: str) -> Explained:
    """That there is no page, and the pages whose words come nearest."""
    title = said("The handbook has no page on this message", handbook.locale)
    parts = [f"# {title}", _message(chain[0]), *_place(chain, folder, handbook.locale)]
    nearest = list(_nearest(handbook, chain[0]))
    if nearest:
        parts += [f"{said('The nearest pages', handbook.locale)}:", "\n".join(nearest)]
    return Explained(title, "\n\n".join(parts) + "\n")


def _nearest(handbook: Handbook, raised: Raised) -> Iterator[str]:
    for hit in handbook.search(f"{raised.message.partition(chr(10))[0] or raised.kind} ", NEAREST):
        line = handbook.lines[hit.name]
        yield f"- `{hit.name}`: {line.title or line.summary}"


def _message(raised: Raised) -> str:
    """The message as it was printed, of a long one the beginning."""
    lines = raised.text.strip().partition("\n\n")[0].splitlines()
    shown = [*lines[:LINES], *(["…"] if len(lines) > LINES else [])]
    return "```text\n" + "\n".join(shown).replace("```", "'''") + "\n```"


def _place(chain: Sequence[Raised], folder: str, locale: str) -> list[str]:
    """The user's own line: of the exception, else of one in its chain, as a DataLoader's worker has none."""
    frame = next((one.place for one in chain if one.place), None)
    if frame is None:
        return []
    path = frame.path.removeprefix(f"{folder}/") if folder else frame.path
    where = f"{path}:{frame.line}" if frame.line else path
    inside = f" (`{frame.function}`)" if frame.function and not frame.function.startswith("<") else ""
    told = f"{said('Your line', locale)}: `{where}`{inside}"
    return [f"{told}\n\n{markdown.code(frame.code)}" if frame.code else told]
