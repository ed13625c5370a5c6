"""What a name in a file means: imports, scopes, re-bindings. `|` in a source stands before the name that is asked for."""

from __future__ import annotations

import ast

import pytest
from torch_handbook.source.file import File
from torch_handbook.source.names import canonical


def name_at(source: str) -> str | None:
    """The name of the shortest expression that begins at the mark."""
    offset = source.index("|")
    file = File.read("x.py", source.replace("|", "", 1))
    start = file.text.position(offset)
    found = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, (ast.Name, ast.Attribute)) and (node.lineno, node.col_offset) == start
    ]
    return file.name_of(max(found, key=lambda node: len(ast.unparse(node))))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import torch\n|torch.sum", "torch.sum"),
        ("import torch as th\n|th.nn.Linear", "torch.nn.Linear"),
        ("import torch.nn\n|torch.optim.SGD", "torch.optim.SGD"),
        ("import torch.nn as nn\n|nn.Linear", "torch.nn.Linear"),
        ("import torch.nn.functional as F\n|F.relu", "torch.nn.functional.relu"),
        ("import torch, numpy as np\n|np.zeros", "numpy.zeros"),
        ("from torch import nn, optim\n|optim.Adam", "torch.optim.Adam"),
        ("from torch import nn as n\n|n.functional.relu", "torch.nn.functional.relu"),
        ("from torch.nn.functional import relu as r\n|r", "torch.nn.functional.relu"),
        ("from torch.nn.modules.conv import Conv2d\n|Conv2d", "torch.nn.Conv2d"),
        ("from torch.utils.data.dataloader import DataLoader\n|DataLoader", "torch.utils.data.DataLoader"),
        ("from torch.nn import *\n|Linear", "torch.nn.Linear"),
        ("from torch.nn import *\n|Foo", None),
        ("from torch.nn.functional import *\n|relu", "torch.nn.functional.relu"),
        ("from .layers import relu\n|relu", None),
        ("|torch.sum", None),
    ],
)
def test_imports(source: str, name: str | None) -> None:
    assert name_at(source) == name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from torch import nn\nconv = nn.Conv2d\n|conv", "torch.nn.Conv2d"),
        ("import torch\nnn = torch.nn\nF = nn.functional\n|F.relu", "torch.nn.functional.relu"),
        ("from torch import nn\na = b = nn\n|a.Linear", "torch.nn.Linear"),
        ("from torch import nn\na, b = nn, 3\n|a.Linear", "torch.nn.Linear"),
        ("from torch import nn\nnn = 5\n|nn.Linear", None),
        ("from torch import nn\n|nn.Linear\nnn = 5", "torch.nn.Linear"),
        ("from torch import nn\ndel nn\n|nn.Linear", None),
        ("from torch import nn\ndef f():\n    |nn.Linear", "torch.nn.Linear"),
        ("from torch import nn\ndef f():\n    |nn.Linear\nnn = 5", None),
        ("from torch import nn\ndef f():\n    |nn.Linear\n    nn = 5", None),
        ("from torch import nn\ndef f(nn):\n    |nn.Linear", None),
        ("from torch import nn\ndef f(x=|nn.Linear, nn=3): ...", "torch.nn.Linear"),
        ("from torch import nn\ndef f(*nn): |nn.Linear", None),
        ("from torch import nn\nf = lambda nn: |nn.Linear", None),
        ("from torch import nn\nf = lambda x: |nn.Linear", "torch.nn.Linear"),
        ("from torch import nn\nfor nn in x: pass\n|nn.Linear", None),
        ("from torch import nn\nwith x as nn: |nn.Linear", None),
        ("from torch import nn\ntry: f()\nexcept E as nn: |nn.Linear", None),
        ("from torch import nn\n(nn := 3)\n|nn.Linear", None),
        ("from torch import nn\nmatch x:\n    case nn: |nn.Linear", None),
        ("from torch import nn\n[|nn.Linear for nn in x]", None),
        ("from torch import nn\n[0 for nn in x]\n|nn.Linear", "torch.nn.Linear"),
        ("from torch import nn\n[0 for nn in |nn.Linear]", "torch.nn.Linear"),
        ("from torch import nn\n[(nn := y) for y in x]\n|nn.Linear", None),
        ("from torch import nn\nclass A:\n    nn = 5\n    |nn.Linear", None),
        ("from torch import nn\nclass A:\n    nn = 5\n    def f(self): |nn.Linear", "torch.nn.Linear"),
        ("from torch import nn\ndef f():\n    global nn\n    nn = 5\n|nn.Linear", None),
        ("def f():\n    global nn\n    from torch import nn\ndef g(): |nn.Linear", "torch.nn.Linear"),
        ("def f():\n    from torch import nn\n    def g():\n        nonlocal nn\n        nn = 3\n    |nn.Linear", None),
        ("def f():\n    from torch import nn\n    def g(): |nn.Linear", "torch.nn.Linear"),
        ("def f():\n    from torch import nn\n|nn.Linear", None),
    ],
)
def test_scopes_and_rebinding(source: str, name: str | None) -> None:
    assert name_at(source) == name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("try:\n    import torch.nn.functional as F\nexcept ImportError:\n    F = None\n|F.relu", "torch.nn.functional.relu"),
        (
            "try:\n    from torch import amp\nexcept (ImportError, E):\n    import apex as amp\n|amp.autocast",
            "torch.amp.autocast",
        ),
        ("try:\n    from torch import amp\nexcept ValueError:\n    import apex as amp\n|amp.autocast", None),
        ("if x:\n    import torch as t\nelse:\n    import numpy as t\n|t.sum", None),
        ("if x:\n    import torch as t\nelse:\n    import numpy as t\n    |t.sum", "numpy.sum"),
        ("import numpy as t\nif x:\n    import torch as t\n|t.sum", None),
        ("import numpy as t\nif x:\n    import torch as t\n    |t.sum", "torch.sum"),
        ("import numpy as t\nif x:\n    import torch as t\nelse:\n    import torch as t\n|t.sum", "torch.sum"),
        (
            "import numpy as t\nif x:\n    import torch as t\nelif y:\n    import torch as t\nelse:\n    raise E\n|t.sum",
            "torch.sum",
        ),
        ("import torch as t\nif x:\n    t = 3\n    raise E\n|t.sum", "torch.sum"),
        ("import torch as t\ndef f():\n    if x:\n        s = 3\n        return s\n    s = t\n    |s.sum", "torch.sum"),
        ("import torch as t\nwhile x:\n    |t.sum\n    t = 3", None),
        ("while x:\n    import torch as t\n    |t.sum\n    t = 3", "torch.sum"),
        ("import torch as t\nfor t in t.a: pass\nelse: |t.sum", None),
        ("with x:\n    import torch as t\n|t.sum", "torch.sum"),
        ("import numpy as t\nwith x:\n    import torch as t\n|t.sum", "torch.sum"),
        ("import numpy as t\ntry:\n    import torch as t\nfinally:\n    |t.sum", None),
    ],
)
def test_branches_and_loops(source: str, name: str | None) -> None:
    assert name_at(source) == name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (
            "from torch import nn\nclass A:\n    def __init__(self): self.make = nn.Conv2d\n    def f(self): |self.make",
            "torch.nn.Conv2d",
        ),
        ("from torch import nn\nclass A:\n    make = nn.Conv2d\n    def f(self): |self.make", "torch.nn.Conv2d"),
        ("from torch import nn\nclass A:\n    make = nn.Conv2d\nclass B(A):\n    def f(self): |self.make", "torch.nn.Conv2d"),
        (
            "from torch import nn\nclass A:\n    make = nn.Conv2d\n    def g(self): self.make = 3\n    def f(self): |self.make",
            None,
        ),
        ("from torch import nn\nclass A:\n    make = nn.Conv2d\n    def f(self, make): |make", None),
        ("import functools\nfrom torch import nn\nmake = functools.partial(nn.Conv2d, 3)\n|make", None),
    ],
)
def test_attributes_that_hold_functions_and_classes(source: str, name: str | None) -> None:
    assert name_at(source) == name


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("torch.nn.modules.conv.Conv2d", "torch.nn.Conv2d"),
        ("torch.nn.modules.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.module.Module.train", "torch.nn.Module.train"),
        ("torch._C.TensorBase.view", "torch.Tensor.view"),
        ("torch._C._TensorBase.view", "torch.Tensor.view"),
        ("torch._tensor.Tensor.backward", "torch.Tensor.backward"),
        ("torch._C._VariableFunctions.sum", "torch.sum"),
        ("torch._C._nn.gelu", "torch.nn.functional.gelu"),
        ("torch._C._linalg.linalg_norm", "torch.linalg.norm"),
        ("torch.optim.sgd.SGD", "torch.optim.SGD"),
        ("torch.optim.optimizer.Optimizer.step", "torch.optim.Optimizer.step"),
        ("torch.optim.lr_scheduler.StepLR", "torch.optim.lr_scheduler.StepLR"),
        ("torch.utils.data.dataset.TensorDataset", "torch.utils.data.TensorDataset"),
        ("torch.utils.data._utils.collate.default_collate", "torch.utils.data.default_collate"),
        ("torch.autograd.grad_mode.no_grad", "torch.no_grad"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.nn.parallel.distributed.DistributedDataParallel", "torch.nn.parallel.DistributedDataParallel"),
        ("torch.nn.utils.clip_grad.clip_grad_norm_", "torch.nn.utils.clip_grad_norm_"),
        ("torch.amp.autocast_mode.autocast", "torch.amp.autocast"),
        ("torch.cuda.memory.empty_cache", "torch.cuda.empty_cache"),
        ("torch.serialization.load", "torch.load"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch.random.manual_seed", "torch.manual_seed"),
        ("torch.nn.functional.relu", "torch.nn.functional.relu"),
        ("torchvision.ops.nms", "torchvision.ops.nms"),
    ],
)
def test_deep_paths_become_public_names(name: str, public: str) -> None:
    assert canonical(name) == public
