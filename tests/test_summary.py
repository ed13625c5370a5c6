"""The figures of networks: the same networks are made and run here for real, and torch itself says what is right."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from torch_handbook_worker.protocol import LayerRow, SummaryRequest, SummaryResult

pytestmark = pytest.mark.torch
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
CONVOLUTIONS = """
class Block(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, padding=1, groups=2)
        self.bn2 = nn.BatchNorm2d(outside)
        self.short = nn.Sequential(nn.Conv2d(inside, outside, 1, stride=stride), nn.BatchNorm2d(outside))
    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return torch.relu_(self.bn2(self.conv2(out)) + self.short(x))
class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        self.blocks = nn.ModuleList([Block(8, 16, 1), Block(16, 32, 2), Block(32, 32, 1)])
        self.up = nn.ConvTranspose2d(32, 8, 2, 2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8, classes)
    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(torch.flatten(self.pool(self.up(x)), 1))
net = Net()
"""
ATTENTION = """
class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, c))
class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))
class Net(nn.Module):
    def __init__(self, words=50, dim=32, depth=3):
        super().__init__()
        self.embed, self.position = nn.Embedding(words, dim), nn.Parameter(torch.zeros(1, 64, dim))
        self.blocks = nn.Sequential(*[Block(dim, 4) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, words, bias=False)
        self.head.weight = self.embed.weight
    def forward(self, tokens):
        x = self.embed(tokens) + self.position[:, :tokens.shape[1]]
        return self.head(self.norm(self.blocks(x)))
net = Net()
"""
FROZEN = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 30), nn.Sigmoid())
        for weight in self.body.parameters():
            weight.requires_grad = False
        self.head = nn.Linear(30, 4)
        self.twice = nn.Linear(4, 4)
    def forward(self, x):
        return self.twice(F.silu(self.twice(self.head(self.body(x)))))
net = Net()
"""
LIBRARY = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(24, 4, 48, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(24, 5)
    def forward(self, x):
        return F.log_softmax(self.head(self.encoder(x).mean(1)), dim=-1)
net = Net()
"""
RECURRENT = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(12, 20, num_layers=2, batch_first=True)
        self.head = nn.Linear(20, 3)
    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])
net = Net()
"""
NETWORKS = {
    "convolutions": (CONVOLUTIONS, "torch.randn(4, 3, 64, 64)"),
    "attention": (ATTENTION, "torch.randint(50, (4, 16))"),
    "frozen": (FROZEN, "torch.randn(4, 20)"),
    "library": (LIBRARY, "torch.randn(4, 9, 24)"),
    "recurrent": (RECURRENT, "torch.randn(4, 7, 12)"),
    "sequential": ("net = nn.Sequential(nn.Conv1d(4, 6, 3), nn.ELU(), nn.Flatten(), nn.Linear(48, 2))", "torch.randn(4, 4, 10)"),
}


def summarized(text: str, name: str = "net", **named: Any) -> SummaryResult:
    pytest.importorskip("torch")
    from torch_handbook_worker.summary.summarize import summarize

    return summarize(SummaryRequest("/nowhere/file.py", text, name=name, **named))


def rows(result: SummaryResult) -> dict[str, LayerRow]:
    assert result.problem is None, result.problem
    return {row.name: row for row in result.rows}


def real(code: str, given: str, batch: int = 4) -> tuple[Any, Any]:
    """The network itself, and something to give it."""
    import torch

    space: dict[str, Any] = {}
    exec(HEAD + code, space)
    example = eval(given, space)
    return space["net"].train(), torch.cat([example] * (batch // 4))


def keep(shapes: dict[str, list[int]], name: str, module: Any, given: Any, out: Any) -> None:
    shapes.setdefault(name, list((out[0] if type(out) is tuple else out).shape))


@pytest.mark.parametrize("which", NETWORKS)
def test_parameters_and_output_shapes_are_those_of_the_real_network(which: str) -> None:
    code, given = NETWORKS[which]
    result = rows(summarized(f"{HEAD}{code}\ny = net({given})\n"))
    network, example = real(code, given)
    shapes: dict[str, list[int]] = {}
    for name, module in network.named_modules():
        module.register_forward_hook(partial(keep, shapes, name))
    network(example)
    assert {name: row.parameters for name, row in result.items()} == {
        name: sum(weight.numel() for weight in module.parameters()) for name, module in network.named_modules()
    }
    assert {name: row.trainable for name, row in result.items()} == {
        name: sum(weight.numel() for weight in module.parameters() if weight.requires_grad)
        for name, module in network.named_modules()
    }
    assert {name: row.output for name, row in result.items() if row.output} == shapes


@pytest.mark.parametrize("which", [name for name in NETWORKS if name != "recurrent"])
def test_operations_are_those_that_torch_counts(which: str) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    code, given = NETWORKS[which]
    result = summarized(f"{HEAD}{code}\ny = net({given})\n")
    network, example = real(code, given)
    with FlopCounterMode(display=False) as counter:
        network(example)
    wanted = counter.get_total_flops()
    if which == "library":  # torch's counter passes over the attention of the CPU, 2 layers of q @ k and weights @ v
        wanted += 2 * 2 * (2 * 4 * 9 * 9 * 24)
    assert rows(result)[""].macs * 2 == wanted


def test_operations_of_a_recurrent_layer_are_counted_though_torch_does_not() -> None:
    code, given = NETWORKS["recurrent"]
    first, second = 4 * 20 * (12 + 20), 4 * 20 * (20 + 20)
    assert rows(summarized(f"{HEAD}{code}\ny = net({given})\n"))["rnn"].macs == 4 * 7 * (first + second)


@pytest.mark.parametrize("which", NETWORKS)
@pytest.mark.parametrize("batch", [4, 8])
def test_what_is_kept_for_backward_is_what_torch_keeps(which: str, batch: int) -> None:
    import weakref

    import torch

    code, given = NETWORKS[which]
    result = summarized(f"{HEAD}{code}\ny = net({given})\n")
    network, example = real(code, given, batch)
    weights = {tensor.untyped_storage()._cdata for tensor in (*network.parameters(), *network.buffers())}
    kept: list[tuple[Any, Any]] = []

    class Saved:
        def __init__(self, tensor: Any) -> None:
            self.tensor = tensor

    def pack(tensor: Any) -> Any:
        saved = Saved(tensor)
        kept.append((weakref.ref(saved), tensor.untyped_storage()))
        return saved

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor):
        out = network(example)
    # What oneDNN keeps for itself in a recurrent layer depends on the machine: the notes say that it comes on top.
    own = torch.uint8 if which == "recurrent" else None
    alive = {storage._cdata: storage.nbytes() for saved, storage in kept if (one := saved()) and one.tensor.dtype is not own}
    assert out.requires_grad
    assert any("LSTM" in note for note in result.notes) is (which == "recurrent")
    assert result.saved[str(batch)] == sum(size for key, size in alive.items() if key not in weights)


OPTIMIZERS = [
    "SGD(net.parameters(), lr=0.1)",
    "SGD(net.parameters(), lr=0.1, momentum=0.9)",
    "AdamW(net.parameters(), lr=schedule(3))",
    "Adam(net.head.parameters(), amsgrad=True)",
    "Adafactor(net.parameters())",
    "RMSprop(net.parameters(), momentum=0.5, centered=True)",
]


@pytest.mark.parametrize("made", OPTIMIZERS)
def test_what_an_optimizer_keeps_is_what_it_keeps_after_a_step(made: str) -> None:
    import torch

    code, given = NETWORKS["attention"]
    text = f"{HEAD}{code}\ny = net({given})\noptimizer = torch.optim.{made}\n"
    (row,) = summarized(text).optimizers
    network, example = real(code, given)
    network(example).sum().backward()
    optimizer = eval(f"torch.optim.{made}", {"torch": torch, "net": network, "schedule": lambda number: 0.001})
    optimizer.step()
    kept = [value for state in optimizer.state.values() for value in state.values() if isinstance(value, torch.Tensor)]
    assert row.found and row.type == f"torch.optim.{made.partition('(')[0]}"
    assert row.state == sum(value.untyped_storage().nbytes() for value in kept)


def test_without_an_optimizer_the_usual_ones_are_told_of() -> None:
    result = summarized(f"{HEAD}net = nn.Linear(10, 10)\nnet(torch.randn(2, 10))\n")
    assert [(row.text, row.found, row.state) for row in result.optimizers] == [
        ("lr=0.1", False, 0),
        ("lr=0.1, momentum=0.9", False, 440),
        ("lr=0.001", False, 888),  # two moments and a step for each of two parameters
    ]


def test_weights_that_layers_share_count_once() -> None:
    code, given = NETWORKS["attention"]
    result = summarized(f"{HEAD}{code}\ny = net({given})\n")
    found = rows(result)
    assert found["head"].shared and not found["embed"].shared and found["embed"].parameters == 50 * 32
    network, _ = real(code, given)
    assert result.weights == sum(weight.numel() * 4 for weight in network.parameters())


def test_sizes_that_the_file_leaves_free_are_given_or_said() -> None:
    text = f"{HEAD}{CONVOLUTIONS.replace('net = Net()', '')}"
    result = summarized(text, "Net")
    assert result.inputs == {"x": "[1, 3, 224, 224] float32"} and result.assumed == {"H": 224, "W": 224}
    assert summarized(text, "Net", sizes={"H": 64, "W": 32}, batch=5).inputs == {"x": "[5, 3, 64, 32] float32"}


def test_a_height_and_width_are_looked_for_that_fit() -> None:
    text = (
        f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.conv, self.fc = nn.Conv2d(1, 4, 5), nn.Linear(4 * 24 * 24, 10)\n"
        "    def forward(self, x):\n        return self.fc(self.conv(x).flatten(1))\n"
    )
    result = summarized(text, "")
    assert (result.name, result.inputs, result.problem) == ("Net", {"x": "[1, 1, 28, 28] float32"}, None)


def test_arguments_of_the_constructor_can_be_given() -> None:
    text = (
        f"{HEAD}class Net(nn.Module):\n    def __init__(self, d_model, n_classes):\n        super().__init__()\n"
        "        self.fc = nn.Linear(d_model, n_classes)\n    def forward(self, x):\n        return self.fc(x)\n"
    )
    assert "say --size d_model=… --size n_classes=…" in str(summarized(text, "Net").problem)
    result = summarized(text, "Net", sizes={"d_model": 12, "n_classes": 3})
    assert rows(result)[""].parameters == 39 and rows(result)[""].output == [1, 3]


def test_a_function_that_makes_a_network_can_be_named_and_a_wrong_name_is_answered() -> None:
    code, given = NETWORKS["convolutions"]
    text = f"{HEAD}{code}\ndef small():\n    return Net(3)\ny = net({given})\n"
    assert rows(summarized(text, "small"))[""].output == [4, 3]
    problem = summarized(text, "large").problem
    assert problem and problem.startswith("large is no network") and problem.endswith("there are: Block, Net, net")
    assert summarized("x = 1\n", "").problem == "no network was found in this file"
    assert summarized("def f(:", "").problem == "the file is not valid Python at the moment"


def test_a_network_that_does_not_fit_says_where() -> None:
    text = f"{HEAD}net = nn.Sequential(nn.Linear(4, 5),\n    nn.Linear(6, 7))\nnet(torch.randn(2, 4))\n"
    problem = summarized(text).problem
    assert problem and "(line 5)" in problem and "2x5 and 6x7" in problem


def test_a_loop_that_is_too_long_and_a_branch_on_a_value_are_said() -> None:
    text = (
        f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, 4)\n"
        "    def forward(self, x):\n        for _ in range({count}):\n            x = self.fc(x)\n"
        "        if x.sum() > 0:\n            x = x + 1\n        return x\n"
        "net = Net()\nnet(torch.randn(2, 4))\n"
    )
    result = summarized(text.replace("{count}", "150"))
    assert rows(result)["fc"].macs == 150 * 2 * 16 and rows(result)["fc"].calls == 150
    assert [note.partition(":")[0] for note in result.notes] == ["a branch depends on a value that is known only when it runs"]
    assert any("too low" in note for note in summarized(text.replace("{count}", "100000")).notes)


def test_the_code_is_not_run(tmp_path: Any) -> None:
    mark = tmp_path / "mark"
    hostile = f"open({str(mark)!r}, 'w')\n__import__('os').system('touch {mark}')\n"
    text = f"{HEAD}{hostile}net = nn.Linear(3, 4)\nnet(torch.zeros(2, 3))\n"
    assert rows(summarized(text))[""].parameters == 16 and not mark.exists()


def test_a_network_that_is_one_of_two_is_said_to_be_so() -> None:
    choice = "net = nn.Linear(4, 8) if os.environ.get('WIDE') else nn.Conv2d(4, 8, 1)\n"
    text = "import os\n" + choice + "net(torch.randn(2, 4, 5, 5))\n"
    result = summarized(HEAD + text)
    assert result.problem == "net is one of two networks, and which of them depends on something that is not known here"


CONFIGURED = """
import dataclasses
from dataclasses import dataclass
{config}
class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.fc = nn.Linear(config.width, config.width)
    def forward(self, x):
        return self.fc(x)
class Net(nn.Module):
    def __init__(self, config{annotation}):
        super().__init__()
        self.embed = nn.Embedding(config.words, config.width)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.depth)])
    def forward(self, idx):
        x = self.embed(idx)
        for block in self.blocks:
            x = block(x)
        return x
"""
CONFIG = "@dataclass\nclass Config:\n    width: int = 4\n    words: int = 10\n    depth: int = 3\n"
OTHER = "@dataclass\nclass Training:\n    steps: int = 9\n    rate: float = 0.1\n"


@pytest.mark.parametrize(("annotation", "frozen"), [("", ""), (": Config", "(frozen=True)"), (": 'Config'", "(slots=True)")])
def test_a_dataclass_gives_the_numbers_that_a_constructor_takes_from_it(annotation: str, frozen: str) -> None:
    text = HEAD + CONFIGURED.format(config=OTHER + CONFIG.replace("@dataclass", f"@dataclass{frozen}"), annotation=annotation)
    result = summarized(text, "Net")
    assert rows(result)[""].parameters == 10 * 4 + 3 * (4 * 4 + 4)
    assert result.notes == ["config is taken to be Config(), as nothing here gives another"]
    assert rows(summarized(text, "Net", sizes={"depth": 5}))[""].parameters == 10 * 4 + 5 * (4 * 4 + 4)
    assert summarized(text, "").name == "Net"


@pytest.mark.parametrize(
    "config",
    [
        "",
        CONFIG.replace("width: int = 4", "width: int"),
        CONFIG + CONFIG.replace("class Config", "class Later").replace("10", "20"),
        CONFIG.replace("    words: int = 10\n", ""),
    ],
)
def test_what_no_dataclass_tells_is_asked_for_and_may_be_given(config: str) -> None:
    text = HEAD + CONFIGURED.format(config=config, annotation="")
    result = summarized(text, "")
    assert result.name == "Net" and "say --size width=… --size words=…" in str(result.problem)
    assert rows(summarized(text, "", sizes={"width": 4, "words": 10, "depth": 3}))[""].parameters == 10 * 4 + 3 * (4 * 4 + 4)


def test_of_a_script_the_network_that_it_imports_is_measured(tmp_path: Any) -> None:
    from torch_handbook_worker.summary.summarize import summarize

    parts = "class Part(nn.Module):\n    def __init__(self, d):\n        super().__init__()\n        self.fc = nn.Linear(d, d)\n"
    net = (
        "class Net(nn.Module):\n    def __init__(self, width=3):\n        super().__init__()\n        self.part = Part(width)\n"
        "    def forward(self, x):\n        return self.part(x)\n"
    )
    (tmp_path / "net.py").write_text(HEAD + parts + "    def forward(self, x):\n        return self.fc(x)\n" + net)
    script = (
        "import argparse\nimport torch\nfrom net import Net\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--width', type=int, default=8)\n    args = parser.parse_args()\n"
        "    model = Net(args.width)\n    model(torch.zeros(5, args.width))\n"
    )
    request = SummaryRequest(str(tmp_path / "train.py"), script, [str(tmp_path)])
    result = summarize(request)
    assert (result.name, result.inputs) == ("Net", {"x": "[5, 8] float32"})
    assert rows(result)[""].parameters == 8 * 8 + 8
