"""The engine: what runs, what is silenced, what a broken rule does, and fixes."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys

import pytest
from torch_handbook.engine import registry, ruledoc
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.fixes import FixError, apply, fixed
from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.engine.run import check
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook.source.text import Span, Text
from torch_handbook_worker.protocol import FactAt, InterpretResult, TensorFact

RULE = Rule("some-name", Severity.WARNING, Category.META, entry="guides/x", covers=("other-name",))


@RULE.on(ast.Name)
def bad_name(name: ast.Name, context: Context) -> Findings:
    if name.id.startswith("bad"):
        yield Finding.at(name, f"{name.id} is bad", kind="other-name" if name.id == "bad_other" else "")


BROKEN = Rule("broken-rule", Severity.ERROR, Category.META, entry="guides/x")


@BROKEN.on(ast.Name)
def break_down(name: ast.Name, context: Context) -> Findings:
    yield Finding.at(name, "before")
    raise KeyError("oh")


def found(
    content: str, settings: Settings | None = None, path: str = "/w/pkg/file.py", rules: tuple[Rule, ...] = (RULE,)
) -> list[int]:
    return [finding.span.line for finding in check(File.read(path, content), Facts.none(), settings or Settings(), rules)]


def test_a_finding_gets_its_rule_and_severity() -> None:
    finding = check(File.read("f.py", "bad"), Facts.none(), Settings(), (RULE,))[0]
    assert (finding.rule, finding.severity, finding.message) == ("some-name", Severity.WARNING, "bad is bad")
    finding = check(File.read("f.py", "bad"), Facts.none(), Settings(severity={"some-name": "hint"}), (RULE,))[0]
    assert finding.severity is Severity.HINT


def test_a_finding_goes_by_the_most_specific_name() -> None:
    found = check(File.read("f.py", "bad; bad_other"), Facts.none(), Settings(), (RULE,))
    assert [(finding.id, finding.rule) for finding in found] == [("some-name", "some-name"), ("other-name", "some-name")]


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        (Settings(), [1, 2]),
        (Settings(ignore=("some-name",)), []),
        (Settings(ignore=("meta",)), []),
        (Settings(ignore=("other-name",)), [1]),
        (Settings(select=("shape",)), []),
        (Settings(select=("other-name",)), [2]),
        (Settings(select=("some-name",)), [1, 2]),
        (Settings(select=("some-name",), ignore=("other-name",)), [1]),
        (Settings(select=("other-name",), ignore=("some-name",)), [2]),
        (Settings(select=("some-name",), ignore=("all", "meta")), [1, 2]),
        (Settings(select=("meta",), ignore=("some-name",)), []),
        (Settings(select=("other-name",), per_file_ignores={"file.py": ("some-name",)}), []),
        (Settings(per_file_ignores={"file.py": ("other-name",)}), [1]),
        (Settings(severity={"some-name": "off", "other-name": "hint"}), [2]),
        (Settings(select=("all",), ignore=("all",)), []),
        (Settings(severity={"some-name": "off"}), []),
        (Settings(severity={"other-name": "off"}), [1]),
        (Settings(per_file_ignores={"file.py": ("some-name",)}), []),
        (Settings(per_file_ignores={"pkg/*": ("all",)}), []),
        (Settings(per_file_ignores={"**/pkg/*.py": ("all",)}), []),
        (Settings(per_file_ignores={"tests/*": ("all",)}), [1, 2]),
    ],
)
def test_settings_choose_the_rules(settings: Settings, lines: list[int]) -> None:
    assert found("bad\nbad_other\n", settings) == lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("bad  # torch-handbook: ignore[some-name]", []),
        ("bad  # torch-handbook: ignore", []),
        ("bad  # noqa  # torch-handbook: ignore[some-name] since it is meant", []),
        ("bad  # torch-handbook: ignore[x, some-name]", []),
        ("bad  # torch-handbook: ignore[x]", [1]),
        ("bad  # Torch-Handbook: Ignore[some-name]", []),
        ("bad  # torch-handbook: ignore[some-name", []),
        ("bad  # torch-handbook: ignore[x", [1]),
        ("bad  # torch-handbook: ignore[x # torch-handbook: ignore[some-name]", []),
        ("bad  # torch-handbook: ignored", [1]),
        ("bad  # torch-handbook:ignore [some-name]", []),
        ("x = \\\n  bad  # torch-handbook: ignore[some-name]", []),
        ('"""\n# torch-handbook: ignore-file\n"""\nbad', [4]),
        ("bad  # torch-handbook: ignore[other-name]", []),
        ("bad_other  # torch-handbook: ignore[other-name]", []),
        ("bad\n# torch-handbook: ignore[some-name]", [1]),
        ("# torch-handbook: ignore-file[some-name]\nbad\nbad", []),
        ("f(\n  bad,\n)  # torch-handbook: ignore[some-name]", []),
        ("f(  # torch-handbook: ignore[some-name]\n  1,\n  bad)", []),
        ("f(\n  1,  # torch-handbook: ignore[some-name]\n  bad)", [3]),
        ("if bad:  # torch-handbook: ignore[some-name]\n  bad", [2]),
        ("x = '# torch-handbook: ignore[some-name]'; bad", [1]),
        ('"""\n# torch-handbook: ignore-file\n"""\nbad', [4]),
        ("é = bad  # torch-handbook: ignore[some-name]", []),
        ("bad  # torch-handbook: ignore[some-name]\r\nbad\r\n", [2]),
        ("bad  # torch-handbook: ignore[some-name]\nx = (\n", []),
        ("x = )\nbad  # torch-handbook: ignore[some-name]\n", []),
    ],
)
def test_comments_silence(content: str, lines: list[int]) -> None:
    assert found(content) == lines


