"""The lowest torch that a project's own files allow: pyproject.toml, setup.cfg, requirements.txt."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, cast

REQUIREMENT = re.compile(r"^\s*torch(?![\w.-])\s*(?:\[[^]]*\])?\s*\(?([^;#)]*)", re.IGNORECASE)
# What bounds a version from below: PEP 440's operators, and the caret and the tilde of Poetry.
BOUND = re.compile(r"(?:>=|~=|===?|>|\^|~)\s*(\d+)(?:\.(\d+))?")


def read_toml(text: str) -> Any:
    """Python has the reader since 3.11; its older self goes by another name. Many workspaces have nothing for it to read."""
    return import_module("tomllib" if sys.version_info >= (3, 11) else "tomli").loads(text)


def lowest_torch(workspace: Path) -> str:
    """ "2.1" where that is the lowest torch that the project allows; "" where it asks for none, or for any."""
    found = [bound for text in requirements(workspace) if (bound := lower_bound(text)) is not None]
    return "{}.{}".format(*min(found)) if found else ""


def lower_bound(requirement: str) -> tuple[int, int] | None:
    """The lowest release that a requirement allows: (2, 1) for "torch>=2.1,<3"."""
    named = REQUIREMENT.match(requirement)
    bounds = [(int(found[1]), int(found[2] or 0)) for found in BOUND.finditer(named[1])] if named else []
    return max(bounds, default=None)


def requirements(workspace: Path) -> Iterator[str]:
    """Every requirement that the project's files state, as it is written."""
    # The settings are read from the same file, and say what is wrong with it.
    with suppress(OSError, ValueError, RecursionError):
        yield from of_pyproject(read_toml((workspace / "pyproject.toml").read_text("utf-8-sig")))
    yield from of_setup(workspace / "setup.cfg")
    with suppress(OSError):
        yield from (workspace / "requirements.txt").read_text("utf-8", "replace").splitlines()


def of_setup(path: Path) -> Iterator[str]:
    """The requirements of a setup.cfg."""
    if not path.is_file():
        return
    from configparser import ConfigParser, Error

    config = ConfigParser(interpolation=None)
    with suppress(Error, ValueError, OSError):
        config.read(path, "utf-8")
    extras = config.options("options.extras_require") if config.has_section("options.extras_require") else []
    for section, key in (("options", "install_requires"), *(("options.extras_require", key) for key in extras)):
        yield from config.get(section, key, fallback="").splitlines()


def of_pyproject(content: Any) -> Iterator[str]:
    """The requirements of a pyproject.toml: those of the standard, of dependency groups, and of Poetry."""
    project = within(content, "project")
    yield from texts(project.get("dependencies"))
    for table in (within(project, "optional-dependencies"), within(content, "dependency-groups")):
        for group in table.values():
            yield from texts(group)
    poetry = within(content, "tool", "poetry")
    groups = [within(poetry, "group", name) for name in within(poetry, "group")]
    for table in (poetry, *groups):
        wanted: Any = within(table, "dependencies").get("torch")
        version: Any = wanted.get("version") if isinstance(wanted, dict) else wanted  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(version, str):
            yield f"torch {version if version[:1] in '<>=~^!*' else f'^{version}'}"


def within(content: Any, *keys: str) -> Mapping[str, Any]:
    """A table inside of tables; empty where there is none."""
    for key in keys:
        content = content.get(key) if isinstance(content, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return cast("Mapping[str, Any]", content) if isinstance(content, dict) else {}


def texts(items: Any) -> Iterator[str]:
    """The strings of a list."""
    yield from (item for item in cast("list[Any]", items) if isinstance(item, str)) if isinstance(items, list) else ()
