"""What is offered where the cursor, "|", is."""

from __future__ import annotations

import dataclasses

import pytest
from feature_snapshots import at, docs, handbook, snapshot
from torch_handbook.features.completion import complete, resolve
from torch_handbook.features.offers import ROOM, Item
from torch_handbook.settings import Settings
from torch_handbook.source.text import Text

HEAD = "import torch\nfrom torch import nn, optim\nimport torch.nn.functional as F\n"
NET = "class N(nn.Module):\n    def __init__(self):\n        self.fc = nn.Linear(1, 2)\n"


def offers(code: str, *, facts: bool = False, torch: bool = True, settings: Settings | None = None) -> list[Item]:
    text, place = at(HEAD + code)
    found = complete(snapshot(text, facts=facts, torch=torch, settings=settings), place)
    return sorted(found, key=lambda item: item.sort)


def labels(code: str, *, facts: bool = False) -> list[str]:
    return [item.label for item in offers(code, facts=facts)]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("torch.|", {"cat", "einsum", "zeros", "float32", "nn"}),
        ("x = nn.|", {"Conv2d", "Linear", "Module", "functional"}),
        ("x = nn.Con|", {"Conv2d"}),
        ("F.|", {"relu", "cross_entropy", "conv2d"}),
        ("optim.|", {"SGD", "AdamW"}),
        ("y = torch.ones(3)\ny.|", {"view", "add_", "shape", "backward", "to"}),
        ("y = torch.ones(3).|", {"view"}),
        ("layer = nn.Conv2d(1, 2, 3)\nlayer.|", {"forward", "parameters", "to"}),
        ("opt = optim.SGD([], lr=1)\nopt.|", {"step", "zero_grad", "state_dict"}),
        ("from torch.nn import |", {"Conv2d", "Module"}),
        ("x = nn.Conv2d(3, 6, |", {"stride=", "padding=", "padding_mode=", "bias="}),
        ('x = nn.Conv2d(3, 6, 5, padding_mode="|', {"zeros", "reflect", "circular"}),
        ('x = F.cross_entropy(a, b, reduction="|"', {"mean", "sum", "none"}),
        ("x = F.cross_entropy(a, b, reduction=|", {'"mean"', '"sum"', '"none"'}),
        (NET + "    def f(self, x):\n        self.fc.|", {"parameters"}),
        ("import torch.|", {"nn", "optim", "cuda", "utils"}),
        ("from torch.|", {"nn", "optim"}),
        ("import torch.nn.|", {"functional", "init", "utils"}),
        ("x = F.interpolate(y, mode='|", {"nearest", "bilinear"}),
        ("s = optim.lr_scheduler.ReduceLROnPlateau(o, '|", {"min", "max"}),
        ("x = F.pad(y, (1, 1), '|", {"constant", "reflect"}),
        ("y = torch.ones(3)\ny = y.to('|", {"cuda", "cpu", "mps"}),
        ("d = torch.device('|", {"cuda", "cpu"}),
        ("x = torch.zeros(3, device=|", {'"cuda"', '"cpu"'}),
        ("x = torch.zeros(3, dtype=|", {"torch.float32", "torch.int64", "torch.bool"}),
        ("x = nn.Linear(3, 4, bias=|", {"False", "True"}),
        ("nn.init.kaiming_normal_(w, mode='|", {"fan_in", "fan_out"}),
        ("f = torch.compile(f, mode='|", {"default", "max-autotune"}),
        ("def train(model, optimizer):\n    optimizer.|", {"step", "zero_grad"}),
        ("def train(model, optimizer):\n    model.|", {"eval", "parameters"}),
    ],
)
def test_offered(code: str, wanted: set[str]) -> None:
    pytest.importorskip("torch")
    assert wanted - set(labels(code)) == set()


@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import torch.|", {"cat", "Tensor", "float32"}),
        ("s = optim.lr_scheduler.ReduceLROnPlateau(o, threshold_mode='|", {"min", "max"}),
        ("x = nn.ConvTranspose2d(3, 6, 5, padding_mode='|", {"reflect"}),
    ],
)
def test_what_would_be_wrong_is_not_offered(code: str, unwanted: set[str]) -> None:
    pytest.importorskip("torch")
    assert unwanted & set(labels(code)) == set()


@pytest.mark.torch
@pytest.mark.parametrize("code", ["# torch.|", "'torch.|", "x.|", "import os\nos.|", "1.|", "print(torch)  # nn.|"])
def test_not_offered(code: str) -> None:
    pytest.importorskip("torch")
    assert labels(code) == []


@pytest.mark.torch
def test_an_argument_that_is_there_is_not_offered_again() -> None:
    pytest.importorskip("torch")
    assert "stride=" not in labels("x = nn.Conv2d(3, 6, stride=2, |)")


