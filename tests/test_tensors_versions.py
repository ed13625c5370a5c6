"""What differs between torch's versions, and what the interpreter does where a version lacks something."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from pathlib import Path
from typing import Any

import pytest
import versions
from test_tensors import interpreted, shapes
from torch_handbook_worker.protocol import FactAt, InterpretResult, ObjectFact, TensorFact

WORKER = Path(__file__).parents[1] / "server" / "torch_handbook_worker"


@pytest.mark.parametrize("path", sorted(WORKER.rglob("*.py")), ids=lambda path: path.stem)
def test_the_worker_is_python_of_3_9(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    assert not [node for node in ast.walk(tree) if type(node).__name__ in ("Match", "TryStar", "TypeAlias")]


@pytest.mark.torch
@pytest.mark.parametrize("layer", ["LSTM", "GRU", "RNN"])
def test_a_recurrent_layer_keeps_free_sizes_and_its_graph(layer: str) -> None:
    text = (
        "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.cell = nn.{layer}(4, 6, batch_first=True)\n    def forward(self, x):\n"
        "        out, _ = self.cell(x)\n        return out\n"
    )
    result = interpreted(text)
    assert shapes(text, result)["8:out"] == ["N", "T", 6]
    (out,) = [row.fact for row in result.facts if row.span[:2] == (8, 8) and isinstance(row.fact, TensorFact)]
    assert out.requires_grad and not result.gaps


@pytest.mark.torch
def test_the_states_of_a_recurrent_layer_are_layers_batch_and_features() -> None:
    text = (
        "import torch\nfrom torch import nn\nwith torch.no_grad():\n    out, (h, c) = nn.LSTM(4, 6, 2)(torch.zeros(5, 3, 4))\n"
        "    one, (h1, c1) = nn.LSTM(4, 6)(torch.zeros(5, 4))\n"
    )
    wanted = {"4:out": [5, 3, 6], "4:h": [2, 3, 6], "4:c": [2, 3, 6], "5:one": [5, 6], "5:h1": [1, 6], "5:c1": [1, 6]}
    assert shapes(text, interpreted(text)) == wanted
    from torch_handbook_worker.tensors.recurrent import state_of

    torch = pytest.importorskip("torch")
    assert state_of(torch.zeros(2, 1, 3, 6)).shape == state_of(torch.zeros(2, 3, 6)).shape == (2, 3, 6)


@pytest.mark.torch
def test_dropout_that_drops_nothing_gives_its_input_itself() -> None:
    text = (
        "import torch\nimport torch.nn.functional as F\nx = torch.zeros(3, requires_grad=True)\n"
        "y = F.dropout(x, 0.5, training=False)\ny.add_(1)\n"
    )
    assert [failure.reason for failure in interpreted(text).failures] == ["leaf"]


REFUSED = [
    "a = torch.zeros(3, dtype=torch.bool); a - a",
    "a = torch.zeros(3, dtype=torch.bool); a - 1",
    "a = torch.zeros(3, dtype=torch.bool); 1 - a",
    "a = torch.zeros(3); a - (a > 0)",
    "a = torch.zeros(3); a - True",
    "a = torch.zeros(3, dtype=torch.uint8); a /= 255",
    "a = torch.zeros(3, dtype=torch.int64); a *= torch.zeros(3)",
    "a = torch.zeros(3, dtype=torch.int64); a += 0.5",
    "a = torch.zeros(3); a += 1j",
    "a = torch.zeros(3, dtype=torch.bool); a += 1",
    "a = torch.zeros(3, dtype=torch.int64); a.addcmul_(torch.ones(3), torch.ones(3))",
    "F.embedding(torch.zeros(3), torch.zeros(4, 2))",
    "torch.nn.Embedding(4, 2)(torch.zeros(3))",
    "F.binary_cross_entropy_with_logits(torch.zeros(3), torch.zeros(3, dtype=torch.int64))",
    "torch.zeros(3).index_select(0, torch.zeros(2))",
    "torch.zeros(3, dtype=torch.int64).softmax(0)",
    "F.log_softmax(torch.zeros(3, dtype=torch.int64), 0)",
    "F.gelu(torch.zeros(3, dtype=torch.int64))",
    "torch.zeros(3, dtype=torch.int64).std()",
    "torch.zeros(3) & torch.zeros(3)",
    "torch.zeros(3, dtype=torch.int64) | torch.zeros(3)",
]
TAKEN = [
    "a = torch.zeros(3, dtype=torch.uint8); a //= 2",
    "a = torch.zeros(3, dtype=torch.uint8); a += torch.zeros(3, dtype=torch.int64)",
    "a = torch.zeros(3); a -= 1",
    "a = torch.zeros(3); a *= a > 0",
    "a = torch.zeros(3, dtype=torch.float16); a += torch.zeros(3)",
    "a = torch.zeros(3, dtype=torch.int64); a.div_(2, rounding_mode='floor')",
    "torch.zeros(3) - torch.zeros(3, dtype=torch.int64)",
    "F.embedding(torch.zeros(3, dtype=torch.int32), torch.zeros(4, 2))",
    "F.binary_cross_entropy_with_logits(torch.zeros(3), torch.zeros(3, dtype=torch.float64))",
    "torch.zeros(3, dtype=torch.int64).softmax(0, dtype=torch.float32)",
    "torch.zeros(3, dtype=torch.bool) ^ torch.zeros(3, dtype=torch.int64)",
    "torch.zeros(3, dtype=torch.complex64).std()",
]


@pytest.mark.torch
@pytest.mark.parametrize("code", [*REFUSED, *TAKEN])
def test_dtypes_that_torch_refuses_are_failures_and_others_are_not(code: str) -> None:
    torch = pytest.importorskip("torch")
    raised = True
    with contextlib.suppress(RuntimeError):
        exec(code, {"torch": torch, "F": torch.nn.functional})
        raised = False
    assert raised == (code in REFUSED)
    failures = interpreted("import torch\nimport torch.nn.functional as F\n" + code.replace("; ", "\n") + "\n").failures
    assert [failure.reason for failure in failures] == (["dtype"] if raised else [])


@pytest.mark.torch
def test_whole_numbers_of_free_sizes_divide_into_fractions() -> None:
    text = (
        "import torch\ndef scaled(labels):\n    pictures = torch.zeros(len(labels), 3, dtype=torch.uint8)\n"
        "    by_number = pictures / 255\n    by_tensor = pictures / pictures.max()\n"
        "    floored = pictures // 2\n    return by_number\n"
    )
    facts = {row.span[0]: row.fact for row in interpreted(text).facts if row.span[1] == 4 and isinstance(row.fact, TensorFact)}
    assert {line: fact.dtype for line, fact in facts.items()} == {3: "uint8", 4: "float32", 5: "float32", 6: "uint8"}


@pytest.mark.torch
def test_operators_without_a_result_of_their_own_get_one() -> None:
    torch = pytest.importorskip("torch")
    from torch_handbook_worker.tensors import kernels

    for given, real in ((torch.zeros(4, 9), True), (torch.zeros(4, 8, dtype=torch.float64), False)):
        axes = [1]
        made = kernels.result("aten::_fft_r2c", (given, axes, 0, real), lambda: 7)
        wanted = torch.ops.aten._fft_r2c(given, axes, 0, real)
        assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype)
    made = kernels.result("aten::_fft_c2r", (torch.zeros(4, 5, dtype=torch.complex128), [1], 0, 9), lambda: 7)
    assert (list(made.shape), made.dtype) == ([4, 9], torch.float64)
    assert list(kernels.result("aten::bincount", (torch.zeros(3, dtype=torch.int64),), lambda: 7).shape) == [7]
    assert kernels.result("aten::sort", (torch.zeros(3),), lambda: 7) is None


@pytest.mark.torch
def test_torch_runs_nothing_large_for_real() -> None:
    torch = pytest.importorskip("torch")
    from torch_handbook_worker.tensors.fakes import Fakes
    from torch_handbook_worker.tensors.sizes import Sizes

    fakes = Fakes(Sizes(), lambda tensor, version, name: None)
    with fakes:
        small, large = torch.empty(4, 8), torch.empty(64, 3, 4096, 4096)
        assert torch.fft.fft2(large).shape == large.shape
    fakes.operands = (small, [1])
    assert fakes.allow_fallback_kernels
    fakes.operands = ([large],)
    assert not fakes.allow_fallback_kernels


@pytest.mark.torch
def test_the_algebra_of_an_older_torch_is_mended() -> None:
    sympy: Any = pytest.importorskip("sympy")
    from torch_handbook_worker.tensors import algebra

    class Floor(sympy.Function):
        @classmethod
        def eval(cls, base: Any, divisor: Any) -> Any:
            return base // divisor if base.is_Integer else None

    class Ceiling(sympy.Function):
        @classmethod
        def eval(cls, number: Any) -> Any:
            return None

    algebra.mend_floor(Floor)
    algebra.mend_ceiling(Ceiling)
    n, m = sympy.symbols("n m", positive=True, integer=True)
    assert Floor(n - 4, 2) == Floor(n, 2) - 2
    assert Floor(3 * n + 2, 3) == n
    assert Floor(4 * m + n + 6, 4) == m + Floor(n + 6, 4)
    assert Floor(Floor(n, 2) / 2 + n, 2) == Floor(Floor(n, 2) / 2 + n, 2, evaluate=False)
    assert Ceiling(algebra.DIVIDED(n, 1)) == n and Ceiling(algebra.DIVIDED(n, 2)) == algebra.FLOOR(n + 1, 2)
    assert algebra.FLOOR(n - 4, 2) == algebra.FLOOR(n, 2) - 2 and algebra.CEILING(algebra.DIVIDED(n, 1)) == n


@pytest.mark.torch
def test_a_parameter_is_not_one_that_waits_to_be_initialised(monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = pytest.importorskip("torch")
    from torch_handbook_worker.tensors import parameters

    def as_in_torch_2_4(kind: Any, instance: Any) -> bool:
        return type.__instancecheck__(kind, instance) or bool(getattr(instance, "_is_param", False))

    monkeypatch.setattr("torch.nn.parameter._ParameterMeta.__instancecheck__", as_in_torch_2_4)
    marked = torch.empty(2)
    marked._is_param = True
    assert isinstance(marked, torch.nn.UninitializedParameter)
    parameters.mend()
    assert isinstance(marked, torch.nn.Parameter) and not isinstance(marked, torch.nn.UninitializedParameter)
    assert isinstance(torch.nn.Parameter(torch.empty(2)), torch.nn.Parameter) and not isinstance(
        torch.empty(2), torch.nn.Parameter
    )


def test_the_versions_are_compared_by_what_is_known() -> None:
    known = TensorFact([2, "N"], "float32", "cpu", grad_fn="Add")
    other = InterpretResult([FactAt((1, 0, 1, 1), dataclasses.replace(known, grad_fn="View")), FactAt((3, 0, 3, 1), known)])
    first = InterpretResult([FactAt((1, 0, 1, 1), known), FactAt((2, 0, 2, 1), known), FactAt((3, 0, 3, 1), ObjectFact("int"))])
    broken = InterpretResult(problem="ImportError: no", complete=False)
    row = versions.compared([Path("a.py"), Path("b.py")], [first, first], [other, broken])
    assert row.facts == {"same": 1, "missing": 4, "differing": 1}
    assert (row.problems, row.unfinished) == (1, 1) and "b.py: ImportError: no" in row.lines


@pytest.mark.torch
def test_composites_are_as_they_were_afterwards() -> None:
    torch = pytest.importorskip("torch")
    from torch_handbook_worker.tensors.composites import COMPOSITE, composed_in_python

    kernels = torch.ops.aten.dropout.default.py_kernels
    before = dict(kernels)
    with composed_in_python():
        assert COMPOSITE not in kernels
    assert kernels == before


@pytest.mark.torch
def test_a_free_size_in_a_format_and_an_unknown_buffer_lose_no_more_than_themselves() -> None:
    text = (
        "import torch\nfrom torch import nn\nfrom elsewhere import table\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.register_buffer('table', table())\n    def forward(self, x):\n"
        "        print('%.2fM' % (x.numel() / 1e6,))\n        y = torch.relu(x)\n"
        "        return y, self.table\nNet()(torch.zeros(2, 3))\n"
    )
    result = interpreted(text)
    assert shapes(text, result)["10:y"] == [2, 3] and not [gap for gap in result.gaps if "TypeError" in gap.why]
