"""The pages of editors whose configuration is only text: it is sound, starts the server and has settings that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from torch_handbook.settings import load

EDITORS = Path(__file__).resolve().parents[2] / "editors"
FOLDERS = sorted(page.parent for page in EDITORS.glob("*/README.md"))
TEXT_ONLY = ("kate", "pycharm", "sublime", "zed")
OPTIONS = ("initialization_options", "initializationOptions")


def blocks(name: str) -> list[Any]:
    return [
        json.loads(block)
        for block in re.findall(r"```json\n(.*?)```", (EDITORS / name / "README.md").read_text("utf-8"), re.DOTALL)
    ]


def values(tree: Any, keys: tuple[str, ...]) -> Iterator[Any]:
    """What stands under these keys, wherever they are."""
    rows = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in rows:
        if key in keys:
            yield value
        yield from values(value, keys)


@pytest.mark.parametrize("name", TEXT_ONLY)
def test_the_configuration_starts_the_server(name: str) -> None:
    if name == "pycharm":
        template = json.loads((EDITORS / name / "template.json").read_text("utf-8"))
        commands = [value.removeprefix('sh -c "').rstrip('"').split() for value in template["programArgs"].values()]
        (mapping,) = template["fileTypeMappings"]
        assert mapping["languageId"] == "python" and mapping["fileType"]["patterns"] == ["*.py"]
    else:
        found = [value for block in blocks(name) for value in values(block, ("command", "binary"))]
        commands = [value if isinstance(value, list) else [value["path"], *value["arguments"]] for value in found]
    assert commands
    assert {(Path(command).name, *arguments) for command, *arguments in commands} == {("torch-handbook", "serve")}


@pytest.mark.parametrize("name", ["pycharm", "sublime", "zed"])
def test_the_options_are_settings(name: str) -> None:
    options = [value for block in blocks(name) for value in values(block, OPTIONS)]
    if name == "pycharm":
        options = [*blocks(name), json.loads((EDITORS / name / "initializationOptions.json").read_text("utf-8"))]
    assert options
    for given in options:
        settings, problems = load(None, given)
        assert problems == [] and settings.completion_mode == "annotated"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_page_links_to_what_is_there_and_is_linked(folder: Path) -> None:
    text = (folder / "README.md").read_text("utf-8")
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    assert [target for target in targets if not (folder / target).exists()] == []
    assert f"]({folder.name}" in (EDITORS / "README.md").read_text("utf-8")