@pytest.mark.torch
def test_what_people_use_comes_first_and_is_marked() -> None:
    pytest.importorskip("torch")
    found = {item.label: item for item in offers("nn.|")}
    assert list(found).index("Linear") < list(found).index("Bilinear") < list(found).index("Conv3d") + 999
    line = handbook().line("torch.nn.Linear")
    assert line and found["Linear"].mark == f"⚠ {len(line.rules)} pitfalls"
    assert found["Bilinear"].mark == ""
    assert found["Linear"].kind == "class"


@pytest.mark.torch
def test_only_names_with_pages_beside_another_server() -> None:
    pytest.importorskip("torch")
    found = offers("nn.|", settings=Settings(completion_mode="annotated"))
    assert found and all(handbook().find(item.name) for item in found)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "typed"),
    [
        ("def make(n):\n    return torch.ones(n), 1\nthing = make(3)[0]\n", "thing.|"),
        ("class N(nn.Module):\n    def forward(self, x):\n        return x\n\nN()(torch.ones(2))\n", "x.|"),
    ],
)
def test_what_the_worker_saw_is_used_on_the_line_that_is_being_typed(code: str, typed: str) -> None:
    pytest.importorskip("torch")
    before = snapshot(HEAD + code, facts=True)
    after, place = at(HEAD + code + typed)
    if typed == "x.|":
        after, place = at(HEAD + code.replace("return x", "x.|\n        return x"))
    now = dataclasses.replace(snapshot(after), facts=before.facts)
    assert "view" in {item.label for item in complete(now, place)}


@pytest.mark.torch
def test_beside_another_server_arguments_are_those_that_the_handbook_explains() -> None:
    pytest.importorskip("torch")
    annotated = Settings(completion_mode="annotated")
    entry = handbook().find("torch.nn.Conv2d")
    assert entry
    explained = {name.strip() for names in entry.parameters for name in names.split(",")}
    found = {item.label.rstrip("=") for item in offers("x = nn.Conv2d(3, 6, |", settings=annotated)}
    assert "padding" in found and found <= explained
    assert offers("x = torch.ones(3, requires_grad=|", settings=annotated) == []


@pytest.mark.parametrize("code", ["nn.|", "x = nn.Conv2d(3, 6, |", "import torch.|", "F.pad(x, 1, mode='|"])
def test_off_offers_nothing(code: str) -> None:
    assert offers(code, settings=Settings(completion_mode="off")) == []


@pytest.mark.torch
def test_signatures_stand_beside_the_names() -> None:
    pytest.importorskip("torch")
    for name in ("torch.nn.Conv2d", "torch.nn.ReLU", "torch.float32", "torch.cat", "torch.optim.Optimizer.step"):
        assert docs().doc(name)
    layers = {item.label: item.signature for item in offers("nn.|")}
    names = {item.label: item.signature for item in offers("torch.|")}
    assert layers["ReLU"] == "(inplace=False)" and names["float32"] == ": dtype" and names["cat"].startswith("(tensors, dim=0")
    assert layers["Conv2d"].endswith(", …)") and max(map(len, layers.values())) <= ROOM
    step = next(item for item in offers("opt = optim.SGD([], lr=1)\nopt.|") if item.label == "step")
    assert (step.signature, step.name) == ("(closure=None)", "torch.optim.Optimizer.step")


def test_without_torch_the_names_with_pages_are_offered() -> None:
    found = {item.label for item in offers("nn.|", torch=False)}
    assert {"Linear", "Conv2d", "functional"} <= found


def test_the_text_comes_when_it_is_asked_for() -> None:
    page = resolve(handbook(), docs(), "torch.nn.Linear")
    assert page and "⚠" in page
    parameter = resolve(handbook(), docs(), "torch.nn.Conv2d#padding")
    assert parameter and parameter.startswith("**`padding`**")
    assert resolve(handbook(), docs(), "torch.no.such.name") is None


@pytest.mark.torch
def test_an_argument_given_by_its_place_is_not_offered_again() -> None:
    pytest.importorskip("torch")
    assert labels("x = torch.stack([y], |") == ["dim=", "out="]
    assert labels("x = nn.Conv2d(3, 6, bias=False, |")[0] == "kernel_size="
    assert "in_channels=" in labels("x = nn.Conv2d(|, bias=False)")


@pytest.mark.torch
def test_a_modules_list_begins_with_what_people_call() -> None:
    pytest.importorskip("torch")
    assert labels("def train(model):\n    model.|")[0].islower()


@pytest.mark.torch
def test_the_order_is_that_of_use() -> None:
    pytest.importorskip("torch")
    assert labels("torch.|")[:2] == ["Tensor", "cat"]
    assert labels("nn.|")[:3] == ["Module", "Linear", "Conv2d"]
    assert labels("opt = optim.SGD([], lr=1)\nopt.|")[:2] == ["zero_grad", "step"]
    assert labels("y = torch.ones(3)\ny.|")[0] == "to"
    assert labels("nn.|").index("Bilinear") > labels("nn.|").index("Conv3d")


