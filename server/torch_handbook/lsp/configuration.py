"""Where settings come from: what the client sends at the start, what it answers when asked, what it says has changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, cast

from lsprotocol import types as lsp

from torch_handbook.lsp import convert
from torch_handbook.lsp.server import Server

logger = logging.getLogger(__name__)

SECTION = "torchHandbook"
SECONDS = 3.0  # a client that does not answer is not waited for


def folders(params: lsp.InitializeParams) -> list[str]:
    """The workspace's folders as paths, the first one first."""
    uris = [folder.uri for folder in params.workspace_folders or []] or [params.root_uri or ""]
    found = [convert.path_of(uri) for uri in uris if uri.startswith("file:")]
    return found or ([params.root_path] if params.root_path else [])


def folder_changes(event: lsp.WorkspaceFoldersChangeEvent) -> tuple[list[str], list[str]]:
    """The paths of the folders that were added, and of those that were removed."""
    added, removed = ([convert.path_of(folder.uri) for folder in group] for group in (event.added, event.removed))
    return added, removed


def section(settings: Any) -> Mapping[str, Any]:
    """Our part of settings: the object itself, or what it holds under our name."""
    plain = _plain(settings)
    if not isinstance(plain, Mapping):
        return {}
    rows = cast("Mapping[str, Any]", plain)
    ours = rows.get(SECTION, rows.get("torch-handbook", rows))
    return cast("Mapping[str, Any]", ours) if isinstance(ours, Mapping) else {}


async def ask(ls: Server) -> None:
    """Ask the client for its settings, if it can be asked."""
    if not ls.client.configuration:
        return
    params = lsp.ConfigurationParams([lsp.ConfigurationItem(section=SECTION)])
    try:
        answer = await asyncio.wait_for(ls.workspace_configuration_async(params), SECONDS)
    except Exception as error:
        logger.warning("the client did not give its settings: %r", error)
        return
    if answer and answer[0] is not None:
        ls.session.configure(section(answer[0]))


async def changed(ls: Server, params: lsp.DidChangeConfigurationParams) -> None:
    """The client's settings changed; some send them along, others want to be asked."""
    if ls.client.configuration:
        await ask(ls)
    elif given := section(params.settings):
        ls.session.configure(given)


async def register(ls: Server) -> None:
    """Ask to be told when settings change, and when pyproject.toml does."""
    wanted: list[lsp.Registration] = []
    if ls.client.registers_configuration:
        wanted.append(lsp.Registration("configuration", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION}))
    if ls.client.registers_watchers:
        watchers = {"watchers": [{"globPattern": "**/pyproject.toml"}]}
        wanted.append(lsp.Registration("pyproject", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, watchers))
    if wanted:
        await ls.client_register_capability_async(lsp.RegistrationParams(wanted))


def _plain(value: Any) -> Any:
    """Plain data of what pygls made of JSON that has no type of its own: named tuples."""
    if hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[Any]", value)]
    return value
