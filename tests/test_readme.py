"""What the README names is there: rules, commands, files, pictures, dependencies."""

from __future__ import annotations

import re
from pathlib import Path

from torch_handbook.engine import registry

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_links_and_pictures_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(targets) > 8
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_rules_exist() -> None:
    table = README.split("## Rules", 1)[1].split("\nSilence", 1)[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`([a-z-]+)`", row)}
    assert len(named) > 5
    assert named - {rule.id for rule in registry.rules()} == set()


def test_the_commands_exist() -> None:
    commands = set(re.findall(r"torch-handbook ([a-z]+)", README))
    files = {path.stem.rstrip("_") for path in (ROOT / "server" / "torch_handbook" / "cli").glob("*.py")}
    assert {"check", "doctor", "explain", "bench", "serve"} <= commands
    assert commands - files == set()


def test_every_dependency_says_why() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = project.split("\ndependencies = [", 1)[1].split("]", 1)[0]
    names = re.findall(r'"([A-Za-z0-9_-]+)', block)
    table = README.split("## What it depends on", 1)[1]
    assert len(names) > 4
    assert [name for name in names if name not in table] == []
