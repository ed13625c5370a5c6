"""Runs the code of entries: a prelude, the set-up, then statement by statement with the marks in its comments checked.

The marks, after the statement that they speak of (the last line of it, for one that spans lines):
`# -> value`, `# prints text`, `# raises Type` or `# raises Type: words of its message`, `# warns Type`,
and `# needs cuda` or `# needs fork` alone on the first line. Several may follow each other on a line.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tokenize
import types
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from torch_handbook.handbook.entry import Entry

PRELUDE = """\
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset
torch.manual_seed(0)
"""
MARK = re.compile(r"#\s*(->|prints|raises|warns)\s+(.*\S)\s*$")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")


class Wrong(AssertionError):
    """A statement that did not do what its comment says."""


@dataclass(frozen=True)
class Block:
    """One piece of code of an entry: where it stands, what kind it is, and what runs before it."""

    entry: str
    place: str
    kind: str  # code, bad, good, slow, fast, same, as
    code: str
    given: str

    @property
    def id(self) -> str:
        return f"{self.entry}: {self.place}: {self.kind}"


def blocks_of(entry: Entry) -> Iterator[Block]:
    """Every piece of code that an entry shows."""
    for part in (*entry.examples, *entry.sections):
        yield Block(entry.name, part.title, "code", part.code, part.given)
    for pitfall in entry.pitfalls:
        yield Block(entry.name, pitfall.title, "bad", pitfall.bad, pitfall.given)
        yield Block(entry.name, pitfall.title, "good", pitfall.good, pitfall.given)
    for advice in entry.performance:
        for kind, code in (("slow", advice.slow), ("fast", advice.fast), ("same", advice.same), ("as", advice.as_)):
            yield Block(entry.name, advice.title, kind, code, advice.given)


def run(block: Block) -> list[str]:
    """Run a block in a namespace of its own; raises Wrong at the first line that does not do what it says.

    Gives what was raised and warned on the way, as the last line of a traceback: "RuntimeError: mat1 and mat2 …".
    What joins a process group runs in an interpreter of its own, which ends at once: when the last reference to a network under
    DistributedDataParallel goes, torch waits for a thread that may wait for the interpreter, for ever.
    """
    return _apart(block) if "init_process_group" in block.given + block.code else _here(block)


def _apart(block: Block) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", "import entry_code; entry_code.answer()"]
    done = subprocess.run(
        command, input=json.dumps(asdict(block)), capture_output=True, text=True, timeout=300, env=environment, check=False
    )
    last = done.stdout.rpartition("\n")[2]
    if not last.startswith("{"):
        raise Wrong(f"ended with {done.returncode}: {done.stderr[-2000:]}")
    outcome = json.loads(last)
    if outcome["wrong"]:
        raise Wrong(outcome["wrong"])
    return list(outcome["said"])


def answer() -> None:
    """The other side of `_apart`: the block comes in on stdin, the last line on stdout is what came of it."""
    outcome: dict[str, object] = {"said": [], "wrong": ""}
    try:
        outcome["said"] = _here(Block(**json.load(sys.stdin)))
    except Exception as error:
        outcome["wrong"] = str(error) or repr(error)
    sys.stdout.write("\n" + json.dumps(outcome))
    sys.stdout.flush()
    os._exit(0)


def _here(block: Block) -> list[str]:
    import torch

    torch.set_warn_always(True)  # else torch gives some warnings only to the first block that earns them
    module = types.ModuleType("__main__")  # so that a class of the block can be pickled
    before, sys.modules["__main__"] = sys.modules["__main__"], module
    try:
        with clean_state():
            exec(compile(PRELUDE, "<prelude>", "exec"), module.__dict__)
            if block.code.startswith("# needs cuda") and not torch.cuda.is_available():
                return []
            if block.code.startswith("# needs fork") and torch.multiprocessing.get_start_method() != "fork":
                return []
            return [message for code in (block.given, block.code) for message in _run_code(code, module.__dict__)]
    finally:
        sys.modules["__main__"] = before


@contextlib.contextmanager
def clean_state() -> Iterator[None]:
    """What a block turns on for the whole process is off again after it."""
    import torch

    dtype, threads, anomaly = torch.get_default_dtype(), torch.get_num_threads(), torch.is_anomaly_enabled()
    environment = dict(os.environ)
    torch.distributions.Distribution.set_default_validate_args(True)  # torch.compile turns it off for the process
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_default_device(None)
        torch.set_num_threads(threads)
        torch.autograd.set_detect_anomaly(anomaly)
        torch.use_deterministic_algorithms(False)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
        os.environ.clear()
        os.environ.update(environment)


def marks_of(code: str) -> dict[int, list[tuple[str, str]]]:
    """The marks of a code by the line (from 1) that they stand on."""
    found: dict[int, list[tuple[str, str]]] = {}
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        comments = re.split(r"\s+(?=#)", token.string) if token.type == tokenize.COMMENT else []
        for mark in filter(None, map(MARK.match, comments)):
            found.setdefault(token.start[0], []).append((mark[1], mark[2]))
    return found


def _run_code(code: str, namespace: dict[str, object]) -> list[str]:
    marks, said = marks_of(code), []
    for statement in ast.parse(code).body:
        lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        said += _run_statement(statement, [mark for line in lines for mark in marks.get(line, [])], namespace)
    return said


def _run_statement(statement: ast.stmt, marks: list[tuple[str, str]], namespace: dict[str, object]) -> list[str]:
    """Run one statement and hold what it did against its marks; what it raised and warned."""
    output, value, error = io.StringIO(), None, None
    with warnings.catch_warnings(record=True) as heard, contextlib.redirect_stdout(output):
        warnings.simplefilter("always")
        try:
            value = _value_of(statement, namespace)
        except Exception as raised:
            error = raised
    text = ast.unparse(statement)
    _check_error(error, [arg for kind, arg in marks if kind == "raises"], text)
    _check_warnings(
        [w.category for w in heard], [arg for kind, arg in marks if kind == "warns"], f"{text} {[str(w.message) for w in heard]}"
    )
    prints = [arg for kind, arg in marks if kind == "prints"]
    if prints and not alike(" ".join(prints), output.getvalue()):
        raise Wrong(f"{text}\n  prints {output.getvalue().strip()!r}\n  not    {' '.join(prints)!r}")
    for shown in [arg for kind, arg in marks if kind == "->"]:
        if not alike(shown, repr(value)):
            raise Wrong(f"{text}\n  is  {value!r}\n  not {shown}")
    said = [*(warning.message for warning in heard), *([error] if error else [])]
    return [f"{type(message).__name__}: {message}" for message in said]


def _value_of(statement: ast.stmt, namespace: dict[str, object]) -> object:
    """Run a statement; the value of an expression, or what was assigned to a single name."""
    if isinstance(statement, ast.Expr):
        return eval(compile(ast.Expression(statement.value), "<entry>", "eval"), namespace)
    exec(compile(ast.Module([statement], []), "<entry>", "exec"), namespace)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return namespace[statement.targets[0].id]
    return None


def _check_error(error: Exception | None, raises: list[str], text: str) -> None:
    if not raises:
        if error is not None:
            raise Wrong(f"{text}\n  raises {type(error).__name__}: {error}") from error
        return
    name, _, words = raises[0].partition(": ")
    if error is None:
        raise Wrong(f"{text}\n  does not raise {name}")
    if name not in {cls.__name__ for cls in type(error).__mro__} or words not in str(error):
        raise Wrong(f"{text}\n  raises {type(error).__name__}: {error}\n  not    {raises[0]}") from error


def _check_warnings(heard: list[type[Warning]], expected: list[str], text: str) -> None:
    names = {category.__name__ for category in heard}
    for name in expected:
        if name not in names:
            raise Wrong(f"{text}\n  does not warn {name}, but {sorted(names) or 'nothing'}")
    if heard and not expected:
        raise Wrong(f"{text}\n  warns {sorted(names)}, which no comment says")


def alike(shown: str, real: str) -> bool:
    """Whether a value is what an entry shows: spaces aside, numbers within the rounding that is written, … for anything."""
    pieces = [_alike_pattern(piece) for piece in _squeeze(shown).split("…")]
    match = re.fullmatch(".*".join(pieces), _squeeze(real), re.DOTALL)
    if not match:
        return False
    written = NUMBER.findall(_squeeze(shown))
    return all(_within(number, group) for number, group in zip(written, match.groups(), strict=True))


def _alike_pattern(piece: str) -> str:
    """A pattern that takes the text as it is and catches each number."""
    return f"({NUMBER.pattern})".join(re.escape(part) for part in NUMBER.split(piece))


def _within(written: str, real: str) -> bool:
    """Whether a real number rounds to the written one; a whole number must be met exactly."""
    mantissa, _, power = written.partition("e")
    decimals = len(mantissa.partition(".")[2])
    slack = 0.5001 * 10.0 ** (int(power or 0) - decimals) if decimals or power else 0
    return abs(float(written) - float(real)) <= slack


def _squeeze(text: str) -> str:
    return re.sub(r"\s*([\[\](),{}:=])\s*", r"\1", re.sub(r"\s+", " ", text.strip()))
