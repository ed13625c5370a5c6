"""Calling the command line as a person or a script does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

EINSUM = 'import torch\n\nx = torch.einsum("i,i->", torch.ones(3), torch.ones(3))\n'
FINE = "import torch\n\nx = torch.dot(torch.ones(3), torch.ones(3))\n"


def run(*arguments: str | Path, folder: Path, data: bytes = b"") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torch_handbook", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, input=data, capture_output=True, timeout=120, check=False)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def check(*arguments: str | Path, folder: Path, data: bytes = b"") -> subprocess.CompletedProcess[str]:
    """`check` without asking torch."""
    return run("check", "--no-facts", *arguments, folder=folder, data=data)


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return json.loads(done.stdout)


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
