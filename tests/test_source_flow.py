"""What stands under a cursor, told from the file alone. `|` in a source stands before the name that is asked for."""

from __future__ import annotations

import ast

import pytest
from torch_handbook.source.file import File
from torch_handbook.source.place import Place
from torch_handbook.source.value import Value

NET = """import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader


class Block(nn.Module):
    def forward(self, x):
        return F.relu(x)


class Net(nn.Module):
    def __init__(self, norm_layer):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)
        self.block = Block()
        self.norm = norm_layer(6)
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
        self.scale = nn.Parameter(torch.ones(3))
        self.rnn = nn.LSTM(3, 4)
        self.late = None
        self.register_buffer("mask", torch.ones(3))
        self.act = F.gelu

    def reset(self):
        self.late = nn.Linear(3, 3)

    def eval(self):
        return 3

    def size_of(self, image):
        return image.shape

    def forward(self, x, mode="a", batch=None):
        BODY


def run(model: nn.Module, loader: DataLoader, path: str):
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 3)
    scaler = torch.amp.GradScaler("cuda")
    device = torch.device("cpu")
    net = Net(nn.BatchNorm2d).to(device)
    MAIN
"""


def place_at(source: str) -> tuple[File, Place | None]:
    offset = source.index("|")
    file = File.read("x.py", source.replace("|", "", 1))
    return file, file.place_at(file.text.position(offset))


def in_forward(code: str) -> str:
    return NET.replace("BODY", code.replace("\n", "\n        ")).replace("MAIN", "pass")


def in_main(code: str) -> str:
    return NET.replace("MAIN", code.replace("\n", "\n    ")).replace("BODY", "return x")


FORWARD = [
    ("x.|view(1)", "torch.Tensor.view"),
    ("y = x.relu()\ny.|view(1)", "torch.Tensor.view"),
    ("self.conv(x).|view(1)", "torch.Tensor.view"),
    ("F.relu(x).|view(1)", "torch.Tensor.view"),
    ("(x + 1).|view(1)", "torch.Tensor.view"),
    ("(x > 1).|float()", "torch.Tensor.float"),
    ("x[:, 0].|view(1)", "torch.Tensor.view"),
    ("for i in range(3):\n    x = self.conv(x)\nx.|view(1)", "torch.Tensor.view"),
    ("for layer in self.layers:\n    x = layer(x)\nx.|view(1)", "torch.Tensor.view"),
    ("self.layers[0](x).|view(1)", "torch.Tensor.view"),
    ("self.block(x).|view(1)", "torch.Tensor.view"),
    ("self.norm(x).|view(1)", "torch.Tensor.view"),
    ("self.scale.|data", "torch.Tensor.data"),
    ("self.mask.|sum()", "torch.Tensor.sum"),
    ("self.late(x).|sum()", "torch.Tensor.sum"),
    ("self.act(x).|sum()", "torch.Tensor.sum"),
    ("out, (h, c) = self.rnn(x)\nc.|sum()", "torch.Tensor.sum"),
    ("values, where = x.max(1)\nwhere.|sum()", "torch.Tensor.sum"),
    ("x.topk(3).|values", None),
    ("x.topk(3).values.|sum()", "torch.Tensor.sum"),
    ("x.max().|item()", "torch.Tensor.item"),
    ("x.size(0).|bit_length()", None),
    ("x.tolist().|append(1)", None),
    ("x.shape.|numel()", "torch.Size.numel"),
    ("x.numpy().|reshape(3)", "torch.Tensor.reshape"),
    ("mode.|split()", None),
    ("batch['a'].|sum()", None),
    ("self.conv.|weight", "torch.nn.Conv2d.weight"),
    ("self.conv.weight.|grad", "torch.Tensor.grad"),
    ("self.|train()", "torch.nn.Module.train"),
    ("self.|eval()", None),
    ("self.|conv", None),
    ("self.|act(x)", "torch.nn.functional.gelu"),
    ("self.conv.|to(1)", "torch.nn.Module.to"),
    ("super().|forward(x)", "torch.nn.Module.forward"),
    ("x = 3\nx.|bit_length()", None),
    ("x = foo()\nx.|sum()", None),
    ("if mode:\n    x = foo()\nx.|sum()", "torch.Tensor.sum"),
    ("if mode:\n    x = foo()\nx.save()\nx.|sum()", None),
    ("if mode:\n    x = 3\nx.|sum()", None),
    ("assert isinstance(mode, torch.Tensor)\nmode.|sum()", "torch.Tensor.sum"),
    ("assert isinstance(mode, torch.Tensor)\nmode = foo()\nmode.|sum()", None),
    ("if not torch.is_tensor(mode):\n    return\nmode.|sum()", "torch.Tensor.sum"),
    ("if not torch.is_tensor(mode):\n    mode = foo()\nmode.|sum()", None),
    ("if torch.is_tensor(mode):\n    return\nmode.|sum()", None),
    ("isinstance(mode, torch.Tensor) and mode.|sum()", "torch.Tensor.sum"),
    ("isinstance(mode, torch.Tensor) or mode.|sum()", None),
    ("not isinstance(mode, torch.Tensor) or mode.|sum()", "torch.Tensor.sum"),
    ("mode.|sum() if isinstance(mode, torch.Tensor) else 3", "torch.Tensor.sum"),
    ("3 if isinstance(mode, torch.Tensor) else mode.|sum()", None),
    ("if isinstance(mode, (torch.Tensor, str)):\n    mode.|sum()", None),
    ("isinstance(mode, int)\nif isinstance(mode, nn.Linear):\n    mode.|train()", "torch.nn.Module.train"),
]


