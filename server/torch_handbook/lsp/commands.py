"""The commands: what a lens, an action or a user runs. Each answers with plain data, and says itself what was wrong."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from torch_handbook.features import benchmark as benchmarks
from torch_handbook.features import errors, model_summary, networks
from torch_handbook.features import explain as explanations
from torch_handbook.features import report as reports
from torch_handbook.features.code_lens import text_of
from torch_handbook.features.plain import plain
from torch_handbook.features.wording import memory_of
from torch_handbook.lsp import arguments, cells, convert
from torch_handbook.lsp import pages as files
from torch_handbook.lsp.progress import Run, running
from torch_handbook.lsp.server import Server, in_background
from torch_handbook.lsp.show import opened, show
from torch_handbook.snapshot import Snapshot

Answer = dict[str, Any]
RESULTS = 20  # of a search


async def benchmark(ls: Server, given: Sequence[Any], token: lsp.ProgressToken | None) -> Answer:
    """Time some lines: `{ok, title, report, summary}`, or `{ok: false, problem, …}`."""
    if not given:
        return _problem(ls, "to time code, choose the benchmark among the code actions at the statement or the selected lines")
    asked = cells.lines(arguments.lines(given), ls.session)
    if asked is None or asked.uri not in ls.session.documents:
        return _problem(ls, "put the cursor into a statement of an open Python file, or select some lines, to benchmark them")
    async with running(ls, token, "Benchmark") as run:
        outcome = await run.finish(asyncio.create_task(_timed(ls, asked, run)))
    if outcome is None:
        return {**_failed("the benchmark was cancelled"), "cancelled": True}
    snapshot, request, result = outcome
    history = ls.session.history
    before = await asyncio.to_thread(reports.earlier, history.last, request, result)
    report = reports.report_of(request, result, before)
    await asyncio.to_thread(history.add, request.path, result)
    if report.ok:
        first, last = result.lines if result.lines[0] else (asked.line, asked.end_line)
        ls.session.summaries(asked.uri)[text_of(snapshot.text, first, last)] = report.summary
        ls.publisher.learned(asked.uri)
    # Who follows the run with a token of their own (our extensions do) shows the report in their own way, too.
    if asked.show and token is None:
        in_background(show(ls, report.title, report.markdown, report.summary))
    problem = {} if report.ok else {"problem": result.problem or result.traceback or report.summary}
    shown = {"report": report.markdown, **_plain(ls, report.markdown)}
    return {"ok": report.ok, "title": report.title, "summary": report.summary, **shown, **problem}


async def _timed(ls: Server, asked: arguments.Lines, run: Run) -> tuple[Snapshot, Any, Any]:
    """The file as it was timed, the worker's request and its result."""
    run.report("looking at the tensors", 0)
    await ls.session.facts_known(asked.uri)
    snapshot = await ls.session.snapshot(asked.uri)
    if snapshot is None:
        raise JsonRpcInvalidParams("the file was closed")
    request = await asyncio.to_thread(benchmarks.request, snapshot, asked.line, asked.end_line, ls.session.folders)
    return snapshot, request, await ls.session.benchmark(request, lambda now: run.report(now.message, now.percentage))


async def summary(ls: Server, given: Sequence[Any], token: lsp.ProgressToken | None) -> Answer:
    """Sum a network up: `{ok, title, report}`, or `{ok: false, problem}`. Without a name or a place: the largest of the file,
    which without a file is the one that was opened last."""
    asked = arguments.network(given or list(ls.session.documents)[-1:])
    if asked is None or asked.uri not in ls.session.documents:
        return _problem(ls, "put the cursor into a network of an open Python file to sum it up", "Summary")
    memory = memory_of(asked.memory or ls.session.settings.memory)
    if memory is None and asked.memory:
        return _problem(ls, f"{asked.memory!r} is not an amount of memory such as 24GiB", "Summary")
    async with running(ls, token, "Summary") as run:
        outcome = await run.finish(asyncio.create_task(_summed(ls, asked)))
    if outcome is None:
        return {**_failed("the summary was cancelled", "Summary"), "cancelled": True}
    page = model_summary.page(outcome, memory or 0)
    if not page.ok:
        return _problem(ls, str(outcome.problem), "Summary")
    if asked.show and token is None:
        in_background(show(ls, page.title, page.markdown, page.gist))
    return {"ok": True, "title": page.title, "report": page.markdown, **_plain(ls, page.markdown)}


