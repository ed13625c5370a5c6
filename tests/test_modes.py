"""A network whose layers surely have no mode: what to say of its mode weighs less."""

from __future__ import annotations

import pytest
from torch_handbook.engine import registry
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.run import check
from torch_handbook.settings import Settings
from torch_handbook.source.file import File

SCRIPT = """
import torch
import torch.nn.functional as F
from torch import nn
from elsewhere import Block

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.last = {last}
    def forward(self, x):
        return {result}

net = {net}
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    net(torch.ones(1, 2)).mean().backward()
    optimizer.step()
    net.eval()
"""
PLAIN, OUT = "nn.Sequential(nn.Tanh(), nn.Conv1d(2, 2, 1))", "self.last(self.inner(x))"


@pytest.mark.parametrize(
    ("net", "last", "result", "severity"),
    [
        ("Net()", PLAIN, OUT, "hint"),
        ("nn.Sequential(Inner(), nn.ReLU())", PLAIN, OUT, "hint"),
        ("nn.Sequential(Inner(), nn.Dropout(0.5))", PLAIN, OUT, "warning"),
        ("Net()", "nn.Sequential(nn.BatchNorm1d(2))", OUT, "warning"),
        ("Net()", "Block()", OUT, "warning"),
        ("Net()", "nn.LSTM(2, 2, 2, dropout=0.5)", OUT, "warning"),
        ("Net()", PLAIN, "F.dropout(self.inner(x))", "warning"),
    ],
)
def test_the_mode_of_plain_layers_is_a_hint(net: str, last: str, result: str, severity: str) -> None:
    rules = [rule for rule in registry.rules() if rule.id == "train-mode-not-restored"]
    file = File.read("f.py", SCRIPT.format(net=net, last=last, result=result))
    found = check(file, Facts.none(), Settings(), rules)
    assert [finding.severity.value for finding in found if finding.severity] == [severity]
