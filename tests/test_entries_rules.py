"""Handbook and rules agree: a rule that a pitfall names flags its bad code, and no rule minds code that is shown as right."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from entry_code import PRELUDE, Block, blocks_of
from torch_handbook.engine import registry
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.rule import Category, Finding, Severity
from torch_handbook.engine.run import check
from torch_handbook.handbook.entry import Entry
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.settings import Settings
from torch_handbook.source.file import File

HANDBOOK = Handbook.open(Path(__file__).parents[1] / "entries")
ENTRIES = [entry for name in HANDBOOK.names() if (entry := HANDBOOK.find(name))]
RIGHT = [block for entry in ENTRIES for block in blocks_of(entry) if block.kind in ("code", "good", "fast", "as") and block.code]


def claims(entry: Entry) -> list[tuple[str, Block, Block]]:
    """What an entry says of rules: the rule, code that it flags, code on which it is silent."""
    found = [(part.rule, part.title, part.bad, part.good, part.given) for part in entry.pitfalls]
    found += [(part.rule, part.title, part.slow or part.same, part.fast or part.as_, part.given) for part in entry.performance]
    return [
        (rule, Block(entry.name, title, "bad", bad, given), Block(entry.name, title, "good", good, given))
        for rule, title, bad, good, given in found
        if rule and bad and registry.rule(rule)
    ]


CLAIMS = [claim for entry in ENTRIES for claim in claims(entry)]
# What a rule should see and does not yet, by entry and pitfall. A gap that is closed fails here until it is taken off the list.
MISSED = {
    ("torch.Tensor.view", "A model in channels_last"): "fake tensors view channels_last as if it were contiguous",
}


def cases(claims: list[tuple[str, Block, Block]] = CLAIMS) -> list[object]:
    """The claims as test cases; a known gap is expected to fail."""
    found: list[object] = []
    for claim in claims:
        gap = MISSED.get((claim[1].entry, claim[1].place))
        marks = [pytest.mark.torch, *([pytest.mark.xfail(reason=gap, strict=True)] if gap else [])]
        found.append(pytest.param(claim, id=f"{claim[0]}: {claim[1].entry}: {claim[1].place}", marks=marks))
    return found


@cache
def findings(code: str, chosen: str = "") -> tuple[Finding, ...]:
    """What `check` finds in a script that holds nothing but this code and what it needs; a chosen rule is on."""
    from torch_handbook_worker.protocol import InterpretRequest
    from torch_handbook_worker.tensors.program import interpret

    file = File.read("example.py", code)
    facts = Facts(interpret(InterpretRequest(path="example.py", text=code)))
    return tuple(check(file, facts, Settings(extend_select=(chosen,) if chosen else ())))


def script(block: Block) -> str:
    return "\n".join([PRELUDE, block.given, block.code])


def names(found: tuple[Finding, ...], wanted: str) -> set[str]:
    """The names that findings go by: the rule's, and its kind's; one without a kind is of each kind that its rule covers."""
    rule = registry.rule(wanted)
    covering = rule is not None and wanted in rule.covers and any(f.rule == rule.id and not f.kind for f in found)
    return {name for finding in found for name in (finding.rule, finding.kind)} | ({wanted} if covering else set())


@pytest.mark.parametrize("claim", cases())
def test_a_rule_flags_the_bad_and_not_the_good(claim: tuple[str, Block, Block]) -> None:
    pytest.importorskip("torch")
    rule, bad, good = claim
    owner = registry.rule(rule)
    assert owner and owner.id in {finding.rule for finding in findings(script(bad), owner.id)}, (
        "the rule does not see the bad code"
    )
    assert rule not in names(findings(script(good), owner.id), rule), "the rule flags the good code"


def is_of_a_group(name: str) -> bool:
    rule = registry.rule(name)
    return rule is not None and bool(rule.covers)


# Kinds whose pitfall shows what is found under another name: the batch that a view made up meets the labels, and so on.
SEEN_AS = {"view-infers-batch": "ce-target-shape", "interpolate-missing-batch": "shape-mismatch"}


@pytest.mark.parametrize("claim", cases([claim for claim in CLAIMS if is_of_a_group(claim[0])]))
def test_a_pitfall_names_the_kind_that_its_bad_code_is_found_as(claim: tuple[str, Block, Block]) -> None:
    """What a finding quotes is about its own kind, and not about another one of the same rule."""
    pytest.importorskip("torch")
    rule, bad, _ = claim
    owner = registry.rule(rule)
    assert owner and SEEN_AS.get(rule, rule) in {finding.id for finding in findings(script(bad), owner.id)}


@pytest.mark.torch
@pytest.mark.parametrize("block", RIGHT, ids=[block.id for block in RIGHT])
def test_right_code_is_left_alone(block: Block) -> None:
    pytest.importorskip("torch")
    lines = script(block).splitlines()
    meant = {number for number, line in enumerate(lines, 1) if "# raises" in line or "# warns" in line}
    heavy = [f for f in findings(script(block)) if f.severity in (Severity.ERROR, Severity.WARNING) and f.span.line not in meant]
    assert [f"line {f.span.line}: {f.rule}: {f.message}" for f in heavy] == []


def test_every_rule_leads_to_a_page() -> None:
    assert [f"{rule.id}: {rule.entry}" for rule in registry.rules() if HANDBOOK.find(rule.entry) is None] == []


def test_every_rule_is_explained_by_some_entry() -> None:
    explained = {registry.rule(rule) for rule, _, _ in CLAIMS}
    assert [rule.id for rule in registry.rules() if rule.category is not Category.META and rule not in explained] == []
