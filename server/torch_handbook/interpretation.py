"""Keeps asking the worker about files that changed: after a pause in typing, the latest first, one at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from torch_handbook_worker.protocol import InterpretRequest, InterpretResult

from torch_handbook.document import Document
from torch_handbook.source.text import Text
from torch_handbook.worker_client import WorkerClient
from torch_handbook.worker_error import (
    WorkerDied,
    WorkerError,
    WorkerFailed,
    WorkerHangs,
    WorkerMissing,
    WorkerPaused,
    WorkerTimeout,
)

logger = logging.getLogger(__name__)

SECONDS = 2.0  # that a look at a file may take; what was found until then is used
FIRST_SECONDS = 8.0  # the same where the worker has not seen the file yet, and remembers nothing of it


class Interpretation:
    """The queue of files to look at, and the worker that looks."""

    def __init__(
        self,
        learned: Callable[[Document], None],
        say: Callable[[str, str], None],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.worker: WorkerClient | None = None
        self.roots: list[str] = []
        self.libraries: list[str] = []
        self.problem: str | None = None  # why torch cannot be imported, in its own words
        self._learned, self._say, self._changed = learned, say, changed
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._retries: dict[str, asyncio.TimerHandle] = {}  # for when the worker may be started again
        self._due: dict[str, Document] = {}
        self._wake = asyncio.Event()
        self._round = asyncio.Event()  # set when one document is done, and then replaced
        self._task: asyncio.Task[None] | None = None
        self._busy: Document | None = None

    async def use(self, worker: WorkerClient | None, roots: list[str], libraries: Sequence[str] = ()) -> None:
        """Ask this worker from now on, and end the one before; what is in `libraries` it may import."""
        before, self.worker, self.roots, self.problem = self.worker, worker, roots, None
        self.libraries = [*libraries]
        if before:
            await before.stop()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def ask(self, document: Document, pause: float) -> None:
        """Look at a document when it has been left alone for `pause` seconds."""
        self.drop(document.uri)
        self._timers[document.uri] = asyncio.get_running_loop().call_later(pause, self._ripe, document)

    def drop(self, uri: str) -> None:
        """Do not look at it any more."""
        for timers in (self._timers, self._retries):
            if timer := timers.pop(uri, None):
                timer.cancel()
        self._due.pop(uri, None)

    def _ask_again(self, document: Document, seconds: float) -> None:
        if document.uri in self._timers or document.uri in self._due:  # it was edited meanwhile
            return
        self._retries[document.uri] = asyncio.get_running_loop().call_later(seconds + 0.1, self._ripe, document)

    def status(self) -> dict[str, str | None]:
        """How the worker is, in a word, and the device that torch finds: "cpu", "cuda", "2 × cuda", "mps"."""
        worker = self.worker
        ready = worker.ready if worker else None
        if worker is None:
            state = "off"
        elif self.problem:
            state = "failed"
        elif self._busy is None and worker.running is None:
            state = "stopped" if worker.deaths else "waiting"  # for a file that speaks of torch
        else:
            state = "ready" if worker.running and ready else "starting"
        return {"worker": state, "device": ready.device if ready and not ready.problem else None}

    def idle(self) -> bool:
        """Whether nothing is being looked at or waits for it."""
        return not (self._timers or self._due or self._busy)

    async def through(self, uri: str) -> None:
        """Wait until a document that is to be looked at has been."""
        while uri in self._timers or uri in self._due or (self._busy and self._busy.uri == uri):
            await self._round.wait()

    async def stop(self) -> None:
        """Stop asking, and end the worker."""
        for uri in [*self._timers, *self._retries]:
            self.drop(uri)
        if self._task:
            self._task.cancel()
            self._task = None
        if self.worker:
            await self.worker.stop()

    def _ripe(self, document: Document) -> None:
        self._timers.pop(document.uri, None)
        self._retries.pop(document.uri, None)
        self._due[document.uri] = document
        self._wake.set()

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            if not self._due:
                self._wake.clear()
                continue
            _, self._busy = self._due.popitem()
            try:
                self._changed()
                await self._interpret(self._busy)
            except Exception:
                logger.exception("the worker could not be asked about %s", self._busy.path)
            self._busy = None
            self._changed()
            self._round.set()
            self._round = asyncio.Event()

    async def _interpret(self, document: Document) -> None:
        worker, text = self.worker, document.text
        if worker is None or self.problem or document.fatal == text:
            return
        try:
            seconds = SECONDS if document.result else FIRST_SECONDS
            result = await worker.interpret(
                InterpretRequest(document.path, document.parsable(), self.roots, seconds, libraries=self.libraries, again=True)
            )
        except WorkerPaused as error:
            logger.warning("%s: %s", document.path, error)
            if worker is self.worker:
                self._ask_again(document, error.seconds)
            return
        except WorkerError as error:
            if worker is not self.worker:
                return
            # Whoever killed it need not have meant this file, and of a text that is no longer there is nothing to be said.
            if isinstance(error, WorkerDied) and (document.died != text or document.text != text):
                document.died = text
                logger.warning("%s: %s; it is asked once more\n%s", document.path, error, error.stderr)
                self._ask_again(document, 0)
            else:
                self._give_up(document, text, error)
            return
        if worker is self.worker:
            await self._keep(document, result, text, worker)

    def _give_up(self, document: Document, text: Text, error: WorkerError) -> None:
        document.fatal = text
        self._explain(document, error)
        self._learned(document)

    async def _keep(self, document: Document, result: InterpretResult, text: Text, worker: WorkerClient) -> None:
        if worker.ready and worker.ready.problem:
            self.problem = worker.ready.problem
            self._say("warning", f"torch cannot be imported, so there are no shapes and no benchmarks: {self.problem}")
        elif result.problem:  # this file was too much for the worker, which may not be sound any more
            logger.warning("%s: the worker failed: %s", document.path, result.problem)
            document.fatal = text
            await worker.stop()
        else:
            document.learn(result, text)
        self._learned(document)

    def _explain(self, document: Document, error: WorkerError) -> None:
        """Log it, and tell the user what concerns them: a file that takes too long or a bug of ours does not stop their work."""
        logger.warning("%s: %s\n%s", document.path, error, error.stderr)
        about_the_file = isinstance(error, (WorkerTimeout, WorkerFailed)) and not isinstance(error, WorkerHangs)
        if about_the_file:
            return
        again = "" if isinstance(error, WorkerMissing) else " It starts again at your next edit."
        self._say("warning", f"the process that finds tensor shapes stopped: {error}.{again}")
