"""A function or class of torch is given a keyword that it does not take.

Why
    It raises TypeError when the line is reached. Options have other names in other libraries (learning_rate is lr, kernel is
    kernel_size), and not every optimizer has those of another one: Adam has betas where SGD has momentum. What the installed
    torch takes was read from it.

Bad
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), learning_rate=1e-3)

Good
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
"""

from __future__ import annotations

import ast
from difflib import get_close_matches

from torch_handbook.engine.rule import Category, Context, Edit, Failure, Finding, Findings, Fix, Rule, Severity
from torch_handbook.engine.words import first_sentence, short_name
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "unknown-keyword-argument", Severity.ERROR, Category.TRAINING, entry="errors/unexpected-keyword-argument", needs_facts=True
)
NEAR = 0.75


@RULE.on(ast.Module)
def refused(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        call = context.call_at(failure.span) if failure.details.get("keyword") else None
        word = next((one for one in call.keywords if one.arg == failure.details["keyword"]), None) if call is not None else None
        if call is None or word is None or is_told_elsewhere(failure, word) or is_guarded(context.file, call):
            continue
        given = {one.arg for one in call.keywords}
        meant = nearest(str(word.arg), [name for name in failure.details.get("taken", ()) if name not in given])
        said = f"{short_name(failure.operation)} raises TypeError here: {first_sentence(failure.message)}"
        yield Finding.at(word, f"{said}: did you mean {meant}?" if meant else said, fix=renamed(word, meant) if meant else None)


def is_told_elsewhere(failure: Failure, word: ast.keyword) -> bool:
    """Whether removed-api says since when there is no such keyword."""
    return word.arg == "verbose" and failure.operation.startswith("torch.optim.lr_scheduler.")


def nearest(word: str, taken: list[str]) -> str:
    """The keyword that was meant: misspelt, written out, shortened, or with the same beginning as no other one."""
    plain = word.replace("_", "").lower()
    for name in taken:
        letters = "".join(part[:1] for part in word.split("_"))
        if name.replace("_", "").lower() == plain or (len(name) > 1 and name == letters):
            return name
    begun = [name for name in taken if is_part(name, word)]
    return begun[0] if len(begun) == 1 else next(iter(get_close_matches(word, taken, 1, NEAR)), "")


def is_part(name: str, word: str) -> bool:
    """Whether one of two keywords is how the other one begins, or its last word."""
    ends = len(min(name, word, key=len)) > 2 and (name.startswith(word) or word.startswith(name))
    return ends or name.endswith(f"_{word}")


def renamed(word: ast.keyword, name: str) -> Fix:
    start = span_of(word).start
    end = (start[0], start[1] + len(str(word.arg).encode()))
    return Fix(f"use {name}", (Edit(Span(*start, *end), name),), safe=False)
