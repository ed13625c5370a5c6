"""Open files, the worker, what was loaded: all the state there is between requests, and all the input and output."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_data_path
from torch_handbook_worker.protocol import BenchmarkRequest, BenchmarkResult, Progress, SummaryRequest, SummaryResult

from torch_handbook.document import Document
from torch_handbook.engine.facts import Facts
from torch_handbook.interpretation import Interpretation
from torch_handbook.jedi_client import JediClient, Question
from torch_handbook.knowledge import Knowledge, write_docs
from torch_handbook.open_notebook import OpenNotebook
from torch_handbook.rulebook import Baseline, settings_for, unknown_rules
from torch_handbook.settings import Selected, Settings, load, selected
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, Text
from torch_handbook.worker_client import WorkerClient, WorkerError
from torch_handbook.workspace import Workspace

if TYPE_CHECKING:
    from torch_handbook.history import History

logger = logging.getLogger(__name__)

PAUSE, LEAST = 0.3, 0.05  # seconds without typing, after which the worker is asked: as long as it takes itself, within these
QUIET = 10.0  # seconds after the start in which the machine is left to the worker, which imports torch
FIRST = 0.05  # seconds for what waited to be answered, before a worker is started
PATIENCE = 5.0  # seconds that a request waits for the docs at the start, at most
FACTS_SECONDS = 30.0
UNTRUSTED = "this workspace is not trusted, so nothing in it is run"
JEDI_SECONDS = 0.15  # what a hover on a name that nothing else knows may wait; what comes later is shown by the next one


class Session:
    """One client's session. `learned` is called with the URI of a file when the worker is through with it, or will not come,
    `say` with a severity ("info", "warning", "error") and a sentence for the user, `changed` when `status` may be another."""

    def __init__(
        self, learned: Callable[[str], None], say: Callable[[str, str], None], changed: Callable[[], None] = lambda: None
    ) -> None:
        self.documents: dict[str, Document] = {}  # of a notebook, one for all its cells
        self.notebooks: dict[str, OpenNotebook] = {}
        self.folders: list[str] = []
        self.locale = ""  # the editor's language
        self.settings = Settings()
        self.selected = Selected()
        self.knowledge = Knowledge.empty()
        self.interpretation = Interpretation(lambda document: learned(document.uri), self.say_once, changed)
        self._surroundings = Workspace()
        self._client_settings: Mapping[str, Any] = {}
        self._said: set[str] = set()
        self._say, self._learned, self._changed = say, learned, changed
        self._loading: asyncio.Task[None] | None = None
        self._loaded = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None
        self._jedi = JediClient()
        self._baseline = Baseline(self.say_once)

    @cached_property
    def history(self) -> History:
        """The benchmarks that were run before."""
        from torch_handbook.history import History

        return History(user_data_path("torch-handbook", appauthor=False) / "benchmarks.sqlite")

    # What the user is told

    def say_once(self, severity: str, sentence: str) -> None:
        """Tell the user, unless the same was said before."""
        logger.warning("%s", sentence)
        if sentence not in self._said:
            self._said.add(sentence)
            self._say(severity, sentence)

    # Settings and what is loaded

    @property
    def surroundings(self) -> Workspace:
        """The modules that open files can import: those of the workspace's folders, as they are in the editor or on the disk."""
        if self._surroundings.folders != tuple(self.folders):
            self._surroundings = Workspace(tuple(self.folders), self._text_at)
        return self._surroundings

    def _text_at(self, path: str) -> str | None:
        return next((one.text.content for one in list(self.documents.values()) if one.real_path == path), None)

    @property
    def workspace(self) -> Path | None:
        return Path(self.folders[0]) if self.folders else None

    def configure(self, client: Mapping[str, Any]) -> None:
        """Take the client's settings, over those of pyproject.toml. What is wrong in them is said once, and left out."""
        before = self._loaded_with
        self._client_settings = client
        self.settings, problems = load(self.workspace, client)
        self.selected = selected(client)
        for problem in [*problems, *unknown_rules(self.workspace, client)]:
            self.say_once("warning", problem)
        for document in self.documents.values():
            document.snapshot = None
        if self._loading and self._loaded_with != before:
            self.load()

    @property
    def _loaded_with(self) -> tuple[object, ...]:
        """The settings that decide what is loaded."""
        return self.settings.python, self.settings.facts, self.settings.libraries, self.settings.locale, self.selected

    def reconfigure(self) -> None:
        """Read pyproject.toml again."""
        self.configure(self._client_settings)

    def move(self, added: list[str], removed: list[str]) -> None:
        """The workspace has other folders: settings and interpreter may be others, too."""
        self.folders = [*(folder for folder in self.folders if folder not in removed), *added]
        self.reconfigure()
        self.load()

    def load(self) -> asyncio.Task[None]:
        """Start finding the user's Python and reading its torch, in the background."""
        self._cancel_loading()
        self._loading = asyncio.create_task(self._load())
        return self._loading

    def _cancel_loading(self) -> None:
        for task in (self._loading, self._writing):
            if task:
                task.cancel()

    async def ready(self) -> Knowledge:
        """What is known; waits for it at the start, but not for ever."""
        if not self._loaded.is_set():
            try:
                await asyncio.wait_for(self._loaded.wait(), PATIENCE)
            except asyncio.TimeoutError:
                if self._loading is None:  # a client that never said `initialized`
                    self.load()
        return self.knowledge

    async def _load(self) -> None:
        try:
            self.knowledge = await asyncio.to_thread(
                Knowledge.of, self.settings, self.workspace, self.locale, self.selected.python
            )
        except Exception:
            logger.exception("the handbook could not be loaded")
        self._loaded.set()
        await asyncio.sleep(FIRST)
        gc.freeze()  # what is loaded now stays: looking through it again and again would hold up answers
        gc.enable()
        await self._use_worker()
        for document in self.documents.values():
            was_shown = document.snapshot is not None
            document.forget()
            self._look_at(document, 0)
            if was_shown or self.interpretation.worker is None:
                self._learned(document.uri)
        self._writing = asyncio.create_task(self._write_docs())
        self._changed()
        await asyncio.to_thread(self.knowledge.look_ahead)

    async def _write_docs(self) -> None:
        """Later starts read torch's docs from a file that is written now, once there is nothing more urgent."""
        await asyncio.sleep(QUIET)
        if (found := self.knowledge.interpreter) and found.torch_path:
            await write_docs(found)
            self.knowledge = self.knowledge.reopened()
            for document in self.documents.values():
                document.snapshot = None

    async def _use_worker(self) -> None:
        python = self.knowledge.python if self.settings.facts and self.selected.trusted else None
        await self.interpretation.use(WorkerClient(python) if python else None, self.folders, self.settings.libraries)

    # Files

    def open(self, uri: str, path: str, version: int | None, text: str) -> Document:
        """A file was opened."""
        document = self.documents[uri] = Document(uri, path, version, Text(text), self.surroundings)
        self._spread(document)
        self._look_at(document, 0)
        return document

    def change(self, uri: str, version: int | None, text: Text) -> None:
        """An open file has a newer text."""
        if document := self.documents.get(uri):
            document.change(text, version)
            self._spread(document)
            self._look_at(document, min(max(document.result.seconds, LEAST), PAUSE) if document.result else PAUSE)

    def _spread(self, changed: Document) -> None:
        """What other open files took from one that has changed is not known any more."""
        affected = self.surroundings.forget(changed.real_path)
        for document in self.documents.values():
            if document is not changed:
                document.lose(affected)

    def close(self, uri: str) -> None:
        """A file was closed: nothing of it is kept."""
        self.notebooks.pop(uri, None)
        if closed := self.documents.pop(uri, None):
            self._spread(closed)
        self.interpretation.drop(uri)

    def keep(self, notebook: OpenNotebook) -> None:
        """A notebook was opened or has changed: its cells are one file to everything else."""
        known = self.notebooks.get(notebook.uri)
        self.notebooks[notebook.uri] = notebook
        content = notebook.joined.content
        if known is None:
            self.open(notebook.uri, notebook.path, notebook.version, content)
        else:
            self.change(notebook.uri, notebook.version, Text(content))

    def notebook_of(self, cell: str) -> tuple[OpenNotebook, int] | None:
        """The open notebook that a cell is in, and the cell's place in it."""
        for notebook in self.notebooks.values():
            if (index := notebook.index(cell)) is not None:
                return notebook, index
        return None

    async def snapshot(self, uri: str) -> Snapshot | None:
        """The file as it is now with all that is known of it, or None for one that is not open."""
        document = self.documents.get(uri)
        if document is None:
            return None
        knowledge = await self.ready()
        if document.is_large and not document.is_read():
            # One thread at a time: who waited finds the newest text parsed, and those in between are passed over.
            async with document.reading:
                if not document.is_read():
                    await asyncio.to_thread(document.read_whole)
        return self._snapshot(document, knowledge)

    def before_edits(self, uri: str) -> tuple[Snapshot, Text] | None:
        """A file as it was when it was last parsed, and its newest text; None where that is parsed, or nothing ever was."""
        document, known = self.documents.get(uri), self.knowledge
        if document is None or document.file is None or document.is_read() or not self._loaded.is_set():
            return None
        parts = known.handbook, known.docs, self.settings, uri
        return Snapshot(document.file, None, Facts.none(), *parts, lasting=known.lasting), document.text

    def _snapshot(self, document: Document, knowledge: Knowledge) -> Snapshot:
        if document.snapshot is None:
            if document.file and self.surroundings.has_moved_on(document.file):
                document.file = document.file.afresh()
            document.snapshot = Snapshot(
                document.read(),
                document.version,
                document.facts(),
                knowledge.handbook,
                knowledge.docs,
                settings_for(document.path, self.settings, self.workspace),
                document.uri,
                self._baseline.known(document.path, self.settings, self.workspace),
                lasting=knowledge.lasting,
            )
        return document.snapshot

    def summaries(self, uri: str) -> dict[str, str]:
        """What the last benchmarks of a file came to, by the text of the lines that were timed, which survives other edits."""
        document = self.documents.get(uri)
        return document.summaries if document else {}

    def _look_at(self, document: Document, pause: float) -> None:
        """Ask the worker about a file, and say what is missing; not for someone who edits something else than torch."""
        if not document.speaks_of_torch():
            return
        for problem in self.knowledge.problems:
            self.say_once("warning", problem)
        if self.settings.facts and document.text.line_count <= self.settings.max_lines:
            self.interpretation.ask(document, pause)

    # What takes time

    async def infer(self, snapshot: Snapshot, position: Position) -> str | None:
        """What jedi says a name is, if it says so within its deadline or has said it before."""
        content, path, python = snapshot.text.content, snapshot.file.path, self.knowledge.python
        if python is None or not self.selected.trusted:  # without torch there is nothing to find, and jedi starts that Python
            return None
        return await self._jedi.name_at(Question(content, path, position, python), JEDI_SECONDS)

    async def benchmark(self, request: BenchmarkRequest, on_progress: Callable[[Progress], None]) -> BenchmarkResult:
        """Run a snippet in a process of its own; cancelling this ends the process."""
        await self.ready()
        if not self.selected.trusted:
            return BenchmarkResult(problem=UNTRUSTED)
        if self.knowledge.python is None:
            return BenchmarkResult(problem=" ".join(self.knowledge.problems) or "no Python with torch was found")
        try:
            return await WorkerClient(self.knowledge.python).benchmark(request, on_progress)
        except WorkerError as error:
            return BenchmarkResult(problem=str(error), traceback=error.stderr or None)

    async def summary(self, request: SummaryRequest) -> SummaryResult:
        """The figures of a network, from the worker that looks at the files, too."""
        await self.ready()
        if self._loading:
            await asyncio.wait([self._loading], timeout=FACTS_SECONDS)
        worker = self.interpretation.worker
        if worker is None:
            off = "" if self.settings.facts else "`facts` is off in the settings"
            off = off if self.selected.trusted else UNTRUSTED
            return SummaryResult(problem=off or " ".join(self.knowledge.problems) or "no Python with torch was found")
        try:
            return await worker.summary(request)
        except WorkerError as error:
            return SummaryResult(problem=str(error))

    async def facts_known(self, uri: str, seconds: float = FACTS_SECONDS) -> None:
        """Wait for the worker's word on a file, for a while: without it a benchmark does not know the shapes of what comes into a
        function, and there are no hints."""
        await self.ready()
        if self._loading:
            await asyncio.wait([self._loading], timeout=seconds)
        try:
            await asyncio.wait_for(self.interpretation.through(uri), seconds)
        except asyncio.TimeoutError:
            logger.info("going on without facts about %s", uri)

    async def restart(self) -> None:
        """Look for the interpreter again and start a new worker; what was said once may be said again."""
        self._said.clear()
        await self.load()

    async def stop(self) -> None:
        """End the worker."""
        self._cancel_loading()
        await self._jedi.stop()
        await self.interpretation.stop()

    def status(self) -> dict[str, Any]:
        """What someone who looks for a problem wants to know."""
        found = self.knowledge.interpreter
        shortcomings = [document.shortcoming() for document in self.documents.values()]
        return {
            "process": os.getpid(),
            "workspace": self.folders,
            "python": found.path if found else None,
            "how": found.how if found else None,
            "torch": self.knowledge.docs.version,
            "trusted": self.selected.trusted,
            **self.interpretation.status(),
            "problems": [*self.knowledge.problems, *filter(None, [self.interpretation.problem, *shortcomings])],
            "files": len(self.documents),
            "idle": bool(self._loading and self._loading.done()) and self.interpretation.idle(),
        }
