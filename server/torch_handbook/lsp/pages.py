"""Pages of the handbook and of rules as files, so that any editor can open what a link or a diagnostic points to."""

from __future__ import annotations

import logging
import re
from pathlib import Path

from platformdirs import user_cache_path

from torch_handbook.features import explain
from torch_handbook.knowledge import Knowledge
from torch_handbook.snapshot import Snapshot

logger = logging.getLogger(__name__)

OTHER, CAPITAL = re.compile(r"[^\w.-]+"), re.compile(r"([A-Z])")
FOLDER = user_cache_path("torch-handbook", appauthor=False) / "pages"


def of_rule(snapshot: Snapshot, rule: str) -> str | None:
    """The address of a rule's page. A list of diagnostics asks for it again and again, so the file is looked at once."""
    return snapshot.for_all(f"address of {rule}", lambda: address(snapshot, rule))


def address(known: Snapshot | Knowledge, name: str) -> str | None:
    """The URI of a page's file, which is written here; None where there is no such page or no place for it."""
    page = explain.page(known.handbook, known.docs, name)
    path = _path(name)
    try:
        if page and not (path.is_file() and path.read_text("utf-8") == page.markdown):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page.markdown, "utf-8")
    except OSError as error:
        logger.warning("the page %s could not be written: %s", name, error)
        return None
    return path.as_uri() if page else None


def _path(name: str) -> Path:
    """A file for a page. `torch.Tensor` and `torch.tensor` must not share one where the disk folds case."""
    words = CAPITAL.sub(r"_\1", OTHER.sub("-", name))
    return FOLDER / f"{words}.md"
