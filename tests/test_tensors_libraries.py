"""Networks of libraries: unknown by default; known, without weights or network, where the user allows their import."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from torch_handbook.settings import LIBRARIES, load
from torch_handbook_worker import protocol
from torch_handbook_worker.protocol import InterpretRequest, InterpretResult, TensorFact

pytestmark = pytest.mark.torch

# A library as they are: rates of stochastic depth are read out of a tensor, weights are fetched by default, modules come late.
LIBRARY = """
import torch
from torch import nn
from torch.hub import load_state_dict_from_url

open(__file__ + ".imported", "w").close()
LEVELS = torch.arange(4)


class Net(nn.Module):
    def __init__(self, classes, depth=3):
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0, 0.1, depth)]
        self.stem = nn.Conv2d(3, 8, 4, stride=4)
        self.blocks = nn.ModuleList(nn.Dropout(rate) if rate > 0 else nn.Identity() for rate in rates)
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))

    @classmethod
    def from_pretrained(cls, name):
        open(__file__ + ".read", "w").close()
        return cls(2)


class Computed(nn.Module):
    def __init__(self):
        super().__init__()
        width, height = (torch.arange(2) * 8 + 8).int().tolist()
        self.head = nn.Linear(width, height)

    def forward(self, x):
        return self.head(x)


def create_model(name, pretrained=True, classes=10, **kwargs):
    model = Net(classes, **kwargs)
    if pretrained:
        model.load_state_dict(load_state_dict_from_url("http://127.0.0.1:9/weights.pth"))
    return model
"""
USER = """
import torch
import timm
from torch import nn

model = timm.create_model("net", pretrained=True, classes=5)
y = model(torch.randn(2, 3, 32, 32))
model.head = nn.Linear(model.head.in_features, 7)
z = model(torch.randn(2, 3, 32, 32))
body = nn.Sequential(*list(model.children())[:1])(torch.randn(2, 3, 32, 32))
bad = model(torch.randn(2, 1, 32, 32))
computed = timm.Computed()(torch.randn(2, 8))
read = timm.Net.from_pretrained("net")(torch.randn(2, 3, 32, 32))


class Mine(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = timm.create_model("net")
        self.head = nn.Linear(12, 2)

    def forward(self, image):
        features = self.backbone(image)
        return self.head(features)
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("torch")
    (tmp_path / "timm.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "timm", raising=False)
    return tmp_path / "timm.py"


def interpreted(libraries: list[str], text: str = USER) -> InterpretResult:
    from torch_handbook_worker.tensors.program import interpret

    return interpret(InterpretRequest("/nowhere/file.py", text, [], 60.0, libraries=libraries))


def shapes(result: InterpretResult, text: str = USER) -> dict[str, list[int | str]]:
    """The shape of what is assigned on each line, by its name."""
    lines = text.splitlines()
    named = {lines[at.span[0] - 1][at.span[1] : at.span[3]]: at.fact for at in result.facts if at.span[0] == at.span[2]}
    return {name: fact.shape for name, fact in named.items() if name.isidentifier() and isinstance(fact, TensorFact)}


def test_a_library_is_not_imported_unless_the_user_allows_it(library: Path) -> None:
    found = shapes(interpreted([]))
    assert not {"y", "z", "body", "features"} & found.keys()
    assert "timm" not in sys.modules and not Path(f"{library}.imported").exists()


def test_only_libraries_that_are_named_here_can_be_allowed(library: Path) -> None:
    library.rename(library.with_name("mine.py"))
    interpreted(["mine"], USER.replace("timm", "mine"))
    assert "mine" not in sys.modules


def test_networks_of_an_allowed_library_have_shapes(library: Path) -> None:
    result = interpreted(["timm"])
    found = shapes(result)
    assert Path(f"{library}.imported").exists() and not Path(f"{library}.read").exists()
    assert found["y"] == [2, 5] and found["z"] == [2, 7] and found["body"] == [2, 8, 8, 8]
    assert found["image"] == ["N", 3, "H", "W"] and found["features"] == ["N", 10]
    assert not {"bad", "read", "computed"} & found.keys()  # what the library raises is unknown, and weights are not read
    (failure,) = result.failures
    assert (failure.operation, failure.details["in_features"], failure.details["features"]) == ("torch.nn.Linear", 12, 10)


def test_what_was_allowed_for_one_file_is_closed_to_the_next(library: Path) -> None:
    import torch

    before = torch.Tensor.item, torch.hub.download_url_to_file
    interpreted(["timm"])
    assert "y" not in shapes(interpreted([]))
    assert (torch.Tensor.item, torch.hub.download_url_to_file) == before
    assert type(sys.modules["timm"].LEVELS) is torch.Tensor  # what the library keeps is no tensor without data


def test_the_setting_names_the_libraries_that_there_are() -> None:
    assert LIBRARIES == protocol.LIBRARIES
    settings, problems = load(None, {"libraries": ["timm", "torchvision"]})
    assert settings.libraries == ("timm", "torchvision") and not problems
    settings, (problem,) = load(None, {"libraries": ["numpy"]})
    assert settings.libraries == () and "torchvision, timm, transformers" in problem
