"""Running the rules over a file: one walk over its tree, each node handed to those that asked for its kind."""

from __future__ import annotations

import ast
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from torch_handbook.engine import registry
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.rule import Context, Finding, Findings, Rule, Severity
from torch_handbook.engine.selection import Choice, Selection
from torch_handbook.engine.suppressions import Suppressions
from torch_handbook.engine.target import Target
from torch_handbook.source.guards import awaited

if TYPE_CHECKING:
    from torch_handbook.source.file import File

log = logging.getLogger(__name__)
ANY_TORCH = Target()
Visitor = Callable[[ast.AST, Context], Findings]


def check(
    file: File, facts: Facts, selection: Selection, rules: Sequence[Rule] | None = None, target: Target = ANY_TORCH
) -> list[Finding]:
    """What the rules find in a file, in its order. What a comment silences is left out; a comment in vain is found."""
    choice = Choice.of(file.path, selection)
    running = [rule for rule in (registry.rules() if rules is None else rules) if choice.wanted(rule)]
    guessed = file.parsed.mended  # lines that stand in for broken ones: what is said of them is not the user's
    found = [finding for finding in findings(file, facts, running, choice, target) if finding.span.line not in guessed]
    found = unawaited(found, awaited(file))
    comments = Suppressions.of(file.text)
    if comments:
        by_id = {rule.id: rule for rule in running}
        kept = [finding for finding in found if not comments.silence(finding, names_of(finding, by_id[finding.rule]))]
        found = [*kept, *unused(comments, running, facts, choice)]
    return sorted(set(found), key=lambda finding: (finding.span, finding.rule, finding.message))


def unawaited(found: list[Finding], lines: list[range]) -> list[Finding]:
    """What is found without the errors that a test waits for: `with pytest.raises(…)`."""
    return [
        finding for finding in found if finding.severity != Severity.ERROR or not any(finding.span.line in row for row in lines)
    ]


def findings(file: File, facts: Facts, rules: Sequence[Rule], choice: Choice, target: Target) -> Iterator[Finding]:
    context = Context(file, facts, target)
    visitors = table(rule for rule in rules if facts.known or not rule.needs_facts)
    broken: set[str] = set()
    for node in file.grown.nodes:
        for rule, visitor in visitors.get(type(node), ()):
            if rule.id in broken:
                continue
            try:
                for finding in visitor(node, context):
                    if (whole := choice.weighed(finding, rule)) is not None:
                        yield whole
            except Exception as error:
                broken.add(rule.id)
                complain(rule.id, f"{type(error).__name__}: {error}")
                log.debug("%s on %s", rule.id, file.path, exc_info=True)


def table(rules: Iterator[Rule]) -> dict[type[ast.AST], list[tuple[Rule, Visitor]]]:
    """Which functions look at which kind of node."""
    visitors: dict[type[ast.AST], list[tuple[Rule, Visitor]]] = defaultdict(list)
    for rule in rules:
        for kinds, visitor in rule.visitors:
            for kind in kinds:
                visitors[kind].append((rule, visitor))
    return visitors


@cache
def complain(rule: str, error: str) -> None:
    """Say once that a rule broke; the check goes on without it."""
    log.warning("the rule %s failed and was left out: %s", rule, error)


def names_of(finding: Finding, rule: Rule) -> tuple[str, ...]:
    """The names that silence a finding: its rule's, and its kind's, or all kinds of the rule where it has none of its own."""
    return (rule.id, *((finding.kind,) if finding.kind else rule.covers))


def unused(comments: Suppressions, running: Sequence[Rule], facts: Facts, choice: Choice) -> Iterator[Finding]:
    """The comments that silenced nothing, if what they speak of was looked for."""
    rule = next((rule for rule in running if rule.id == "unused-suppression"), None)
    if rule is None:
        return
    everything = facts.complete and choice.by_default
    for finding in comments.unused(names_looked_for(running, facts, choice), everything, registry.finders().keys()):
        if (whole := choice.weighed(finding, rule)) is not None:
            yield whole


def looked_for(path: str, facts: Facts, selection: Selection) -> frozenset[str]:
    """The names of everything that is looked for in a file with these facts."""
    return names_looked_for(registry.rules(), facts, Choice.of(path, selection))


def names_looked_for(rules: Sequence[Rule], facts: Facts, choice: Choice) -> frozenset[str]:
    return frozenset(name for rule in rules if facts.complete or not rule.needs_facts for name in choice.wanted(rule))
