"""What lies in a workspace never runs in the worker: modules that shadow others, site hooks, and what they would set off."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from torch_handbook.worker_client import interpret_files
from torch_handbook_worker.protocol import InterpretRequest

pytestmark = pytest.mark.torch
MARKER = "open({mark!r}, 'a').write(__name__)\n"
FILES = (
    "torch/__init__.py", "torch/nn/__init__.py", "sitecustomize.py", "usercustomize.py", "numpy/__init__.py", "json.py", "ast.py",
    "torch_handbook_worker/__init__.py", "conftest.py", "helper.py", "jaxtyping.py", "einops.py", "__init__.py",
)  # fmt: skip
TEXT = """import torch
import helper
from jaxtyping import Float
from einops import rearrange

def f(x: Float[torch.Tensor, "2 3"]):  # torch-handbook: x = (2, 3)
    return x.T

y = f(helper.load())
z = rearrange(torch.ones(2, 3), "a b -> b a")
"""


def test_nothing_of_a_workspace_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    mark = tmp_path / "mark"
    work = tmp_path / "work"
    for name in FILES:
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MARKER.format(mark=str(mark)))
    (work / "pth.pth").write_text("import sitecustomize\n")
    path = work / "net.py"
    path.write_text(TEXT)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PYTHONSTARTUP", str(work / "sitecustomize.py"))
    (result,) = interpret_files(sys.executable, [InterpretRequest(str(path), TEXT, [str(work)], 60.0)])
    assert result.problem is None and not mark.exists()
    assert any(fact.span[:2] == (9, 0) for fact in result.facts)
