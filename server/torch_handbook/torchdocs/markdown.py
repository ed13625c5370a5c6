"""torch's docstrings as Markdown that reads well in an editor and in a terminal: roles, notes, parameters, examples, formulas."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from torch_handbook.torchdocs.formula import readable

ROLE = re.compile(r":(?P<role>[\w:+.-]+):`(?P<text>[^`]+)`")
LITERAL = re.compile(r"``(.+?)``")
LINK = re.compile(r"`([^`<]+?)\s*<([^`>]+)>`_{1,2}")
NAMED = re.compile(r"`([^`<]+?)`_{1,2}(?!\w)")
TARGET = re.compile(r"^(.*?)\s*<([^<>]+)>$", re.DOTALL)
DIRECTIVE = re.compile(r"^\.\. (?P<name>[\w:-]+?) ?::\s*(?P<rest>.*)$")
LABEL = re.compile(r"^(?:\.\. (?:_.+:|\[\w+\]|\w[^:]*$)|__ )")
OPTIONS = re.compile(r"\A(?:\s*:[\w-]+:.*(?:\n|\Z))+")
NAMES = (
    "Args|Arguments|Parameters|Params|Keyword [Aa]rg(?:ument)?s|Kwargs|Attributes|Returns?|Yields|Raises|Shapes?|Inputs?|Outputs?"
    "|Variables|Examples?|Notes?|Warning|References|See [Aa]lso"
)
SECTION = re.compile(rf"^({NAMES})\s*:\s*$")
HEADINGS = {"Args": "Parameters", "Arguments": "Parameters", "Params": "Parameters", "Kwargs": "Keyword arguments"}
LISTED = ("Parameters", "Keyword arguments", "Keyword args", "Keyword Args", "Attributes", "Raises", "Variables")
ITEM = re.compile(r"^(?P<name>\*{0,2}[\w.,/ *`]+?)\s*(?P<type>\((?:[^()]|\([^()]*\))*\))?\s*(?::\s+|:$)(?P<text>.*)$", re.DOTALL)
ITEM_MARK = re.compile(r"(?:[-*•]|\d+[.)]|\(\w\))\s+(?=\S)")
NESTED = re.compile(r"\n\s*\n|\.\. [\w-]+ ?::|^\s*[-*] ", re.MULTILINE)
BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
ADMONITIONS = {
    "note": "Note",
    "warning": "Warning",
    "tip": "Tip",
    "caution": "Caution",
    "important": "Important",
    "seealso": "See also",
    "attention": "Attention",
    "hint": "Hint",
}
TOUCHING = re.compile(r"`[^`\n]+`(?:`[^`\n]+`)+")  # pieces of code without a space between them
TESTED = re.compile(r"^(?:>>> )?# xdoctest:.*(?:\n|\Z)", re.MULTILINE)  # what is said to the runner of examples
CODE = ("code", "code-block", "testcode", "doctest", "highlight", "prompt")
DROPPED = ("image", "figure", "include", "autosummary", "currentmodule", "module", "toctree", "testsetup", "testoutput")


@dataclass(frozen=True)
class Block:
    """Lines that belong together: a first line, and what is indented below it."""

    head: str
    body: str  # dedented


def to_markdown(docstring: str) -> str:
    """The whole docstring; it is reStructuredText with Google's sections, as torch writes it."""
    return together(convert(textwrap.dedent(docstring).strip("\n")))


def together(parts: Iterable[str]) -> str:
    """Paragraphs with an empty line between them, the short items of a list without."""
    text, short = "", False
    for part in filter(None, map(str.rstrip, parts)):
        item = part.startswith("- ") and "\n\n" not in part
        text += ("" if not text else "\n" if item and short else "\n\n") + part
        short = item
    return text


def summary(docstring: str) -> str:
    """Its first paragraph of prose."""
    return next((part for part in convert(docstring) if part and part[0] not in "*>`$-#|"), "")


