"""All rules: every module of torch_handbook.rules is one, found by looking, listed nowhere."""

from __future__ import annotations

import importlib
import logging
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_handbook.engine.rule import Rule

PACKAGE = "torch_handbook.rules"
# The value of a rule in the text of its file, the kinds that it covers, and one of them.
VALUE = re.compile(r"^RULE = Rule\((?:[^\n]*\)$|.*?^\))", re.DOTALL | re.MULTILINE)
COVERED = re.compile(r"\bcovers=\(([^)]*)\)")
NAME = re.compile(r'"([\w-]+)"')
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Registered:
    """A rule and the docstring of its module, which is its page."""

    rule: Rule
    doc: str


@cache
def registered() -> dict[str, Registered]:
    """The rules by id. A file that does not import, or whose rule bears another name, is left out and said once."""
    found: dict[str, Registered] = {}
    for name in names():
        try:
            module = importlib.import_module(f"{PACKAGE}.{name}")
            rule: Rule = module.RULE
        except Exception:
            log.exception("the rule file %s cannot be used", name)
            continue
        if rule.id != name.replace("_", "-"):
            log.error("the rule file %s.py holds %s: the id is the file's name", name, rule.id)
            continue
        found[rule.id] = Registered(rule, module.__doc__ or "")
    return found


def names() -> list[str]:
    """The module names of all rules."""
    import pkgutil  # a start does without it

    package = importlib.import_module(PACKAGE)
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def rules() -> tuple[Rule, ...]:
    return tuple(entry.rule for entry in registered().values())


def rule(name: str) -> Rule | None:
    """A rule by its id, or by the id of a kind that it covers."""
    found = finders().get(name)
    return registered()[found].rule if found else None


@cache
def finders() -> dict[str, str]:
    """Every name that a comment, a setting or a page may use, an id or a kind that a rule covers, and the rule that finds it.

    Read from the text of the rules' files: a hover wants to know it, and importing them all takes as long as the rest of a start.
    """
    found: dict[str, str] = {}
    for path in sorted(Path(str(importlib.import_module(PACKAGE).__path__[0])).glob("[!_]*.py")):
        rule = path.stem.replace("_", "-")
        value = VALUE.search(path.read_text("utf-8"))
        covered = COVERED.search(value[0]) if value else None
        found.update(dict.fromkeys(NAME.findall(covered[1]) if covered else (), rule))
        found[rule] = rule
    return found