@pytest.mark.parametrize(("code", "name"), [case for case in FORWARD if "numpy" not in case[0]])
def test_in_forward(code: str, name: str | None) -> None:
    _, place = place_at(in_forward(code))
    assert place is not None
    assert place.name == name


MAIN = [
    ("loss = criterion(model(1), 2)\nloss.|backward()", "torch.Tensor.backward"),
    ("optimizer.|step()", "torch.optim.Optimizer.step"),
    ("optimizer.|zero_grad()", "torch.optim.Optimizer.zero_grad"),
    ("optimizer.|param_groups", "torch.optim.Optimizer.param_groups"),
    ("scheduler.|step()", "torch.optim.lr_scheduler.LRScheduler.step"),
    ("scaler.|step(optimizer)", "torch.amp.GradScaler.step"),
    ("scaler.scale(criterion(1, 2)).|backward()", "torch.Tensor.backward"),
    ("model.|train()", "torch.nn.Module.train"),
    ("net.|load_state_dict(3)", "torch.nn.Module.load_state_dict"),
    ("net(torch.ones(3)).|sum()", "torch.Tensor.sum"),
    ("for a, b in loader:\n    b.|to(device)", "torch.Tensor.to"),
    ("for i, (a, b) in enumerate(loader):\n    b.|to(device)", "torch.Tensor.to"),
    ("for p in model.parameters():\n    p.|grad", "torch.Tensor.grad"),
    ("for n, p in model.named_parameters():\n    p.|requires_grad_()", "torch.Tensor.requires_grad_"),
    ("with torch.no_grad() as z: pass\nz.|foo", "torch.no_grad.foo"),
    ("[t.|sum() for t in torch.ones(3).split(1)]", "torch.Tensor.sum"),
    ("torch.device('cpu').|type", "torch.device.type"),
    ("path.|split('/')", None),
    ("unknown.|backward()", "torch.Tensor.backward"),
    ("unknown.|split(3)", None),
    ("my_optimizer.|step()", "torch.optim.Optimizer.step"),
    ("lr_sched.|step()", "torch.optim.lr_scheduler.LRScheduler.step"),
    ("something.|step()", None),
    ("inspect(3).|parameters", None),
    ("'text'.|expand(3)", None),
]


@pytest.mark.parametrize(("code", "name"), MAIN)
def test_in_a_training_loop(code: str, name: str | None) -> None:
    _, place = place_at(in_main(code))
    assert place is not None
    assert place.name == name