def inline(text: str) -> str:
    """Roles, literals and links of one paragraph."""
    pieces: list[str] = []

    def keep(piece: str) -> str:
        pieces.append(piece)
        return f"\0{len(pieces) - 1}\0"

    text = LITERAL.sub(lambda found: keep(f"`{found[1].strip()}`"), text)
    text = ROLE.sub(lambda found: keep(role(found["role"], found["text"])), text)
    text = LINK.sub(lambda found: keep(f"[{found[1]}]({found[2]})"), text)
    text = NAMED.sub(r"\1", text).replace("\\ ", "")  # an escaped space only ends what stands before it
    text = re.sub(r"\0(\d+)\0", lambda found: pieces[int(found[1])], text).replace("\\\\", "\\").replace(r"\*", "*")
    return TOUCHING.sub(lambda found: found[0].replace("``", ""), text)


def role(name: str, text: str) -> str:
    """`:func:`, `:math:` and so on: a name, a formula, or the words of a reference."""
    if name == "math":
        return f"`{readable(text).replace(chr(10), ' ')}`"
    found = TARGET.match(text)
    if name in ("ref", "doc"):
        return found[1] if found else text
    shown = found[1] if found else text.rpartition(".")[2] if text.startswith("~") else text
    return f"`{shown.lstrip('~.')}`"


def blocks(text: str) -> Iterator[Block]:
    """The paragraphs, list items and directives of a text, each with what is indented below it."""
    lines = text.split("\n")
    row = 0
    while row < len(lines):
        if not lines[row].strip():
            row += 1
            continue
        start, nested = row, opens(lines[row])
        row += 1
        while row < len(lines) and (nested or lines[row].strip()):
            outside = bool(lines[row].strip()) and lines[row][0] not in " \t"
            if outside and (nested or begins(lines[row])):
                break
            nested = nested or opens(lines[row])
            row += 1
        yield split_block(lines[start:row])


def opens(line: str) -> bool:
    """Whether what is indented below a line belongs to it, empty lines included."""
    return begins(line) or line.rstrip().endswith("::")


def begins(line: str) -> bool:
    """Whether a line begins a block of its own, without an empty line before it."""
    return line.startswith((".. ", "__ ")) or SECTION.match(line) is not None or ITEM_MARK.match(line) is not None


def split_block(lines: list[str]) -> Block:
    first = next((row for row, line in enumerate(lines) if opens(line)), None)
    if first is None:
        return Block("\n".join(lines), "")
    return Block("\n".join(lines[: first + 1]), textwrap.dedent("\n".join(lines[first + 1 :])).strip("\n"))


def convert(text: str) -> Iterator[str]:
    """Each block as Markdown."""
    for block in blocks(text):
        before, _, last = block.head.rpartition("\n")
        last = last.strip() if last.lstrip().startswith("..") else last
        directive, section = DIRECTIVE.match(last), SECTION.match(last)
        if directive:
            yield from convert(before)
            yield from of_directive(directive["name"], directive["rest"], OPTIONS.sub("", block.body))
        elif section:
            yield from of_section(section[1], block.body)
        elif ITEM_MARK.match(block.head):
            yield of_item(block)
        elif LABEL.match(last):
            continue
        elif last.rstrip().endswith("::"):
            yield from of_example(block)
        elif last.lstrip().startswith(">>>"):
            yield fenced(block.head)
        else:
            yield paragraph(block.head)


def of_item(block: Block) -> str:
    """One item of a list, with all that is in it."""
    mark = ITEM_MARK.match(block.head)
    assert mark is not None, "only called for items"
    inner = together(convert(f"{block.head[mark.end() :]}\n{block.body}"))
    return "- " + nested(inner)


def nested(text: str) -> str:
    """A text inside of a list item."""
    return re.sub(r"\n(?=.)", "\n  ", text)


