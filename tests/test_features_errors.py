"""A log is explained by the page that its message leads to, with the values in it and the user's own line."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from torch_handbook.features.errors import explained
from torch_handbook.handbook.handbook import Handbook

FOLDER = Path(__file__).parent / "tracebacks"
HANDBOOK = Handbook.open(Path(__file__).parents[1] / "entries")
# By log: the page, and the line that is shown as the user's.
PAGES = {
    "plain": ("errors/mat1-and-mat2-shapes", "plain.py:11"),
    "compile": ("errors/mat1-and-mat2-shapes", "compile.py:7"),
    "chained": ("errors/broadcast-size", "chained.py:8"),
    "ddp": ("errors/does-not-require-grad", "ddp.py:8"),
    "pool": ("errors/leaf-changed-in-place", "search.py:7"),
    "spawn": ("errors/leaf-changed-in-place", "spawn.py:7"),
    "lightning": ("errors/broadcast-size", "fit.py:21"),
    "ipython-color": ("errors/mat1-and-mat2-shapes", "Cell In[2]:2"),
}


def log(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_and_the_line(name: str) -> None:
    found = explained(HANDBOOK, log(name), "/home/ann/net")
    page, place = PAGES[name]
    assert found and found.name == page
    assert f"Your line: `{place}`" in found.markdown


def test_what_the_sizes_say_stands_before_the_page() -> None:
    found = explained(HANDBOOK, log("plain"))
    assert found and found.reading.startswith("256 features arrive in each row")
    head, _, rest = found.markdown.partition("## ")
    assert found.reading[:20] in head and "return self.fc1(x)" in head and "Causes, the likeliest first" in rest


ERROR = """\
kind: error
title: A page
summary: It is about a message.
tags: [debugging]
patterns: [{pattern}]
sections: [{{title: What, text: That is what.}}]
"""


def test_what_torch_compile_quotes_says_more_than_what_it_says_itself(tmp_path: Path) -> None:
    (tmp_path / "errors").mkdir()
    for name, pattern in {
        "outer": "Dynamo failed to run FX node with fake tensors",
        "inner": "must have same reduction dim",
    }.items():
        (tmp_path / "errors" / f"{name}.yaml").write_text(ERROR.format(pattern=pattern), "utf-8")
    book = Handbook.open(tmp_path)
    found = explained(book, log("compile"))
    assert found and found.name == "errors/inner"
    found = explained(
        book, "TorchRuntimeError: Dynamo failed to run FX node with fake tensors: got RuntimeError('something else')"
    )
    assert found and found.name == "errors/outer"


def test_a_worker_without_a_line_of_its_own_shows_the_loop() -> None:
    found = explained(HANDBOOK, log("loader"), "/home/ann/net")
    assert found and "Your line: `loader.py:14`" in found.markdown


def test_a_page_in_the_readers_language() -> None:
    found = explained(Handbook.open(HANDBOOK.root, locale="zh-CN"), "RuntimeError: nothing that anybody knows")
    assert found and found.name == "" and "手册中没有关于这条报错信息的页面" in found.markdown


@pytest.mark.parametrize("text", ["", "   \n\n", "\x1b[0m"])
def test_nothing_to_explain(text: str) -> None:
    assert explained(HANDBOOK, text) is None


def test_no_piece_of_a_log_is_too_odd() -> None:
    dice, logs = random.Random(3), [log(path.stem) for path in FOLDER.glob("*.txt")]
    for _ in range(200):
        text = dice.choice(logs)
        start, end = sorted(dice.sample(range(len(text)), 2))
        lines = text[start:end].splitlines(keepends=True)
        if dice.random() < 0.3:
            dice.shuffle(lines)
        found = explained(HANDBOOK, "".join(lines))
        assert found is None or found.markdown.startswith("# ")