# What the names around a place tell: what is called as torch's is torch's, and what is not is something else's.
NAMES = [
    ("manager.|backward(loss)", None),
    ("engine.|backward(loss, retain_graph=True)", None),
    ("thing.|backward(retain_graph=True)", "torch.Tensor.backward"),
    ("y = path.lr_scheduler.|step(val_loss)", "torch.optim.lr_scheduler.LRScheduler.step"),
    ("path.noise_scheduler.|step(noise, 3, image)", None),
    ("path.noise_scheduler.|step(noise, return_dict=False)", None),
    ("getattr(path.noise_scheduler.|step, 'name')", None),
    ("path.critic_opt.|zero_grad()", "torch.optim.Optimizer.zero_grad"),
    ("thing.unsqueeze(1).|transpose(1, 2)", "torch.Tensor.transpose"),
    ("thing.transpose(1, 2).|flatten()", None),
    ("next(thing.parameters()).|device", "torch.Tensor.device"),
    ("next(thing.children()).|device", None),
    ("torch.finfo(path).|max", "torch.finfo.max"),
    ("einops.rearrange(path, 'a b -> b a').|shape", "torch.Tensor.shape"),
    ("x = foo()\nx.view(1)\nx.|dtype", "torch.Tensor.dtype"),
    ("x = foo()\nx.save(1)\nx.view(1)\nx.|dtype", None),
    ("x = foo()\nx.sum(1)\nx.|dtype", None),
    ("thing.to_q(torch.ones(3)).|view(1)", "torch.Tensor.view"),
    ("thing.to_q(torch.ones(3)).|size(1)", "torch.Tensor.size"),
    ("thing.|size()", None),
    ("thing.|size(size)", None),
    ("thing.lazy_covariance.|size(0)", None),
    ("thing.repeat(1, 2, 3).|shape", "torch.Tensor.shape"),
    ("thing.|repeat(3)", None),
    ("thing.|numpy()", "torch.Tensor.numpy"),
    ("tensor = thing[0]\ntensor.device.|type", "torch.device.type"),
    ("param = thing[0]\nparam.|data", "torch.Tensor.data"),
    ("param = thing[0]\nparam.|default", None),
    ("total_loss = thing[0]\ntotal_loss.|item()", "torch.Tensor.item"),
    ("path.total_loss.|item()", None),
    ("path.model_2.|state_dict()", "torch.nn.Module.state_dict"),
    ("for k, v in path.lr_schedulers.items():\n    v.|step()", "torch.optim.lr_scheduler.LRScheduler.step"),
    ("for k, v in path.lr_schedulers.items():\n    k.|step()", None),
    ("for o in path.optimizers:\n    o.|step()", "torch.optim.Optimizer.step"),
    ("path.norm.running_var.|add(3)", "torch.Tensor.add"),
    ("model[0].|train()", "torch.nn.Module.train"),
    ("thing.mesh.|size(0)", None),
    ("thing.to_q(path).|view(1)", None),
    ("a, b = torch.unique(torch.ones(3), return_inverse=True)\nb.|sum()", "torch.Tensor.sum"),
    ("a = torch.unique(torch.ones(3), return_inverse=thing)\na.|sum()", None),
]


@pytest.mark.parametrize(("code", "name"), NAMES)
def test_what_only_names_tell(code: str, name: str | None) -> None:
    _, place = place_at("import einops\n" + in_main(code))
    assert place is not None
    assert place.name == name


# Members of a class that derives from a layer are documented by that layer.
LAYERS = [
    ("super().|forward(x)", "torch.nn.Conv2d.forward"),
    ("self.|stride", "torch.nn.Conv2d.stride"),
    ("self.|groups", None),
    ("self.|train()", "torch.nn.Module.train"),
]


@pytest.mark.parametrize(("code", "name"), LAYERS)
def test_in_a_class_that_derives_from_a_layer(code: str, name: str | None) -> None:
    head = "from torch import nn\n\n\nclass Same(nn.Conv2d):\n    def __init__(self):\n        self.groups = 3\n\n"
    _, place = place_at(f"{head}    def forward(self, x):\n        {code}\n")
    assert place is not None
    assert place.name == name


USES = [
    ("def f(x):\n    return x.|shape", True),
    ("def f(x):\n    y = x.view(1)\n    return x.|sum()", True),
    ("def f(x):\n    return x.|unsqueeze(0)", True),
    ("def f(x):\n    F.relu(x)\n    return x.|sum()", True),
    ("def f(x):\n    x.unsqueeze(0)\n    x.keys()\n    return x.|sum()", False),
    ("def f(x):\n    x.shape\n    x['a']\n    return x.|sum()", False),
    ("def f(x=3):\n    return x.|shape", False),
    ("def f(image):\n    width, height = image.size\n    image.|resize(3)", False),
    ("def f(meter):\n    return meter.sum / meter.|mean", False),
    ("import numpy\ndef f(x):\n    return x.|shape", False),
]


