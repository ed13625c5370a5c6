"""The protocol's types, each finished by attrs when it is first used: all 554 take half of a start, and an answer needs 80."""

from __future__ import annotations

import sys
from importlib import import_module
from threading import RLock
from typing import Any

import attrs

FIELDS = "__attrs_attrs__"  # where attrs, cattrs and pygls look for the fields of a class
AT_ONCE = attrs.define
LOCK = RLock()  # of two threads that use a type first, one finishes it


def load_types() -> None:
    """Import lsprotocol's types. Where they are there already, or are written in another way, they are as ever."""
    if "lsprotocol.types" in sys.modules:
        return
    for needed in ("lsprotocol.validators", "cattrs"):  # what else comes with them is not to see the stand-in
        import_module(needed)
    attrs.define = Unfinished.begin
    try:
        import_module("lsprotocol.types")
    finally:
        attrs.define = AT_ONCE
    # Told that this is done, lsprotocol does not look up the annotations of all types for its first conversion.
    vars(import_module("lsprotocol._hooks"))["_resolved_forward_references"] = True


class Unfinished:
    """Stands in a class for its fields and, as `__init__`, for making an instance; both finish the class first."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    @staticmethod
    def begin(made: type | None = None, **options: Any) -> Any:
        """Stands for `attrs.define`; what is more than a plain `@attrs.define` is done at once."""
        if made is None or options or "__init__" in vars(made):
            return AT_ONCE(made, **options)
        unfinished = Unfinished(made)

        def first(self: Any, *values: Any, **named: Any) -> None:
            unfinished.finish()
            made.__init__(self, *values, **named)

        setattr(made, FIELDS, unfinished)
        setattr(made, "__init__", first)  # noqa: B010  attrs puts its own there
        return made

    def __get__(self, instance: object, owner: type) -> Any:
        """The fields of the class, or of one that is derived from it."""
        self.finish()
        return getattr(owner, FIELDS)

    def finish(self) -> None:
        """Let attrs make the class what it would have been, but for slots, for which it would have to be another class."""
        with LOCK:
            if vars(self.cls).get(FIELDS) is self:
                AT_ONCE(self.cls, slots=False, init=True)
                attrs.resolve_types(self.cls)
