"""The interpreter on the shipped script, on bad input and on hostile code, and what it leaves behind: nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from torch_handbook_worker.protocol import InterpretRequest, InterpretResult, ModuleFact, TensorFact

pytestmark = pytest.mark.torch
SCRIPT = Path(__file__).parent / "scripts" / "train_shapes.py"


def interpreted(text: str, path: str = "/nowhere/file.py", roots: list[str] | None = None, **limits: float) -> InterpretResult:
    pytest.importorskip("torch")
    from torch_handbook_worker.tensors.program import interpret

    return interpret(InterpretRequest(path, text, roots or [], limits.get("seconds", 60.0), int(limits.get("steps", 200_000))))


def shapes(text: str, result: InterpretResult) -> dict[str, list[int | str]]:
    """The shape of each assigned name, by `line:name`."""
    facts = {fact.span: fact.fact for fact in result.facts}
    found: dict[str, list[int | str]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Name, ast.arg)) and not isinstance(getattr(node, "ctx", None), ast.Load):
            fact = facts.get((node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0))
            if isinstance(fact, TensorFact):
                found[f"{node.lineno}:{node.id if isinstance(node, ast.Name) else node.arg}"] = fact.shape
    return found


def test_the_shipped_script_has_a_shape_on_every_line_with_tensors() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    found = shapes(text, interpreted(text, str(SCRIPT)))
    wanted = {
        "pictures": [600, 3, 32, 32], "labels": [600], "rows": [32, 1], "columns": [1, 32], "circle": [32, 32],
        "square": [32, 32], "triangle": [32, 32], "shapes": [3, 32, 32], "q": ["batch", 25, 16], "scores": ["batch", 25, 25],
        "weights": ["batch", 25, 25], "tokens": ["batch", 25, 16], "features": ["batch", 64], "logits": ["batch", 3], "loss": [],
    }  # fmt: skip
    by_name = {key.split(":")[1]: shape for key, shape in reversed(list(found.items()))}
    first = {key.split(":")[1]: shape for key, shape in sorted(found.items(), key=lambda row: -int(row[0].split(":")[0]))}
    assert {name: first.get(name) for name in wanted} == wanted, by_name


def test_the_shipped_script_has_one_shape_failure_and_none_once_mended() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    (failure,) = interpreted(text, str(SCRIPT)).failures
    assert (failure.reason, failure.operation) == ("shape", "torch.nn.Linear")
    details = failure.details
    assert (details["in_features"], details["features"], details["unflattened"]) == (576, 400, [25, 16])
    assert details["layer"] == "self.fc1"
    line, start, end_line, end = details["argument"]
    assert text.splitlines()[line - 1][start:end] == "16 * 6 * 6" and line == end_line
    assert interpreted(text.replace("16 * 6 * 6", "16 * 5 * 5"), str(SCRIPT)).failures == []


def test_a_module_says_its_parameters_and_the_shapes_that_it_met() -> None:
    result = interpreted("import torch\nlayer = torch.nn.Linear(3, 4)\ny = layer(torch.zeros(2, 3))\n")
    facts = {fact.span: fact.fact for fact in result.facts}
    layer = facts[(2, 0, 2, 5)]
    assert isinstance(layer, ModuleFact)
    assert (layer.type, layer.parameters, layer.input, layer.output) == ("torch.nn.Linear", 16, [2, 3], [2, 4])


def test_names_of_another_file_are_read_and_its_code_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").write_text("from .net import Net as Model\n")
    (tmp_path / "models" / "net.py").write_text(
        "import torch\nfrom torch import nn\nopen('made', 'w').write('x')\n"
        "class Net(nn.Module):\n    def __init__(self, width):\n"
        "        super().__init__()\n        self.fc = nn.Linear(8, width)\n"
        "    def forward(self, x):\n        return self.fc(x)\n"
    )
    text = "import torch\nfrom models import Model\ny = Model(5)(torch.zeros(2, 8))\n"
    assert shapes(text, interpreted(text, str(tmp_path / "train.py"), [str(tmp_path)]))["3:y"] == [2, 5]
    assert not (tmp_path / "made").exists()


def test_files_that_import_each_other_know_each_others_names(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text("import torch\nimport net\ndef batch():\n    return torch.zeros(2, net.WIDTH)\n")
    text = (
        "import torch\nfrom torch import nn\nfrom data import batch\nWIDTH = 12\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(10, 2)\n"
        "    def forward(self, x):\n        return self.fc(x)\ny = Net()(batch())\n"
    )
    (tmp_path / "net.py").write_text(text)
    (failure,) = interpreted(text, str(tmp_path / "net.py"), [str(tmp_path)]).failures
    assert failure.span[0] == 10 and failure.details["features"] == 12
    mended = text.replace("10, 2", "WIDTH, 2")
    assert shapes(mended, interpreted(mended, str(tmp_path / "net.py"), [str(tmp_path)]))["11:y"] == [2, 2]


HOSTILE = [
    "import os\nos.system('touch {mark}')",
    "__import__('os').system('touch {mark}')",
    "exec(\"open('{mark}', 'w')\")",
    "eval(\"open('{mark}', 'w')\")",
    "open('{mark}', 'w').write('x')",
    "import torch\ntorch.os.system('touch {mark}')",
    "import torch\ntorch.nn.Module.__init__.__globals__['os'].system('touch {mark}')",
    "import torch\ngetattr(torch, 'os').system('touch {mark}')",
    "().__class__.__base__.__subclasses__()[0].__init__.__globals__['sys']",
    "import torch\ntorch.save(torch.zeros(3), '{mark}')",
    "import torch\ntorch.from_file('{mark}', shared=True, size=8)",
    "import torch\ntorch.UntypedStorage.from_file('{mark}', True, 8)",
    "from pathlib import Path\nPath('{mark}').touch()",
    "import operator\noperator.attrgetter('__globals__')(print)",
    "import typing\nclass A:\n    x: \"open('{mark}', 'w')\"\ntyping.get_type_hints(A)",
    "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: \"open('{mark}', 'w')\" = 1\nA()",
    "import torch\n@torch.jit.script\ndef f(x):\n    return x\nf(torch.zeros(3))",
    "class A:\n    def __getattr__(self, name):\n        return open('{mark}', 'w')\nA().x",
    "import sys\nsys.exit(3)",
    "raise SystemExit(3)",
]


@pytest.mark.parametrize("code", HOSTILE)
def test_code_is_never_run(code: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    result = interpreted(code.replace("{mark}", str(mark)) + "\nimport torch\nafter = torch.zeros(2)\n", seconds=20.0)
    assert not mark.exists()
    assert result.problem is None and result.failures == []


@pytest.mark.parametrize(
    "text",
    ["", "\ufeffimport torch\n", "x = \x00 1", "def f(:", "x = " + "(" * 5000,
     "import nothing_like_this\nnothing_like_this.a.b(1)\n",
     "while True:\n    pass\n", "def f():\n    return f()\nf()\n", "x = [0] * 10 ** 12\n", "x = 10 ** 10 ** 10\n",
     "import itertools\nfor i in itertools.count():\n    pass\nx = sum(itertools.count())\n",
     "for i in range(10 ** 12):\n    x = i\n",
     "import torch\nx = torch.zeros(10 ** 9, 10 ** 9)\n", "class A(A): pass\n", "lambda: (yield)\n", "del x\n", "return 1\n"],
)  # fmt: skip
def test_any_text_comes_to_an_end(text: str) -> None:
    result = interpreted(text, seconds=20.0)
    assert result.problem is None and result.failures == []


def test_a_budget_that_is_used_up_gives_what_was_found() -> None:
    result = interpreted("import torch\nx = torch.zeros(3)\n" + "y = x + 1\n" * 500, steps=100)
    assert not result.complete
    assert any(isinstance(fact.fact, TensorFact) for fact in result.facts)


PATCHES = """
import math
import torch
from torch import nn
import torch.nn.functional as F
torch.Tensor.add = lambda *arguments: None
nn.Linear.forward = lambda self, x: x
setattr(torch.Tensor, "mul", None)
nn.Conv2d.extra = 3
F.relu.flag = 1
del torch.nn.Conv2d
torch.nn.__dict__.pop("Conv3d")
math.__dict__.clear()
torch.__dict__.clear()
class Mine(nn.Module):
    count = 0
