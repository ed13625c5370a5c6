"""Every rule, on its fixture, its golden fix and its own page."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from markers import checked, differences, marks_in
from torch_handbook.engine import registry, ruledoc
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.fixes import fixed
from torch_handbook.engine.rule import Finding, Rule, Severity
from torch_handbook.engine.run import check, complain
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook.source.text import Text

FOLDER = Path(__file__).parent / "rules"
FIXTURES = sorted(path for path in FOLDER.glob("*.py") if not path.name.endswith(".fixed.py"))
RULES = registry.rules()


def needs_facts(path: Path) -> bool:
    """A fixture of a rule that needs facts, or one that says so in its name: `some_rule.facts.py`."""
    rule = registry.rule(path.name.split(".")[0].replace("_", "-"))
    return ".facts." in path.name or (rule is not None and rule.needs_facts)


def with_torch(cases: list[Path]) -> list[object]:
    return [pytest.param(path, id=path.name, marks=[pytest.mark.torch] if needs_facts(path) else []) for path in cases]


def found_in(path: Path, content: str) -> list[Finding]:
    if needs_facts(path):
        pytest.importorskip("torch")
    return checked(path, content, facts=needs_facts(path))


def test_every_file_of_the_package_is_a_rule() -> None:
    assert {rule.id.replace("-", "_") for rule in RULES} == set(registry.names())


def test_every_rule_has_a_fixture() -> None:
    tested = {path.name.split(".")[0] for path in FIXTURES}
    assert set(registry.names()) == tested


def test_no_name_is_taken_twice() -> None:
    names = [name for rule in RULES for name in (rule.id, *rule.covers)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", with_torch(FIXTURES))
def test_what_is_marked_is_found_and_nothing_else(path: Path) -> None:
    content = path.read_text("utf-8")
    marks = marks_in(content)
    assert marks, "a fixture without a mark tests nothing"
    findings = found_in(path, content)
    assert differences(findings, marks) == []
    for finding in findings:
        rule = registry.rule(finding.rule)
        assert rule is not None and finding.id in (rule.id, *rule.covers), "a kind must be named by its rule"


@pytest.mark.parametrize("path", with_torch([path for path in FIXTURES if path.with_suffix(".fixed.py").exists()]))
def test_fixes_give_the_golden_file_and_end_the_finding(path: Path) -> None:
    content = path.read_text("utf-8")
    golden = path.with_suffix(".fixed.py").read_text("utf-8")
    findings = found_in(path, content)
    fixes = [finding.fixes[0] for finding in findings if finding.fixes]
    result, applied = fixed(Text(content), fixes)
    assert applied == fixes
    assert result == golden
    ast.parse(result)
    unfixable = sum(not finding.fixes for finding in findings)
    assert len(found_in(path, result)) == unfixable


@pytest.mark.parametrize("path", with_torch(FIXTURES))
def test_a_fix_has_a_golden_file(path: Path) -> None:
    fixes = [fix for finding in found_in(path, path.read_text("utf-8")) for fix in finding.fixes]
    assert bool(fixes) == path.with_suffix(".fixed.py").exists()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_page_has_all_its_parts(rule: Rule) -> None:
    doc = ruledoc.ruledoc(rule.id)
    assert doc is not None
    assert doc.summary and doc.why and doc.bad and doc.good
    assert "\n" not in doc.summary and doc.summary.endswith(".")


@pytest.mark.parametrize(
    "rule", [pytest.param(rule, id=rule.id, marks=[pytest.mark.torch] if rule.needs_facts else []) for rule in RULES]
)
def test_a_page_is_true(rule: Rule) -> None:
    """Its bad code is found by this rule, its good code by none; other rules may hint at something there."""
    if rule.needs_facts:
        pytest.importorskip("torch")
    doc = ruledoc.ruledoc(rule.id)
    assert doc is not None
    head = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"
    page = FOLDER / f"{rule.id.replace('-', '_')}.page.py"
    bad = checked(page, head + doc.bad, rule.needs_facts)
    if rule.visitors:  # the engine itself finds what has none
        assert rule.id in {finding.rule for finding in bad}
    good = checked(page, head + doc.good, rule.needs_facts)
    assert [finding for finding in good if finding.rule == rule.id or finding.severity is not Severity.HINT] == []


FORMS = (
    *("{0}()", "{0}(*a)", "{0}(**k)", "{0}(x, *a, **k)", "{0}(x=x)"),
    *("{0}[()]", "{0}[0, ...]", "v = {0}()", "v[()]", "with {0}(): pass"),
)


def test_no_rule_breaks_on_odd_code(caplog: pytest.LogCaptureFixture) -> None:
    """Every name and method that any rule speaks of, called without, with starred and with strange arguments."""
    sources = "".join(path.read_text("utf-8") for path in (Path(registry.__file__).parents[1] / "rules").glob("*.py"))
    names = sorted(set(re.findall(r"\btorch(?:\.[A-Za-z_]\w*)+", sources)))
    methods = sorted(set(re.findall(r'"([a-z_]\w*)"', sources)))
    assert len(names) > 100 and len(methods) > 100
    uses = [form.format(name) for name in (*names, *(f"x.{method}" for method in methods)) for form in FORMS]
    bodies = [f"    {use}" for use in uses]
    head = ["import torch", "import torch.nn.functional as F", "from torch import nn", "x = torch.zeros(3)"]
    looped = ["class N(nn.Module):", "  def forward(self, x, *a, **k):", "   for v in x:", *bodies]
    complain.cache_clear()  # what another test heard already must be heard here too
    settings = Settings(extend_select=tuple(rule.id for rule in registry.rules() if not rule.default))
    with caplog.at_level("WARNING"):
        check(File.read("odd.py", "\n".join([*head, *uses])), Facts.none(), settings)
        check(File.read("odd.py", "\n".join([*head, *looped])), Facts.none(), settings)
    assert [record.message for record in caplog.records if "failed" in record.message] == []
