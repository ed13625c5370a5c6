"""Reads what was raised out of a log, as Python, IPython, pytest, rich and torch's launchers print it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

CONTROL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[(][0-?]*[ -/]*[@-~]")  # colours, links, cursor movements
HEAD = re.compile(r"Traceback \(most recent call last\)")
CHAIN = re.compile(r"\s*(?:During handling of the above exception|The above exception was the direct cause)")
RAISED = re.compile(r"(?P<kind>[A-Za-z_][\w.]*(?:\(\w+\))?)(?:: ?(?P<message>.*))?$")
ALONE = re.compile(r"(?:FAILED \S+ - )?(?P<kind>[\w.]*(?:Error|Exception|Warning))(?:: (?P<message>.*))$")
WARNED = re.compile(r"(?P<path>\S.*?):(?P<line>\d+): (?P<kind>\w*Warning): (?P<message>.*)$")
FRAMES = (
    re.compile(r'\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$'),
    re.compile(r"File (?P<path>\S.*?):(?P<line>\d+)(?:, in (?P<function>[^(]+).*)?$"),  # IPython
    re.compile(r"(?P<path>(?:Cell|Input) In ?\[\d+\])(?:,? line (?P<line>\d+))?(?:,? in (?P<function>[^(]+).*)?$"),
    re.compile(r"(?P<path><ipython-input[^>]*>|\S+\.py) in (?P<function><[^>]*>|[\w.]+)(?:\(.*)?$"),  # IPython before 8
    re.compile(r"│ (?P<path>\S+?):(?P<line>\d+) in(?: (?P<function>\S+))?\s*│$"),  # rich
)
PYTEST = re.compile(r"(?P<path>[^\s:]+\.py):(?P<line>\d+):(?: in (?P<function>.+)| \w+)?\s*$")
POINTED = re.compile(r"\s*(?:│?\s*❱|-+>)\s*(?P<line>\d+)\s?(?P<code>.*?)\s*│?$")  # the line of a listing that was being run
CARETS = re.compile(r"[\s~^]+$")
RULE = re.compile(r"_{3,} .* _{3,}$|={3,}")
FAILED = re.compile(r"E(?:\s{3,}(?P<said>.*))?$")
LIBRARY = re.compile(r"(?:site|dist)-packages/|/lib(?:64)?/python\d|python[\d.]*/lib/|^<frozen", re.IGNORECASE)
LATER = ("ChildFailedError", "CalledProcessError", "ProcessRaisedException", "KeyboardInterrupt", "SystemExit")
PROCESSES = 32  # whose lines may stand between two of one process
SPAN = 5_000  # lines over which the lines of one process are put together
LINKS = 20  # of a chain that are looked at
LENGTH = 80  # lines of a message; what follows a traceback in a log is no part of it


@dataclass(frozen=True)
class Frame:
    """A place in a call stack, and the code there as far as the log shows it."""

    path: str
    line: int | None
    function: str = ""
    code: str = ""

    @property
    def own(self) -> bool:
        """Whether it is the user's own code, rather than torch's, another package's or Python's."""
        return not LIBRARY.search(self.path.replace("\\", "/"))


@dataclass(frozen=True)
class Raised:
    """An exception, or a warning: its type, its message and the stack, outermost call first."""

    kind: str
    message: str
    frames: tuple[Frame, ...] = ()

    @property
    def text(self) -> str:
        """Type and message, as Python prints them."""
        return ": ".join(filter(None, (self.kind, self.message)))

    @property
    def place(self) -> Frame | None:
        """The last place that is the user's own."""
        return next((frame for frame in reversed(self.frames) if frame.own), None)


@dataclass(frozen=True)
class Block:
    """What was raised with the lines that told it, and the prefix that a launcher put before each of them."""

    start: int
    end: int
    raised: Raised
    prefix: str = ""
    minor: bool = False  # follows from something else: another process that failed, a clean-up


def chain(log: str) -> tuple[Raised, ...]:
    """What a log ends with, and what that came from, the last one first. Empty where nothing was raised."""
    lines = cleaned(log)
    blocks = sorted([*_tracebacks(lines), *_reports(lines)], key=lambda block: block.start)
    chosen = _decisive(blocks)
    if chosen is None:
        alone = _alone(lines)
        return (alone,) if alone else ()
    found = [chosen]
    for block in reversed(blocks[: blocks.index(chosen)]):
        if len(found) == LINKS:
            break
        if block.prefix == chosen.prefix and _linked(lines, block, found[-1]):
            found.append(block)
    return tuple(block.raised for block in found)


def cleaned(log: str) -> list[str]:
    """The lines of a log without colours; what a progress bar wrote over itself is a line each."""
    text = CONTROL.sub("", log).replace("\r\n", "\n").replace("\r", "\n")
    return [line.rstrip() for line in text.split("\n")]


def _decisive(blocks: Sequence[Block]) -> Block | None:
    """The last block that does not only follow from another; of several processes, the one that failed first."""
    heavy = [block for block in blocks if not block.minor] or list(blocks)
    if not heavy:
        return None
    if heavy[-1].prefix == "":
        return heavy[-1]
    last = {block.prefix: block for block in heavy if block.prefix}
    return min(last.values(), key=lambda block: block.start)


def _linked(lines: Sequence[str], earlier: Block, later: Block) -> bool:
    """Whether one exception led to the other: nothing but Python's sentence about it stands between them."""
    between = [re.sub(f"^{later.prefix}", "", line).strip(' "') for line in lines[earlier.end : later.start]]
    return all(not line or CHAIN.match(line) or set(line) <= {"-"} for line in between)


