"""The snippets of the handbook: whole programs that run, of which a part is offered, with places to fill in.

A file of `entries/snippets` says in its docstring what it is and, under `stops`, which words are filled in. What is offered
stands below `# snippet:`; `# given:` makes up what it needs and `# check:` looks at what it did, both only for the test.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PARTS = re.compile(r"^# (given|snippet|check):\n", re.MULTILINE)
BLANK = (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


@dataclass(frozen=True)
class Import:
    """A name that a snippet needs: `F` of "torch.nn.functional", by the statement that brings it."""

    bound: str
    path: str
    statement: str


@dataclass(frozen=True)
class Snippet:
    """Some lines of code with places to fill in. `name` is what one types for it."""

    name: str
    title: str
    code: str
    stops: tuple[str, ...]
    imports: tuple[Import, ...]

    @property
    def template(self) -> str:
        """The code in the protocol's form: each place numbered, with what stands there at first."""
        return template(self.code, self.stops)


def load(root: Path) -> tuple[Snippet, ...]:
    """All snippets below a handbook's root, in alphabetical order."""
    return tuple(read(path.stem, path.read_text("utf-8")) for path in sorted((root / "snippets").glob("*.py")))


def read(name: str, text: str) -> Snippet:
    """A snippet from the text of its file."""
    tree = ast.parse(text)
    title, _, rest = (ast.get_docstring(tree) or "").partition("\n")
    stops = re.search(r"^stops: (.+)$", rest, re.MULTILINE)
    pieces = PARTS.split(text)
    code = pieces[pieces.index("snippet") + 1].strip("\n") + "\n"
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    imports = tuple(one for one in imports_of(tree) if one.bound in used)
    return Snippet(name, title.rstrip("."), code, tuple(stops[1].split(", ")) if stops else (), imports)


def imports_of(tree: ast.Module) -> Iterator[Import]:
    """What a module's own imports bind, one name each."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield Import(bound, alias.name if alias.asname else bound, ast.unparse(ast.Import([alias])))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                one = ast.unparse(ast.ImportFrom(node.module, [alias], 0))
                yield Import(alias.asname or alias.name, f"{node.module}.{alias.name}", one)


@cache
def template(code: str, stops: tuple[str, ...]) -> str:
    """A code with its stops as `${1:word}` where each comes first and `$1` where it comes again; one more behind the end."""
    found = sorted((start, end, number) for number, stop in enumerate(stops, 1) for start, end in places(code, stop))
    written, last, known = "", 0, set[int]()
    for start, end, number in found:
        word = escaped(code[start:end]).replace("}", "\\}")
        written += escaped(code[last:start]) + (f"${number}" if number in known else f"${{{number}:{word}}}")
        known.add(number)
        last = end
    return written + escaped(code[last:].rstrip("\n")) + "$0"


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("$", "\\$")


def places(code: str, stop: str) -> Iterator[tuple[int, int]]:
    """Where a stop stands in a code, as words of its own: not within another, a string, or behind a dot."""
    wanted = [token.string for token in tokens(stop)]
    lines = [0, *(match.end() for match in re.finditer("\n", code))]
    found = list(tokens(code))
    for place in range(len(found) - len(wanted) + 1):
        if [token.string for token in found[place : place + len(wanted)]] == wanted and not (
            place and found[place - 1].string == "."
        ):
            first, last = found[place], found[place + len(wanted) - 1]
            yield lines[first.start[0] - 1] + first.start[1], lines[last.end[0] - 1] + last.end[1]


def tokens(code: str) -> Iterator[tokenize.TokenInfo]:
    return (token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type not in BLANK)
