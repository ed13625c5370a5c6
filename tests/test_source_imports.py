"""Names that come from other files of the workspace. `|` in the file that is asked stands before the name."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from torch_handbook import workspace as module
from torch_handbook.source.file import File
from torch_handbook.workspace import Workspace

LAYERS = """import torch
from torch import nn
from torch.nn import functional as F

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 5)
        self.register_buffer("mask", torch.ones(3))

    def eval(self):
        return 3

    @property
    def device(self):
        return self.mask.device

class Block(Base):
    def forward(self, x):
        return self.conv(x)

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

class Plain:
    pass

def normalized(x: torch.Tensor) -> torch.Tensor:
    return x

def pair(x):
    return F.relu(x), torch.ones(3)

EPSILON = torch.tensor(1e-6)
relu = F.relu
block = Block()
"""
PACKAGE = {
    "net/__init__.py": "from .layers import Block\nfrom .layers import *\n",
    "net/layers.py": LAYERS,
    "net/common.py": "from torch import nn\nimport torch.nn.functional as F\nimport numpy as np\n_hidden = nn\n",
    "net/compat.py": "try:\n    from apex import Norm\nexcept ImportError:\n    from torch.nn import LayerNorm as Norm\n",
    "net/parts/__init__.py": "__all__ = ['Block', 'ghost']\nfrom ..layers import Block, Base as Root, EPSILON\n",
    "net/parts/deep.py": "from .. import layers as below\nfrom ..layers import Base\n\nclass Deeper(Base):\n    pass\n",
    "tools.py": "from net import layers\nfrom torch.optim import SGD\n\ndef made():\n    return layers.Block()\n",
}


def laid(folder: Path, files: Mapping[str, str]) -> Workspace:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Workspace((str(folder),))


def name_in(workspace: Workspace, path: Path, source: str) -> str | None:
    offset = source.index("|")
    file = File.read(str(path), source.replace("|", "", 1), None, workspace)
    place = file.place_at(file.text.position(offset))
    return place.name if place else None


NAMES = [
    # what the workspace's modules pass on
    ("net/a.py", "from .common import nn\nnn.|Linear", "torch.nn.Linear"),
    ("net/a.py", "from .common import F as f\nf.|relu", "torch.nn.functional.relu"),
    ("net/a.py", "from . import common\ncommon.nn.|Linear", "torch.nn.Linear"),
    ("net/a.py", "from .common import *\nnn.|Linear", "torch.nn.Linear"),
    ("net/a.py", "from .common import *\n_hidden.|Linear", None),
    ("net/a.py", "from .common import np\nnp.|zeros", "numpy.zeros"),
    ("net/a.py", "from .layers import relu\n|relu", "torch.nn.functional.relu"),
    ("net/a.py", "from .compat import Norm\n|Norm", "apex.Norm"),
    ("run.py", "import net.common as common\ncommon.nn.|Linear", "torch.nn.Linear"),
    ("run.py", "import net.common\nnet.common.nn.|Linear", "torch.nn.Linear"),
    ("run.py", "from tools import SGD\n|SGD", "torch.optim.SGD"),
    # their classes
    ("net/a.py", "from .layers import Block\nBlock().|train()", "torch.nn.Module.train"),
    ("net/a.py", "from .layers import Block\nBlock().|eval()", None),
    ("net/a.py", "from .layers import Block\nBlock().conv.|weight", "torch.nn.Conv2d.weight"),
    ("net/a.py", "from .layers import Block\nBlock().mask.|sum()", "torch.Tensor.sum"),
    ("net/a.py", "from .layers import Block\nBlock().device.|type", "torch.device.type"),
    ("net/a.py", "from .layers import Block\ndef f(x, net: Block):\n    net.|train()", "torch.nn.Module.train"),
    ("net/a.py", "from .layers import block\nblock.|train()", "torch.nn.Module.train"),
    ("net/a.py", "from .layers import Scale\nScale.|apply(3)", "torch.autograd.Function.apply"),
    ("net/a.py", "from .layers import Plain\nPlain().|train()", None),
    ("net/a.py", "from net.layers import Block\nBlock().|train()", "torch.nn.Module.train"),
    ("net/parts/a.py", "from . import Root\nRoot().|train()", "torch.nn.Module.train"),
    ("net/parts/a.py", "from . import *\nBlock().|train()", "torch.nn.Module.train"),
    ("net/parts/a.py", "from . import *\nRoot().|train()", None),
    ("net/parts/a.py", "from . import deep\ndeep.Deeper().|train()", "torch.nn.Module.train"),
    ("net/parts/a.py", "from .deep import below\nbelow.Block().|train()", "torch.nn.Module.train"),
    ("run.py", "import net\nnet.Block().|train()", "torch.nn.Module.train"),
    ("run.py", "import net\nnet.layers.Block().|train()", "torch.nn.Module.train"),
    ("run.py", "from net import Plain, Block\nB = Block\nB().|train()", "torch.nn.Module.train"),
    ("run.py", "import net.layers\nB = net.layers.Block\nB().|train()", "torch.nn.Module.train"),
    (
        "run.py",
        "try:\n    from net import Block\nexcept ImportError:\n    Block = None\nBlock().|train()",
        "torch.nn.Module.train",
    ),
    # what calls of them give
    ("net/a.py", "from .layers import normalized\nnormalized(3).|view(1)", "torch.Tensor.view"),
    ("net/a.py", "from .layers import pair\na, b = pair(3)\nb.|view(1)", "torch.Tensor.view"),
    ("net/a.py", "from .layers import Block\nBlock()(3).|view(1)", "torch.Tensor.view"),
    ("net/a.py", "from .layers import EPSILON\nEPSILON.|item()", "torch.Tensor.item"),
    ("run.py", "from tools import made\nmade().|train()", "torch.nn.Module.train"),
    ("run.py", "from tools import made\nmade().conv.|bias", "torch.nn.Conv2d.bias"),
    # what is not there, or somewhere else
    ("net/a.py", "from .layers import nothing\nnothing().|train()", None),
    ("net/a.py", "from .missing import nn\nnn.|Linear", None),
    ("net/a.py", "from ..tools import SGD\n|SGD", "torch.optim.SGD"),
    ("net/a.py", "from ...tools import SGD\n|SGD", None),
    ("net/a.py", "import common\ncommon.nn.|Linear", "common.nn.Linear"),
]


@pytest.mark.parametrize(("path", "source", "name"), NAMES)
def test_names_from_other_files(tmp_path: Path, path: str, source: str, name: str | None) -> None:
    assert name_in(laid(tmp_path, PACKAGE), tmp_path / path, source) == name


INHERITING = """from torch.nn import functional as F
from .layers import Base, Block

