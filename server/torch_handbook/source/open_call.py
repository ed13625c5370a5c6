"""The call whose arguments are being typed at a place, told from the text before it, which need not be whole."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace

from torch_handbook.source.api import called
from torch_handbook.source.before import KEYWORD, Bracket
from torch_handbook.source.flow import Flow
from torch_handbook.source.slot import Site, site_at
from torch_handbook.source.text import Position, Text

DEFINED = re.compile(r"\b(?:def|class)\s+$")  # what stands before a name whose bracket holds no arguments


@dataclass(frozen=True)
class OpenCall:
    """A call, and which of its arguments the cursor is in."""

    name: str  # the public name of what is called; "" for what is not torch's
    index: int  # how many arguments are before this one
    keyword: str | None = None  # of this argument
    given: frozenset[str] = field(default_factory=frozenset[str])  # the keywords before this argument
    starred: bool = False  # whether an argument before this one may stand for several
    function: ast.expr | None = None  # what is called, as an expression at that place
    direct: bool = True  # whether the cursor is in no list or tuple inside of the argument


def open_call_at(text: Text, flow: Flow, position: Position) -> OpenCall | None:
    """The innermost call around a position, seen through lists, tuples and the like."""
    site = site_at(text, flow, position)
    for bracket in reversed(site.before.brackets) if not site.before.comment else ():
        callee = callee_of(site, bracket)
        if callee:
            found = of_bracket(site, bracket, callee)
            return found if bracket is site.before.brackets[-1] else found and replace(found, direct=False)
    return None


def callee_of(site: Site, bracket: Bracket) -> str:
    """What stands before a round bracket, as it is written; "" where the bracket only groups."""
    statement = site.before.statement
    return site.before.expression(bracket.offset).strip() if statement[bracket.offset] == "(" else ""


def of_bracket(site: Site, bracket: Bracket, callee: str) -> OpenCall | None:
    statement = site.before.statement
    if DEFINED.search(statement[: bracket.offset - len(callee)]):
        return None
    function = site.plant(callee)
    if function is None:
        return None
    name = called(site.flow, ast.Call(function, [], [])) or ""
    written = [statement[start:] for start in bracket.arguments]
    keywords = [found[1] if (found := KEYWORD.match(argument)) else None for argument in written]
    starred = any(argument.lstrip().startswith("*") for argument in written[:-1])
    return OpenCall(name, len(written) - 1, keywords[-1], frozenset(filter(None, keywords[:-1])), starred, function)
