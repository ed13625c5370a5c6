"""What is being typed behind the name of an imported module, told from one line: a long file need not be parsed for that."""

from __future__ import annotations

import re

from torch_handbook.source.file import File
from torch_handbook.source.names import canonical
from torch_handbook.source.place import Slot
from torch_handbook.source.text import Position, Span, Text, head_of

CHAIN = re.compile(r"(?<![\w.)\]}])([^\W\d]\w*)((?:\.[^\W\d]\w*)*)\.(\w*)$")
OTHER = re.compile(r"[\"'#]|^\s*(?:from|import)\b")  # strings, comments and imports are for those who read the whole statement


def slot_at_once(text: Text, position: Position, earlier: File) -> Slot | None:
    """A member of a module of torch, by what the imports of the file were before the last edits; None for anything else."""
    head = head_of(text.line(position.line), position.column)
    found = CHAIN.search(head)
    if found is None or OTHER.search(head) or in_docstring(text, position):
        return None
    module = earlier.grown.imported.get(found[1])
    if module is None or not f"{module}.".startswith("torch."):
        return None
    prefix = found[3]
    span = Span(position.line, position.column - len(prefix.encode()), position.line, position.column)
    return Slot("member", prefix, span, canonical(module + found[2]))


def in_docstring(text: Text, position: Position) -> bool:
    """Whether a string of several lines may be open; where one stands in another this errs, and nothing comes of it."""
    before = text.content[: text.offset(position)]
    return any(before.count(quote) % 2 == 1 for quote in ('"""', "'''"))
