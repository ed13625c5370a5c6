"""`torch-handbook summary`: the page and its figures, and what is said to who asks wrongly."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from check_command import run
from torch_handbook.cli.summary import bytes_of, split
from torch_handbook.features.model_summary import count, largest_batch, page, size
from torch_handbook_worker.protocol import LayerRow, OptimizerRow, SummaryResult

NETWORK = """import torch
from torch import nn
net = nn.Sequential(nn.Linear(1000, 2000), nn.ReLU(), nn.Linear(2000, 10))
optimizer = torch.optim.Adam(net.parameters())
net(torch.randn(16, 1000))
"""


@pytest.mark.torch
def test_a_network_is_summed_up_and_a_batch_that_fits_is_told(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "net.py").write_text(NETWORK)
    ran = run("summary", "net.py:net", "--memory", "1GiB", "--output-format", "markdown", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "| Linear(1000, 2000, bias=True)" in ran.stdout.replace("whole", "")
    assert "2,022,010 parameters (7.7 MiB)" in ran.stdout and "Adam (this file's)" in ran.stdout
    data = json.loads(run("summary", "net.py", "--output-format", "json", folder=tmp_path).stdout)
    (optimizer,) = data["optimizers"]
    fixed = data["weights"] + data["gradients"] + data["buffers"] + optimizer["state"]
    each = (1000 + 2000) * 4  # the input of the first layer, and what ReLU gives, which the second takes too
    batch = (2**30 - fixed) // each
    assert f"With Adam (this file's) a batch of {batch:,} fits into 1.0 GiB." in ran.stdout


@pytest.mark.torch
def test_what_cannot_be_measured_is_said(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "net.py").write_text(NETWORK)
    ran = run("summary", "net.py:model", folder=tmp_path)
    assert ran.returncode == 1 and "model is no network of this file" in ran.stderr and "there are: net" in ran.stderr
    assert run("summary", "other.py", folder=tmp_path).returncode == 2
    assert "not an amount of memory" in run("summary", "net.py", "--memory", "much", folder=tmp_path).stderr


@pytest.mark.parametrize("amount", ["24", "1.5", "B", "24 bytes", "24iB"])
def test_an_amount_without_a_unit_is_none(amount: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="not an amount of memory such as 24GiB"):
        bytes_of(amount)


def test_names_and_amounts_are_read(tmp_path: Path) -> None:
    assert split("net.py:Net") == (Path("net.py"), "Net") and split("a/net.py:trainer.model") == (
        Path("a/net.py"),
        "trainer.model",
    )
    assert split("net.py") == (Path("net.py"), "") and split("C:\\net.py") == (Path("C:\\net.py"), "")
    assert [bytes_of(words) for words in ("24GiB", "24G", "24 GB", "1.5k", "300B")] == [24 << 30, 24 << 30, 24 * 10**9, 1536, 300]
    assert [size(number) for number in (999, 1024, 150_000, 3 << 30)] == ["999 B", "1.0 KiB", "146 KiB", "3.0 GiB"]
    assert [count(number) for number in (0, 999, 1500, 4_089_184_256)] == ["0", "999", "1.5 k", "4.09 G"]


def test_the_largest_batch_is_the_last_that_fits() -> None:
    row = OptimizerRow("torch.optim.SGD", "lr=0.1", 100, True)
    result = SummaryResult("net", rows=[LayerRow("", "Net", "Net", 0, False)], weights=500, gradients=400, batch=1,
                           saved={"1": 70, "2": 120, "4": 220}, optimizers=[row])  # fmt: skip
    assert largest_batch(result, row, 1000 + 20 + 50 * 7 + 49) == 7
    assert largest_batch(result, row, 1000) == 0
    assert largest_batch(SummaryResult(saved={"1": 70}), row, 10_000) is None
    assert "not even one sample fits into 1.0 KiB" in page(result, 1000).markdown


def test_in_a_narrow_terminal_only_what_a_layer_is_is_cut() -> None:
    text = "Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2))"
    found = [
        LayerRow("", "Net", "Net", 0, False),
        LayerRow("body.conv", "torch.nn.Conv2d", text, 2, True, output=[1, 64, 112, 112]),
    ]
    result = SummaryResult("net", rows=found, weights=500, gradients=400, batch=1)
    (row,) = [line for line in page(result, width=60).markdown.split("\n") if "conv" in line]
    assert row.startswith("| · conv") and "[1, 64, 112, 112]" in row and "kernel" not in row and "…" in row
    assert text[:40] in page(result).markdown
