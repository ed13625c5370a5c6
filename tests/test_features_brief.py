"""What is shown of a name without an entry: short, with nothing twice, and with a way to read on."""

from __future__ import annotations

import re

import pytest
from feature_snapshots import docs, handbook
from torch_handbook.features import apidoc
from torch_handbook.features.tables import cut, table, word
from torch_handbook.torchdocs import official

TRANSPOSED = """```python
torch.nn.ConvTranspose3d(
    in_channels, out_channels, kernel_size, stride=1, padding=0,
    output_padding=0, groups=1, bias=True, dilation=1, padding_mode='zeros',
    device=None, dtype=None
)
```

Applies a 3D transposed convolution operator over an input image composed of
several input planes. The transposed convolution operator multiplies each input
value element-wise by a learnable kernel, and sums over the outputs from all
input feature planes.

| parameter      | default | what it is |
| -------------- | ------- | --- |
| in_channels    |         | Number of channels in the input image |
| out_channels   |         | Number of channels produced by the convolution |
| kernel_size    |         | Size of the convolving kernel |
| stride         | 1       | Stride of the convolution |
"""


def hover(name: str) -> str:
    return apidoc.short(handbook(), docs(), name) or ""


@pytest.mark.torch
def test_a_layer() -> None:
    pytest.importorskip("torch")
    text = hover("torch.nn.ConvTranspose3d")
    assert text.startswith(TRANSPOSED)
    assert text.endswith("[The official page](https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose3d.html)")
    assert "**Shape**" not in text and "**Shape**" in (apidoc.page(handbook(), docs(), "torch.nn.ConvTranspose3d") or "")


@pytest.mark.torch
def test_what_only_points_elsewhere_says_what_stands_there() -> None:
    pytest.importorskip("torch")
    text = hover("torch.Tensor.hypot")
    assert "legs of a right triangle" in text and "See `torch.hypot`" not in text


@pytest.mark.torch
def test_what_is_deprecated_is_said_once() -> None:
    pytest.importorskip("torch")
    text = hover("torch.nn.NLLLoss2d")
    assert text.lower().count("deprecated") == 2  # our word, and torch's sentence
    assert "⚠ **Deprecated.** `NLLLoss2d` has been deprecated. Please use `NLLLoss` instead" in text


@pytest.mark.torch
def test_every_hover_is_short_and_clean() -> None:
    pytest.importorskip("torch")
    long: list[str] = []
    for owner in ("torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.optim.lr_scheduler", "torch.linalg"):
        for name in docs().members(owner):
            if handbook().find(f"{owner}.{name}"):
                continue
            text = hover(f"{owner}.{name}")
            prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
            words = re.sub(r"`[^`]*`", "", prose)  # where torch quotes a formula as if it were code
            assert not re.search(r":\w+:`|``|\.\. \w+::|xdoctest", prose) and not re.search(r"\\(?:text|frac|times)\b", words), (
                text
            )
            long += [name] if text.count("\n") > 60 else []
            assert max(map(len, prose.split("\n")), default=0) <= 160, text
    assert len(long) <= 10, long


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("torch.sum", "generated/torch.sum.html"),
        ("torch.Tensor.view", "generated/torch.Tensor.view.html"),
        ("torch.nn.Module.eval", "generated/torch.nn.Module.html#torch.nn.Module.eval"),
        ("torch.optim.SGD.step", "generated/torch.optim.SGD.html#torch.optim.SGD.step"),
        ("torch.utils.data.DataLoader", "data.html#torch.utils.data.DataLoader"),
        ("torch.autocast", "amp.html#torch.autocast"),
        ("torch.cuda.empty_cache", "generated/torch.cuda.memory.empty_cache.html"),
        ("torch.no_such_name", None),
        ("torch.cuda.no_such_name", None),
        ("numpy.zeros", None),
    ],
)
def test_the_official_page(name: str, page: str | None) -> None:
    assert official.address(name) == (f"{official.ROOT}/{page}" if page else None)


def test_entries_and_the_table_name_the_same_official_pages() -> None:
    for name in handbook().names():
        entry, address = handbook().find(name), official.address(name)
        if entry and entry.kind.is_api and address and "/generated/" in entry.source:
            assert address == entry.source, name


def test_a_table_reads_well_raw() -> None:
    assert table(("name", "", "b"), [["a|c", "", "x"], ["d", "", "y\nz"]]) == "\n".join(
        ["| name | b |", "| ---- | --- |", "| a\\|c | x |", "| d    | y z |"]
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("in_channels", "in_channels"),
        ("'zeros'", "'zeros'"),
        ("-1", "-1"),
        ("_x", "`_x`"),
        ("a*b", "`a*b`"),
        ("", ""),
        ("(1, 2)", "`(1, 2)`"),
    ],
)
def test_what_markdown_would_change_is_code(text: str, written: str) -> None:
    assert word(text) == written


@pytest.mark.parametrize(
    ("text", "width", "wanted"),
    [("a b", 9, "a b"), ("one two three", 9, "one two…"), ("one `two three` four", 12, "one…"), ("abcdefghij", 5, "abcd…")],
)
def test_a_cut_ends_between_words_and_outside_of_code(text: str, width: int, wanted: str) -> None:
    assert cut(text, width) == wanted
