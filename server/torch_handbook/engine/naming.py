"""The names that settings may use of rules, and a sentence for each that there is none of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from torch_handbook.engine import registry
from torch_handbook.engine.rule import Category
from torch_handbook.engine.selection import Selection


def known_names() -> set[str]:
    """What may be selected or ignored."""
    return {*registry.finders(), *(category.value for category in Category), "all"}


def unknown_names(settings: Selection) -> list[str]:
    """A sentence for each name in the settings that no rule bears: it would silently choose nothing."""
    used: Mapping[str, Iterable[str]] = {
        "select": settings.select,
        "extend-select": settings.extend_select,
        "ignore": settings.ignore,
        "extend-ignore": settings.extend_ignore,
        "per-file-ignores": [name for names in settings.per_file_ignores.values() for name in names],
        "severity": settings.severity,
    }
    rows = [(key, name) for key, names in used.items() for name in names]
    known = known_names() if rows else set[str]()
    return [f"{key}: there is no rule called {name}{suggestion(name)}" for key, name in rows if name not in known]


def suggestion(name: str) -> str:
    near = get_close_matches(name, sorted(known_names()), 1)
    return f": did you mean {near[0]}?" if near else ""
