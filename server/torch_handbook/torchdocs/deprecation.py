"""Whether torch says that something is not to be used any more: in a decorator, in a warning, or in its docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch_handbook.torchdocs.syntax import FUNCTIONS, dotted
from torch_handbook.torchdocs.text import Strings

# At the margin: further in, it is about one argument, as it is where the text begins with `argument=value`.
DIRECTIVE = re.compile(r"^\.\. deprecated::[ ]*(?:v?[\d.]+)?\s+(?!``\w+=)(\S.*?)(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
WARNING = re.compile(r"\.\. warning::\s*(.*?)(?=\n\s*\n\S|\Z)", re.DOTALL)
SUBJECT = re.compile(r"((?:[Tt]his )?\S+) (?:is|are|has been) (?:now )?deprecated")
WHOLE = re.compile(r"this (?:function|method|class|module|api|operator)", re.IGNORECASE)
HEAD = 3000  # characters of a docstring in which a warning is about the whole
Function = ast.FunctionDef | ast.AsyncFunctionDef


def decorated(node: ast.AST, strings: Strings) -> str | None:
    """What `@deprecated("…")` says."""
    for decorator in getattr(node, "decorator_list", []):
        if isinstance(decorator, ast.Call) and (dotted(decorator.func) or "").endswith("deprecated"):
            return max((strings.text(argument) or "" for argument in decorator.args), key=len, default="") or "deprecated"
    return None


def warned(node: ast.AST, name: str, strings: Strings) -> str | None:
    """What a function warns of whenever it is called: that it is itself deprecated."""
    for call in always(node.body) if isinstance(node, FUNCTIONS) else ():
        text = warning(call, strings)
        if text and is_about(text, name):
            return text
        if (dotted(call.func) or "") == "warn_deprecated" and (words := [strings.text(item) for item in call.args])[:1] == [name]:
            return f"functorch.{name} is deprecated: use {words[-1] if len(words) > 1 else f'torch.func.{name}'}"
    return None


def always(body: list[ast.stmt]) -> Iterator[ast.Call]:
    """The calls that stand alone on a line and run on every way through a function, whatever Python it is."""
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield node.value
        elif isinstance(node, ast.With):
            yield from always(node.body)
        elif isinstance(node, ast.If) and "version_info" in ast.unparse(node.test):
            yield from always([*node.body, *node.orelse])
        elif isinstance(node, (ast.Return, ast.Raise)):
            return


def warning(call: ast.Call, strings: Strings) -> str | None:
    """The text of `warnings.warn(…)`."""
    return strings.text(call.args[0]) if dotted(call.func) in ("warnings.warn", "warn") and call.args else None


def raised(node: ast.AST, strings: Strings) -> str | None:
    """What a function says that does nothing but raise."""
    body = list(node.body) if isinstance(node, FUNCTIONS) else []
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or not isinstance(body[0].exc, ast.Call) or not body[0].exc.args:
        return None
    return strings.text(body[0].exc.args[0])


def keywords(node: Function, strings: Strings) -> Iterator[tuple[str, str]]:
    """The arguments that a function warns of when they are given: it asks of one whether it is None, no more."""
    optional = {word.arg for word, value in defaults(node) if isinstance(value, ast.Constant) and value.value is None}
    for branch in node.body:
        if not isinstance(branch, ast.If) or not isinstance(branch.test, ast.Compare):
            continue
        test, given = branch.test, dotted(branch.test.left) or ""
        if given in optional and isinstance(test.ops[0], ast.IsNot) and ast.unparse(test.comparators[0]) == "None":
            texts = (warning(call, strings) for call in always(branch.body))
            said = next((text for text in texts if text and re.search(rf"\b{given}\b.*\bdeprecated\b", text, re.DOTALL)), None)
            if said:
                yield given, said


def defaults(node: Function) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    yield from zip(reversed(plain), reversed(arguments.defaults), strict=False)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def documented(body: str, name: str) -> str | None:
    """What a docstring says, in a directive or in a warning."""
    directive = DIRECTIVE.search(body)
    if directive:
        return " ".join(directive[1].split())
    warnings = (" ".join(found[1].split("\n\n")[0].split()) for found in WARNING.finditer(body[:HEAD]))
    return next((text for text in warnings if is_about(text, name)), None)


def subject(text: str) -> str:
    """What a text calls deprecated."""
    found = SUBJECT.search(text)
    return found[1].strip("`()").rpartition(".")[2] if found else ""


def is_about(text: str, name: str) -> bool:
    """Whether a text calls this name deprecated, rather than one of its arguments."""
    found = SUBJECT.search(text)
    return found is not None and (found[1].strip("`()").endswith(name) or WHOLE.fullmatch(found[1]) is not None)