@pytest.mark.parametrize(("source", "tensor"), USES)
def test_what_the_uses_of_a_parameter_show(source: str, tensor: bool) -> None:
    _, place = place_at("import torch\nimport torch.nn.functional as F\n" + source)
    assert place is not None
    assert (place.name or "").startswith("torch.Tensor.") is tensor
    assert place.sure is not tensor


def test_what_is_only_likely_says_so() -> None:
    for code, sure in (("x.|view(1)", False), ("self.conv(x).|view(1)", True), ("self.norm(x).|view(1)", False)):
        _, place = place_at(in_forward(code))
        assert place is not None
        assert place.sure is sure, code


ANNOTATIONS = [
    ("torch.Tensor", "torch.Tensor"),
    ("'torch.Tensor'", "torch.Tensor"),
    ("Optional[torch.Tensor]", "torch.Tensor"),
    ("torch.Tensor | None", "torch.Tensor"),
    ("Annotated[torch.Tensor, 'b c']", "torch.Tensor"),
    ("Float[torch.Tensor, 'b c']", "torch.Tensor"),
    ("torch.LongTensor", "torch.Tensor"),
    ("nn.Module", "torch.nn.Module"),
    ("torch.optim.Optimizer", "torch.optim.Optimizer"),
    ("Union[int, torch.Tensor]", None),
    ("list[torch.Tensor]", "list"),
    ("Foo", None),
    ("'not python at all'", None),
]


@pytest.mark.parametrize(("annotation", "name"), ANNOTATIONS)
def test_annotations(annotation: str, name: str | None) -> None:
    file = File.read("x.py", f"import torch\nfrom torch import nn\ndef f(x: {annotation}):\n    x")
    use = file.tree.body[-1].body[-1].value  # type: ignore[attr-defined]
    value = file.value_of(use)
    assert (value and value.name) == name


