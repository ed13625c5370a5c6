"""Settings behind the start: what the client answers when it is asked, and what it says has changed."""

from __future__ import annotations

import asyncio
import logging
from pathlib import PurePath

from lsprotocol import types as lsp

from torch_handbook.lsp.server import Server
from torch_handbook.lsp.workspace import SECTION, section

logger = logging.getLogger(__name__)

SECONDS = 3.0  # a client that does not answer is not waited for


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
    """Ask to be told when settings change, and when pyproject.toml or the baseline does."""
    wanted: list[lsp.Registration] = []
    if ls.client.registers_configuration:
        wanted.append(lsp.Registration("configuration", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION}))
    if ls.client.registers_watchers:
        names = ["pyproject.toml", *filter(None, [PurePath(ls.session.settings.baseline).name])]
        watchers = {"watchers": [{"globPattern": f"**/{name}"} for name in names]}
        wanted.append(lsp.Registration("pyproject", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, watchers))
    if wanted:
        await ls.client_register_capability_async(lsp.RegistrationParams(wanted))
