"""The page of a rule, read from the docstring of its file: one sentence, then Why, Bad and Good."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from torch_handbook.engine import registry
from torch_handbook.engine.rule import Rule

HEADINGS = ("Why", "Bad", "Good")


@dataclass(frozen=True)
class RuleDoc:
    """What a rule's docstring says. `bad` and `good` are Python code."""

    summary: str
    why: str
    bad: str
    good: str


def ruledoc(name: str) -> RuleDoc | None:
    """The page of a rule, by its id or a kind that it covers."""
    rule = registry.rule(name)
    return read(registry.registered()[rule.id].doc) if rule and rule.id in registry.registered() else None


def read(docstring: str) -> RuleDoc:
    """The parts of a docstring. A heading is a line that holds only its word; what it heads is indented."""
    parts: dict[str, list[str]] = {"": []}
    current = parts[""]
    for line in docstring.strip().splitlines():
        if line.rstrip() in HEADINGS:
            current = parts.setdefault(line.strip(), [])
        else:
            current.append(line)
    texts = {name: textwrap.dedent("\n".join(lines)).strip() for name, lines in parts.items()}
    return RuleDoc(texts[""], *(texts.get(name, "") for name in HEADINGS))


def markdown(rule: Rule, name: str = "") -> str:
    """The page of a rule, under its id or under the name of a kind that it covers."""
    doc, name = ruledoc(rule.id), name or rule.id
    if doc is None:
        return f"# {name}\n"
    parts = [
        f"# {name}",
        f"This is found by the rule `{rule.id}`, whose page follows." if name != rule.id else "",
        doc.summary,
        f"*{rule.severity.value} · {rule.category.value}{' · needs torch installed' if rule.needs_facts else ''}*",
        f"## Why\n\n{doc.why}" if doc.why else "",
        f"## Bad\n\n```python\n{doc.bad}\n```" if doc.bad else "",
        f"## Good\n\n```python\n{doc.good}\n```" if doc.good else "",
        f"Silence it on one line with `# torch-handbook: ignore[{name}]`.",
        f"More is on the page of `{rule.entry}`.",
        f"Its findings go by {', '.join(f'`{kind}`' for kind in rule.covers)}." if rule.covers else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