def values_of(source: str) -> dict[str, Value | None]:
    file = File.read("x.py", source)
    return {
        node.id: file.value_of(node)
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def test_values_of_assigned_names() -> None:
    found = values_of(
        "import torch\nfrom torch import nn\n"
        "class Base(nn.Module):\n    def forward(self, x): return x, 3\n"
        "class Net(Base): ...\n"
        "def make(): return torch.ones(3)\n"
        "net = Net()\ny = net(1)\na, b = y\nt = make()\nseq = nn.Sequential(nn.Linear(1, 2))\nkind = Net\n"
        "n = len(t)\nd = torch.float32\n"
        "later = None\nlater = torch.ones(3)\nm = net if t else nn.Linear(1, 2)\n"
    )
    net = found["net"]
    assert net is not None
    assert (net.kind, net.name, net.bases, net.base) == ("instance", "Net", ("torch.nn.Module",), "torch.nn.Module")
    kinds = {name: (value.kind, value.name) if value else None for name, value in found.items()}
    assert kinds["b"] == ("literal", "int")
    assert kinds["t"] == ("tensor", "torch.Tensor")
    assert kinds["seq"] == ("instance", "torch.nn.Sequential")
    assert kinds["kind"] == ("class", "Net")
    assert kinds["n"] == ("literal", "int")
    assert kinds["d"] == ("instance", "torch.dtype")
    assert kinds["later"] == ("tensor", "torch.Tensor")
    assert kinds["m"] == ("instance", "torch.nn.Module")


@pytest.mark.parametrize(
    "source",
    [
        "class A(A): pass\nA().x",
        "class A(B): pass\nclass B(A): pass\nA().x",
        "x = x\nx",
        "def f(): return f()\nf()",
        "def f(): return g()\ndef g(): return f()\nf().x",
        "x = 1\nwhile x: x, y = y, x\ny",
        "class A:\n    def f(self):\n        self.x = self.x\n        self.x",
        "x = [x for x in x]\nx",
        "x: x = x\nx",
        "\n".join(f"x{i} = x{i - 1}.f()" for i in range(1, 2000)) + "\nx1999",
        "x = t\n" + "\n".join("x = x + 1" for _ in range(2000)) + "\nx",
        "x = 1\nfor i in y:\n" + "\n".join(f"    x{i} = x{(i * 7) % 60} + x{(i * 11) % 60}" for i in range(60)) + "\nx0",
    ],
    ids=range(12),
)
def test_circles_and_long_chains_end(source: str) -> None:
    file = File.read("x.py", "import torch\n" + source)
    for node in ast.walk(file.tree):
        if isinstance(node, ast.expr):
            file.name_of(node)
            file.value_of(node)


def test_a_long_chain_is_followed_when_it_was_asked_for_from_its_start() -> None:
    file = File.read("x.py", "import torch\nx = torch.ones(3)\n" + "x = x + 1\n" * 500)
    uses = [node for node in ast.walk(file.tree) if isinstance(node, ast.Name) and node.id == "x"]
    assert {value.name for node in sorted(uses, key=lambda node: node.lineno) if (value := file.value_of(node))} == {
        "torch.Tensor"
    }


KINDS = [
    ("import torch.nn.|functional as F", "import", "torch.nn.functional"),
    ("import torch.|nn.functional as F", "import", "torch.nn"),
    ("from torch.|nn import Linear", "import", "torch.nn"),
    ("from torch.nn import (Conv2d,\n    |Linear as L)", "import", "torch.nn.Linear"),
    ("from torch.nn import Linear as |L", "import", "torch.nn.Linear"),
    ("from . import |x", "import", None),
    ("import torch\ntorch.sum(x, |dim=1)", "keyword", "torch.sum"),
    ("from torch import nn\nnn.Conv2d(1, 2, 3, padding='|same')", "string", "torch.nn.Conv2d"),
    ("import torch\ntorch.einsum('|ij->ji', x)", "string", "torch.einsum"),
    ("from torch import nn\nclass |Net(nn.Module): ...", "definition", None),
    ("from torch import nn\nclass Net(nn.Module):\n    def |forward(self, x): ...", "definition", "torch.nn.Module.forward"),
    ("import torch\n@torch.|no_grad()\ndef f(): ...", "attribute", "torch.no_grad"),
    ("import torch\nf'中 {torch.|float32} {x}'", "attribute", "torch.float32"),
    ("import torch\ns = '中😀'; torch.|sum", "attribute", "torch.sum"),
    ("from torch import nn\nconv = nn.Conv2d(1, 2, 3)\nconv(|input=3)", "keyword", "torch.nn.Conv2d.forward"),
]


@pytest.mark.parametrize(("source", "kind", "name"), KINDS)
def test_kinds_of_places(source: str, kind: str, name: str | None) -> None:
    _, place = place_at(source)
    assert place is not None
    assert (place.kind, place.name) == (kind, name)


@pytest.mark.parametrize("source", ["x = |3", "# |torch.sum", "if| x: y", "x |= 3", "'''|torch'''", "|"])
def test_nothing_is_there(source: str) -> None:
    assert place_at("import torch\n" + source)[1] is None


def test_the_span_of_a_place_is_the_word_alone() -> None:
    file, place = place_at("import torch\n(torch\n   . |sum)(x)")
    assert place is not None
    assert file.text.slice(place.span) == "sum"
    assert isinstance(place.receiver, ast.Name)


MIXED = """import torch
from torch import nn

class Mixin:
    def __init__(self, size):
        pass

class First(nn.Module, Mixin):
    def __init__(self):
        super().|

class Second(Mixin, nn.Module):
    def __init__(self):
        super().|

class Third(torch.distributions.Normal, nn.Module):
    def __init__(self):
        super().|

def f(x: np.ndarray, net):
    if net:
        x = torch.ones(3)
    x.|
    for part in net.modules():
        if isinstance(part, Mixin):
            part.|
"""


@pytest.mark.parametrize(
    ("place", "member", "name"),
    [
        (0, "__init__()", "torch.nn.Module.__init__"),
        (1, "__init__()", None),
        (2, "__init__()", None),
        (3, "shape", None),
        (4, "register_buffer(3)", "torch.nn.Module.register_buffer"),
    ],
)
def test_where_several_classes_meet(place: int, member: str, name: str | None) -> None:
    parts = MIXED.split("|")
    source = "pass".join(parts[: place + 1]) + "|" + member + "pass".join(parts[place + 1 :])
    _, found = place_at(source)
    assert found is not None
    assert found.name == name
