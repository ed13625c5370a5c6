"""A network takes the shapes that scripts of the workspace give it; whether it fails is not decided by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_tensors import interpreted, shapes
from torch_handbook_worker.protocol import InterpretResult

pytestmark = pytest.mark.torch
MODEL = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, classes=10, *rest, **more):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 5)
        self.fc = nn.Linear(16 * 28 * 28, classes)
    def forward(self, x):
        h = self.conv(x)
        y = self.fc(h.flatten(1))
        return y
"""
LOADER = """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, index):
        return torch.zeros(3, 32, 32)
net = Net(7)
for images in torch.utils.data.DataLoader(Data(), batch_size=16):
    net(images)
"""


def seen(folder: Path, text: str = MODEL, at: str = "model.py", **scripts: str) -> InterpretResult:
    """The result for the network's file, with scripts around it."""
    for name, code in scripts.items():
        head = "import torch\nfrom model import Net\n" if at == "model.py" else "import torch\nfrom nets.model import Net\n"
        (folder / f"{name}.py").write_text(head + code + "\n")
    (folder / at).parent.mkdir(exist_ok=True)
    (folder / at).write_text(text)
    return interpreted(text, str(folder / at), [str(folder)])


def given(result: InterpretResult, text: str = MODEL) -> tuple[list[int | str], list[int | str]]:
    found = shapes(text, result)
    return found["8:x"], found["10:y"]


MAIN = "if __name__ == '__main__':\n    "
FREE = ["N", 3, "H", "W"]


def test_a_call_in_a_script_says_what_forward_takes(tmp_path: Path) -> None:
    result = seen(tmp_path, train=f"{MAIN}Net(5)(torch.randn(8, 3, 32, 32))")
    assert given(result) == ([8, 3, 32, 32], [8, 5])


def test_so_does_a_loader_in_a_script_above_the_package(tmp_path: Path) -> None:
    assert given(seen(tmp_path, at="nets/model.py", train=LOADER)) == ([16, 3, 32, 32], [16, 7])


def test_where_scripts_differ_an_axis_is_free(tmp_path: Path) -> None:
    result = seen(tmp_path, train=f"{MAIN}Net()(torch.randn(8, 3, 32, 32))", other=f"{MAIN}Net()(torch.randn(2, 3, 32, 40))")
    assert given(result) == (["N", 3, 32, "W"], ["N", 10])


@pytest.mark.parametrize(
    "code",
    [
        "net = Net(5)",  # no script, and nothing is called
        f"{MAIN}net = Net(5)",
        f"{MAIN}net = Net(5)\n    net(unknown())",
        f"{MAIN}Net(5)(torch.randn(8, 3, 32, 32))\n    Net(6)(torch.randn(8, 3, 32, 32))",  # two networks
        f"{MAIN}Net(torch.nn.ReLU())(torch.randn(8, 3, 32, 32))",  # made with more than numbers
        f"{MAIN}Net(5, 6)(torch.randn(8, 3, 32, 32))",
    ],
)
def test_what_scripts_do_not_agree_on_or_do_not_say_stays_free(code: str, tmp_path: Path) -> None:
    found, _ = given(seen(tmp_path, train=code))
    assert found == FREE


def test_a_script_of_another_workspace_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "model.py").write_text(MODEL)
    (tmp_path / "train.py").write_text(f"import torch\nfrom inner.model import Net\n{MAIN}Net()(torch.randn(8, 3, 32, 32))\n")
    result = interpreted(MODEL, str(tmp_path / "inner" / "model.py"), [str(tmp_path / "inner")])
    assert given(result)[0] == FREE


def test_what_a_script_gives_is_no_failure_of_the_network(tmp_path: Path) -> None:
    result = seen(tmp_path, train=f"{MAIN}Net()(torch.randn(8, 3, 40, 40))")
    assert given(result) == ([8, 3, 40, 40], [8, 10]) and result.failures == []


def test_a_script_is_walked_once_until_it_changes(tmp_path: Path) -> None:
    from torch_handbook_worker.tensors import callers

    seen(tmp_path, train=f"{MAIN}Net()(torch.randn(8, 3, 32, 32))")
    count = len(callers.KNOWN)
    edited = MODEL.replace("h.flatten(1)", "h.reshape(len(h), -1)")
    assert given(interpreted(edited, str(tmp_path / "model.py"), [str(tmp_path)]))[0] == [8, 3, 32, 32]
    assert len(callers.KNOWN) == count
    result = seen(tmp_path, train=f"{MAIN}Net()(torch.randn(8, 3, 36, 32))")
    assert given(result)[0] == [8, 3, 36, 32] and len(callers.KNOWN) == count + 1


def test_nothing_of_a_script_is_run(tmp_path: Path) -> None:
    seen(tmp_path, train=f"open({str(tmp_path / 'made')!r}, 'w').write('x')\n{MAIN}Net()(torch.randn(8, 3, 32, 32))")
    assert not (tmp_path / "made").exists()
