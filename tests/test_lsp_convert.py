"""Positions in every encoding, and edits: against an oracle that counts in the encodings themselves."""

from __future__ import annotations

import random
import re

import pytest
from lsprotocol import types as lsp
from torch_handbook.lsp import convert
from torch_handbook.source.text import Position, Span, Text

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXT = Text("import torch\n名字 = '卷积'; y = torch.ones(1)  # 😀 ok\r\nz = '\f\u2028' + x\rlast")


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 29), ("utf-16", 21), ("utf-32", 21)])
def test_chinese_before_the_cursor(encoding: str, column: int) -> None:
    there = convert.position(TEXT, lsp.Position(1, column), encoding)
    assert TEXT.content[TEXT.offset(there) :].startswith("ones(1)")
    assert convert.place(TEXT, there, encoding) == lsp.Position(1, column)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 45), ("utf-16", 35), ("utf-32", 34)])
def test_emoji_before_the_cursor(encoding: str, column: int) -> None:
    there = convert.position(TEXT, lsp.Position(1, column), encoding)
    assert TEXT.content[TEXT.offset(there) :].startswith("ok\r\n")
    assert convert.place(TEXT, there, encoding) == lsp.Position(1, column)


def test_only_line_ends_of_the_protocol_cut_lines() -> None:
    assert convert.area(TEXT, Span(3, 12, 3, 13), "utf-16") == lsp.Range(lsp.Position(2, 10), lsp.Position(2, 11))
    assert TEXT.slice(convert.span(TEXT, lsp.Range(lsp.Position(3, 0), lsp.Position(3, 99)), "utf-16")) == "last"


@pytest.mark.parametrize("encoding", CODECS)
def test_a_position_past_the_end_is_moved_to_it(encoding: str) -> None:
    assert convert.position(TEXT, lsp.Position(0, 10_000), encoding) == Position(1, 12)
    assert convert.position(TEXT, lsp.Position(10_000, 3), encoding) == TEXT.position(len(TEXT.content))
    assert convert.position(Text(""), lsp.Position(5, 5), encoding) == Position(1, 0)


def test_a_position_inside_a_character_is_moved_to_its_start() -> None:
    text = Text("a😀b")
    assert convert.position(text, lsp.Position(0, 2), "utf-16") == Position(1, 1)
    assert convert.position(text, lsp.Position(0, 3), "utf-8") == Position(1, 1)


def test_half_a_surrogate_pair_does_not_stop_anything() -> None:
    text = Text("x = '\ud83d' + y")
    assert TEXT.line_count == 4
    there = convert.position(text, lsp.Position(0, 10), "utf-16")
    assert text.content[text.offset(there) :] == "y"
    assert convert.place(text, there, "utf-16") == lsp.Position(0, 10)


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-7"], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-7", "utf-32", "utf-8"], "utf-32"),
        ([lsp.PositionEncodingKind.Utf16, lsp.PositionEncodingKind.Utf8], "utf-16"),
    ],
)
def test_the_client_s_first_encoding_that_we_speak(offered: list[str] | None, chosen: str) -> None:
    assert convert.negotiated(offered) == chosen


def test_a_whole_new_text() -> None:
    assert convert.changed(TEXT, lsp.TextDocumentContentChangeWholeDocument("x"), "utf-16").content == "x"


def test_a_range_that_ends_before_it_starts_inserts() -> None:
    change = lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(0, 3), lsp.Position(0, 1)), "-")
    assert convert.changed(Text("abcdef"), change, "utf-16").content == "abc-def"


@pytest.mark.parametrize("encoding", CODECS)
@pytest.mark.parametrize("seed", range(20))
def test_edits_do_what_an_editor_does(encoding: str, seed: int) -> None:
    """Twenty random edits in a row, by an oracle that cuts the encoded text."""
    random_ = random.Random(seed)
    text = Text("".join(random_.choices(["x", "好", "😀", "é", "\n", "\r\n", "\f", "\u2028", " "], k=80)))
    for _ in range(20):
        start, end = sorted(random_.choices(boundaries(text.content), k=2))
        new = "".join(random_.choices(["y", "学", "\n", "🔥", ""], k=3))
        change = lsp.TextDocumentContentChangePartial(
            lsp.Range(oracle(text.content, start, encoding), oracle(text.content, end, encoding)), new
        )
        expected = text.content[:start] + new + text.content[end:]
        text = convert.changed(text, change, encoding)
        assert text.content == expected


def boundaries(content: str) -> list[int]:
    """The offsets at which a cursor can be: not between \\r and \\n."""
    return [offset for offset in range(len(content) + 1) if content[offset - 1 : offset + 1] != "\r\n"]


def oracle(content: str, offset: int, encoding: str) -> lsp.Position:
    head = content[:offset]
    ends = [found.end() for found in re.finditer(r"\r\n|\n|\r(?!\n)", head)]
    codec, size = CODECS[encoding]
    return lsp.Position(len(ends), len(head[ends[-1] if ends else 0 :].encode(codec)) // size)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/my%20net.py", "/home/me/my net.py"),
        ("file:///c%3A/models/net.py", "c:/models/net.py"),
        ("file://server/share/net.py", "//server/share/net.py"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("vscode-notebook-cell:/ws/nb.ipynb#c1", "vscode-notebook-cell:/ws/nb.ipynb#c1"),
    ],
)
def test_paths(uri: str, path: str) -> None:
    assert convert.path_of(uri) == path
