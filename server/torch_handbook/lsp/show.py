"""Opening a document that the server wrote, in a client that can."""

from __future__ import annotations

import logging
import re
import time
from pathlib import Path

from lsprotocol import types as lsp
from platformdirs import user_cache_path

from torch_handbook.lsp.server import Server

logger = logging.getLogger(__name__)

FOLDER = user_cache_path("torch-handbook", appauthor=False) / "reports"
KEPT = 20


def write(title: str, text: str) -> Path | None:
    """A Markdown file in the user's cache folder; the oldest are removed. None where nothing can be written."""
    words = re.sub(r"[^\w.-]+", "-", title).strip("-")[:60] or "report"
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for old in sorted(FOLDER.glob("*.md"))[: -KEPT + 1]:
            old.unlink(missing_ok=True)
        path = FOLDER / f"{time.strftime('%Y%m%d-%H%M%S')}-{words}.md"
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        logger.warning("the report could not be written: %s", error)
        return None
    return path


async def show(ls: Server, title: str, text: str, sentence: str) -> None:
    """Write it down and ask the client to open it beside the code. Who cannot open it is told its gist."""
    path = write(title, text) if ls.client.shows_documents else None
    if path is not None:
        await opened(ls, path.as_uri())
    else:
        ls.say("info", sentence)


async def opened(ls: Server, uri: str) -> None:
    """Ask the client to open a document."""
    try:
        await ls.window_show_document_async(lsp.ShowDocumentParams(uri, take_focus=False))
    except Exception as error:
        logger.warning("the client did not show %s: %r", uri, error)
