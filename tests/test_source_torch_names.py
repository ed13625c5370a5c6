"""What is known of torch without torch agrees with a torch."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from torch_handbook.source.torch_names import base_of, members, returns
from torch_handbook.torchdocs.distil import distil

SPEC = importlib.util.find_spec("torch")
FOLDER = Path(SPEC.submodule_search_locations[0]) if SPEC and SPEC.submodule_search_locations else None


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("torch.nn.Conv2d", "torch.nn.Module"),
        ("torch.nn.Module", "torch.nn.Module"),
        ("torch.nn.Parameter", "torch.Tensor"),
        ("torch.LongTensor", "torch.Tensor"),
        ("torch.optim.AdamW", "torch.optim.Optimizer"),
        ("torch.optim.lr_scheduler.StepLR", "torch.optim.lr_scheduler.LRScheduler"),
        ("torch.utils.data.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.cuda.amp.GradScaler", "torch.amp.GradScaler"),
        ("torch.nn.DataParallel", "torch.nn.Module"),
        ("torch.nn.functional", None),
        ("torch.sum", None),
        ("torch.distributions.Normal", None),
    ],
)
def test_the_class_that_documents_the_members(name: str, base: str | None) -> None:
    assert base_of(name) == base


def test_results() -> None:
    assert returns("torch")["sum"] == "tensor"
    assert returns("torch")["topk"] == "2"
    assert returns("torch.Tensor")["shape"] == "Size"
    assert "max" not in returns("torch")
    assert "load" not in returns("torch")
    assert {"view", "backward", "shape"} <= members("torch.Tensor")


@pytest.mark.torch
@pytest.mark.skipif(FOLDER is None, reason="needs an installed torch")
def test_the_installed_torch_says_the_same_of_nearly_all() -> None:
    assert FOLDER is not None
    found = distil(FOLDER)
    for owner in ("torch", "torch.Tensor", "torch.nn.functional"):
        theirs = {
            name: word
            for word, owners in found["returns"].items()
            if isinstance(owners, dict)
            for name in owners.get(owner, "").split()
        }
        shared = set(theirs) & set(returns(owner))
        assert {name for name in shared if theirs[name] != returns(owner)[name]} == set(), owner
        assert len(shared) > 0.9 * len(returns(owner))
