"""What differs between torch's versions, and what the interpreter does where a version lacks something."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from test_tensors import interpreted, shapes
from torch_handbook_worker.protocol import TensorFact

WORKER = Path(__file__).parents[1] / "server" / "torch_handbook_worker"


@pytest.mark.parametrize("path", sorted(WORKER.rglob("*.py")), ids=lambda path: path.stem)
def test_the_worker_is_python_of_3_9(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    assert not [node for node in ast.walk(tree) if type(node).__name__ in ("Match", "TryStar", "TypeAlias")]


@pytest.mark.torch
@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
def test_a_recurrent_layer_keeps_free_sizes_and_its_graph(layer: str) -> None:
    text = (
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.cell = nn.{layer}(4, 6, batch_first=True)\n    def forward(self, x):\n"
        "        out, _ = self.cell(x)\n        return out\n"
    )
    result = interpreted(text)
    assert shapes(text, result)["8:out"] == ["N", "T", 6]
    (out,) = [row.fact for row in result.facts if row.span[:2] == (8, 8) and isinstance(row.fact, TensorFact)]
    assert out.requires_grad and not result.gaps


@pytest.mark.torch
def test_dropout_that_drops_nothing_gives_its_input_itself() -> None:
    text = (
        "import torch\nimport torch.nn.functional as F\nx = torch.zeros(3, requires_grad=True)\n"
        "y = F.dropout(x, 0.5, training=False)\ny.add_(1)\n"
    )
    assert [failure.reason for failure in interpreted(text).failures] == ["leaf"]
