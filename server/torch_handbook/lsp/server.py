"""The server: it answers `initialize` at once, loads the rest behind that, and hands each message to its handler."""

# pygls leaves parts of its own signatures open.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from torch_handbook.lsp import capabilities, convert, workspace
from torch_handbook.lsp.methods import COMMANDS, NOTEBOOKS, NOTIFICATIONS, PULLED, REQUESTS
from torch_handbook.lsp.protocol import Protocol, Written
from torch_handbook.version import __version__

if TYPE_CHECKING:
    from torch_handbook.features.offers import Item
    from torch_handbook.lsp.publish import Publisher
    from torch_handbook.session import Session
    from torch_handbook.snapshot import Snapshot
    from torch_handbook.source.text import Position

logger = logging.getLogger(__name__)

LISTS = 64  # of offers that are kept
CALM = 2.0  # seconds
BETWEEN = 0.02  # seconds from one request to the next of an editor that has several
SEVERITIES = {"error": lsp.MessageType.Error, "warning": lsp.MessageType.Warning, "info": lsp.MessageType.Info}


class Server(LanguageServer):
    """What a handler is given: the session, what the client can do, and a way to talk to it."""

    def __init__(self) -> None:
        super().__init__("torch-handbook", __version__, protocol_cls=Protocol, notebook_document_sync=NOTEBOOKS)
        self.client = capabilities.Client()
        self.folders: list[str] = []
        self.locale = ""
        self.options: Mapping[str, Any] = {}
        self.errors = 0
        self._lists: dict[int, tuple[Sequence[Item], Written]] = {}
        self.asked = 0  # requests that wait for their answers
        self.answered = 0.0  # when the last one got it
        self.feature(lsp.INITIALIZE)(self._beginning())
        for method, options in REQUESTS.items():
            self.feature(method, options)(self._answering(method))
        for method in NOTIFICATIONS:
            self.feature(method)(self._noting(method))
        for name in COMMANDS:
            self.command(name)(self._running(name))

    def _beginning(self) -> Callable[[lsp.InitializeParams], None]:
        """Takes what the client says of itself."""

        def begin(params: lsp.InitializeParams) -> None:
            self.client = capabilities.read(params.capabilities)
            self.folders = workspace.folders(params)
            self.locale = params.locale or ""
            self.options = workspace.section(params.initialization_options)
            for method, options in PULLED.items() if self.client.pulls else ():
                self.feature(method, options)(self._answering(method))

        return begin

    @cached_property
    def handlers(self) -> Mapping[str, Callable[..., Any]]:
        """The function of each method and command; with them everything that they need is loaded."""
        from torch_handbook.lsp.handlers import HANDLERS

        return HANDLERS

    @cached_property
    def session(self) -> Session:
        from torch_handbook.session import Session

        session = Session(lambda uri: self.publisher.learned(uri), self.say, lambda: self.publisher.status_changed())
        session.folders, session.locale = self.folders, self.locale
        session.configure(self.options)
        return session

    @cached_property
    def publisher(self) -> Publisher:
        from torch_handbook.lsp.publish import Publisher

        return Publisher(self)

    def _answering(self, method: str) -> Callable[[Any], Awaitable[Any]]:
        """Answers a request. When its handler fails, that is logged and the answer is empty: an editor would show an error
        at every movement of the cursor, and the next request may well succeed."""

        async def answer(params: Any) -> Any:
            self.asked += 1
            try:
                return await self._answer(method, params)
            except Exception:
                self.errors += 1
                logger.exception("%s failed", method)
                return params if method == lsp.COMPLETION_ITEM_RESOLVE else None
            finally:
                self.asked -= 1
                self.answered = time.monotonic()

        return answer

    async def _answer(self, method: str, params: Any) -> Any:
        """To the handlers a notebook is one file: what is asked about a cell is asked about the lines that it has there."""
        uri = getattr(getattr(params, "text_document", None), "uri", None)
        found = self.session.notebook_of(uri) if isinstance(uri, str) and self.session.notebooks else None
        if found is None:
            return await self.handlers[method](self, params)
        from torch_handbook.lsp import cells

        answer = await self.handlers[method](self, cells.inward(params, *found))
        return cells.outward(answer, *found)

    def _noting(self, method: str) -> Callable[[Any], None]:
        """Takes a notification, in the order in which they come."""

        def note(params: Any) -> None:
            work = self.handlers[method](self, params)
            if asyncio.iscoroutine(work):
                in_background(work)

        return note

    def _running(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def run(arguments: list[Any], token: lsp.ProgressToken | None) -> Any:
            return await self.handlers[name](self, arguments, token)

        return run

    async def calm(self) -> None:
        """Wait until nobody waits for an answer, a while at most: what nobody waits for comes after it."""
        end = time.monotonic() + CALM
        while (self.asked or time.monotonic() - self.answered < BETWEEN) and time.monotonic() < end:
            await asyncio.sleep(BETWEEN)

    @contextmanager
    def waiting(self) -> Generator[None]:
        """While a request waits for the worker nothing else need be held back for its answer."""
        self.asked -= 1
        try:
            yield
        finally:
            self.asked += 1

    async def look(self, uri: str, place: lsp.Position) -> tuple[Snapshot, Position] | None:
        """The file that a request is about, and the place in it."""
        snapshot = await self.session.snapshot(uri)
        return (snapshot, convert.position(snapshot.text, place, self.client.encoding)) if snapshot else None

    def completions(self, items: Sequence[Item]) -> Written:
        """A list of offers as JSON, which is kept: the thousand of `torch.` are the same each time."""
        kept = self._lists.get(id(items))
        if kept is None or kept[0] is not items:
            from torch_handbook.lsp import reply

            kept = items, cast("Protocol", self.protocol).written(reply.completions(items, self.client))
            if len(self._lists) > LISTS:
                self._lists.clear()
            self._lists[id(items)] = kept
        return kept[1]

    def say(self, severity: str, sentence: str) -> None:
        """Show a sentence to the user."""
        self.window_show_message(lsp.ShowMessageParams(SEVERITIES[severity], f"Torch Handbook: {sentence}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what went wrong outside of any answer. pygls would open a window for each."""
        self.errors += 1
        logger.error("%s: %s", getattr(source, "__name__", source), error)


def serve(address: tuple[str, int] | None = None) -> None:
    """Serve one client over standard input and output, or over TCP."""
    server = Server()
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
