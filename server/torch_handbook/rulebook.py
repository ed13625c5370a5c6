"""What a workspace says of rules: whether there are such rules, what is ignored in one file, what is known and not told again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_handbook.settings import Settings, load

if TYPE_CHECKING:
    from torch_handbook.engine.baseline import Known

Say = Callable[[str, str], None]


def unknown_rules(workspace: Path | None, client: Mapping[str, Any]) -> list[str]:
    """A sentence for each name in the settings that no rule bears, with where it stands."""
    parts = [("the editor's settings", load(None, client)[0])]
    if workspace is not None:
        parts.insert(0, (str(workspace / "pyproject.toml"), load(workspace)[0]))
    parts = [(source, settings) for source, settings in parts if names_rules(settings)]
    if not parts:
        return []
    from torch_handbook.engine.naming import unknown_names  # with all that a rule is made of, which a start does without

    return [f"{source}: {problem}" for source, settings in parts for problem in unknown_names(settings)]


def names_rules(settings: Settings) -> bool:
    given = (settings.select, settings.extend_select, settings.ignore, settings.extend_ignore)
    return any((*given, settings.per_file_ignores, settings.severity))


def settings_for(path: str, settings: Settings, workspace: Path | None) -> Settings:
    """The settings for one file: patterns are about its path from the workspace, wherever that is."""
    if workspace is None or not settings.per_file_ignores:
        return settings
    from torch_handbook.engine.selection import ignored_in

    return replace(settings, per_file_ignores={"*": ignored_in(from_folder(path, workspace), settings)})


def from_folder(path: str, folder: Path) -> str:
    """A path from a folder, the same on every system; of what lies on another drive the whole path."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return Path(path).as_posix()


@dataclass
class Baseline:
    """The baseline of a workspace as it is on the disk: `check --write-baseline` may write it at any time."""

    say: Say
    path: Path | None = None
    changed: float | None = None  # when it was, as it was read last
    files: Mapping[str, Known] = field(default_factory=dict[str, "Known"])

    def known(self, path: str, settings: Settings, workspace: Path | None) -> Known:
        """What is known of a file and not told again. What stands in the way is said, and then nothing is left out."""
        if not settings.baseline or workspace is None:
            return {}
        place = workspace / settings.baseline
        try:
            changed = place.stat().st_mtime
            if (place, changed) != (self.path, self.changed):
                self.read(place, changed)
        except OSError as error:
            self.path = None
            self.say("warning", f"the baseline {place} cannot be read ({error.strerror}): everything is reported")
            return {}
        return self.files.get(from_folder(path, place.parent), {})

    def read(self, place: Path, changed: float) -> None:
        from torch_handbook.engine.baseline import read

        self.path, self.changed, self.files = place, changed, {}
        try:
            self.files = read(place.read_text("utf-8"))
        except ValueError:
            self.say(
                "warning",
                f"{place} is not a baseline: everything is reported; `torch-handbook check --write-baseline` writes one",
            )
