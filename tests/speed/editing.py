"""One server, one file, one round: what an editor would wait for, in milliseconds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from speed.wire import PULLING, Client

DOTTED = re.compile(r"\b(?:torch|nn|F)(?:\.[A-Za-z_]\w*)+")
POSITIONS = 40
TURNS = 3
EDITS = 20
WORDS = ("torch.", "nn.", "F.")


@dataclass
class Round:
    """What was measured; `answered` of `asked` hovers said something."""

    first: float = 0.0  # from the start of the process to the first hover's answer
    first_work: float = 0.0  # of processor time until then
    hovers: list[float] = field(default_factory=list)
    answered: int = 0
    asked: int = 0
    completions: list[float] = field(default_factory=list)  # after `torch.`
    offers: int = 0
    memory: float = 0.0


def measured(command: Sequence[str], environment: Mapping[str, str], path: Path, text: str) -> Round:
    """Start a server, open the file and do what someone does who reads and edits it."""
    found = Round()
    client = Client(command, path.parent, environment)
    try:
        client.begin()
        places = positions(text)
        buffer = Buffer(client, path, text)
        buffer.hover(places[0])
        found.first, found.first_work = client.age(), client.worked()
        read(buffer, places, found)
        complete(buffer, found)
        found.memory = client.memory()
    finally:
        client.close()
    return found


def positions(text: str) -> list[tuple[int, int]]:
    """Places on the last names of dotted torch names, evenly over the file; what is in comments and strings is left out."""
    found = list(dotted(text))
    step = max(1, len(found) // POSITIONS)
    return found[::step][:POSITIONS]


def dotted(text: str) -> Iterator[tuple[int, int]]:
    """The ends of torch's public names; of private ones torch itself says nothing."""
    quoted = False
    for row, line in enumerate(text.splitlines()):
        marks = line.count('"""')
        inside, quoted = quoted, quoted ^ (marks % 2 == 1)
        if inside or marks or "`" in line:
            continue
        for name in DOTTED.finditer(re.sub(r"#.*|'[^']*'|\"[^\"]*\"", lambda part: " " * len(part[0]), line)):
            if "._" not in name[0]:
                yield row, name.end() - 1


class Buffer:
    """An open file, at whose end one line is typed again and again."""

    def __init__(self, client: Client, path: Path, text: str) -> None:
        self.client, self.uri = client, path.as_uri()
        self.row = text.count("\n")
        self.line = text[text.rfind("\n") + 1 :]
        self.version = 1
        document = {"uri": self.uri, "languageId": "python", "version": 1, "text": text}
        client.tell("textDocument/didOpen", {"textDocument": document})

    def type(self, line: str) -> None:
        """Put another text in the place of the last line."""
        self.version += 1
        area = {"start": {"line": self.row, "character": 0}, "end": {"line": self.row, "character": len(self.line)}}
        document = {"uri": self.uri, "version": self.version}
        changes = [{"range": area, "text": line}]
        self.client.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        self.line = line

    def ask(self, method: str, **params: Any) -> tuple[Any, float]:
        return self.client.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri}, **params})

    def hover(self, place: tuple[int, int]) -> tuple[Any, float]:
        return self.ask("hover", position={"line": place[0], "character": place[1]})

    def complete(self) -> tuple[Any, float]:
        """At the end of the line, behind the dot that was just typed."""
        position = {"line": self.row, "character": len(self.line)}
        return self.ask("completion", position=position, context={"triggerKind": 2, "triggerCharacter": "."})


def read(buffer: Buffer, places: Sequence[tuple[int, int]], found: Round) -> None:
    """Hover over all places once to warm up, then as often as is counted."""
    for place in places:
        buffer.hover(place)
    for _ in range(TURNS):
        for place in places:
            answer, took = buffer.hover(place)
            found.hovers.append(took)
            found.asked += 1
            found.answered += bool(answer)


def complete(buffer: Buffer, found: Round) -> None:
    """Type names with a dot, each time on a new version of the file."""
    for word in WORDS * 7:
        buffer.type(word)
        answer, took = buffer.complete()
        if word == "torch.":
            found.completions.append(took)
            found.offers = max(found.offers, len(answer["items"]))


def rechecked(command: Sequence[str], environment: Mapping[str, str], path: Path, text: str) -> float:
    """Milliseconds of processor time from an edit to the diagnostics of the whole file, for a client that asks for them."""
    client = Client(command, path.parent, environment)
    try:
        client.begin(PULLING)
        buffer = Buffer(client, path, text)
        buffer.ask("diagnostic")
        begun = client.worked()
        for turn in range(EDITS):
            buffer.type(f"y_{turn} = torch.zeros({turn})")
            buffer.ask("diagnostic")
        return (client.worked() - begun) / EDITS
    finally:
        client.close()
