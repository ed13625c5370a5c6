"""Comments that silence findings: `# torch-handbook: ignore[rule-id]` on a line, `# torch-handbook: ignore-file[rule-id]`."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from torch_handbook.engine.rule import Edit, Finding, Fix
from torch_handbook.source.text import Position, Span, Text

# A bracket that is not closed still holds names: without them the comment would silence everything.
DIRECTIVE = re.compile(r"#\s*torch-handbook:\s*(?P<what>ignore-file|ignore)\b[ \t]*(?:\[(?P<names>[^\]#\n]*)\]?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Comment:
    """One comment: where it stands, what it silences, the lines of its statement, and what it has silenced so far."""

    span: Span  # of the directive alone; other words may stand before or behind it
    names: tuple[str, ...]  # none: everything
    whole_file: bool
    first: int  # the first and last line of the logical line that it stands in
    last: int
    removed: Span  # what goes away with it: the space before it too, and a line of its own as a whole
    used: set[str] = field(default_factory=set[str], compare=False, hash=False)

    def reaches(self, span: Span) -> bool:
        """Whether a finding there is within reach: on this line, or in a statement at either end of which the comment stands."""
        if self.whole_file:
            return True
        if self.span.line in (span.line, span.end_line):
            return True
        return self.span.line in (self.first, self.last) and self.first <= span.line <= self.last


@dataclass(frozen=True)
class Suppressions:
    """All such comments of a file."""

    comments: tuple[Comment, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.comments)

    @staticmethod
    def of(text: Text) -> Suppressions:
        if "torch-handbook:" not in text.content.lower():
            return Suppressions()
        return Suppressions(tuple(comments_in(text)))

    def silence(self, finding: Finding, names: Collection[str]) -> bool:
        """Whether a comment silences a finding that goes by these names; the comment remembers."""
        silent = False
        for comment in self.comments:
            if comment.reaches(finding.span):
                meant = [name for name in comment.names if name in names]
                comment.used.update(meant or ([""] if not comment.names else []))
                silent = silent or bool(meant) or not comment.names
        return silent

    def unused(self, looked: Collection[str], everything: bool, known: Collection[str]) -> Iterator[Finding]:
        """What was silenced in vain. `looked`: the names whose rules did run; `everything`: whether all of them did."""
        for comment in self.comments:
            if not comment.names:
                if everything and not comment.used:
                    finding = Finding.at(comment.span, "this comment silences nothing: remove it", fix=removal(comment, ()))
                    if not self.silence(finding, ("unused-suppression",)):
                        yield finding
                continue
            vain = [name for name in comment.names if name not in comment.used and (name in looked or name not in known)]
            vain = [name for name in vain if name != "unused-suppression"]
            if vain:
                kept = tuple(name for name in comment.names if name not in vain)
                finding = Finding.at(comment.span, words(vain, known), fix=removal(comment, kept))
                if not self.silence(finding, ("unused-suppression",)):
                    yield finding


def words(vain: list[str], known: Collection[str]) -> str:
    """What to say of names that silenced nothing: a name that does not exist most likely has a near one that does."""
    unknown = next((name for name in vain if name not in known), None)
    if unknown is None:
        return f"{' and '.join(vain)} {'finds' if len(vain) == 1 else 'find'} nothing here: remove the comment"
    if unknown == "all":
        return "no rule is called all: without brackets the comment silences everything"
    near = get_close_matches(unknown, known, 1)
    return f"no rule is called {unknown}" + (f": did you mean {near[0]}?" if near else "")


def removal(comment: Comment, kept: tuple[str, ...]) -> Fix:
    """The edit that takes the comment away, or the names of it that did nothing."""
    if not kept:
        return Fix("remove the comment", (Edit(comment.removed, ""),))
    what = "ignore-file" if comment.whole_file else "ignore"
    return Fix(f"keep only {', '.join(kept)}", (Edit(comment.span, f"# torch-handbook: {what}[{', '.join(kept)}]"),))


def comments_in(text: Text) -> Iterator[Comment]:
    first, waiting = 0, list[tuple[int, int]]()
    reached = 0
    for token in tokens(text):
        reached = token.end[0]
        if token.type in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            if token.type == tokenize.NL and not first:
                yield from comments_at(text, waiting, token.start[0], token.start[0])
                waiting = []
            continue
        if token.type == tokenize.COMMENT:
            waiting.append(token.start)
            continue
        if token.type == tokenize.NEWLINE:
            yield from comments_at(text, waiting, first or token.start[0], token.start[0])
            first, waiting = 0, []
            continue
        first = first or token.start[0]
    yield from comments_at(text, waiting, first or reached, reached)
    yield from loose_comments(text, reached)


def tokens(text: Text) -> Iterator[tokenize.TokenInfo]:
    """The tokens up to the first place where the text is not Python."""
    lines = (text.line(number) + "\n" for number in range(1, text.line_count + 1))
    try:
        yield from tokenize.generate_tokens(lambda: next(lines, ""))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def loose_comments(text: Text, reached: int) -> Iterator[Comment]:
    """Behind the place where tokens end, while somebody types: each line for itself."""
    for line in range(reached + 1, text.line_count + 1):
        column = text.line(line).find("#")
        if column >= 0:
            yield from comments_at(text, [(line, column)], line, line)


def comments_at(text: Text, places: list[tuple[int, int]], first: int, last: int) -> Iterator[Comment]:
    """The directives in the comments that start at these places (line, column in characters)."""
    for line, column in places:
        for found in DIRECTIVE.finditer(text.line(line), column):
            names = tuple(name.strip() for name in (found["names"] or "").split(",") if name.strip())
            span = Span(line, width(text, line, found.start()), line, width(text, line, found.end()))
            yield Comment(span, names, found["what"].lower() == "ignore-file", first, last, removed(text, line, found))


def removed(text: Text, line: int, found: re.Match[str]) -> Span:
    """The span that goes when a directive goes."""
    whole = text.line(line)
    before, behind = whole[: found.start()], whole[found.end() :]
    if behind.strip():
        return Span(line, width(text, line, found.start()), line, width(text, line, len(whole) - len(behind.lstrip())))
    if before.strip() or line == text.line_count:
        return Span(line, width(text, line, len(before.rstrip())), line, width(text, line, len(whole)))
    return Span(line, 0, line + 1, 0)


def width(text: Text, line: int, characters: int) -> int:
    """A column in characters as a column in UTF-8 bytes."""
    return Position(line, len(text.line(line)[:characters].encode("utf-8", "surrogatepass"))).column
