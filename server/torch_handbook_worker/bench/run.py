"""Runs one benchmark from the file's text to its figures."""

from __future__ import annotations

import ast
import copy
import importlib
import io
import sys
import time
import types
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence, Tuple

from torch_handbook_worker.bench import display, failure, program, selection, timer, values
from torch_handbook_worker.bench.equality import compare
from torch_handbook_worker.bench.inputs import Inputs, part_of
from torch_handbook_worker.bench.machine import this_machine, uses_cuda
from torch_handbook_worker.bench.selection import Selection, Unusable
from torch_handbook_worker.protocol import BenchmarkRequest, BenchmarkResult, Machine, Timing

Say = Callable[[str, int], None]
MARGIN = 2.0  # seconds kept for the report, before the server's limit strikes


class Finished(BaseException):
    """Leaves the user's blocks once all is measured; no `except Exception` of theirs holds it up."""


class Silence(io.TextIOBase):
    """Takes what the snippet prints, and counts it."""

    def __init__(self) -> None:
        self.characters = 0

    def write(self, text: str) -> int:
        self.characters += len(text)
        return len(text)


class Run:
    """One benchmark while it runs."""

    def __init__(self, request: BenchmarkRequest, say: Say) -> None:
        self.request = request
        self.say = say
        self.deadline = time.monotonic() + request.seconds - MARGIN
        self.inputs = Inputs(request.inputs)
        self.timings: List[Timing] = []
        self.equality: Tuple[Optional[bool], Optional[float]] = (None, None)
        self.agreement: Tuple[Optional[float], Optional[float]] = (None, None)
        self.error: Optional[BaseException] = None
        self.problem: Optional[str] = None
        self.notes: List[str] = []
        self.silence = Silence()
        self.codes: List[str] = []
        self.threads: Optional[int] = None
        self.cuda: Optional[bool] = None

    def measure(self, timed: timer.Snippet, other: Optional[timer.Snippet] = None) -> None:
        """Called by the program where the selection stands: everything around it is in force."""
        try:
            self.measured(timed, other)
        except Exception as error:
            self.error = error
        raise Finished

    def measured(self, timed: timer.Snippet, other: Optional[timer.Snippet]) -> None:
        self.say("warming up", 25)
        left = self.first_runs(timed)
        self.cuda = uses_cuda()
        functions = [(self.title(0), self.codes[0], timed, left[1])]
        if other is not None:
            self.say("comparing the results", 32)
            right = self.first_runs(other)
            self.equality = compare(left[0], right[0])
            functions.append((self.title(1), self.codes[1], other, right[1]))
        left = right = None
        candidates = [timer.Candidate(*row) for row in functions]
        self.threads = timer.threads_for(candidates)
        series = timer.measure(candidates, self.deadline, self.threads, self.say)
        self.timings = [timer.timing_of(one, self.deadline) for one in series]
        self.agreement = timer.agreement(series[0], series[1]) if other is not None else (None, None)

    def first_runs(self, run: timer.Snippet) -> Tuple[Any, float]:
        """The result of the first run, and the time of a warm one; code that works only once is told from code that fails."""
        start = time.perf_counter()
        result = run()
        first = time.perf_counter() - start
        if first * 3 > self.deadline - time.monotonic():
            return result, first
        try:
            return result, min(first, timer.clock(run))
        except Exception:
            self.problem = (
                "it ran once, and failed when it was repeated: it uses up what it needs. "
                "Select also the lines that make that anew, such as the forward pass before backward()"
            )
            raise

    def title(self, index: int) -> str:
        titles = ["einsum" if "einsum(" in self.codes[0] else "as written", self.request.alternative_title or "alternative"]
        return titles[index] if len(self.codes) > 1 else "the selection"

    def prepare(self) -> Tuple[program.Program, Selection]:
        """Find what to time and what it needs."""
        request = self.request
        text = request.text.lstrip("\ufeff")
        try:
            tree = ast.parse(text, request.path)
        except (SyntaxError, ValueError) as error:
            raise Unusable(f"the file cannot be run as it is: {error}") from None
        chosen = selection.select(tree, request.line, request.end_line)
        selection.check(chosen)
        timed, other = self.repeatable(chosen.statements), []
        self.codes = [display.code_of(text, chosen)]
        if request.alternative is not None and request.expression is not None:
            timed, other = alternatives(tree, request)
            self.codes = [ast.unparse(timed[0].value), request.alternative]  # type: ignore[attr-defined]
        return program.Builder(tree, set(request.inputs)).build(chosen, timed, other), chosen

    def repeatable(self, statements: List[ast.stmt]) -> List[ast.stmt]:
        """A lone `loss.backward()` keeps its graph, or it could run only once."""
        call = statements[0].value if len(statements) == 1 and isinstance(statements[0], ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
            return statements
        if call.args or any(word.arg in (None, "retain_graph") for word in call.keywords):
            return statements
        self.notes.append("it was run with retain_graph=True, or it could run only once")
        again = copy.copy(call)
        again.keywords = [*call.keywords, ast.keyword("retain_graph", ast.Constant(True))]
        return [ast.fix_missing_locations(ast.copy_location(ast.Expr(again), statements[0]))]

    def execute(self, built: program.Program) -> None:
        """Run the program in a module of its own, as if it were the script."""
        path = self.request.path
        failure.show_source(path, self.request.text)
        module = types.ModuleType("__main__")
        module.__dict__.update({"__file__": path, "__package__": enter_package(self.request)})
        module.__dict__.update({program.MEASURE: self.measure, values.INPUTS: self.inputs, values.PART: part_of})
        module.__dict__[values.INSTANCE] = self.inputs.on_device_of
        sys.modules["__main__"] = module
        sys.argv = [path]
        sys.stdout = self.silence
        self.say("running the set-up", 12)
        try:
            code = compile(built.module, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            self.problem = f"these lines cannot be run by themselves: {error}"
            return
        try:
            exec(code, module.__dict__)
        except Finished:
            return
        except SystemExit as error:
            self.problem = f"the set-up ended the program (exit {error.code}); does it want arguments from the command line?"
        except BaseException as error:
            self.error = error
        else:
            self.problem = "the lines before it return, or a loop around it has no items, so it is never reached"
        finally:
            sys.stdout = sys.__stdout__


def benchmark(request: BenchmarkRequest, say: Say) -> BenchmarkResult:
    """Time what the request selects; every failure is a result that says why."""
    run = Run(request, say)
    try:
        built, chosen = run.prepare()
    except Unusable as error:
        return BenchmarkResult(problem=str(error))
    except RecursionError:
        return BenchmarkResult(problem="the code is nested too deeply")
    for name in ("torch.utils.benchmark", "torch.profiler"):  # before the user's folder comes first
        importlib.import_module(name)
    run.execute(built)
    machine = this_machine(run.cuda)
    return BenchmarkResult(
        timings=run.timings,
        machine=replace(machine, threads=run.threads or machine.threads),
        setup=display.setup_of(request.text.lstrip("\ufeff"), built, run.inputs.assumed),
        lines=chosen.lines,
        equal=run.equality[0],
        difference=run.equality[1],
        ratio=run.agreement[0],
        agreement=run.agreement[1],
        traceback=failure.format_failure(run.error, request.path, built.names) if run.error is not None else None,
        problem=run.problem,
        assumed=run.inputs.assumed,
        notes=[*built.notes, *notes_of(run, machine)],
    )


def notes_of(run: Run, machine: Machine) -> List[str]:
    """What a reader of the figures must know besides."""
    notes = list(run.notes)
    if run.timings and run.silence.characters:
        notes.append("it prints; what it printed was thrown away, but making the text is part of the time")
    if run.threads is not None and run.threads < machine.threads:
        notes.append(f"torch would use {machine.threads} threads, which hinder one another here; it was timed with {run.threads}")
    return notes


def alternatives(tree: ast.Module, request: BenchmarkRequest) -> Tuple[List[ast.stmt], List[ast.stmt]]:
    """The expression and its alternative, each as a return statement at the expression's place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and span_of(node) == request.expression:
            other = ast.parse(request.alternative or "", mode="eval").body
            for part in ast.walk(other):
                if hasattr(part, "lineno"):
                    ast.copy_location(part, node)
            return [returned(node, node)], [returned(other, node)]
    raise Unusable("the expression to compare is no longer where it was; save the file and try again")


def returned(value: ast.expr, like: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Return(value), like)


def span_of(node: ast.expr) -> Tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def enter_package(request: BenchmarkRequest) -> str:
    """Make the file's own imports findable, as for a script; return its package, for imports that start with a dot.

    torch is imported already, so no file of the user's can take the place of one that torch needs.
    """
    folder, names = Path(request.path).resolve().parent, []
    sys.path[:0] = [str(folder)]
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        names.insert(0, folder.name)
        folder = folder.parent
    sys.path[1:1] = add(sys.path, [str(folder), *request.roots])
    if names:
        importlib.import_module(".".join(names))
    return ".".join(names)


def add(present: Sequence[str], wanted: Sequence[str]) -> List[str]:
    return [entry for entry in dict.fromkeys(wanted) if entry not in present]
