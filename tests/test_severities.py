"""How much a finding weighs, and whether it is said, where that depends on what is around it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.rule import Severity
from torch_handbook.engine.run import check
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook.workspace import Workspace

PHOTOS = """
    import torch
    from PIL import Image

    class Photos(torch.utils.data.Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return Image.open(f"{index}.jpg")

"""
LOOP = """
    import torch
    model, total = torch.nn.Linear(3, 1), 0
    for step, batch in enumerate(torch.randn(64, 8, 3)):
        loss = model(batch).mean()
"""
CASES = {
    "a loader that leaves num_workers out": (
        PHOTOS + "    loader = torch.utils.data.DataLoader(Photos())",
        {"dataloader-num-workers-zero": Severity.INFORMATION},
    ),
    "a loader whose 0 somebody wrote": (
        PHOTOS + "    loader = torch.utils.data.DataLoader(Photos(), num_workers=0)",
        {"dataloader-num-workers-zero": Severity.HINT},
    ),
    "a handful of values, made once in a while": (
        """
        import torch
        def epoch(device):
            return torch.zeros(1).to(device)
        """,
        {"create-on-cpu-then-move": Severity.HINT},
    ),
    "a handful of values in every step": (
        """
        import torch
        def epoch(device, steps):
            for _ in range(steps):
                yield torch.zeros(1).to(device)
        """,
        {"create-on-cpu-then-move": Severity.INFORMATION},
    ),
    "many values": (
        """
        import torch
        def epoch(device):
            return torch.zeros(64, 3, 32, 32).to(device)
        """,
        {"create-on-cpu-then-move": Severity.INFORMATION},
    ),
    "a range made on the spot": (
        """
        import torch
        rates = [x.item() for x in torch.linspace(0, 0.1, 12)]
        """,
        {"item-list-comprehension": Severity.HINT},
    ),
    "a range on a device": (
        """
        import torch
        rates = [x.item() for x in torch.linspace(0, 0.1, 12, device="cuda")]
        """,
        {"item-list-comprehension": Severity.INFORMATION},
    ),
    "a layer under the name of a method": (
        """
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.modules = nn.ModuleList([nn.Linear(3, 3)])
        """,
        {"overrides-module-method": Severity.WARNING},
    ),
    "a loss that is summed over all batches": (
        LOOP + "        total += loss\n        loss.backward()",
        {"loss-accumulated-with-graph": Severity.WARNING},
    ),
    "a loss that is summed over four batches": (
        LOOP + "        total += loss\n        loss.backward()\n        if step % 4 == 3:\n            total = 0",
        {"loss-accumulated-with-graph": Severity.HINT},
    ),
    "a list in the place of a method": (
        """
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.parameters = []
        """,
        {"overrides-module-method": Severity.ERROR},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_finding_weighs(case: str) -> None:
    code, expected = CASES[case]
    findings = check(File.read("f.py", dedent(code)), Facts.none(), Settings())
    assert {finding.id: finding.severity for finding in findings} == expected


UNUSED = """
from torch import nn

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)

    def forward(self, x):
        return self.first(x)
"""


@pytest.mark.parametrize(
    ("package", "made", "found"),
    [(False, False, True), (True, False, False), (True, True, True)],
    ids=["script", "package", "made"],
)
def test_others_of_a_package_may_reach_for_a_layer(tmp_path: Path, package: bool, made: bool, found: bool) -> None:
    if package:
        (tmp_path / "__init__.py").touch()
    file = File.read(str(tmp_path / "net.py"), UNUSED + "net = Decoder()\n" * made, None, Workspace((str(tmp_path),)))
    assert ["layer-never-used"] * found == [finding.id for finding in check(file, Facts.none(), Settings())]