def of_directive(name: str, rest: str, body: str) -> Iterator[str]:
    name = name.rpartition(":")[2]
    if name == "math":
        yield fenced(readable(f"{rest}\n{body}".strip()), "text")
    elif name in ("function", "method", "class"):
        yield fenced(rest)
        yield from convert(body)
    elif name in CODE:
        yield fenced(body, rest.strip() or "python")
    elif name in ADMONITIONS:
        yield quoted(ADMONITIONS[name], together(convert(f"{rest}\n{body}".strip())))
    elif name in ("deprecated", "versionadded", "versionchanged"):
        word = {"deprecated": "Deprecated since", "versionadded": "New in", "versionchanged": "Changed in"}[name]
        found = re.match(r"v?([\d.]*\d)?\s*(.*)", rest)
        version, more = (found[1], found[2]) if found else ("", rest)
        yield quoted(f"{word} {version}" if version else word.split()[0], together(convert(f"{more}\n{body}".strip())))
    elif name not in DROPPED:
        yield from convert(f"{rest}\n{body}".strip())


def of_section(name: str, body: str) -> Iterator[str]:
    """A section of its own: parameters as a list, the others under a heading."""
    heading = HEADINGS.get(name, name)
    if name.startswith("Example"):
        yield fenced(body) if ">>>" in body else together([f"**{heading}**", *convert(body)])
        return
    if name in ("Note", "Notes", "Warning"):
        yield quoted(name.rstrip("s"), together(convert(body)))
        return
    yield f"**{heading}**"
    yield "\n".join(items(body)) if heading in LISTED else together(convert(body))


def of_example(block: Block) -> Iterator[str]:
    """`Example::` and prose that ends in `::`, with the code below it."""
    words = block.head.rstrip()[:-1]
    if re.match(r"\s*(?:>>>|Examples?:$|Examples? usage:$)", words) is None:
        yield paragraph(words)
    yield fenced(block.body)


def items(body: str) -> Iterator[str]:
    """The parameters of a section, one list item each."""
    found: list[list[str]] = []
    for line in body.split("\n"):
        if line.strip() and line[0] not in " \t":
            found.append([line])
        elif found:
            found[-1].append(line)
    for lines in found:
        whole = "\n".join([lines[0], textwrap.dedent("\n".join(lines[1:]))]).strip()
        item = ITEM.match(whole)
        if item is None:
            yield f"- {inline(joined(whole))}"
            continue
        kind = f" ({inline(joined(item['type'][1:-1]))})" if item["type"] else ""
        text = item["text"]
        said = nested(together(convert(text))) if NESTED.search(text) else inline(joined(text))
        yield f"- `{item['name'].strip(' `')}`{kind}: {said}"


def paragraph(text: str) -> str:
    """One paragraph, its lines joined, but for those of lists and tables."""
    if text.lstrip().startswith(("+-", "|", "===")):
        return fenced(text, "text")
    parts = re.split(r"\n(?=\s*(?:[-*•]|\d+[.)])\s)", text)
    joint = [re.sub(r"\A(\s*)[*•]", r"\1-", part) if BULLET.match(part) else part for part in parts]
    return "\n".join(inline(" ".join(part.split()) if not BULLET.match(part) else bullet(part)) for part in joint)


def bullet(text: str) -> str:
    indent = text[: len(text) - len(text.lstrip())]
    return indent + " ".join(text.split())


def joined(text: str) -> str:
    return " ".join(text.split())


def fenced(code: str, language: str = "python") -> str:
    code = TESTED.sub("", textwrap.dedent(code)).strip("\n").rstrip()
    return f"```{language}\n{code}\n```" if code else ""


def quoted(title: str, text: str) -> str:
    body = f"**{title}:** {text}" if not text.startswith(("-", "`")) else f"**{title}:**\n\n{text}"
    return "\n".join(f"> {line}".rstrip() for line in body.split("\n"))