async def _summed(ls: Server, asked: arguments.Asked) -> Any:
    """The worker's result."""
    snapshot = await ls.session.snapshot(asked.uri)
    if snapshot is None:
        raise JsonRpcInvalidParams("the file was closed")
    name = asked.name
    if not name and asked.line is not None:
        place = convert.position(snapshot.text, lsp.Position(asked.line, asked.character), ls.client.encoding)
        name = networks.at(snapshot, place) or ""
    return await ls.session.summary(networks.request(snapshot, name, ls.session.folders))


async def page(ls: Server, given: Sequence[Any]) -> Answer:
    """A page of the handbook by its name: `{ok, title, markdown}`."""
    if not given:
        return _untold(ls, "to open a page, go to the declaration of a name, or", "show torch.nn.Linear")
    name = arguments.word(given)
    known = await ls.session.ready()
    found = explanations.page(known.handbook, known.docs, name) if name else None
    if found is None:
        return {"ok": False, "problem": f"there is no page called {name}" if name else "name a page, such as torch.nn.Linear"}
    return _page(ls, found.title, found.markdown)


async def pages(ls: Server) -> Answer:
    """The names of all pages, and of the findings that have one: `{ok, names, rules}`, to complete them and to make links."""
    known = await ls.session.ready()
    return {"ok": True, "names": sorted(known.handbook.names()), "rules": await asyncio.to_thread(explanations.rules)}


async def explain(ls: Server, given: Sequence[Any]) -> Answer:
    """The page of a rule by its id, or that of an error by its message or traceback: `{ok, title, markdown, name}`."""
    if not given:
        return _untold(ls, "to explain an error,", "explain 'MESSAGE'")
    text = arguments.word(given)
    known = await ls.session.ready()
    if not text:
        return {"ok": False, "problem": "name a rule, such as shape-mismatch, or give a message or a traceback"}
    rule = explanations.rule(known.handbook, text)
    if rule:
        return {**_page(ls, rule.title, rule.markdown), "name": text}
    if len(text.split()) == 1:
        return {"ok": False, "problem": f"there is no rule called {text}"}
    folder = str(ls.session.workspace or "")
    found = await asyncio.to_thread(errors.explained, known.handbook, text, folder, known.docs.version)
    if found is None:
        return {"ok": False, "problem": "there is no message in this text"}
    return {**_page(ls, found.title, found.markdown), "name": found.name}


async def search(ls: Server, given: Sequence[Any]) -> Answer:
    """The pages that fit some words, best first: `{ok, results}` with `{name, title, kind, summary}` each."""
    if not given:
        return {**_untold(ls, "to find pages,", "search join along a new axis"), "results": []}
    known = await ls.session.ready()
    hits = await asyncio.to_thread(known.handbook.search, arguments.word(given) or "", RESULTS)
    lines = [known.handbook.lines[hit.name] for hit in hits]
    return {
        "ok": True,
        "results": [{"name": one.name, "title": one.title, "kind": one.kind, "summary": one.summary} for one in lines],
    }


async def open_page(ls: Server, given: Sequence[Any]) -> Answer:
    """Show a page in the editor, by the name of a rule or of torch: `{ok, uri}`. Who cannot show one is told its beginning."""
    answer = await page(ls, given)
    if not answer["ok"]:
        return answer
    known = await ls.session.ready()
    uri = await asyncio.to_thread(files.address, known, str(arguments.word(given)), ls.client)
    if uri is None or not ls.client.shows_documents:
        ls.say("info", "\n\n".join(answer["markdown"].split("\n\n")[:4]))
    else:
        in_background(opened(ls, uri))
    return {**answer, "uri": uri}


def status(ls: Server) -> Answer:
    """What someone who looks for a problem wants to know; `torch_imported` is always false."""
    return {
        **ls.session.status(),
        "version": ls.version,
        "encoding": ls.client.encoding,
        "pulls": ls.client.pulls,
        "errors": ls.errors,
        "torch_imported": "torch" in sys.modules,
    }


def _page(ls: Server, title: str, markdown: str) -> Answer:
    return {"ok": True, "title": title, "markdown": markdown, **_plain(ls, markdown)}


def _plain(ls: Server, markdown: str) -> Answer:
    """The words alone, for a client that announced to show no Markdown."""
    return {} if ls.client.markdown_hover else {"plain": plain(markdown)}


def _untold(ls: Server, advice: str, command: str) -> Answer:
    """Some editors' lists of commands send no arguments, so the user is told how else to say it, in a line as short as theirs."""
    return _problem(ls, f"{advice} say in a terminal: torch-handbook {command}")


def _problem(ls: Server, sentence: str, title: str = "Benchmark") -> Answer:
    ls.say("info", sentence)
    return _failed(sentence, title)


def _failed(sentence: str, title: str = "Benchmark") -> Answer:
    return {"ok": False, "problem": sentence, "title": title, "report": "", "summary": sentence}
