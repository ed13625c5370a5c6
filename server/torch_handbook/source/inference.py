"""What jedi says a name is, where nothing else knows: asked in a process of its own, since it takes seconds and much memory."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from functools import cache
from typing import Any, cast

from torch_handbook.source.names import canonical
from torch_handbook.source.text import Position, Text


def serve() -> None:
    """Answer questions, one a line on standard input, until there is nobody left to ask them."""
    questions: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        for line in sys.stdin:
            questions.put(line)
        os._exit(0)  # the server is gone, whatever is being computed

    threading.Thread(target=listen, daemon=True).start()
    while True:
        content, path, line, column, environment = json.loads(questions.get())
        print(json.dumps(ask(content, path, Position(line, column), environment)), flush=True)


def ask(content: str, path: str, position: Position, environment: str | None) -> str | None:
    """The public name of what stands at a position, if it is torch's; whatever goes wrong inside of jedi is no answer.

    Each question makes a new script: one that is used some hundred times falls silent.
    """
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