class Net(Base):
    def forward(self, x):
        BODY

class Other(Block):
    def __init__(self):
        super().__init__()
"""


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("self.|train()", "torch.nn.Module.train"),
        ("self.|eval()", None),
        ("self.conv.|weight", "torch.nn.Conv2d.weight"),
        ("self.conv(x).|view(1)", "torch.Tensor.view"),
        ("self.mask.|sum()", "torch.Tensor.sum"),
        ("x.|view(1)", "torch.Tensor.view"),
        ("super().|train()", "torch.nn.Module.train"),
        ("super().|eval()", None),
        ("Other()(x).|view(1)", "torch.Tensor.view"),
        ("self.device.|type", "torch.device.type"),
    ],
)
def test_members_that_come_from_a_class_in_another_file(tmp_path: Path, code: str, name: str | None) -> None:
    assert name_in(laid(tmp_path, PACKAGE), tmp_path / "net" / "a.py", INHERITING.replace("BODY", code)) == name


def test_files_that_import_each_other(tmp_path: Path) -> None:
    circle = {
        "net/__init__.py": "",
        "net/a.py": "from torch import nn\nfrom .b import *\nfrom .b import B, name\n"
        "class A(nn.Module):\n    def b(self): return B()\n",
        "net/b.py": "from .a import *\nfrom . import a\nfrom .a import A, name\n"
        "class B(A):\n    def a(self): return A().b().a()\n",
    }
    workspace = laid(tmp_path, circle)
    assert name_in(workspace, tmp_path / "net" / "c.py", "from .b import B\nB().|train()") == "torch.nn.Module.train"
    assert name_in(workspace, tmp_path / "net" / "c.py", "from .a import A\nA().b().|train()") == "torch.nn.Module.train"
    assert name_in(workspace, tmp_path / "net" / "c.py", "from .b import *\nnothing.|train()") is None
    assert name_in(workspace, tmp_path / "net" / "c.py", "from .b import name\nname.|train()") is None


def test_files_that_all_import_each_other_are_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = "abcdef"
    stars = {name: "".join(f"from .{other} import *\n" for other in names if other != name) for name in names}
    workspace = laid(tmp_path, {f"net/{name}.py": stars[name] for name in names} | {"net/a.py": stars["a"] + "own = 1\n"})
    asked: list[str] = []
    offers = File.offers
    monkeypatch.setattr(File, "offers", lambda self, name: asked.append(name) or offers(self, name))
    assert name_in(workspace, tmp_path / "net" / "g.py", "from .f import *\nnothing().|train()") is None
    assert 0 < len(asked) <= 3 * len(names) * (len(names) - 1)
    file = File.read(str(tmp_path / "net" / "g.py"), "from .f import *\nown\nother\n", None, workspace)
    assert [file.exports(name) for name in ("own", "other")] == [True, False]


def test_nothing_outside_of_the_workspace_and_the_package_is_read(tmp_path: Path) -> None:
    laid(
        tmp_path,
        {"outside/common.py": PACKAGE["net/common.py"], "work/pkg/__init__.py": "", "common.py": "from torch import nn\n"},
    )
    workspace = Workspace((str(tmp_path / "work"),))
    for source in ("from ...common import nn\n|nn", "from ...outside.common import nn\n|nn"):
        assert name_in(workspace, tmp_path / "work" / "pkg" / "a.py", source) is None
    for source in ("import common\ncommon.|nn", "import outside.common\noutside.common.|nn"):
        assert (name_in(workspace, tmp_path / "work" / "pkg" / "a.py", source) or "").startswith(("common", "outside"))
    assert all(str(tmp_path / "work") in path for path, known in workspace.known.items() if known.file)


def test_a_file_of_another_package_finds_only_its_own(tmp_path: Path) -> None:
    laid(
        tmp_path,
        {"lib/__init__.py": "", "lib/common.py": "from torch import nn\n", "other/__init__.py": "from torch import nn\n"},
    )
    workspace = Workspace()
    assert name_in(workspace, tmp_path / "lib" / "a.py", "from lib.common import nn\n|nn") == "torch.nn"
    assert name_in(workspace, tmp_path / "lib" / "a.py", "from other import nn\n|nn") == "other.nn"
    assert name_in(workspace, Path("untitled:1"), "from lib.common import nn\n|nn") == "lib.common.nn"


def test_pythons_own_modules_and_torch_are_not_taken_from_the_workspace(tmp_path: Path) -> None:
    workspace = laid(tmp_path, {"json.py": "from torch import nn\n", "torch.py": "def relu(): pass\n", "copy.py": "x = 1\n"})
    assert name_in(workspace, tmp_path / "a.py", "import json\njson.|nn") == "json.nn"
    assert name_in(workspace, tmp_path / "a.py", "import torch\ntorch.|relu") == "torch.relu"


ODD = {
    "broken.py": b"from torch import nn\nclass A(nn.Module:\n    def (\n\nclass B(nn.Module):\n    pass\n",
    "latin.py": "# -*- coding: latin-1 -*-\nfrom torch import nn\nclass B(nn.Module):\n    'Größe'\n".encode("latin-1"),
    "marked.py": b"\xef\xbb\xbffrom torch import nn\nclass B(nn.Module):\n    pass\n",
}
UNREADABLE = {
    "bytes.py": b"\xff\xfe\x00\xd8 nothing\n",
    "codec.py": b"# coding: no-such-codec\nclass B: pass\n",
    "deep.py": b"B = " + b"(" * 3000 + b")" * 3000,
    "long.py": b"from torch import nn\nclass B(nn.Module): pass\n" + b"#" * module.LARGEST,
    "empty.py": b"",
}


@pytest.mark.parametrize(("name", "data"), [*ODD.items(), *UNREADABLE.items()])
def test_odd_files_beside(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    found = name_in(Workspace((str(tmp_path),)), tmp_path / "a.py", f"from {name[:-3]} import B\nB().|train()")
    assert found == ("torch.nn.Module.train" if name in ODD else None)


def test_a_folder_with_the_name_of_a_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "layers.py").mkdir()
    assert name_in(Workspace((str(tmp_path),)), tmp_path / "a.py", "from layers import B\nB().|train()") is None


def test_a_changed_file_is_read_again_with_all_that_came_through_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FRESH", 0.0)
    workspace = laid(tmp_path, {"a.py": "from torch import nn\n", "b.py": "from a import nn\n"})
    source = "from b import nn\n|nn"
    assert name_in(workspace, tmp_path / "c.py", source) == "torch.nn"
    kept = File.read(str(tmp_path / "c.py"), source.replace("|", ""), None, workspace)
    assert kept.exports("nn") and kept.names.of(kept.export("nn")) == "torch.nn" and not workspace.has_moved_on(kept)
    (tmp_path / "a.py").write_text("from torch import optim as nn\n", encoding="utf-8")
    os.utime(tmp_path / "a.py", (time.time() + 5, time.time() + 5))
    workspace.file(str(tmp_path / "a.py"))
    assert workspace.has_moved_on(kept)
    assert name_in(workspace, tmp_path / "c.py", source) == "torch.optim"
    (tmp_path / "a.py").unlink()
    workspace.file(str(tmp_path / "a.py"))
    assert name_in(workspace, tmp_path / "c.py", source) == "a.nn"


def test_what_an_editor_has_open_counts_before_the_disk(tmp_path: Path) -> None:
    laid(tmp_path, {"a.py": "from torch import nn\n"})
    texts = {str((tmp_path / "a.py").resolve()): "from torch import optim as nn\n"}
    assert name_in(Workspace((str(tmp_path),), texts.get), tmp_path / "c.py", "from a import nn\n|nn") == "torch.optim"


def test_only_some_trees_are_kept(tmp_path: Path) -> None:
    laid(tmp_path, {f"m{number}.py": "from torch import nn\n" + "x = 1\n" * 100 for number in range(20)})
    workspace = Workspace((str(tmp_path),), kept=3000)
    for number in range(20):
        assert name_in(workspace, tmp_path / "a.py", f"from m{number} import nn\n|nn") == "torch.nn"
    assert sum(len(known.file.text.content) for known in workspace.known.values() if known.file) <= 3000


def test_a_module_that_passes_on_hundreds_is_not_read_to_the_end(tmp_path: Path) -> None:
    stars = "".join(f"from .m{number} import *\n" for number in range(300))
    files = {"big/__init__.py": stars, **{f"big/m{number}.py": f"x{number} = 1\n" for number in range(300)}}
    workspace = laid(tmp_path, files)
    assert name_in(workspace, tmp_path / "a.py", "from big import nothing\nnothing().|train()") is None
    assert sum(known.file is not None for known in workspace.known.values()) < 40
