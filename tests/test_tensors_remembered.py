"""Results of operators that are remembered: they are what torch would compute again, and each is a tensor of its own."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from test_tensors import interpreted
from torch_handbook_worker import protocol

pytestmark = pytest.mark.torch
FILES = sorted((Path(__file__).parent / "tensors").glob("*.py"))

BATCHES = """
import torch
from torch import nn

class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(3, 4))
        self.rnn = nn.GRU(4, 4, batch_first=True)

    def forward(self, x):
        weights = (self.scale @ self.scale.transpose(0, 1)).softmax(-1)
        out, state = self.rnn(weights @ x)
        return out.exp()

Scores()(torch.randn(2, 3, 4)).sum().backward()
"""


@contextmanager
def walked(fresh: bool = True) -> Generator[Any]:
    """The mode in which the interpreter walks, with nothing remembered yet where it is fresh."""
    torch: Any = pytest.importorskip("torch")
    from torch_handbook_worker.protocol import InterpretRequest
    from torch_handbook_worker.tensors import remembered
    from torch_handbook_worker.tensors.fakes import quiet_torch
    from torch_handbook_worker.tensors.session import Session
    from torch_handbook_worker.tensors.size_nodes import quick_nodes
    from torch_handbook_worker.tensors.sizes import compared_by_witnesses

    if fresh:
        remembered.ENTRIES.clear()
    session = Session(InterpretRequest("/nowhere/file.py", ""))
    with quiet_torch(), compared_by_witnesses(), quick_nodes(), session.fakes:
        yield torch, session


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_the_same_when_all_is_remembered(path: Path) -> None:
    pytest.importorskip("torch")
    from torch_handbook_worker.tensors import remembered

    text = path.read_text(encoding="utf-8")
    remembered.ENTRIES.clear()
    first, known = interpreted(text, str(path)), len(remembered.ENTRIES)
    again = interpreted(text, str(path))
    assert known and len(remembered.ENTRIES) == known  # nothing new was met
    assert [protocol.to_json(row) for row in again.facts] == [protocol.to_json(row) for row in first.facts]
    assert [protocol.to_json(row) for row in again.failures] == [protocol.to_json(row) for row in first.failures]
    assert again.gaps == first.gaps


def test_an_edit_of_one_line_meets_few_operators_that_are_new() -> None:
    pytest.importorskip("torch")
    from torch_handbook_worker.tensors import remembered

    text = (Path(__file__).parent / "scripts" / "train_shapes.py").read_text(encoding="utf-8")
    remembered.ENTRIES.clear()
    interpreted(text)
    known = len(remembered.ENTRIES)
    interpreted(text + "\nunused = torch.ones(7, 5).sum(0)\n")
    assert known > 100 and 0 < len(remembered.ENTRIES) - known <= 2


def test_what_is_remembered_is_a_new_tensor_each_time() -> None:
    with walked() as (torch, session):
        x = torch.empty(session.sizes.free("N"), session.sizes.free("C") * 2, 3)
        computed, recalled, other = torch.relu(x), torch.relu(x), torch.relu(x)
        assert str(recalled.shape) == str(computed.shape) and recalled.stride() == computed.stride()
        assert recalled.dtype == computed.dtype and recalled.device == computed.device
        storages = {value.untyped_storage()._cdata for value in (x, computed, recalled, other)}
        assert len(storages) == 4
        assert str(recalled.untyped_storage().nbytes()) == str(computed.untyped_storage().nbytes())
        assert torch._C._dispatch_key_set(recalled) == torch._C._dispatch_key_set(computed)
        recalled.add_(1)
        assert [value._version for value in (computed, recalled, other)] == [0, 1, 0]


@pytest.mark.parametrize("free", [False, True])
def test_a_remembered_view_shares_memory_and_changes_with_its_own_base_only(free: bool) -> None:
    with walked() as (torch, session):
        size = session.sizes.free("N") if free else 5
        first, second = torch.empty(size, 4), torch.empty(size, 4)
        computed, recalled = first.t(), second.t()
        assert recalled.untyped_storage()._cdata == second.untyped_storage()._cdata != first.untyped_storage()._cdata
        recalled.mul_(2)
        assert [value._version for value in (first, computed, second, recalled)] == [0, 0, 1, 1]
        assert str(recalled.stride()) == str(computed.stride()) and recalled._base is second


def test_gradients_go_through_what_is_remembered() -> None:
    with walked() as (torch, session):
        size = session.sizes.free("N")
        for _ in range(2):
            x = torch.empty(size, 3, requires_grad=True)
            (x.exp() * x.view(-1)[0]).sum().backward()
            assert x.grad is not None and str(x.grad.shape) == str(x.shape)


def test_how_much_a_mask_takes_is_another_number_each_time() -> None:
    with walked() as (torch, session):
        x = torch.empty(session.sizes.free("N"), 3)
        masks = [x > number for number in (0.5, 0.5, 0.5)]
        taken = [str(x[mask].shape[0]) for mask in (masks[0], masks[0], masks[1], masks[2])]
        assert len(set(taken)) >= 3 and taken[1] != taken[2] != taken[3]


def test_numbers_of_another_type_are_another_call() -> None:
    with walked() as (torch, session):
        x = torch.empty(session.sizes.free("N"), dtype=torch.int64)
        assert [(x * number).dtype for number in (2, 2.0, True, 2, 2.0)] == [
            torch.int64, torch.float32, torch.int64, torch.int64, torch.float32,
        ]  # fmt: skip


def test_the_numbers_that_stand_for_sizes_are_part_of_what_is_remembered() -> None:
    with walked() as (torch, session):
        torch.empty(session.sizes.free("N", 48), 4).view(-1, 8)
    with walked(fresh=False) as (torch, session):
        free = session.sizes.free("N", 49)
        with pytest.raises(RuntimeError):
            torch.empty(free, 4).view(-1, 8)


def sessions() -> list[Any]:
    """The walks that something still holds."""
    from torch_handbook_worker.tensors.session import Session

    gc.collect()
    return [found for found in gc.get_objects() if type(found) is Session]


@pytest.mark.parametrize("path", [*FILES, FILES[0].parent.parent / "scripts" / "train_shapes.py"], ids=lambda path: path.stem)
def test_a_walk_leaves_nothing_behind(path: Path) -> None:
    pytest.importorskip("torch")
    before = sessions()
    interpreted(path.read_text(encoding="utf-8"), str(path))
    assert [found for found in sessions() if not any(found is row for row in before)] == []


def test_what_was_called_with_keywords_is_not_kept() -> None:
    """A method is bound to the tensor, the network or the optimizer of one walk."""
    torch = pytest.importorskip("torch")
    text = """
