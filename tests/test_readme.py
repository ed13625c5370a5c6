"""What the README names is there: rules, commands, files, pictures, dependencies."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from torch_handbook.cli import check
from torch_handbook.cli.main import parsed, parser_with
from torch_handbook.cli.project import unknown_names
from torch_handbook.engine import registry
from torch_handbook.settings import load

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


def test_the_targets_of_make_exist() -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    (line,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert {"try", "test", "install-vscode", "install-neovim"} <= named
    assert named - set(line.split()) == set()


def test_the_settings_are_settings(tmp_path: Path) -> None:
    table = re.findall(r"```toml\n(\[tool\.torch-handbook\]\n.*?)```", README, re.DOTALL)[0]
    (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
    settings, problems = load(tmp_path)
    assert problems == [] and unknown_names(settings) == []
    assert settings.baseline == "known.json" and settings.severity == {"loss-accumulated-with-graph": "error"}


def test_the_options_of_check_exist() -> None:
    shown = re.findall(r"^torch-handbook (check .*?)(?:  .*)?$", README, re.MULTILINE)
    assert len(shown) > 4
    for line in shown:
        parsed(parser_with(check), shlex.split(line))


def test_every_dependency_says_why() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = project.split("\ndependencies = [", 1)[1].split("]", 1)[0]
    names = re.findall(r'"([A-Za-z0-9_-]+)', block)
    table = README.split("## What it depends on", 1)[1]
    assert len(names) > 4
    assert [name for name in names if name not in table] == []
