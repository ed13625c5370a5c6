"""Where a benchmark runs: device, threads, versions."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import List, Optional

from torch_handbook_worker.protocol import Machine


def this_machine(cuda: Optional[bool] = None) -> Machine:
    """The device and the versions that matter to a figure. `cuda` says whether the GPU is used; by default, if there is one."""
    import torch

    cuda = torch.cuda.is_available() if cuda is None else cuda
    return Machine(
        device=f"cuda:{torch.cuda.current_device()}" if cuda else "cpu",
        device_name=torch.cuda.get_device_name() if cuda else processor(),
        python=platform.python_version(),
        torch=str(torch.__version__),
        cuda=torch.version.cuda if cuda else None,
        threads=torch.get_num_threads(),
    )


def accelerators() -> List[str]:
    """Every device besides the CPU that torch can use here."""
    import torch

    found = [f"cuda:{number}, {torch.cuda.get_device_name(number)}" for number in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    found += [f"xpu:{number}, {torch.xpu.get_device_name(number)}" for number in range(torch.xpu.device_count())]
    return found


def processor() -> str:
    """The processor's own name, which `platform` does not know on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("model name")]
    name = named[0] if named else platform.processor() or platform.machine()
    return f"{name} ({os.cpu_count()} cores)"


def uses_cuda() -> bool:
    """Whether this process has put anything on a GPU so far."""
    import torch

    return torch.cuda.is_available() and torch.cuda.max_memory_allocated() > 0
