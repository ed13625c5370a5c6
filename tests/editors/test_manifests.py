"""What editors say of the server agrees with the server."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch_handbook.settings import MODES, Settings, key_of

EDITORS = Path(__file__).resolve().parents[2] / "editors"
MANIFEST = json.loads((EDITORS / "vscode" / "package.json").read_text(encoding="utf-8"))
OWN = {"server", "trace.server"}  # of the extension, not of the server


def camel(name: str) -> str:
    return re.sub(r"-(\w)", lambda match: match[1].upper(), name)


def plain(value: object) -> object:
    """A default as JSON says it."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def properties() -> dict[str, Any]:
    rows: dict[str, Any] = MANIFEST["contributes"]["configuration"]["properties"]
    return {name.removeprefix("torchHandbook."): row for name, row in rows.items()}


def test_vscode_has_every_setting_with_its_default() -> None:
    settings = {camel(key_of(item.name)): plain(getattr(Settings(), item.name)) for item in dataclasses.fields(Settings)}
    assert {name: row["default"] for name, row in properties().items() if name not in OWN} == settings


def test_vscode_knows_the_modes_of_completion() -> None:
    assert tuple(properties()["completion.mode"]["enum"]) == MODES


def test_what_decides_which_code_runs_is_not_taken_from_a_workspace_that_is_not_trusted() -> None:
    programs = {name for name, row in properties().items() if row["scope"].startswith("machine")}
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert programs == {"server", "python", "libraries"} == {name.removeprefix("torchHandbook.") for name in restricted}


def test_the_walkthrough_leads_to_what_there_is() -> None:
    commands = {row["command"] for row in MANIFEST["contributes"]["commands"]}
    (walkthrough,) = MANIFEST["contributes"]["walkthroughs"]
    for step in walkthrough["steps"]:
        assert set(re.findall(r"command:(\S+?)\)", step["description"])) <= commands, step["id"]
        (path,) = [value for key, value in step["media"].items() if key != "altText"]
        # Pictures are copied when the extension is packaged.
        assert (EDITORS / "vscode" / path.replace("dist/pictures", "../pictures")).is_file(), path


def test_every_vscode_setting_is_described() -> None:
    for name, row in properties().items():
        assert row.get("description") or row.get("markdownDescription"), name


def test_lock_file_names_no_host() -> None:
    assert "resolved" not in (EDITORS / "vscode" / "package-lock.json").read_text(encoding="utf-8")
