"""NumPy's arrays: shapes and dtypes as NumPy itself gives them, and what becomes of them in torch."""

from __future__ import annotations

from typing import Any

import pytest
from test_tensors import interpreted
from torch_handbook_worker.protocol import Failure, ObjectFact, TensorFact

pytestmark = pytest.mark.torch
HEAD = """import numpy as np
import torch
from torch import nn
a = np.random.rand(6, 4)
b = np.zeros((6, 4), dtype=np.float32)
c = np.arange(24).reshape(6, 4)
d = np.ones((2, 3, 4), dtype="float32")
"""
EXPRESSIONS = (
    """
a; b; c; d; np.zeros(3); np.ones((2, 5), dtype=int); np.empty([2], np.uint8); np.full((2, 2), 7); np.full((2, 2), 7.0);
np.zeros_like(c); np.ones_like(c, dtype=float); np.eye(3); np.eye(3, 4); np.identity(2); np.arange(10);
np.arange(2, 10, 3); np.arange(0, 1, 0.25); np.arange(5.0); np.arange(3, dtype=np.float32); np.linspace(0, 1);
np.linspace(0, 1, 7); np.array([1, 2, 3]); np.array([[1.0, 2], [3, 4]]); np.array([True, False]);
np.array([1, 2], dtype=np.float32); np.asarray(b); np.array(5); np.random.randn(2, 3); np.random.random((2, 3));
np.random.normal(0, 1, (2, 3)); np.random.normal(size=4); np.random.uniform(-1, 1, size=(3,));
np.random.randint(0, 9, 5); np.random.randint(0, 9, size=(5, 2)); np.random.permutation(7); np.random.choice(5, 3);
np.random.default_rng(0).normal(size=(2, 2)); np.random.default_rng(0).integers(0, 4, size=3);
np.random.RandomState(0).rand(2); a.T; d.T; d.transpose(0, 2, 1); np.transpose(d, (2, 0, 1)); a.reshape(-1);
a.reshape(2, 3, -1); a.reshape((8, 3)); np.reshape(a, (3, 8)); a.flatten(); d.ravel(); d.swapaxes(0, 1);
np.expand_dims(a, 0); a[None]; a[:, None]; a[0]; a[1:3]; a[:, -1]; a[..., 0]; a[[0, 2]]; a[np.arange(3)];
a[:, np.newaxis, :2]; np.squeeze(a[None]); a + 1; b * 2.0; b + 1; c + 1; c * 0.5; c / 2; c // 2; c / c; a * b; b * c;
c + a; b / b; 1 - b; 2.0 ** c; -b; a > 0.5; c == 3; a @ a.T; d @ b.T; a.dot(b.T); np.dot(a, b.T); a + np.zeros(4);
a * np.ones((6, 1)); a.sum(); a.sum(0); b.sum(axis=1, keepdims=True); c.mean(); c.mean(axis=0); b.mean(axis=0); b.std();
a.max(axis=-1); a.argmax(1); c.sum(); (a > 0).sum(); (a > 0).mean(); d.mean(axis=(0, 2)); np.sum(a, axis=0);
np.mean(d, (1, 2)); np.amax(c, 0); np.exp(c); np.exp(b); np.sqrt(a); np.sin(b) * 2; np.abs(c); np.clip(b, 0, 1);
np.maximum(a, b); np.add(b, b); a.astype(np.float32); a.astype('int64'); c.astype(float); b.astype(np.float64);
np.float32(a); a.copy(); a.clip(0, 1); np.concatenate([a, a]); np.concatenate((a, b), axis=1); np.concatenate([b, b], 1);
np.stack([a, a]); np.stack([b, b], axis=-1); np.vstack([a, a]); np.hstack([b, b]);
np.column_stack([np.arange(3), np.arange(3)]); np.array([a, a]); np.array([a[0], b[0]])
""".replace("\n", " ")
    .strip()
    .split("; ")
)


def test_shapes_and_dtypes_are_those_of_numpy() -> None:
    numpy: Any = pytest.importorskip("numpy")
    lines = "".join(f"x{place} = {expression}\n" for place, expression in enumerate(EXPRESSIONS))
    names: dict[str, Any] = {}
    with numpy.errstate(all="ignore"):
        exec(HEAD.replace("import torch\nfrom torch import nn\n", "") + lines, names)
    facts = {fact.span: fact.fact for fact in interpreted(HEAD + lines).facts}
    found, real = {}, {}
    for place, expression in enumerate(EXPRESSIONS):
        fact = facts.get((place + 8, 0, place + 8, len(f"x{place}")))
        value = numpy.asarray(names[f"x{place}"])
        real[expression] = f"{list(value.shape)} {value.dtype}"
        found[expression] = fact.text if isinstance(fact, ObjectFact) else None
    assert {key: (found[key], real[key]) for key in real if found[key] != real[key]} == {}


