"""What raises in another file of the workspace is told at the call in this file that leads there."""

from __future__ import annotations

import os
from pathlib import Path

from torch_handbook_worker.protocol import Failure
from torch_handbook_worker.tensors.operation import Call, source_of
from torch_handbook_worker.tensors.trace import span_of

REASON = "elsewhere"
TOLD = ("shape", "dtype")


def tell(call: Call, failure: Failure) -> None:
    """Write down at the place where this file was left that the call raises."""
    trace, frame = call.frame.session.trace, call.frame
    if frame.source.path == trace.path or trace.left is None or failure.reason not in TOLD or not failure.details:
        return  # of code that is not in sight only what the numbers explain is certain enough
    owner = getattr(frame.owner, "__name__", "")
    place = {
        "file": os.path.relpath(frame.source.path, Path(trace.path).parent),
        "line": span_of(call.node)[0],
        "function": f"{owner}.{frame.name}" if owner else frame.name,
        "code": source_of(frame, call.node).split("\n")[0],
    }
    operation, error, text, operands = failure.operation, failure.error, failure.message, failure.operands
    details = {**failure.details, "elsewhere": place}
    trace.fail(Failure(trace.left.span, REASON, operation, error, text, operands, details), trace.path)
