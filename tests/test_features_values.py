"""What a hover says of tensors and modules: what they are, what they are made of, and where they come from."""

from __future__ import annotations

import pytest
from feature_snapshots import at, snapshot
from torch_handbook.features.hover import hover
from torch_handbook.features.wording import operation

CODE = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)

    def forward(self, x):
        return self.conv(x).relu()


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3)
        self.block = Block(width)
        self.wide = Block(2 * width)
        self.scale = nn.Parameter(torch.ones(1))
        self.blocks = nn.ModuleList([Block(width) for _ in range(3)])
        self.head = nn.Sequential(nn.Linear(width, 4), nn.ReLU(), nn.Linear(4, 10))

    def forward(self, x, mask=None):
        h = self.block(self.stem(x)).mean((2, 3)) * self.scale
        return self.head(h)


model = Net()
images = torch.randn(8, 3, 32, 32)
out = model(images)
first, second = out.chunk(2)
out = out.detach()
for row in second:
    row.sum()
"""
NET = """```python
model: Net
```

19,095 parameters · `[8, 3, 32, 32] → [8, 10]`

| layer  | what it is                                       | parameters | shapes |
| ------ | ------------------------------------------------ | ---------- | --- |
| stem   | Conv2d(3, 16, kernel_size=(3, 3), stride=(1, 1)) | 448        | `[8, 3, 32, 32] → [8, 16, 30, 30]` |
| block  | Block(conv)                                      | 2,320      | `[8, 16, 30, 30] → [8, 16, 30, 30]` |
| wide   | Block(conv)                                      | 9,248      |  |
| scale  | Parameter 1                                      | 1          |  |
| blocks | 3 × Block(conv)                                  | 6,960      |  |
| head   | Sequential(0, 1, 2)                              | 118        | `[8, 16] → [8, 10]` |"""


def seen(words: str, *, facts: bool = True, more: str = "") -> str:
    """The hover where the cursor "|" is in words of the code, or of more that follows it."""
    code = CODE + more if more else CODE
    assert words.replace("|", "") in code
    text, place = at(code.replace(words.replace("|", ""), words, 1))
    found = hover(snapshot(text, facts=facts), place)
    return found.markdown if found else ""


@pytest.mark.torch
def test_a_network_is_a_table_of_its_layers() -> None:
    pytest.importorskip("torch")
    text = seen("print(mod|el)", more="print(model)\n")
    assert text == NET


@pytest.mark.torch
def test_containers_and_self() -> None:
    pytest.importorskip("torch")
    assert "| 1     | ReLU()" in seen("self.he|ad(h)") and "[8, 16] → [8, 4]" in seen("self.he|ad(h)")
    assert "| 0–2   | 3 × Block(conv) | 6,960 |" in seen("print(model.bl|ocks)", more="print(model.blocks)\n")
    assert seen("return se|lf.head").startswith("```python\nself: Net\n```")
    assert "| 0     | Linear(in_features=3" in seen("print(se|q)", more="seq = nn.Sequential(nn.Linear(3, 4))\nprint(seq)\n")


@pytest.mark.torch
def test_one_layer_is_said_in_words() -> None:
    pytest.importorskip("torch")
    text = seen("self.st|em(x)")
    assert text.startswith("```python\nstem: Conv2d(3, 16") and "448 parameters · `[8, 3, 32, 32] → [8, 16, 30, 30]`" in text
    assert "|" not in text and "filters" in text


def test_without_facts_the_layers_are_those_that_the_file_writes() -> None:
    text = seen("print(mod|el)", facts=False, more="print(model)\n")
    assert "| stem   | nn.Conv2d(3, width, 3) |" in text and "parameters" not in text
    assert seen("self.he|ad(h)", facts=False).count("\n| ") == 5


@pytest.mark.torch
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("model(ima|ges)", "From line 30: `torch.randn(8, 3, 32, 32)`."),
        ("= ou|t.chunk", "From line 31: `model(images)`."),
        ("row in sec|ond", "From line 32: a part of `out.chunk(2)`."),
        ("    ro|w.sum", "From line 34, one of `second`."),
        ("self.stem(|x)", "From the arguments of `forward`, on line 31: `images`."),
        ("* self.sca|le", "From line 20: `nn.Parameter(torch.ones(1))`."),
        ("im|ages = torch", ""),
    ],
)
def test_where_a_tensor_comes_from(words: str, wanted: str) -> None:
    pytest.importorskip("torch")
    text = seen(words)
    assert "Tensor [" in text or "Parameter [" in text
    assert wanted in text and text.count("From ") == bool(wanted)


@pytest.mark.torch
def test_how_autograd_sees_a_tensor() -> None:
    pytest.importorskip("torch")
    assert "`requires_grad` is False, and it is a leaf" in seen("model(ima|ges)")
    assert "A leaf that requires a gradient" in seen("* self.sca|le")
    assert "not a leaf, made by Addmm" in seen("= ou|t.chunk")


@pytest.mark.parametrize(("node", "name"), [("Mean1", "Mean"), ("Log2", "Log2"), ("Addmm", "Addmm"), ("NllLoss2D", "NllLoss2D")])
def test_the_variants_of_an_operation_have_one_name(node: str, name: str) -> None:
    assert operation(node) == name
