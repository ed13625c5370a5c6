"""How long shapes take to be shown after an edit: from the changed character to the answer with the hints of the new text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from speed.table import Row
from speed.wire import CAPABILITIES, Client

EDITS = 12
ASKING = {
    **CAPABILITIES,
    "textDocument": {**CAPABILITIES["textDocument"], "inlayHint": {"dynamicRegistration": False}},
    "workspace": {**CAPABILITIES["workspace"], "inlayHint": {"refreshSupport": True}},
}


@dataclass
class Shown:
    """What was measured, edit by edit."""

    took: list[float] = field(default_factory=list)  # milliseconds
    work: float = 0.0  # milliseconds of the worker's processor time, of one edit
    memory: float = 0.0  # MiB of the worker, with torch


@dataclass(frozen=True)
class Edited:
    """A file, and the number in it that is edited: the hints show it."""

    file: Path
    before: str  # the text in front of the number
    number: int


def shown(command: Sequence[str], environment: Mapping[str, str], edited: Edited) -> Shown:
    """Edit a number again and again; each time wait until the hints speak of the new one."""
    text = edited.file.read_text("utf-8")
    place = text.index(edited.before + str(edited.number)) + len(edited.before)
    row, column = text.count("\n", 0, place), place - text.rfind("\n", 0, place) - 1
    client = Client(command, edited.file.parent, environment)
    try:
        client.begin(ASKING)
        document = {"uri": edited.file.as_uri(), "languageId": "python", "version": 0, "text": text}
        client.tell("textDocument/didOpen", {"textDocument": document})
        wait(client, document["uri"], text, edited.number)
        found, before = Shown(), client.worker_worked()
        for turn in range(1, EDITS + 1):
            number = edited.number + turn
            area = {"start": {"line": row, "character": column}, "end": {"line": row, "character": column + len(str(number - 1))}}
            found.took.append(change(client, document["uri"], turn, {"range": area, "text": str(number)}, text))
        found.work = (client.worker_worked() - before) / EDITS
        found.memory = client.worker_memory()
        return found
    finally:
        client.close()


def change(client: Client, uri: str, version: int, edit: dict[str, Any], text: str) -> float:
    """Milliseconds from an edit to the hints of it."""
    begun = client.age()
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [edit]})
    wait(client, uri, text, int(edit["text"]))
    return client.age() - begun


def wait(client: Client, uri: str, text: str, number: int) -> None:
    """Ask for the hints, and again whenever the server says that there are others, until they show the number."""
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}
    while True:
        answer, _ = client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
        if any(str(number) in label(hint) for hint in answer or []):
            return
        client.refreshed()


def label(hint: Mapping[str, Any]) -> str:
    """The text of a hint."""
    parts = hint["label"]
    return parts if isinstance(parts, str) else "".join(part["value"] for part in parts)


def hint_rows(rounds: Sequence[Shown], lines: str, bar: float) -> Iterator[Row]:
    """An edit as it is felt, and what it costs the worker."""
    yield Row(f"edit to new hints, {lines}", median(took for one in rounds for took in one.took), None, bar)
    yield Row(f"edit to new hints, quickest, {lines}", min(took for one in rounds for took in one.took), None, None)
    yield Row(f"the worker's processor time of an edit, {lines}", median(one.work for one in rounds), None, None)
    yield Row(f"memory of the worker, {lines}", max(one.memory for one in rounds), None, 500, "{:.0f} MiB")
