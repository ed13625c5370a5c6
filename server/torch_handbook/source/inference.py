"""What jedi says a name is, where nothing else knows: slowly, so with a deadline, and one question at a time."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, cast

from torch_handbook.source.names import canonical
from torch_handbook.source.text import Position, Text

LONGEST = 400_000  # characters: what is longer than this is not worth the wait


class Inference:
    """Asks jedi in a thread of its own.

    A question that is not answered in time is left to itself, since a thread cannot be stopped; until it ends, all further
    ones are answered by None. Jedi is imported with the first question, and makes a new script for each: one that is
    used some hundred times falls silent.
    """

    def __init__(self) -> None:
        self._busy = threading.Lock()

    def name_at(self, content: str, path: str, position: Position, environment: str | None, seconds: float) -> str | None:
        """The public name of what stands at a position, if it is torch's and is known in time. Blocks for up to `seconds`."""
        if len(content) > LONGEST or not self._busy.acquire(blocking=False):
            return None
        answer: list[str | None] = []
        done = threading.Event()

        def work() -> None:
            try:
                answer.append(ask(content, path, position, environment))
            finally:
                self._busy.release()
                done.set()

        threading.Thread(target=work, name="jedi", daemon=True).start()
        done.wait(seconds)
        return answer[0] if answer else None


def ask(content: str, path: str, position: Position, environment: str | None) -> str | None:
    """One question; whatever goes wrong inside of jedi is no answer."""
    try:
        import jedi  # type: ignore[import-untyped]

        text = Text(content)
        column = text.offset(position) - text.starts[min(position.line, text.line_count) - 1]
        script: Any = cast("Any", jedi).Script(code=content, path=path or None, environment=environment_at(environment))
        found = [script.infer, script.goto]
        names = (definition.full_name for look in found for definition in look(position.line, column))
        return next((canonical(name) for name in names if name and name.startswith("torch.")), None)
    except Exception:  # it raises of every kind, on code of every kind
        return None


@cache
def environment_at(python: str | None) -> Any:
    """Jedi's view of an interpreter, which starts a process once; without one, of the Python that runs this."""
    import jedi  # type: ignore[import-untyped]

    source: Any = jedi
    try:
        return source.create_environment(python, safe=False) if python else source.InterpreterEnvironment()
    except Exception:  # an interpreter that cannot be started
        return source.InterpreterEnvironment()
