"""Text without marks for editors that show no Markdown: the same words, and nothing of how they were marked."""

from __future__ import annotations

import re

import pytest
from torch_handbook.features.plain import plain
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.markdown import page

PAGE = """\
```python
torch.f(x)
```

Takes **`x`**, `2**n` or 2**n, and \\*args; see [the `page`](https://a.b/c), <https://d.e>.

---

## What

```python
f(**x)

g("`")
```
"""
TEXT = """\
torch.f(x)

Takes x, 2**n or 2**n, and *args; see the page (https://a.b/c), https://d.e.

What
----

    f(**x)

    g("`")"""
TABLE = """\
| name | µs |
|:---|---:|
| **`a \\| b`** | 12 |
| 中 | 3 |
"""


def test_marks_are_gone_and_code_is_as_it_was() -> None:
    assert plain(PAGE) == TEXT


def test_columns_of_a_table_stand_below_each_other() -> None:
    assert plain(TABLE) == "name    µs\na | b   12\n中       3"


def test_rows_without_a_head_are_a_table_too() -> None:
    assert plain("| a | bb |\n| ccc | d |") == "a     bb\nccc   d"


def test_bold_and_code_go_on_from_line_to_line_but_not_over_an_empty_one() -> None:
    assert plain("so **it is\nbold** and `x =\n1` here") == "so it is\nbold and x =\n1 here"
    assert plain("a ` alone\n\nand ` alone") == "a ` alone\n\nand ` alone"


@pytest.mark.parametrize("name", ["torch.nn.Conv2d", "torch.einsum", "guides/in-place", "compare/cat-or-stack"])
def test_no_mark_is_left_in_a_page(name: str) -> None:
    handbook = Handbook.open()
    entry = handbook.find(name)
    assert entry is not None
    text = plain(page(entry))
    prose = "\n".join(line for line in text.split("\n") if not line.startswith("    "))
    assert not re.search(r"\*\*|`|^#|^\||\]\(", prose, re.MULTILINE), prose
