"""Shapes that are stated: in our comments, in annotations, and, where nothing else is known, in comments and docstrings."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from test_tensors import interpreted, shapes

pytestmark = pytest.mark.torch
HEAD = "import torch\nfrom torch import nn, Tensor\n"


def told(code: str) -> dict[str, list[int | str]]:
    """The first shape of each name."""
    found: dict[str, list[int | str]] = {}
    text = HEAD + code
    for key, shape in shapes(text, interpreted(text)).items():
        found.setdefault(key.partition(":")[2], shape)
    return found


def test_a_comment_says_what_a_parameter_or_a_name_is() -> None:
    code = (
        "def f(x, mask=None):  # torch-handbook: x = (B, T) int64; mask = (B, T) bool\n"
        "    y = x.unsqueeze(-1)\n    z = x * mask\n"
        "a = load()  # torch-handbook: a = (4, 5)\nb = a.T\n"
    )
    found = told(code)
    assert found["x"] == found["mask"] == ["B", "T"] and found["y"] == ["B", "T", 1] and found["b"] == [5, 4]


def test_the_shape_that_is_stated_shows_what_does_not_fit() -> None:
    code = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(10, 2)\n"
    code += "    def forward(self, x):  # torch-handbook: x = (B, 3, 4)\n        return self.fc(x.flatten(1))\n"
    (failure,) = interpreted(HEAD + code).failures
    assert failure.details["features"] == 12 and failure.details["in_features"] == 10
    assert interpreted(HEAD + code.replace("3, 4", "2, 5")).failures == []
    assert interpreted(HEAD + code.replace("3, 4", "C, 5")).failures == []  # what depends on a free size is not told
    (failure,) = interpreted(HEAD + code.replace("3, 4", "C, 4")).failures  # but 4*C is never 10
    assert failure.details["features"] == "4*C"


ANNOTATIONS = [
    ('Float[Tensor, "B C H W"]', ["B", "C", "H", "W"]),
    ('Float[torch.Tensor, "batch 3 32 32"]', ["batch", 3, 32, 32]),
    ("\"Int[Tensor, 'batch 5']\"", ["batch", 5]),
    ('jaxtyping.Bool[Tensor, "rows=3 cols=4"]', [3, 4]),
    ("Annotated[Tensor, (3, 4)]", [3, 4]),
    ('Annotated[torch.Tensor, Shape("B", 3)]', ["B", 3]),
    ('Annotated[Tensor, "B 3"]', ["B", 3]),
    ('Annotated[Tensor, "B", 3, "H"]', ["B", 3, "H"]),
    ('TensorType["batch", 7]', ["batch", 7]),
    ('Float[Tensor, "*batch 3"]', None),
    ('Float[Tensor, "... 3"]', None),
    ('Float[Tensor, "dim-1 3"]', None),
    ("Float[Tensor, \"{open('mark', 'w')} 3\"]", None),
    ('Float[Tensor, __import__("os").system("touch mark")]', None),
    ("\"Float[Tensor, 'B'] if print(1) else 2\"", None),
    ("Tensor", None),
    ("dict[str, Tensor]", None),
]


@pytest.mark.parametrize(("annotation", "shape"), ANNOTATIONS)
def test_annotations_are_read_and_never_run(annotation: str, shape: Any, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert told(f"def f(x: {annotation}):\n    y = x * 2\n    return y\n").get("y") == shape
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("head", "shape"),
    [
        ("def f(x):  # x: (B, T, C)", ["B", "T", "C"]),
        ("def f(x):\n    # x: [B, 3, 224, 224]", ["B", 3, 224, 224]),
        ("def f(x):  # (B, T, C)", ["B", "T", "C"]),
        ("def f(\n    x,  # (B, T)\n):", ["B", "T"]),
        ('def f(x):\n    """Do.\n\n    Args:\n        x (Tensor): the input, of shape (B, C, T).\n    """', ["B", "C", "T"]),
        ('def f(x):\n    """:param x: shape [batch, 7]"""', ["batch", 7]),
        ('def f(x):\n    """Like f(a, b), of max (1, 2)."""', None),
        ("def f(x):  # see pool(2, 2)", None),
        ("def f(\n    mask,  # [B, T]\n    x: Tensor,  # Shape: (B, T, 3)\n):", ["B", "T", 3]),
        ("def f(mask,  # (B, H, W)\n      x):  # the picture, (B, 3, H, W)", ["B", 3, "H", "W"]),
        ("def f(\n    mask,\n    x: Tensor,  # (L, D) or (B, L, D)\n):", None),
        ("def f(\n    mask,\n    x: Tensor,  # scaled to [0, 1]\n):", None),
        ("def f(\n    mask,\n    x,  # a list of (B, T)\n):", None),
        ("def f(\n    mask, x,  # (B, T)\n):", None),
        ("def f(\n    mask,\n    x: list[Tensor],  # (B, T)\n):", None),
        ("def f(x):  # max: (B, T)", None),
    ],
)
def test_comments_and_docstrings_are_a_guess(head: str, shape: Any) -> None:
    assert told(f"{head}\n    y = x * 2\n    return y\n").get("y") == shape


def test_a_guess_is_never_a_reason_to_complain_and_gives_way_to_a_layer() -> None:
    code = "def f(x):  # x: (B, 12)\n    y = nn.Linear(10, 2)(x)\n    return y\n"
    code += "def g(x):  # x: (8, 12)\n    y = x.view(7, 11)\n    return y\n"
    result = interpreted(HEAD + code)
    assert result.failures == []
    assert shapes(HEAD + code, result)["3:x"] == ["…", 10]


def test_no_text_of_a_comment_is_run(tmp_path: Any) -> None:
    mark = tmp_path / "mark"
    code = f"x = 1  # torch-handbook: x = (open({str(mark)!r}, 'w'),)\ny = 2  # torch-handbook: y = (B, 3) __import__('os')\n"
    result = interpreted(HEAD + code)
    assert len(result.failures) == 2 and not mark.exists()
    ast.parse(HEAD + code)
