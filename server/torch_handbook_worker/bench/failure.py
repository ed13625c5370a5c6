"""What a failing snippet says: its own traceback, with the user's file and lines, and none of ours."""

from __future__ import annotations

import linecache
import re
import traceback
from typing import Mapping

LINE_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


def show_source(path: str, text: str) -> None:
    """Let tracebacks and `inspect` read the text that is run, which may not be saved yet."""
    lines = [line for line in LINE_END.split(text) if line]
    linecache.cache[path] = (len(text), None, lines, path)


def format_failure(error: BaseException, path: str, names: Mapping[str, str]) -> str:
    """The traceback from the user's first line on; `names` are those of our functions, and what they stand for."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((index for index, frame in enumerate(frames) if frame.filename == path), len(frames))
    shown = [frame for frame in frames[first:] if "torch_handbook_worker" not in frame.filename]
    lines = ["Traceback (most recent call last):\n", *traceback.format_list(shown)] if shown else []
    said = "".join([*lines, *traceback.format_exception_only(type(error), error)]).rstrip()
    for ours, theirs in names.items():
        said = said.replace(f", in {ours}", f", in {theirs}")
    return said