@pytest.mark.torch
def test_kinds_and_what_is_deprecated() -> None:
    pytest.importorskip("torch")
    for name in ("torch.nn.NLLLoss2d", "torch.nn.Linear", "torch.float32", "torch.Tensor.shape", "torch.no_grad"):
        assert docs().doc(name)  # what is known already is what a list may rest on: it has no time to read more
    layers = {item.label: item for item in offers("nn.|")}
    assert layers["NLLLoss2d"].deprecated and not layers["Linear"].deprecated
    assert layers["NLLLoss2d"].sort > layers["Bilinear"].sort
    kinds = {item.label: item.kind for code in ("torch.|", "torch.ones(3).|", "nn.|") for item in offers(code)}
    wanted = {
        "nn": "module",
        "float32": "constant",
        "cat": "function",
        "no_grad": "class",
        "shape": "attribute",
    }
    assert {label: kinds[label] for label in wanted} == wanted
    assert kinds["Linear"] == "class" and kinds["view"] == "method" and kinds["functional"] == "module"


@pytest.mark.torch
def test_members_of_loaders_and_schedulers() -> None:
    pytest.importorskip("torch")
    head = "from torch.utils.data import DataLoader\n"
    assert {"dataset", "batch_size"} <= set(labels(head + "loader = DataLoader([])\nloader.|"))
    assert labels("sched = optim.lr_scheduler.StepLR(1, 2)\nsched.|")[0] == "step"


OWN = """class Net(nn.Module):
    scale = 2
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self._w = nn.Parameter(torch.ones(3))
    def forward(self, x, mask=None):
        return self.fc(x)
    @property
    def width(self):
        return 1
    @staticmethod
    def pad(x, by=1):
        return x
def train(model, data):
    out = model(data)
    pair = (out, data)
    @
train(Net(), torch.ones(3, 4))
"""


def typed(code: str, settings: Settings | None = None) -> list[Item]:
    """The offers in a function whose arguments only the worker knows, of what has just been typed there."""
    before = snapshot((HEAD + OWN).replace("    @\n", ""), facts=True)
    text, place = at((HEAD + OWN).replace("@\n", f"{code}\n"))
    now = dataclasses.replace(snapshot(text, settings=settings), facts=before.facts.moved(before.text, Text(text)))
    return sorted(complete(now, place), key=lambda item: item.sort)


@pytest.mark.torch
@pytest.mark.parametrize("code", ["model.|", "Net().|", "n = Net()\n    n.|", "print(f'{model.|}')"])
def test_what_a_network_itself_has_comes_first(code: str) -> None:
    pytest.importorskip("torch")
    found = typed(code)
    own = [("fc", ": Linear"), ("forward", "(x, mask=None)"), ("pad", "(x, by=1)"), ("scale", ""), ("width", "")]
    assert [(item.label, item.signature) for item in found[:6]] == [*own, ("_w", ": Parameter")]
    assert [item.kind for item in found[:6]] == ["attribute", "method", "method", "attribute", "attribute", "attribute"]
    labels = [item.label for item in found]
    assert "parameters" in labels and labels.count("forward") == 1 and "__init__" not in labels
    assert all(item.name for item in typed(code, Settings(completion_mode="annotated")))


@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("model.fc.|", "parameters"),
        ("out.view(-1).|", "view"),
        ("out.sum(0)[0].|", "view"),
        ("out[0].|", "view"),
        ("pair[1].|", "view"),
        ("pair[0].flatten(1).|", "view"),
        ("print(f'{out.|}')", "view"),
        ("print(f'{torch.|:.3f}')", "cat"),
        ("print(f'a {{b}} {out.sum(dim=1).|}')", "view"),
        ("print(f'{out if out.any() else torch.|}')", "cat"),
        ("print(f'''{out}\n    {torch.|", "cat"),
    ],
)
def test_an_expression_is_followed_to_what_its_names_were_above(code: str, wanted: str) -> None:
    pytest.importorskip("torch")
    found = [item.label for item in typed(code)]
    assert wanted in found and "fc" not in found


@pytest.mark.torch
@pytest.mark.parametrize(
    "code",
    [
        "print('{torch.|}')",
        "print(f'{{torch.|}}')",
        "print(f'{out:torch.|}')",
        "print(f'{out!r.|}')",
        "print(f'torch.|')",
        "pair[7].|",
        "# torch.|",
    ],
)
def test_what_is_no_expression_offers_nothing(code: str) -> None:
    pytest.importorskip("torch")
    assert typed(code) == []