import torch
from torch import nn

net = nn.MultiheadAttention(8, 2)
x = torch.randn(3, 4, 8)
out, weights = net(x, x, x, need_weights=False)
out.sum(dim=1).mean(dim=0)
net.requires_grad_(requires_grad=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
optimizer.zero_grad(set_to_none=True)
net(x, x, x, needs_weights=False)
"""

    def alive() -> int:
        gc.collect()
        kinds = (torch.nn.MultiheadAttention, torch.optim.SGD)
        return sum(type(found) in kinds for found in gc.get_objects())

    before = alive()
    interpreted(text, "/kept.py")
    assert alive() == before


def test_a_weight_that_leads_back_to_its_own_graph_is_let_go() -> None:
    pytest.importorskip("torch")
    before = sessions()
    interpreted(BATCHES)
    assert [found for found in sessions() if not any(found is row for row in before)] == []


def test_a_product_with_a_float_that_is_made_of_sizes_is_remembered() -> None:
    with walked() as (torch, session):
        size = session.sizes.free("C")
        x = torch.empty(session.sizes.free("N"), size)
        known = []
        for number in (size**-0.5, size**-0.5, (size + 1) ** -0.5):
            assert isinstance(number, torch.SymFloat)
            assert str((x * number).shape) == str(x.shape) and (x * number).dtype is torch.float32
            known.append(len(remembered_results()))
        assert known[0] == known[1] == known[2] - 1


def remembered_results() -> Any:
    from torch_handbook_worker.tensors import remembered

    return remembered.ENTRIES


@pytest.mark.parametrize("kind", ["float32", "float16", "int64", "bool"])
def test_the_kind_of_number_beside_a_plain_one_is_found_once_and_counted_each_time(kind: str) -> None:
    torch: Any = pytest.importorskip("torch")
    from torch_handbook_worker.tensors import kernels
    from torch_handbook_worker.tensors.composites import composed_in_python

    real = torch.zeros(3, 2, dtype=getattr(torch, kind))
    for number in (2, 0.5, True):
        with walked() as (_, session), composed_in_python():
            kernels.RESULT_TYPES.clear()
            x = torch.empty(session.sizes.free("N"), 2, dtype=getattr(torch, kind))
            counts = []
            for _ in range(3):
                before = session.fakes.count
                with contextlib.suppress(RuntimeError):
                    x.mul_(number)
                counts.append(session.fakes.count - before)
            assert counts[0] == counts[1] == counts[2] > 0
            assert [row[0] for row in kernels.RESULT_TYPES.values()] == [torch.result_type(real, number)]
