"""All rules: every module of torch_handbook.rules is one, found by looking, listed nowhere."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from dataclasses import dataclass
from functools import cache

from torch_handbook.engine.rule import Rule

PACKAGE = "torch_handbook.rules"
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
    """Every name that a comment, a setting or a page may use, an id or a kind that a rule covers, and the rule that finds it."""
    kinds = {kind: rule.id for rule in rules() for kind in rule.covers}
    return kinds | {rule.id: rule.id for rule in rules()}