@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("out.sum(|", {"dim=", "keepdim=", "dtype="}),
        ("out.sum(dim=0, |", {"keepdim=", "dtype="}),
        ("out.sum(\n        |", {"dim=", "keepdim=", "dtype="}),
        ("out.sum(keepdim=|", {"True", "False"}),
        ("out.view([1, |", set[str]()),
        ("out.sum(3 + |", set[str]()),
        ("unknown.sum(|", set[str]()),
    ],
)
def test_a_method_of_what_the_worker_knows_has_its_arguments(code: str, wanted: set[str]) -> None:
    pytest.importorskip("torch")
    assert {item.label for item in typed(code)} == wanted


PARTS = """class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.attn = nn.Linear(d, d)
    def forward(self, x):
        return self.attn(x)
class Net(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.layers = nn.ModuleDict({"wte": nn.Embedding(9, d), "h": nn.ModuleList([Block(d) for _ in range(3)])})
        self.blocks = nn.ModuleList([Block(d), Block(d)])
        pair = nn.ModuleDict({"a": nn.Linear(d, d), "b": nn.ReLU()})
        self.mixed = nn.ModuleList([pair, nn.ModuleDict({"a": nn.Linear(d, 2 * d)})])
        self.widths = nn.ModuleList([nn.Linear(d, n) for n in (d, 2 * d)])
        self.head = nn.Sequential(nn.Linear(d, d), nn.ReLU())
    def forward(self, x, other):
        x = self.layers["wte"](x)
        for block in self.blocks:
            x = block(x)
        @
        return x
def train(data):
    net = Net()
    return net(data)
train(torch.zeros(2, 3, dtype=torch.long))
"""
BLOCK = [("attn", ": Linear"), ("forward", "(x)")]


def members(code: str, mode: str = "all") -> list[Item]:
    """The offers for what has just been typed in the `forward` of a network of lists and dicts."""
    before = snapshot((HEAD + PARTS).replace("        @\n", ""), facts=True)
    text, place = at((HEAD + PARTS).replace("@\n", f"{code}\n"))
    now = snapshot(text, settings=Settings(completion_mode=mode))
    now = dataclasses.replace(now, facts=before.facts.moved(before.text, Text(text)))
    return sorted(complete(now, place), key=lambda item: item.sort)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("self.layers.|", [("h", ": ModuleList"), ("wte", ": Embedding")]),
        ("self.layers.h[0].|", BLOCK),
        ("self.layers['h'][-1].|", BLOCK),
        ("self.blocks[0].|", BLOCK),
        ("self.blocks[other].|", BLOCK),
        ("block.|", BLOCK),
        ("for b in self.blocks:\n            b.|", BLOCK),
        ("for i, b in enumerate(self.layers.h):\n            x = b(x)\n            y = b.|", BLOCK),
        ("for m in self.mixed:\n            m.|", [("a", ": Linear")]),
        ("self.mixed[0].|", [("a", ": Linear"), ("b", ": ReLU")]),
        ("for n, m in self.mixed[0].named_children():\n            m.|", []),
    ],
)
def test_the_modules_inside_are_offered(code: str, wanted: list[tuple[str, str]]) -> None:
    pytest.importorskip("torch")
    found = [item for item in members(code) if item.sort.startswith("!")]
    assert [(item.label, item.signature) for item in found] == wanted
    assert "parameters" in [item.label for item in members(code)]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("self.widths[1].|", "in_features"),
        ("self.head[0].|", "in_features"),
        ("self.head[0].|", "bias"),
        ("self.blocks[0].attn.|", "weight"),
        ("fc = nn.BatchNorm1d(3)\n        fc.|", "running_mean"),
        ("for w in self.widths:\n            w.|", "in_features"),
        ("for w in self.layers.values():\n            w.|", "parameters"),
        ("for w in self.head.children():\n            w.|", "parameters"),
    ],
)
def test_of_a_layer_inside_its_own_members(code: str, wanted: str) -> None:
    pytest.importorskip("torch")
    assert wanted in [item.label for item in members(code)]


@pytest.mark.torch
@pytest.mark.parametrize(
    "code",
    [
        "for x in x:\n            x.|",
        "for key in self.layers:\n            key.|",
        "for key, layer in self.layers.items():\n            key.|",
        "self.layers.h[7].|",
        "self.layers.h[1:].|",
        "other.h.|",
    ],
)
def test_what_is_not_inside_has_no_members_of_modules(code: str) -> None:
    pytest.importorskip("torch")
    assert "parameters" not in [item.label for item in members(code)]


@pytest.mark.torch
def test_what_no_other_server_knows_is_offered_beside_one() -> None:
    pytest.importorskip("torch")
    found = members("self.layers.|", "annotated")
    assert {"h", "wte"} <= {item.label for item in found}
    assert not [item for item in members("self.blocks[0].|", "annotated") if not item.name]
