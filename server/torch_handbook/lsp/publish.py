"""When diagnostics are sent: at once for a file just opened, after a pause in typing, and when the worker has said more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from torch_handbook.lsp import cells, reply
from torch_handbook.lsp.server import Server, in_background
from torch_handbook.snapshot import Snapshot

if TYPE_CHECKING:
    from torch_handbook.features.diagnostics import Diagnostic

logger = logging.getLogger(__name__)

STATUS = "torch-handbook/status"  # a notification, for who announced that it wants it
PAUSE = 0.15  # seconds without an edit


class Publisher:
    """Pushes diagnostics, and asks the client to look again at what it fetches itself."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._words: dict[str, asyncio.TimerHandle] = {}  # for when a word that is being typed counts as finished
        self._locks: dict[str, asyncio.Lock] = {}
        self._status: dict[str, Any] = {}  # as it was last told

    def open(self, uri: str) -> None:
        self._later(uri, 0)

    def edit(self, uri: str) -> None:
        self._later(uri, PAUSE)

    def close(self, uri: str) -> None:
        """Take back what was said about a file: nobody would update it."""
        self._cancel(uri, self._timers)
        self._cancel(uri, self._words)
        self._locks.pop(uri, None)
        notebook = self._server.session.notebooks.get(uri)
        self.clear([cell.uri for cell in notebook.cells] if notebook else [uri])

    def clear(self, uris: Iterable[str]) -> None:
        """Take back what was said."""
        for uri in () if self._server.client.pulls else uris:
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def all(self) -> None:
        """Everything may have changed: settings, the interpreter."""
        for uri in self._server.session.documents:
            self.learned(uri)

    def learned(self, uri: str) -> None:
        """There are new facts about a file. While its text is being edited the timer will see to it."""
        if uri not in self._timers:
            self._later(uri, 0)
        self._later("", 0.02)  # one refresh for all files that this concerns

    def status_changed(self) -> None:
        """Tell a client that follows the status what it is now, if it is another."""
        if self._server.client.follows_status:
            status = {**self._server.session.status(), "version": self._server.version}
            if status != self._status:
                self._status = status
                self._server.protocol.notify(STATUS, status)

    def _later(self, uri: str, pause: float) -> None:
        self._cancel(uri, self._timers)
        self._timers[uri] = asyncio.get_running_loop().call_later(pause, self._ripe, uri)

    def _cancel(self, uri: str, timers: dict[str, asyncio.TimerHandle]) -> None:
        if timer := timers.pop(uri, None):
            timer.cancel()

    def _ripe(self, uri: str) -> None:
        self._timers.pop(uri, None)
        if not uri:
            in_background(self._refresh())
        elif not self._server.client.pulls:
            in_background(self._push(uri))

    async def _push(self, uri: str) -> None:
        """Diagnose in a thread, so that typing goes on, and say nothing about a text that has changed meanwhile."""
        async with self._locks.setdefault(uri, asyncio.Lock()):
            await self._server.calm()
            from torch_handbook.features.diagnostics import diagnose  # with all the rules

            snapshot = await self._server.session.snapshot(uri)
            if snapshot is None:
                return
            found = await asyncio.to_thread(diagnose, snapshot)
            document = self._server.session.documents.get(uri)
            if document and document.version == snapshot.version:
                shown = self.finished(found, snapshot)
                self._send(reply.diagnostics(shown, snapshot, self._server.client), snapshot)

    def finished(self, found: list[Diagnostic], snapshot: Snapshot) -> list[Diagnostic]:
        """What was found, and later also what is said of the word that is being typed: nobody tells where the cursor is, so
        that the word counts as finished when for a while nothing was typed, or something elsewhere."""
        document = self._server.session.documents.get(snapshot.uri)
        typed = document.typed() if document and document.text == snapshot.text else None
        if typed is None:
            return found
        from torch_handbook.features.diagnostics import finished

        shown = finished(found, snapshot.text, typed[0])
        if len(shown) < len(found):
            self._cancel(snapshot.uri, self._words)
            self._words[snapshot.uri] = asyncio.get_running_loop().call_later(typed[1], self._word_ends, snapshot.uri)
        return shown

    def _word_ends(self, uri: str) -> None:
        self._words.pop(uri, None)
        self.learned(uri)

    def _send(self, rows: list[lsp.Diagnostic], snapshot: Snapshot) -> None:
        """Send what was found in a file, or to each cell of a notebook what was found in it."""
        notebook = self._server.session.notebooks.get(snapshot.uri)
        if notebook is None:
            parts = [lsp.PublishDiagnosticsParams(snapshot.uri, rows, snapshot.version)]
        else:
            parts = [
                lsp.PublishDiagnosticsParams(cell.uri, cells.outward(rows, notebook, index), cell.version)
                for index, cell in enumerate(notebook.cells)
            ]
        for part in parts:
            self._server.text_document_publish_diagnostics(part)

    async def _refresh(self) -> None:
        ls, client = self._server, self._server.client
        asked = [
            *([ls.workspace_inlay_hint_refresh_async(None)] if client.refreshes_hints else []),
            *([ls.workspace_code_lens_refresh_async(None)] if client.refreshes_lenses else []),
            *([ls.workspace_diagnostic_refresh_async(None)] if client.pulls and client.refreshes_diagnostics else []),
        ]
        for answer in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(answer, Exception):
                logger.info("the client did not refresh: %r", answer)
