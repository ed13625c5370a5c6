"""The size of an input that a network assumes: where a layer behind it fits one size, or a few next to each other."""

from __future__ import annotations

import ast

import pytest
from feature_snapshots import snapshot
from test_tensors import interpreted
from torch_handbook.features import wording
from torch_handbook.features.inlay_hints import hints
from torch_handbook_worker.protocol import Assumed, TensorFact

pytestmark = pytest.mark.torch
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


def network(layers: str, forward: str) -> str:
    made = "".join(f"        {line}\n" for line in layers.split("; "))
    walked = "".join(f"        {line}\n" for line in forward.split("; "))
    start = f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    return f"{start}{made}    def forward(self, x):\n{walked}"


def assumed(text: str) -> Assumed | None:
    """What is said of forward's x."""
    facts = {fact.span: fact.fact for fact in interpreted(text).facts}
    (place,) = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.arg) and node.arg == "x"]
    fact = facts[(place.lineno, place.col_offset, place.end_lineno or 0, place.end_col_offset or 0)]
    assert isinstance(fact, TensorFact)
    return fact.assumed


TWO = "self.a = nn.Conv2d(3, 6, 5); self.b = nn.Conv2d(6, 16, 5); self.pool = nn.MaxPool2d(2); self.fc = nn.Linear(16 * 5 * 5, 9)"
DOWN = "x = self.pool(self.b(self.pool(self.a(x))))"
ONE = "self.conv = nn.Conv2d(1, 4, 3, padding=1); self.fc = nn.Linear({}, 9)"
PATCHES = (
    "self.cls = nn.Parameter(torch.zeros(1, 1, 8)); self.pos = nn.Parameter(torch.zeros(1, {}, 8)); "
    "self.p = nn.Conv2d(3, 8, 16, 16)"
)
SIGNAL = "self.c = nn.Conv1d(1, 4, 9, 4); self.fc = nn.Linear(400, 9)"
BOTH = f"y = self.d(self.pool(self.a(x)).flatten(1)); {DOWN}; return y + self.fc(x.flatten(1))"
TOKENS = "x = self.p(x).flatten(2).transpose(1, 2); x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1); return x + self.pos"


@pytest.mark.parametrize(
    ("layers", "forward", "wanted"),
    [
        (TWO, f"{DOWN}; return self.fc(x.flatten(1))", ["N", 3, "32–35", "32–35"]),
        (TWO, f"{DOWN}; return self.fc(x.view(-1, 16 * 5 * 5))", ["N", 3, "32–35", "32–35"]),
        (TWO, f"{DOWN}; return self.fc(x.reshape(x.size(0), 400))", ["N", 3, "32–35", "32–35"]),
        (TWO, f"{DOWN}; return F.linear(x.flatten(1), torch.zeros(9, 400))", ["N", 3, "32–35", "32–35"]),
        (ONE.format("4 * 28 * 28"), "return self.fc(self.conv(x).flatten(1))", ["N", 1, 28, 28]),
        (ONE.format("4 * 28 * 30"), "return self.fc(self.conv(x).flatten(1))", None),  # no square image, and many others
        (ONE.format("4"), "return self.fc(self.conv(x).flatten(1))", None),
        (ONE.format("16"), "return self.fc(self.conv(x).view(-1, 16))", None),  # may be meant to cut the rows anew
        (PATCHES.format(197), TOKENS, ["N", 3, "224–239", "224–239"]),
        (PATCHES.format(196), TOKENS, None),
        (SIGNAL, "return self.fc(self.c(x).flatten(1))", ["N", 1, "405–408"]),
        # two layers, each of which leaves several sizes, or which contradict each other
        (f"{TWO}; self.d = nn.Linear(6 * 15 * 15, 9)", BOTH, ["N", 3, "34–35", "34–35"]),
        (f"{TWO}; self.d = nn.Linear(6 * 9 * 9, 9)", BOTH, None),
        # nothing is assumed where the layer is reached on one way only, or its features are somebody's choice
        (TWO, f"{DOWN}; return self.fc(x.flatten(1)) if flag() else x", None),
        ("self.a = nn.Conv2d(3, 6, 5); self.fc = nn.Linear(options.features, 9)", "return self.fc(self.a(x).flatten(1))", None),
    ],
)  # fmt: skip
def test_the_layers_say_what_size_is_assumed(layers: str, forward: str, wanted: list[int | str] | None) -> None:
    found = assumed(network(layers, forward))
    assert (None if found is None else found.sizes) == wanted


def test_an_input_that_is_given_is_not_assumed() -> None:
    text = network(TWO, f"{DOWN}; return self.fc(x.flatten(1))") + "Net()(torch.zeros(8, 3, 32, 32))\n"
    assert assumed(text) is None and interpreted(text).failures == []


def test_hint_and_hover_say_it() -> None:
    text = network(TWO, f"{DOWN}; return self.fc(x.flatten(1))")
    shot = snapshot(text, facts=True)
    labels = [hint.label for hint in hints(shot, shot.text.whole())]
    assert ": [N, 3, H, W] (H = W = 32–35)" in labels
    said = "`self.fc takes 400 features`: the network assumes 32×32 images, and up to 35×35 fit."
    assert any(said in hint.tooltip for hint in hints(shot, shot.text.whole()))


@pytest.mark.parametrize(
    ("shape", "sizes", "label", "said"),
    [
        (["N", 3, "H", "W"], ["N", 3, 28, 28], " (H = W = 28)", "the network assumes 28×28 images."),
        (["N", 1, "L"], ["N", 1, "405–408"], " (L = 405–408)", "the network assumes an input of [N, 1, 405–408]."),
    ],
)
def test_the_words_of_an_assumption(shape: list[int | str], sizes: list[int | str], label: str, said: str) -> None:
    fact = TensorFact(shape, "float32", "cpu", assumed=Assumed(sizes, "self.fc takes 9 features"))
    assert wording.assumed(fact) == label and wording.assumption(fact).endswith(said)
