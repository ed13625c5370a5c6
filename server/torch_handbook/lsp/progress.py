"""Work-done progress of one long command: with the client's own token, or one that the server makes."""

# pygls leaves parts of its own signatures open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import TypeVar

from lsprotocol import types as lsp

from torch_handbook.lsp.server import Server

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


class Run:
    """A running command. Without a token (the client shows no progress) it reports to nobody."""

    def __init__(self, ls: Server, token: lsp.ProgressToken | None) -> None:
        self.cancelled = False
        self._ls, self._token = ls, token

    def report(self, message: str, percentage: int) -> None:
        if self._token is not None:
            value = lsp.WorkDoneProgressReport(message=message, percentage=percentage, cancellable=True)
            self._ls.work_done_progress.report(self._token, value)

    async def finish(self, work: asyncio.Task[Result]) -> Result | None:
        """Wait for the work; None when the user cancelled it in the client's progress display."""
        if self._token is not None:
            loop = asyncio.get_running_loop()
            wish: Future[None] = self._ls.work_done_progress.tokens[self._token]
            wish.add_done_callback(lambda _: loop.call_soon_threadsafe(self._cancel, work))
        try:
            return await work
        except asyncio.CancelledError:
            if self.cancelled:
                return None
            raise

    def _cancel(self, work: asyncio.Task[Result]) -> None:
        if not work.done():
            self.cancelled = True
            work.cancel()


@asynccontextmanager
async def running(ls: Server, token: lsp.ProgressToken | None, title: str) -> AsyncGenerator[Run]:
    """Begin and end progress around a command."""
    token = await _made(ls) if token is None else token
    progress = ls.work_done_progress
    if token is not None:
        progress.begin(token, lsp.WorkDoneProgressBegin(title=title, percentage=0, cancellable=True))
    run = Run(ls, token)
    try:
        yield run
    finally:
        if token is not None:
            progress.end(token, lsp.WorkDoneProgressEnd(message="cancelled" if run.cancelled else "done"))
            progress.tokens.pop(token, None)


async def _made(ls: Server) -> lsp.ProgressToken | None:
    """A token of the server's own, if the client wants progress that it did not ask for."""
    if not ls.client.progress:
        return None
    token = f"torch-handbook-{uuid.uuid4()}"
    try:
        await ls.work_done_progress.create_async(token)
    except Exception as error:
        logger.warning("the client made no progress display: %r", error)
        return None
    return token