def _tracebacks(lines: Sequence[str]) -> Iterator[Block]:
    """Every block below "Traceback (most recent call last)"."""
    for start, line in enumerate(lines):
        head = HEAD.search(line)
        if head:
            prefix = _prefix(lines, start, line[: head.start()])
            block = _block(lines, start, prefix)
            if block:
                yield block


def _prefix(lines: Sequence[str], start: int, before: str) -> str:
    """What stands before each line of a block, as a pattern: "[rank0]: ", or a time of which the digits change; "" for nothing.

    The lines of several processes may be mixed, so the same words are looked for a while; a time must go on in the next line.
    """
    if not before.strip():
        return ""
    exact, timed = re.escape(before), re.sub(r"\d", r"\\d", re.escape(before))
    near = lines[start + 1 : start + 1 + PROCESSES]
    if any(re.match(f'{exact} *File "', line) for line in near):
        return exact
    return timed if near and re.match(f'{timed} *File "', near[0]) else ""


def _stream(lines: Sequence[str], start: int, prefix: str) -> Iterator[tuple[int, str]]:
    """The lines behind a head that have its prefix, without it: those of other processes may stand between them."""
    for place in range(start + 1, min(len(lines), start + SPAN)):
        match = re.match(prefix, lines[place])
        if match:
            yield place, lines[place][match.end() :]


def _block(lines: Sequence[str], start: int, prefix: str) -> Block | None:
    """The stack below a head, and the exception that ends it."""
    frames: list[Frame] = []
    stream = _stream(lines, start, prefix)
    for place, line in stream:
        raised = RAISED.match(line)
        if HEAD.search(line):
            return None
        if not _stacked(frames, line) and frames and raised:
            rest = list(_until(_stream(lines, place, prefix)))
            told = [raised["message"] or "", *(text for _, text in rest)]
            found = Raised(raised["kind"], "\n".join(told).strip(' "\n'), (*frames, *_told(told)))
            return Block(start, rest[-1][0] + 1 if rest else place + 1, found, prefix, _minor(lines, start, found.kind))
    return None


def _told(message: Sequence[str]) -> list[Frame]:
    """The stack that a message itself tells: torch.compile has the user's own line there."""
    frames: list[Frame] = []
    for line in message:
        _stacked(frames, line)
    return frames


def _minor(lines: Sequence[str], start: int, kind: str) -> bool:
    """Whether a traceback only follows from another one, or comes from the end of the process."""
    before = next((text for text in reversed(lines[max(0, start - 2) : start]) if text.strip()), "")
    return kind.rpartition(".")[2] in LATER or "Exception ignored in" in before


def _until(stream: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines of a message: up to the next traceback, or Python's word on how it follows."""
    for count, (place, line) in enumerate(stream):
        if count == LENGTH or HEAD.search(line) or CHAIN.match(line):
            return
        yield place, line


def _stacked(frames: list[Frame], line: str) -> bool:
    """Take a line into a stack: a frame, the code of the last one, or a listing around it. False where it is none of these."""
    match = next(filter(None, (form.match(line) for form in FRAMES)), None)
    if match:
        found = match.groupdict()
        number = int(found["line"]) if found.get("line") else None
        frames.append(Frame(found["path"], number, (found.get("function") or "").strip()))
        return True
    if not frames:
        return False
    pointed = POINTED.match(line)
    if pointed:
        frames[-1] = replace(frames[-1], line=frames[-1].line or int(pointed["line"]), code=pointed["code"].strip(" │"))
    elif line.startswith("    ") and not frames[-1].code and not CARETS.match(line):
        frames[-1] = replace(frames[-1], code=line.strip())
    return bool(pointed) or not line or line[0] in " │╭╰"


def _reports(lines: Sequence[str]) -> Iterator[Block]:
    """What pytest reports in its own form: lines that begin with E, the stack above them and the place below."""
    start = None
    for place, line in enumerate([*lines, ""]):
        if FAILED.match(line) and start is None:
            start = place
        elif start is not None and not FAILED.match(line):
            said = [match["said"] or "" for text in lines[start:place] if (match := FAILED.match(text))]
            raised = RAISED.match(said[0])
            if raised:
                message = "\n".join([raised["message"] or "", *said[1:]]).strip()
                yield Block(start, place, Raised(raised["kind"], message, _test_frames(lines, start, place)))
            start = None


def _test_frames(lines: Sequence[str], start: int, end: int) -> tuple[Frame, ...]:
    """The places of a test's report; the code of each stands before it behind ">", or in the line below."""
    first = next((place for place in range(start, -1, -1) if RULE.match(lines[place])), -1) + 1
    frames: list[Frame] = []
    code = ""
    for line in lines[first : end + 2]:
        match = PYTEST.match(line)
        if match:
            frames.append(Frame(match["path"], int(match["line"]), match["function"] or "", code))
            code = ""
        elif line.startswith(">  "):
            code = line[1:].strip()
        elif frames and not frames[-1].code and line.startswith("    ") and not CARETS.match(line):
            frames[-1] = replace(frames[-1], code=line.strip())
    return tuple(frames)


def _alone(lines: Sequence[str]) -> Raised | None:
    """An exception without its stack, else the last warning."""
    for place in range(len(lines) - 1, -1, -1):
        warned = WARNED.match(lines[place])
        if warned:
            code = lines[place + 1].strip() if place + 1 < len(lines) and lines[place + 1].startswith("  ") else ""
            frame = Frame(warned["path"], int(warned["line"]), "", code)
            return Raised(warned["kind"], warned["message"], (frame,))
        alone = ALONE.match(lines[place])
        if alone:
            rest = [text for _, text in _until(iter(enumerate(lines[place + 1 :])))]
            return Raised(alone["kind"], "\n".join([alone["message"], *rest]).strip())
    return None
