"""The server: a session, the client's abilities, and the loop that joins them."""

# pygls leaves parts of its own signatures open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from torch_handbook.features.diagnostics import diagnose
from torch_handbook.lsp import convert
from torch_handbook.lsp.capabilities import Client
from torch_handbook.lsp.protocol import Protocol
from torch_handbook.session import Session
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position
from torch_handbook.version import __version__

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")
Handler = Callable[..., Awaitable[Answer]]

SEVERITIES = {"error": lsp.MessageType.Error, "warning": lsp.MessageType.Warning, "info": lsp.MessageType.Info}


class Server(LanguageServer):
    """What a handler is given: the session, what the client can do, and a way to talk to it."""

    def __init__(self) -> None:
        super().__init__("torch-handbook", __version__, protocol_cls=Protocol)
        self.client = Client()
        self.session = Session(self.learned, self.say)
        self.learned_listeners: list[Callable[[str], None]] = []
        self.errors = 0

    def answers(self, method: str, options: Any = None) -> Callable[[Handler[Answer]], Handler[Answer | None]]:
        """Register a handler. When it fails the failure is logged and the client gets an empty answer: an editor would
        show an error at every movement of the cursor, and the next request may well succeed."""

        def register(handler: Handler[Answer]) -> Handler[Answer | None]:
            @functools.wraps(handler)
            async def safe(ls: Server, *arguments: Any) -> Answer | None:
                try:
                    return await handler(ls, *arguments)
                except Exception:
                    ls.errors += 1
                    logger.exception("%s failed", method)
                    return None

            self.feature(method, options)(safe)
            return safe

        return register

    async def diagnosed(self, uri: str) -> Snapshot | None:
        """The file that a request is about, with its diagnostics computed, in a thread so that typing goes on."""
        snapshot = await self.session.snapshot(uri)
        if snapshot:
            await asyncio.to_thread(diagnose, snapshot)
        return snapshot

    async def look(self, uri: str, place: lsp.Position) -> tuple[Snapshot, Position] | None:
        """The file that a request is about, and the place in it."""
        snapshot = await self.session.snapshot(uri)
        return (snapshot, convert.position(snapshot.text, place, self.client.encoding)) if snapshot else None

    def say(self, severity: str, sentence: str) -> None:
        """Show a sentence to the user."""
        self.window_show_message(lsp.ShowMessageParams(SEVERITIES[severity], f"Torch Handbook: {sentence}"))

    def learned(self, uri: str) -> None:
        """The worker has said something new about a file."""
        for listener in self.learned_listeners:
            listener(uri)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what went wrong outside of any answer. pygls would open a window for each."""
        self.errors += 1
        logger.error("%s: %s", getattr(source, "__name__", source), error)


def serve(server: Server, address: tuple[str, int] | None = None) -> None:
    """Serve one client over standard input and output, or over TCP."""
    if address:
        server.start_tcp(*address)
    else:
        server.start_io()


def in_background(work: Awaitable[Any]) -> asyncio.Task[Any]:
    """Run without anyone waiting; a failure is logged."""

    async def safe() -> Any:
        try:
            return await work
        except Exception:
            logger.exception("work in the background failed")

    return asyncio.get_running_loop().create_task(safe())
