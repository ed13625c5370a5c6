"""Batches of a DataLoader: its dataset's first sample, stacked, with the size that the loader says."""

from __future__ import annotations

from typing import Any, List, Optional

import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, default_collate

from torch_handbook_worker.tensors.arrays import Array, to_tensor
from torch_handbook_worker.tensors.notes import device_of, is_placed, put_on
from torch_handbook_worker.tensors.roles import claim_batch
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.values import Stream, Unknown, each, unknown_in


def batches(session: Session, loader: Any) -> Stream:
    """The batches of a loader; every one is made anew."""
    count = length(loader.dataset)
    size = batch_size(session, loader, count)
    batch = getattr(loader, "batch_size", None)
    steps = None if count is None or not isinstance(batch, int) else -(-count // batch)
    return Stream(lambda: _batch(session, loader, size), steps)


def length(dataset: Any) -> Optional[int]:
    """How many samples a dataset has, where that is known."""
    count: Any
    try:
        count = len(dataset)
    except Exception:
        return None
    return count if isinstance(count, int) else None


def batch_size(session: Session, loader: Any, count: Optional[int]) -> Any:
    """The first size of a batch: a number where all batches have it, else a free size."""
    size = getattr(loader, "batch_size", None)
    if not isinstance(size, int):
        return None if size is None and getattr(loader, "batch_sampler", None) is None else _free(session, loader)
    if loader.drop_last or (count is not None and count % size == 0):
        return size
    if count is not None and count < size:
        return count
    return _free(session, loader)


def _free(session: Session, loader: Any) -> Any:
    """The loader's own free size: the same in all of its batches."""
    if "handbook_batch" not in loader.__dict__:
        loader.__dict__["handbook_batch"] = session.sizes.free("batch", born=0)
    return loader.__dict__["handbook_batch"]


def _batch(session: Session, loader: Any, size: Any) -> Any:
    dataset = loader.dataset
    try:
        sample = next(iter(dataset)) if isinstance(dataset, IterableDataset) else dataset[0]
    except Exception as error:
        session.trace.gap(session.trace.here.span, f"a sample of {type(dataset).__name__}: {error}")
        return Unknown()
    if size is None:
        return sample
    if loader.collate_fn is not default_collate:
        return _collated(loader, sample, size)
    batch = stacked(_placed(dataset, sample), size)
    for value in each(batch):
        if isinstance(value, torch.Tensor) and value.dim():
            claim_batch(value, loader, ends_with_one(loader))
    return batch


def _placed(dataset: Any, sample: Any) -> Any:
    """A sample of tensors that the code itself put somewhere is where they are."""
    rows: Any = getattr(dataset, "tensors", None)
    if type(dataset) is TensorDataset and len(rows) == len(sample):
        for row, part in zip(rows, sample):
            if is_placed(row) and not is_placed(part):
                put_on(part, device_of(row))
    return sample


def ends_with_one(loader: Any) -> bool:
    """Whether the last batch has a single sample."""
    count, size = length(loader.dataset), getattr(loader, "batch_size", None)
    return count is not None and isinstance(size, int) and size > 1 and count % size == 1 and not loader.drop_last


def _collated(loader: Any, sample: Any, size: Any) -> Any:
    if not isinstance(size, int) or size > 512:
        return Unknown()
    try:
        return loader.collate_fn([sample] * size)
    except Exception:
        return Unknown()


def stacked(sample: Any, size: Any) -> Any:
    """What torch's own collate makes of `size` samples like this one."""
    if isinstance(sample, torch.Tensor):
        batch = torch.empty([size, *sample.shape], dtype=sample.dtype)
        return put_on(batch, device_of(sample)) if is_placed(sample) else batch
    if isinstance(sample, Array):
        return to_tensor(Array(torch.empty([size, *sample.tensor.shape], dtype=sample.tensor.dtype), sample.is_vague))
    if isinstance(sample, bool) or (isinstance(sample, Unknown) and sample.kind == "int"):
        return torch.empty([size], dtype=torch.int64)
    if isinstance(sample, (int, torch.SymInt)):
        return torch.empty([size], dtype=torch.int64)
    if isinstance(sample, float):
        return torch.empty([size], dtype=torch.float64)
    if isinstance(sample, dict):
        return {key: stacked(value, size) for key, value in sample.items()}
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return type(sample)(*(stacked(value, size) for value in sample))
    if isinstance(sample, (list, tuple)):
        items: List[Any] = [stacked(value, size) for value in sample]
        return items
    return Unknown()


def make_loader(kind: Any, args: Any, kwargs: Any) -> Any:
    """A loader of torch's own class, without workers and samplers that would need data."""
    kept = {
        name: value
        for name, value in kwargs.items()
        if name in ("batch_size", "drop_last", "collate_fn") and unknown_in(value) is None
    }
    dataset = args[0] if args else kwargs.get("dataset")
    if len(args) > 1:
        kept["batch_size"] = args[1]
    if isinstance(dataset, Unknown) or unknown_in(kwargs.get("collate_fn")) is not None:
        dataset = UnknownSamples()
    if unknown_in(kwargs.get("batch_size", 1)) is not None or unknown_in(kept.get("batch_size", 1)) is not None:
        kept["batch_size"] = 1
        loader = kind(dataset, **kept)
        loader.__dict__["batch_size"] = Unknown("int")
        return loader
    return kind(dataset, **kept)


class UnknownSamples(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """A dataset of which nothing is known."""

    def __getitem__(self, index: Any) -> Any:
        return Unknown()


def is_loader_class(value: Any) -> bool:
    """Whether it is torch's DataLoader or a class derived from it in torch."""
    return isinstance(value, type) and issubclass(value, DataLoader) and value.__module__.startswith("torch.")