@pytest.mark.parametrize(("content", "lines"), [("bad\nx = f(bad,\n", [1]), ("bad\nbad.\nbad\n", [1, 3])])
def test_lines_that_are_guessed_hold_no_findings(content: str, lines: list[int]) -> None:
    assert found(content) == lines


def test_a_rule_that_breaks_is_said_once_and_harms_no_other(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert found("bad; bad", rules=(BROKEN, RULE)) == [1, 1, 1]
        found("bad", rules=(BROKEN,))
    said = [record.message for record in caplog.records]
    assert said == ["the rule broken-rule failed and was left out: KeyError: 'oh'"]


def test_facts_are_found_by_span() -> None:
    fact = TensorFact([3], "float32", "cpu")
    facts = Facts(InterpretResult(facts=[FactAt((1, 4, 1, 5), fact)]))
    tree = ast.parse("x = y")
    assert facts.of(tree.body[0].value) is fact  # type: ignore[attr-defined]
    assert facts.of(tree.body[0]) is None
    assert Facts.none().of(tree.body[0]) is None
    assert not Facts(InterpretResult(problem="no torch")).known


def test_edits_apply_from_the_end() -> None:
    text = Text("é = a + b\n")
    assert apply(text, [Edit(Span(1, 5, 1, 6), "long"), Edit(Span(1, 9, 1, 10), "c")]) == "é = long + c\n"


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(FixError):
        apply(Text("abcdef"), [Edit(Span(1, 0, 1, 3), ""), Edit(Span(1, 2, 1, 4), "")])


def test_fixes_that_fit_are_applied_and_equal_imports_once() -> None:
    top = Edit(Span(1, 0, 1, 0), "import torch\n")
    fixes = [
        Fix("one", (top, Edit(Span(1, 4, 1, 5), "b"))),
        Fix("two", (top, Edit(Span(1, 8, 1, 9), "d"))),
        Fix("overlaps", (Edit(Span(1, 0, 1, 9), "x"),)),
        Fix("breaks", (Edit(Span(2, 0, 2, 0), "("),)),
    ]
    content, applied = fixed(Text("x = a + c\n"), fixes)
    assert content == "import torch\nx = b + d\n"
    assert [fix.title for fix in applied] == ["one", "two"]


@pytest.mark.parametrize(
    ("content", "settings", "words"),
    [
        ("good  # torch-handbook: ignore[other-name]", Settings(), ["other-name finds nothing here: remove the comment"]),
        ("bad_other  # torch-handbook: ignore[other-name]", Settings(), []),
        ("good  # torch-handbook: ignore[other-name]", Settings(ignore=("other-name",)), []),
        ("good  # torch-handbook: ignore[some-name]", Settings(select=("other-name", "unused-suppression")), []),
        (
            "good  # torch-handbook: ignore[other-name]",
            Settings(select=("other-name", "unused-suppression")),
            ["other-name finds nothing here: remove the comment"],
        ),
        ("good  # torch-handbook: ignore[other-name]", Settings(severity={"other-name": "off"}), []),
    ],
)
def test_a_comment_in_vain_is_reported_if_what_it_names_was_looked_for(
    content: str, settings: Settings, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "finders", lambda: {"other-name": "some-name", "some-name": "some-name"})
    unused = registry.rule("unused-suppression") or next(rule for rule in registry.rules() if rule.id == "unused-suppression")
    found = check(File.read("f.py", content), Facts.none(), settings, (RULE, unused))
    assert [finding.message for finding in found] == words


def test_the_registry_finds_the_rules() -> None:
    assert registry.rule("einsum-with-bmm-equivalent") in registry.rules()
    assert registry.rule("einsum-with-dot-equivalent") is registry.rule("einsum-with-bmm-equivalent")
    assert registry.rule("nothing") is None


def test_a_page_is_markdown() -> None:
    rule = registry.rule("einsum-with-bmm-equivalent")
    assert rule is not None
    page = ruledoc.markdown(rule)
    assert page.startswith("# einsum-with-bmm-equivalent\n\nAn einsum computes")
    assert "## Bad\n\n```python\nscores = torch.einsum(" in page


@pytest.mark.parametrize(
    "content", ["", "\0", "\ufeffbad", "def f(:\n bad", "bad\x0c\n", "<html>bad</html>", "\ud800", "(" * 500]
)
def test_any_text_is_checked(content: str) -> None:
    assert isinstance(found(content), list)


def test_what_rules_find_is_read_from_their_files_without_importing_them() -> None:
    kinds = {kind: rule.id for rule in registry.rules() for kind in rule.covers}
    assert registry.finders() == kinds | {rule.id: rule.id for rule in registry.rules()}
    code = "import sys; from torch_handbook.engine import registry; registry.finders(); print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not [name for name in imported if name.startswith("torch_handbook.rules.")]
