"""Whether torch says that something is not to be used any more: in a decorator, in a warning, or in its docstring."""

from __future__ import annotations

import ast
import re

from torch_handbook.torchdocs.syntax import FUNCTIONS, dotted
from torch_handbook.torchdocs.text import Strings

# At the margin: further in, it is about one argument, as it is where the text begins with `argument=value`.
DIRECTIVE = re.compile(r"^\.\. deprecated::[ ]*(?:v?[\d.]+)?\s+(?!``\w+=)(\S.*?)(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
WARNING = re.compile(r"\.\. warning::\s*(.*?)(?=\n\s*\n\S|\Z)", re.DOTALL)
SUBJECT = re.compile(r"((?:[Tt]his )?\S+) (?:is|are|has been) (?:now )?deprecated")
HEAD = 3000  # characters of a docstring in which a warning is about the whole


def decorated(node: ast.AST, strings: Strings) -> str | None:
    """What `@deprecated("…")` says."""
    for decorator in getattr(node, "decorator_list", []):
        if isinstance(decorator, ast.Call) and (dotted(decorator.func) or "").endswith("deprecated"):
            return (strings.text(decorator.args[0]) if decorator.args else None) or "deprecated"
    return None


def warned(node: ast.AST, name: str, strings: Strings) -> str | None:
    """What a function warns of when it is called: that it is itself deprecated."""
    for call in ast.walk(node) if isinstance(node, FUNCTIONS) else ():
        if isinstance(call, ast.Call) and dotted(call.func) == "warnings.warn" and call.args:
            text = strings.text(call.args[0])
            if text and is_about(text, name):
                return text
    return None


def documented(body: str, name: str) -> str | None:
    """What a docstring says, in a directive or in a warning."""
    directive = DIRECTIVE.search(body)
    if directive:
        return " ".join(directive[1].split())
    warnings = (" ".join(found[1].split("\n\n")[0].split()) for found in WARNING.finditer(body[:HEAD]))
    return next((text for text in warnings if is_about(text, name)), None)


def is_about(text: str, name: str) -> bool:
    """Whether a text calls this name deprecated, rather than one of its arguments."""
    subject = SUBJECT.search(text)
    return subject is not None and (subject[1].strip("`()").endswith(name) or subject[1].lower().startswith("this "))