def tensor(expression: str) -> tuple[list[int | str], str] | None:
    """The shape and the dtype of a tensor that is made of arrays."""
    result = interpreted(f"{HEAD}x = {expression}\n")
    found = {fact.span: fact.fact for fact in result.facts}.get((8, 0, 8, 1))
    return (found.shape, found.dtype) if isinstance(found, TensorFact) else None


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("torch.from_numpy(a)", ([6, 4], "float64")),
        ("torch.from_numpy(b)", ([6, 4], "float32")),
        ("torch.from_numpy(a).float()", ([6, 4], "float32")),
        ("torch.tensor(c)", ([6, 4], "int64")),
        ("torch.tensor(a, dtype=torch.float32)", ([6, 4], "float32")),
        ("torch.as_tensor(a[0])", ([4], "float64")),
        ("torch.Tensor(a)", ([6, 4], "float32")),
        ("torch.FloatTensor(a)", ([6, 4], "float32")),
        ("torch.LongTensor(c)", ([6, 4], "int64")),
        ("torch.from_numpy(torch.rand(3, 4).numpy().sum(1))", ([3], "float32")),
        ("torch.from_numpy(a[a > 0.5])", (["n"], "float64")),
        ("torch.from_numpy(np.load('x.npy'))", None),
        ("torch.from_numpy(unknown * a)", None),
        ("torch.from_numpy(a if a.resize((3, 8)) else a)", ([3, 8], "float64")),
        ("torch.from_numpy(a if a.resize(unknown) else a)", None),
        ("torch.from_numpy(a if setattr(a, 'shape', (8, 3)) else a)", ([8, 3], "float64")),
        ("torch.from_numpy(a if setattr(a, 'dtype', 'int64') else a)", None),
        ("torch.from_numpy(a.reshape(5, 5))", None),
    ],
)
def test_tensors_of_arrays(expression: str, wanted: Any) -> None:
    found = tensor(expression)
    assert found == wanted or (wanted and found == ([size if size != "n" else "?" for size in wanted[0]], wanted[1]))


def failures(code: str) -> list[Failure]:
    return interpreted(HEAD + code).failures


LOADER = """from torch.utils.data import Dataset, DataLoader
class Data(Dataset):
    def __init__(self):
        self.x, self.y = np.random.randn(100, 4), np.random.randint(0, 3, 100)
    def __len__(self):
        return len(self.x)
    def __getitem__(self, index):
        return self.x[index], self.y[index]
layer = nn.Linear(4, 3)
for x, y in DataLoader(Data(), batch_size=32):
    loss = nn.functional.cross_entropy(layer(x), y)
"""


@pytest.mark.parametrize(
    "code",
    [
        "nn.Linear(4, 2)(torch.from_numpy(a))\n",
        "nn.Linear(4, 2).double()(torch.from_numpy(b))\n",
        "nn.Conv1d(3, 2, 1)(torch.from_numpy(a.reshape(2, 3, 4)))\n",
        LOADER,
    ],
)
def test_float64_does_not_go_into_weights_of_float32(code: str) -> None:
    (failure,) = failures(code)
    assert failure.reason == "dtype" and {failure.details["dtype"], failure.details["weights"]} == {"float32", "float64"}


GROWN = "rows = []\nfor row in unknown():\n    rows.append([1.0, 2.0])\n"


@pytest.mark.parametrize(
    "code",
    [
        "nn.Linear(4, 2)(torch.from_numpy(b))\n",
        "nn.Linear(4, 2)(torch.from_numpy(a).float())\n",
        "nn.Linear(4, 2).double()(torch.from_numpy(a))\n",
        "nn.Linear(4, 2)(torch.from_numpy(b * np.sqrt(2)))\n",  # float64 since NumPy 2 only
        "nn.Linear(4, 2)(torch.from_numpy(unknown(a)))\n",
        GROWN + "nn.Linear(2, 3)(torch.from_numpy(np.array(rows)).float().T)\n",
        GROWN + "nn.Linear(2, 3)(torch.from_numpy(np.array([rows])).float().mT)\n",
        "if unknown():\n    a = b\nnn.Linear(4, 2)(torch.from_numpy(a))\n",
        "nn.Linear(3, 2)(torch.from_numpy(b if unknown() else b[:, :3]))\n",
        "for _ in unknown():\n    a = a.astype(np.float32)\nnn.Linear(4, 2)(torch.from_numpy(a))\n",
        "def f(x):\n    return nn.Linear(4, 2)(torch.from_numpy(x))\n",
        LOADER.replace("layer(x)", "layer(x.float())"),
    ],
)
def test_what_fits_or_may_fit_is_not_told(code: str) -> None:
    assert failures(code) == []