Mine.count = 5
made = torch.zeros(Mine.count)
"""


def test_patches_of_torch_stay_in_the_file_that_makes_them() -> None:
    torch = pytest.importorskip("torch")
    before = (torch.Tensor.add, torch.Tensor.mul, torch.nn.Linear.forward, torch.nn.Conv2d, torch.nn.Conv3d, dict(vars(torch)))
    assert shapes(PATCHES, interpreted(PATCHES)) == {"18:made": [5]}  # what is the file's own is written to
    assert before == (torch.Tensor.add, torch.Tensor.mul, torch.nn.Linear.forward, torch.nn.Conv2d, torch.nn.Conv3d, vars(torch))
    assert not hasattr(torch.nn.Conv2d, "extra") and not hasattr(torch.nn.functional.relu, "flag")


def test_torch_is_left_as_it_was() -> None:
    torch = pytest.importorskip("torch")
    from torch import nn

    before = (nn.init.kaiming_uniform_, nn.Linear.reset_parameters, torch.is_grad_enabled(), torch.get_default_dtype())
    interpreted(
        "import torch\ntorch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\nx = torch.nn.Linear(3, 4)\n"
    )
    assert (nn.init.kaiming_uniform_, nn.Linear.reset_parameters, torch.is_grad_enabled(), torch.get_default_dtype()) == before
    real = nn.Linear(3, 4)(torch.randn(2, 3))
    assert type(real) is torch.Tensor and bool(real.abs().sum() > 0)
    assert bool(torch.zeros(3).sum() == 0) and torch.zeros(2, 3).shape[0] == 2


FREE = [
    "def f(x, y):\n    n, c = x.shape\n    return x @ torch.zeros(7, 3)\n",
    "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.c = nn.Conv2d(3, 16, 5)\n"
    "        self.f = nn.Linear(16 * 14 * 14, 10)\n    def forward(self, x):\n"
    "        return self.f(torch.relu(torch.max_pool2d(self.c(x), 2)).flatten(1))\n",
    "def f(flag, x=torch.zeros(3, 4)):\n    if flag:\n        x = x.t()\n    return x @ torch.zeros(3, 5)\n",
    "def f(n):\n    return torch.zeros(n, 3) + torch.zeros(4, 3)\n",
    "def f(items):\n    return torch.cat([torch.zeros(2, 3) for _ in items])\n",
    "x = torch.zeros(3)\nif input():\n    x = torch.zeros(4)\ny = x + torch.zeros(3)\n",
    "try:\n    torch.zeros(3) + torch.zeros(4)\nexcept RuntimeError:\n    pass\n",
    "losses = []\nfor batch in unknown:\n    losses.append(torch.zeros(3))\ntorch.stack(losses).view(1, 3)\n",
]


@pytest.mark.parametrize("code", FREE)
def test_what_depends_on_an_unknown_is_no_failure(code: str) -> None:
    assert interpreted("import torch\nfrom torch import nn\n" + code).failures == []
