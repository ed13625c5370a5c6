"""Finds pages by what one wants to do, in words: each word counts by how rare it is and by where on the page it stands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from torch_handbook.handbook.index import Line
from torch_handbook.handbook.words import PLAIN, meaningful, translated, words

# What a word counts in each part of a page, against one in the summary.
NAME, TITLE, PHRASE, FIELD, TAG, SUMMARY, PITFALL = 4.0, 3.0, 3.0, 2.0, 1.0, 1.0, 0.6
WHOLE = 3.0  # how much more a phrase counts that says all of the query and nothing else
BEGUN = 0.5  # a last word that is only the beginning of another, as it is while one types
EXACT = 100.0  # the very name


@dataclass(frozen=True)
class Document:
    """A page as a search sees it: what each word counts, the phrases that say what it is for, and how one may call it."""

    name: str
    weights: Mapping[str, float]
    phrases: tuple[frozenset[str], ...]
    names: frozenset[str]
    common: bool


@dataclass(frozen=True)
class Hit:
    """A page that was found, and how well it fits; only the order of scores means something."""

    name: str
    score: float


class Search:
    """All pages, ready to be searched; made once from the index."""

    def __init__(
        self, lines: Iterable[Line], tags: Mapping[str, str] | None = None, glossary: Mapping[str, str] | None = None
    ) -> None:
        self._glossary = glossary or {}
        self._documents = [_document(line, tags or {}) for line in lines]
        counts: dict[str, int] = {}
        for document in self._documents:
            for word in document.weights:
                counts[word] = counts.get(word, 0) + 1
        self._rarity = {word: math.log(1 + len(self._documents) / count) for word, count in counts.items()}

    def find(self, query: str, count: int = 10) -> list[Hit]:
        """The pages that fit best, the best first; none where no word of the query is on any page."""
        typed = meaningful(words(query))
        asked = dict.fromkeys([*typed, *translated(query, self._glossary)])
        begun = self._begun(query, typed)
        scored = ((document, self._score(document, list(asked), begun, query)) for document in self._documents)
        found = sorted((item for item in scored if item[1] > 0), key=lambda item: (-item[1], len(item[0].name), item[0].name))
        return [Hit(document.name, round(score, 2)) for document, score in found[:count]]

    def _begun(self, query: str, asked: list[str]) -> frozenset[str]:
        """The words that the last word of a query may be the beginning of."""
        if not asked or query[-1:].isspace() or len(asked[-1]) < 2:
            return frozenset()
        synonyms = {first for other, first in PLAIN.items() if other.startswith(asked[-1])}
        begun = {word for word in self._rarity if word.startswith(asked[-1])} | (synonyms & self._rarity.keys())
        return frozenset(begun - {asked[-1]})

    def _score(self, document: Document, asked: list[str], begun: frozenset[str], query: str) -> float:
        total = sum(document.weights.get(word, 0) * self._rarity.get(word, 0) for word in asked)
        total += BEGUN * max(
            (document.weights.get(word, 0) * self._rarity[word] for word in begun & document.weights.keys()), default=0
        )
        total += WHOLE * max((self._likeness(phrase, asked) for phrase in document.phrases), default=0)
        if query.strip().casefold() in document.names:
            total += EXACT + (query.strip() == document.name)
        return total * 1.1 if document.common else total

    def _likeness(self, phrase: frozenset[str], asked: list[str]) -> float:
        """How much of the query a phrase says, in words that count by their rarity, and how much else it says."""
        shared = sum(self._rarity.get(word, 0) for word in asked if word in phrase)
        whole = sum(self._rarity.get(word, 0) for word in {*asked, *phrase})
        return shared * shared / whole if whole else 0


def _document(line: Line, tags: Mapping[str, str]) -> Document:
    weights: dict[str, float] = {}
    parts = [
        (NAME, [line.name.rpartition(".")[2], *(alias.rpartition(".")[2] for alias in line.aliases)]),
        (SUMMARY, [line.name, line.summary, *line.other]),
        (TITLE, [line.title]),
        (PHRASE, line.search),
        (FIELD, [_tag(tag, tags) for tag in line.tags[:1]]),
        (TAG, [_tag(tag, tags) for tag in line.tags[1:]]),
        (PITFALL, line.pitfalls),
    ]
    for weight, texts in parts:
        for word in (word for text in texts for word in words(text)):
            weights[word] = max(weight, weights.get(word, 0))
    said = [words(text) for text in (*line.search, line.title, line.summary, *line.other) if text]
    said += [_parts(name) for name in (line.name, *line.aliases)]
    phrases = tuple(frozenset(meaningful(one)) for one in said)
    return Document(line.name, weights, phrases, frozenset(_calls(line)), "common" in line.tags)


def _parts(name: str) -> list[str]:
    """The words that the end of a name is made of: those of "cross entropy loss" for torch.nn.CrossEntropyLoss."""
    end = name.rpartition(".")[2]
    found = words(end)
    return found if "_" in end else found[1:] or found  # of CamelCase the first one is the whole


def _tag(tag: str, tags: Mapping[str, str]) -> str:
    """A tag with what it is about and its names in other languages; the first one of a page is the field it belongs to."""
    return f"{tag} {tags.get(tag, '')}"


def _calls(line: Line) -> Iterable[str]:
    """How one may call a page, in small letters: its names whole, without "torch.", and the last part."""
    for name in (line.name, *line.aliases):
        parts = name.casefold().replace("/", ".").split(".")
        yield from (".".join(parts[start:]) for start in range(len(parts)))
        yield name.casefold()
