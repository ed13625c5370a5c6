"""Text as the words that a search compares: names taken apart, endings cut off, Chinese in pairs of characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

PIECE = re.compile(r"[A-Za-z]+\d*[A-Za-z]*|\d+[A-Za-z]*|[\u3400-\u4dbf\u4e00-\u9fff]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
FILLERS = """
a an and are as at be by can do does for from get give given has have how i if in into is it its make me my not of on one or
so that the their them then there this to use using want what when where which with without you your torch pytorch
"""
SAID_WITHOUT_MEANING = frozenset(FILLERS.split())
# What people call the same thing, each group by its first word.
SAME = (
    "dim dimension axis axes dims",
    "cat concat concatenate concatenation join joining merge combine append",
    "gpu cuda",
    "mean average avg",
    "size shape",
    "remove drop delete",
    "find search locate",
    "matmul mm",
    "picture image img",
    "create make build new construct",
    "convert cast change",
    "norm normalization normalize normalise",
    "load read restore",
    "lr learning-rate",
    "repeat copy duplicate",
    "error exception",
)


def words(text: str) -> list[str]:
    """The words of a text in their order: "nn.CrossEntropyLoss" gives the whole name and its three parts."""
    return [word for piece in PIECE.findall(text) for word in _forms(piece)]


def translated(text: str, glossary: Mapping[str, str]) -> list[str]:
    """The English words for the Chinese ones in a text, the longest that a glossary has."""
    found: list[str] = []
    for term in sorted(glossary, key=len, reverse=True):
        if term in text:
            found += words(glossary[term])
            text = text.replace(term, " ")
    return found


def meaningful(found: list[str]) -> list[str]:
    """The words that say something; all of them where none does, as `where` is a name of torch, too."""
    return [word for word in found if word not in SAID_WITHOUT_MEANING] or found


def _forms(piece: str) -> Iterator[str]:
    if "\u3400" <= piece[0] <= "\u9fff":
        yield from (piece[start : start + 2] for start in range(max(1, len(piece) - 1)))
        return
    parts = HUMP.split(piece)
    yield stem(piece.lower())
    if len(parts) > 1:
        yield from (stem(part.lower()) for part in parts)


def stem(word: str) -> str:
    """The word that stands for this one: without its ending, and the first of those that mean the same."""
    cut = _cut(word)
    return PLAIN.get(cut, cut)


@lru_cache(maxsize=50_000)
def _cut(word: str) -> str:
    """A word without its ending: "tensors" is "tensor", "stopped" is "stop", "normalising" and "normalize" are "normaliz"."""
    if word in SAID_WITHOUT_MEANING:
        return word
    cut = word
    for ending, instead, rest in ENDINGS:
        if cut.endswith(ending) and len(cut) - len(ending) >= rest:
            cut = cut[: len(cut) - len(ending)] + instead
            break
    if len(cut) > 4 and cut[-1] == cut[-2] and cut[-1] not in "lsz":
        cut = cut[:-1]
    return re.sub(r"is$", "iz", cut) if len(cut) > 6 else cut


ENDINGS = (
    ("isations", "iz", 3), ("izations", "iz", 3), ("isation", "iz", 3), ("ization", "iz", 3),
    ("sses", "ss", 2), ("ies", "y", 3), ("ing", "", 3), ("ied", "y", 3), ("ed", "", 3), ("ss", "ss", 2), ("us", "us", 2),
    ("ises", "iz", 4), ("ise", "iz", 4), ("ize", "iz", 4), ("es", "", 3), ("s", "", 3), ("e", "", 3),
)  # fmt: skip
PLAIN = {_cut(other): _cut(first) for first, *others in map(str.split, SAME) for other in others if _cut(other) != _cut(first)}
