"""Whether two results are the same, within what their dtype can tell apart."""

from __future__ import annotations

from typing import Any, Optional, Tuple

# Relative to the largest value: a sum in another order differs by about this much, a wrong formula by far more.
TOLERANCE = {"float64": 1e-10, "float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2, "complex64": 1e-4, "complex128": 1e-10}


def compare(left: Any, right: Any) -> Tuple[bool, Optional[float]]:
    """Whether they are equal, and their largest absolute difference where that can be said."""
    import torch

    if not isinstance(left, torch.Tensor) or not isinstance(right, torch.Tensor):
        return bool(left == right), None
    if left.shape != right.shape or left.dtype != right.dtype:
        return False, None
    if left.numel() == 0:
        return True, 0.0
    with torch.no_grad():
        kind = str(left.dtype).replace("torch.", "")
        if kind not in TOLERANCE:
            different = (left.double() - right.double()).abs().max().item()
            return bool(torch.equal(left, right)), float(different)
        wide = torch.complex128 if left.is_complex() else torch.float64
        a, b = left.detach().to("cpu").to(wide), right.detach().to("cpu").to(wide)
        same_nan = torch.equal(a.isnan(), b.isnan())
        a, b = a.nan_to_num(), b.nan_to_num()
        different = (a - b).abs().max().item()
        largest = max(float(a.abs().max().item()), 1e-30)
        return bool(same_nan and different <= TOLERANCE[kind] * largest), float(different)
