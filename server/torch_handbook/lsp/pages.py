"""Where pages of the handbook and of rules are: in files, so that any editor can open what a link or a diagnostic points to."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from urllib.parse import quote

from platformdirs import user_cache_path

from torch_handbook.features import explain
from torch_handbook.knowledge import Knowledge
from torch_handbook.lsp.capabilities import Client
from torch_handbook.snapshot import Snapshot

logger = logging.getLogger(__name__)

SCHEME = "torch-handbook"  # of a client that has a view for pages: it is told their names
OTHER, CAPITAL = re.compile(r"[^\w.-]+"), re.compile(r"([A-Z])")
FOLDER = user_cache_path("torch-handbook", appauthor=False) / "pages"


def of_rule(snapshot: Snapshot, rule: str, client: Client) -> str | None:
    """The address of a rule's page. A list of diagnostics asks for it again and again, so the file is looked at once."""
    return snapshot.for_all(f"address of {rule}", lambda: address(snapshot, rule, client))


def address(known: Snapshot | Knowledge, name: str, client: Client) -> str | None:
    """The URI of a page: of a file that is written here, or in the client's own scheme; None where there is no such page."""
    page = explain.page(known.handbook, known.docs, name)
    if page is None:
        return None
    return f"{SCHEME}:/{quote(name)}" if client.shows_pages else _written(name, page.markdown)


def _written(name: str, markdown: str) -> str | None:
    """The URI of a page's file; None where there is no place for it."""
    path = _path(name)
    try:
        if not (path.is_file() and path.read_text("utf-8") == markdown):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(markdown, "utf-8")
    except OSError as error:
        logger.warning("the page %s could not be written: %s", name, error)
        return None
    return path.as_uri()


def _path(name: str) -> Path:
    """A file for a page. `torch.Tensor` and `torch.tensor` must not share one where the disk folds case."""
    words = CAPITAL.sub(r"_\1", OTHER.sub("-", name))
    return FOLDER / f"{words}.md"
