"""What a client says of its workspace: folders, and our part of its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from lsprotocol import types as lsp

from torch_handbook.lsp import convert

SECTION = "torchHandbook"


def folders(params: lsp.InitializeParams) -> list[str]:
    """The workspace's folders as paths, the first one first."""
    found = _paths([folder.uri for folder in params.workspace_folders or []] or [params.root_uri or ""])
    return found or ([params.root_path] if params.root_path else [])


def folder_changes(event: lsp.WorkspaceFoldersChangeEvent) -> tuple[list[str], list[str]]:
    """The paths of the folders that were added, and of those that were removed."""
    added, removed = (_paths(folder.uri for folder in group) for group in (event.added, event.removed))
    return added, removed


def _paths(uris: Iterable[str]) -> list[str]:
    """Those of the folders that are on this disk; an editor may have others, too."""
    return [convert.path_of(uri) for uri in uris if uri.startswith("file:")]


def section(settings: Any) -> Mapping[str, Any]:
    """Our part of settings: the object itself, or what it holds under our name."""
    if not isinstance(settings, Mapping):
        return {}
    rows = cast("Mapping[str, Any]", settings)
    ours = rows.get(SECTION, rows.get("torch-handbook", rows))
    return cast("Mapping[str, Any]", ours) if isinstance(ours, Mapping) else {}
