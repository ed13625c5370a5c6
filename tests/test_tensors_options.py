"""Options of argparse: free sizes that have a default, and what fails where nobody gives another number."""

from __future__ import annotations

import pytest
from feature_snapshots import snapshot
from test_tensors import interpreted
from torch_handbook.features.inlay_hints import hints
from torch_handbook_worker.protocol import Failure, TensorFact

pytestmark = pytest.mark.torch
HEAD = """import argparse, os
import torch
from torch import nn
parser = argparse.ArgumentParser()
group = parser.add_argument_group("sizes")
group.add_argument("-H", "--hidden-size", type=int, default=256)
parser.add_argument("--width", dest="wide", default=32, type=int)
parser.add_argument("--given", type=int, required=True)
parser.add_argument("--text", default="7", type=int)
parser.add_argument("--heads", type=int, nargs="+", default=[2, 3])
parser.add_argument("--small", action="store_true")
parser.add_argument("--kind", default="LSTM")
"""
READ = HEAD + "args = parser.parse_args()\nx = torch.zeros(4, args.hidden_size, args.wide)\n"


def failures(code: str, head: str = READ) -> list[Failure]:
    return interpreted(head + code).failures


def test_an_option_is_a_free_size_with_its_default_beside_it() -> None:
    result = interpreted(READ + "y = x.flatten(1)\nz = torch.zeros(args.given, args.text)\n")
    facts = {fact.span[0]: fact.fact for fact in result.facts if isinstance(fact.fact, TensorFact) and fact.span[1] == 0}
    x, y, z = (facts[line] for line in (14, 15, 16))
    assert isinstance(x, TensorFact) and isinstance(y, TensorFact) and isinstance(z, TensorFact)
    assert x.shape == [4, "hidden_size", "wide"] and x.usual == {"hidden_size": 256, "wide": 32}
    assert y.shape == [4, "hidden_size*wide"] and y.usual == x.usual
    assert z.shape == ["given", "text"] and z.usual == {}


def test_a_hint_says_the_default() -> None:
    shot = snapshot(READ, facts=True)
    (hint,) = [hint for hint in hints(shot, shot.text.whole()) if hint.position.line == 14]
    assert hint.label == ": [4, hidden_size, wide]"
    assert "known only when it runs. hidden_size is 256 by default. wide is 32 by default." in hint.tooltip


@pytest.mark.parametrize(
    ("code", "defaults"),
    [
        ("nn.Linear(64, 3)(x)\n", {"wide": 32}),
        ("nn.Linear(args.hidden_size, 3)(x)\n", {"hidden_size": 256, "wide": 32}),
        ("x.view(4, 100)\n", {"hidden_size": 256, "wide": 32}),
        ("class Net(nn.Module):\n    def __init__(self, hidden):\n        super().__init__()\n        self.fc = nn.Linear(9, 5)\n"
         "    def forward(self, x):\n        return self.fc(x)\n"
         "def main():\n    Net(args.hidden_size)(x)\nif __name__ == '__main__':\n    main()\n", {"wide": 32}),
        ("if args.small:\n    args.wide = 8\nnn.Linear(9, 3)(torch.zeros(4, args.wide))\n", {"wide": 32}),
        ("rnn = nn.LSTM(args.wide, args.hidden_size)\nout, _ = rnn(x)\nnn.Linear(9, 3)(out)\n", {"hidden_size": 256}),
    ],
)  # fmt: skip
def test_what_fails_with_the_defaults_names_them(code: str, defaults: dict[str, int]) -> None:
    (failure,) = failures(code)
    assert failure.reason == "shape" and failure.details["defaults"] == defaults


@pytest.mark.parametrize(
    "code",
    [
        "nn.Linear(32, 3)(x)\n",
        "nn.Linear(args.given, 3)(x)\n",  # nobody can run it without saying this one
        "nn.Linear(9, 3)(torch.zeros(4, args.text))\n",  # a text that is converted
        "nn.Linear(64, 3)(torch.zeros(4, args.unheard))\n",
        "args.wide = 64\nnn.Linear(64, 3)(torch.zeros(4, args.wide))\n",
        "args.wide = len(os.listdir('.'))\nnn.Linear(64, 3)(torch.zeros(4, args.wide))\n",
        "load_options(args)\nnn.Linear(64, 3)(torch.zeros(4, args.wide))\n",
        "args = parser.parse_args(['--width', '64'])\nnn.Linear(64, 3)(torch.zeros(4, args.wide))\n",
        "parser.set_defaults(wide=64)\nargs = parser.parse_args()\nnn.Linear(64, 3)(torch.zeros(4, args.wide))\n",
        "if args.small:\n    nn.Linear(64, 3)(x)\n",
        "try:\n    nn.Linear(64, 3)(x)\nexcept RuntimeError:\n    pass\n",
        "def uncalled():\n    return nn.Linear(64, 3)(x)\n",
        "vars(args).update(wide=64)\nnn.Linear(64, 3)(torch.zeros(4, args.wide))\n",
    ],
)
def test_what_may_be_something_else_is_not_told(code: str) -> None:
    assert failures(code) == []


def test_what_no_default_is_to_blame_for_is_told_once() -> None:
    (failure,) = failures("nn.Linear(9, 3)(torch.zeros(4, 8))\nnn.Linear(32, 3)(x)\n")
    assert "defaults" not in failure.details
