"""Signatures, docstrings and members, read from torch's files."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from torch_handbook.torchdocs.docs import TorchDocs

SPEC = importlib.util.find_spec("torch")
FOLDER = Path(SPEC.submodule_search_locations[0]) if SPEC and SPEC.submodule_search_locations else None
installed = [pytest.mark.torch, pytest.mark.skipif(FOLDER is None, reason="needs an installed torch")]

SMALL = {
    "__init__.py": """
        __all__ = ["sum", "compile", "nn"]
        from torch.functional import *
        from torch._tensor import Tensor
        from torch import nn
        def compile(model=None, *, mode: str | None = None):
            '''Makes it fast.

            Args:
                model: what to compile
            '''
    """,
    "functional.py": """
        __all__ = ["einsum"]
        def einsum(*args):
            r'''einsum(equation, *operands) -> Tensor

            Sums products.'''
    """,
    "_torch_docs.py": """
        from torch._C import _add_docstr as add_docstr
        def parse_kwargs(text): ...
        common = parse_kwargs('''
            input (Tensor): the input tensor.
        ''')
        add_docstr(torch.sum, r'''sum(input, *, dtype=None) -> Tensor

        Adds all up.

        Args:
            {input}

        .. function:: sum(input, dim, keepdim=False) -> Tensor
        '''.format(**common))
        add_docstr(torch.old, '''old(x) -> Tensor

        .. warning:: :func:`torch.old` is deprecated, use :func:`torch.sum`.
        ''')
    """,
    "_tensor_docs.py": """
        add_docstr_all("sum", '''sum(dim=None) -> Tensor

        See :func:`torch.sum`
        ''')
    """,
    "_tensor.py": """
        import torch
        class Tensor(torch._C.TensorBase):
            def backward(self, gradient=None):
                '''Goes back.'''
    """,
    "_C/__init__.pyi": """
        from torch import Tensor
        class TensorBase:
            shape: Size
            layout: _layout
            owner: _Thing
            @property
            def names(self) -> list[str | None]: ...
            @names.setter
            def names(self, value: list[str]) -> None: ...
            def sum(self, dim: int | None = None) -> Tensor: ...
            @overload
            def view(self, dtype: dtype) -> Tensor: ...
            @overload
            def view(
                self,
                *size: int,
            ) -> Tensor: ...
    """,
    "_C/_VariableFunctions.pyi": """
        def sum(input: Tensor, *, dtype: dtype | None = ...) -> Tensor: ...
        def old(x: Tensor) -> Tensor: ...
    """,
    "nn/__init__.py": """
        from torch.nn.modules import *
        from torch.nn import functional as functional
    """,
    "nn/functional.py": """
        def pool_with_indices(x, size: int, return_indices=False) -> tuple[Tensor, Tensor]:
            '''Pools.'''
        def _pool(x, size: int, return_indices=False) -> Tensor: ...
        pool = boolean_dispatch(arg_name="return_indices", if_true=pool_with_indices, if_false=_pool)
        relu_ = _add_docstr(torch.relu_, '''relu_(input) -> Tensor

        In place.''')
    """,
    "nn/modules/__init__.py": """
        from .linear import Linear, Old
        from .module import Module
        __all__ = ["Linear", "Module", "Old"]
    """,
    "nn/modules/module.py": """
        class Module:
            '''Base.'''
            training: bool
            def train(self, mode: bool = True):
                '''Sets the mode.'''
    """,
    "nn/modules/linear.py": """
        from .module import Module
        from typing_extensions import deprecated
        note = "Linear."
        class Linear(Module):
            __doc__ = note + " More."
            def __init__(self, a: int, bias: bool = True) -> None:
                self.a = a
        @deprecated("use Linear")
        class Old(Linear): ...
        Old.__doc__ = "Was " + note
    """,
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    root = tmp_path / "torch"
    for name, text in SMALL.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
    return root


def test_names_lead_to_their_definitions(small: Path, tmp_path: Path) -> None:
    docs = TorchDocs.open(small, "1.0", tmp_path / "cache")
    found = {
        name: (doc.kind, doc.signature, doc.docstring.split("\n")[0])
        for name in (
            "torch.sum",
            "torch.compile",
            "torch.einsum",
            "torch.Tensor.sum",
            "torch.Tensor.view",
            "torch.Tensor.shape",
            "torch.Tensor.layout",
            "torch.Tensor.names",
            "torch.Tensor.owner",
            "torch.Tensor.backward",
            "torch.nn.Linear",
            "torch.nn.Linear.train",
            "torch.nn.functional.pool",
            "torch.nn.functional.relu_",
        )
        if (doc := docs.doc(name))
    }
    assert found == {
        "torch.sum": ("function", "(input, *, dtype=None) -> Tensor", "Adds all up."),
        "torch.compile": ("function", "(model=None, *, mode=None)", "Makes it fast."),
        "torch.einsum": ("function", "(equation, *operands) -> Tensor", "Sums products."),
        "torch.Tensor.sum": ("method", "(dim=None) -> Tensor", "See :func:`torch.sum`"),
        "torch.Tensor.view": ("method", "(dtype) -> Tensor", ""),
        "torch.Tensor.shape": ("attribute", ": Size", ""),
        "torch.Tensor.layout": ("attribute", ": layout", ""),
        "torch.Tensor.names": ("attribute", ": list[str | None]", ""),
        "torch.Tensor.owner": ("attribute", "", ""),  # a type that nobody can look up says nothing
        "torch.Tensor.backward": ("method", "(gradient=None)", "Goes back."),
        "torch.nn.Linear": ("class", "(a, bias=True)", "Linear. More."),
        "torch.nn.Linear.train": ("method", "(mode=True)", "Sets the mode."),
        "torch.nn.functional.pool": ("function", "(x, size, return_indices=False) -> Tensor", "Pools."),
        "torch.nn.functional.relu_": ("function", "(input) -> Tensor", "In place."),
    }


def test_what_a_doc_holds(small: Path, tmp_path: Path) -> None:
    docs = TorchDocs.open(small, "1.0", tmp_path / "cache")
    total = docs.doc("torch.sum")
    assert total is not None
    assert total.overloads == ("(input, dim, keepdim=False) -> Tensor",)
    assert "input (Tensor): the input tensor." in total.docstring
    assert [(item.name, item.default, item.kind) for item in total.parameters] == [
        ("input", None, "positional"),
        ("dtype", "None", "keyword"),
        ("dim", None, "positional"),
        ("keepdim", "False", "positional"),
    ]
    method = docs.doc("torch.Tensor.sum")
    assert method is not None
    assert (method.see, "Adds all up." in method.docstring) == ("torch.sum", True)
    old = docs.doc("torch.old")
    assert old is not None
    assert old.deprecated == ":func:`torch.old` is deprecated, use :func:`torch.sum`."
    older = docs.doc("torch.nn.Old")
    assert older is not None
    assert (older.deprecated, older.docstring, older.signature) == ("use Linear", "Was Linear.", "(a, bias=True)")
    assert total.deprecated is None
    assert docs.doc("torch.nothing") is None
    assert docs.doc("torch.nn.linear") is None  # of torch.nn.modules, whose `__all__` is all that torch.nn takes from it
    assert docs.doc("torch.nn.Linear.nothing") is None
    assert docs.doc("numpy.sum") is None


def test_members(small: Path, tmp_path: Path) -> None:
    docs = TorchDocs.open(small, "1.0", tmp_path / "cache")
    assert docs.members("torch.nn") == ["Linear", "Module", "Old", "functional", "modules"]
    assert docs.members("torch.nn.Linear") == ["a", "train", "training"]  # what the constructor puts on self, too
    assert docs.members("torch.Tensor") == ["backward", "layout", "names", "owner", "shape", "sum", "view"]
    assert {"sum", "old", "compile", "einsum", "nn", "functional"} <= set(docs.members("torch"))
    assert docs.members("torch.nothing") == []


def test_what_a_killed_writer_left_is_removed(small: Path, tmp_path: Path) -> None:
    docs, folder = TorchDocs.open(small, "1.0", tmp_path / "cache"), tmp_path / "cache"
    docs.build()
    (whole,) = folder.iterdir()
    old, new = (folder / f"{whole.stem}{name}.tmp" for name in ("old", "new"))
    old.touch()
    new.touch()
    os.utime(old, (1, 1))
    whole.unlink()
    TorchDocs.open(small, "1.0", folder).build()
    assert set(folder.iterdir()) == {whole, new}


def test_the_cache_says_the_same(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    first = TorchDocs.open(small, "1.0", folder)
    expected = {name: first.doc(name) for name in ("torch.sum", "torch.Tensor.sum", "torch.Tensor.view", "torch.nn.Linear")}
    first.build()
    (written,) = folder.iterdir()
    for path in small.rglob("*.py*"):
        if path.name not in ("__init__.py", "_torch_docs.py"):
            path.unlink()
    again = TorchDocs.open(small, "1.0", folder)
    assert {name: again.doc(name) for name in expected} == expected
    assert again.members("torch.nn") == ["Linear", "Module", "Old", "functional", "modules"]
    stamp = written.stat().st_mtime_ns
    again.build()
    assert written.stat().st_mtime_ns == stamp


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"stamp": 1}', '{"stamp": [], "rows": 0}', "\0\0", "half", "other rows"])
def test_a_damaged_or_stale_cache_is_written_anew(small: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "cache"
    TorchDocs.open(small, "1.0", folder).build()
    (written,) = folder.iterdir()
    whole = written.read_text("utf-8")
    head, _, rows = whole.partition("\n")
    damaged = {"half": whole[: whole.rindex("\n")], "other rows": "\n".join([head, *rows.count("\n") * ["{}"], "[]"])}
    written.write_text(damaged.get(damage, damage), "utf-8")
    docs = TorchDocs.open(small, "1.0", folder)
    assert docs.doc("torch.sum") is not None
    docs.build()
    assert written.read_text("utf-8") == whole
    assert list(folder.iterdir()) == [written]


def test_a_line_that_was_damaged_is_left_out(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    TorchDocs.open(small, "1.0", folder).build()
    (written,) = folder.iterdir()
    lines = written.read_text("utf-8").split("\n")
    row = next(row for row, line in enumerate(lines) if line.startswith('["torch.sum",'))
    for broken in ('["torch.sum",', '["torch.sum"]', '["torch.sum",1]'):
        written.write_text("\n".join([*lines[:row], broken, *lines[row + 1 :]]), "utf-8")
        docs = TorchDocs.open(small, "1.0", folder)
        assert docs.outline("torch.nn.Linear") == ("class", False, "(a, bias=True)")
        assert docs.outline("torch.sum") is None
        assert (doc := docs.doc("torch.sum")) is not None and doc.docstring.startswith("Adds all up.")


def test_another_torch_in_the_same_place_is_seen(small: Path, tmp_path: Path) -> None:
    TorchDocs.open(small, "1.0", tmp_path / "cache").build()
    docs_file = small / "_torch_docs.py"
    docs_file.write_text(docs_file.read_text("utf-8").replace("Adds all up.", "Sums everything up."), "utf-8")
    doc = TorchDocs.open(small, "1.0", tmp_path / "cache").doc("torch.sum")
    assert doc is not None
    assert doc.docstring.startswith("Sums everything up.")


def test_a_folder_that_cannot_be_written_to_is_left_alone(small: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    docs = TorchDocs.open(small, "1.0", blocked / "below")
    docs.build()
    assert docs.doc("torch.sum") is not None


def test_nothing_installed(tmp_path: Path) -> None:
    for docs in (TorchDocs.open(None, None, tmp_path), TorchDocs.open(tmp_path / "nowhere", "1.0", tmp_path)):
        docs.build()
        assert (docs.doc("torch.sum"), docs.members("torch"), docs.version) == (None, [], None)


def test_files_that_are_not_python_are_empty(tmp_path: Path) -> None:
    root = tmp_path / "torch"
    root.mkdir()
    (root / "__init__.py").write_bytes(b"\xff\xfe\0 not python (")
    (root / "_torch_docs.py").write_text("add_docstr(torch.sum, sum(1) + {'a'})", "utf-8")
    docs = TorchDocs.open(root, "1.0", tmp_path / "cache")
    assert docs.doc("torch.sum") is None
    docs.build()


EXACT = {
    "torch.nn.Conv2d": (
        "(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros',"
        " device=None, dtype=None)",
        "Applies a 2D convolution over an input signal composed of several input",
    ),
    "torch.nn.Linear": (
        "(in_features, out_features, bias=True, device=None, dtype=None)",
        "Applies an affine linear transformation to the incoming data",
    ),
    "torch.sum": ("(input, *, dtype=None) -> Tensor", "Returns the sum of all elements in the :attr:`input` tensor."),
    "torch.cat": ("(tensors, dim=0, *, out=None) -> Tensor", "Concatenates the given sequence of tensors"),
    "torch.einsum": ("(equation, *operands) -> Tensor", "Sums the product of the elements of the input :attr:`operands`"),
    "torch.bmm": ("(input, mat2, ", "Performs a batch matrix-matrix product of matrices stored in :attr:`input`"),
    "torch.nn.functional.conv2d": (
        "(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor",
        "Applies a 2D convolution over an input image",
    ),
    "torch.nn.functional.max_pool2d": (
        "(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)",
        "Applies a 2D max pooling over an input signal",
    ),
    "torch.nn.functional.relu": ("(input, inplace=False) -> Tensor", "Applies the rectified linear unit function element-wise"),
    "torch.nn.functional.cross_entropy": ("(input, target, weight=None, ", "Compute the cross entropy loss between input logits"),
    "torch.nn.CrossEntropyLoss": ("(weight=None, ", "This criterion computes the cross entropy loss between input logits"),
    "torch.nn.Module": ("(", "Base class for all neural network modules."),
    "torch.nn.Module.train": ("(mode=True)", "Set the module in training mode."),
    "torch.nn.LSTM": (
        "(input_size, hidden_size, num_layers=1, bias=True, ",
        "Apply a multi-layer long short-term memory (LSTM) RNN",
    ),
    "torch.Tensor.view": ("(*shape) -> Tensor", "Returns a new tensor with the same data as the :attr:`self` tensor but of a"),
    "torch.Tensor.add_": ("(other, *, alpha=1) -> Tensor", "In-place version of :meth:`~Tensor.add`"),
    "torch.Tensor.abs": ("() -> Tensor", "See :func:`torch.abs`"),
    "torch.Tensor.backward": ("(gradient=None, retain_graph=None, create_graph=False, inputs=None)", "Computes the gradient of"),
    "torch.Tensor.detach": ("", "Returns a new Tensor, detached from the current graph."),
    "torch.Tensor.item": ("() -> number", "Returns the value of this tensor as a standard Python number."),
    "torch.optim.SGD": (
        "(params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, ",
        "Implements stochastic gradient",
    ),
    "torch.optim.Optimizer.step": ("(closure=None)", "Perform a single optimization step to update parameter."),
    "torch.optim.lr_scheduler.StepLR": ("(optimizer, step_size, gamma=0.1, ", "Decays the learning rate of each parameter group"),
    "torch.utils.data.DataLoader": ("(dataset, batch_size=1, shuffle=None, ", "Data loader combines a dataset and a sampler"),
    "torch.no_grad": ("()", "Context-manager that disables gradient calculation."),
    "torch.load": ("(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, ", "Loads an object saved with"),
    "torch.cuda.empty_cache": ("()", "Release all unoccupied cached memory"),
    "torch.linalg.norm": (
        "(",
        "Computes a vector or matrix",
    ),
    "torch.fft.fft": (
        "(input, n=None, dim=-1, norm=None, *, out=None) -> Tensor",
        "Computes the one dimensional discrete Fourier",
    ),
    "torch.amp.autocast": (
        "(device_type, dtype=None, enabled=True, cache_enabled=None)",
        "Instances of :class:`autocast` serve as",
    ),
    "torch.unique": ("(input, sorted=True, return_inverse=False, return_counts=False, dim=None)", "Returns the unique elements"),
    "torch.meshgrid": ("(*tensors, indexing=None)", "Creates grids of coordinates"),
}


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> TorchDocs:
    return TorchDocs.open(FOLDER, "installed", tmp_path_factory.mktemp("cache"))


class TestInstalled:
    """The same on a real torch."""

    pytestmark = installed

    @pytest.mark.parametrize("name", EXACT)
    def test_signature_and_first_words(self, docs: TorchDocs, name: str) -> None:
        doc = docs.doc(name)
        assert doc is not None
        signature, words = EXACT[name]
        assert doc.signature.startswith(signature)
        assert doc.docstring.startswith(words)

    def test_pointers_are_followed(self, docs: TorchDocs) -> None:
        doc = docs.doc("torch.Tensor.add_")
        assert doc is not None
        assert ":attr:`other`" in doc.docstring  # from torch.add, over Tensor.add

    def test_what_is_nobodys_to_pass_is_left_out(self, docs: TorchDocs) -> None:
        doc = docs.doc("torch.nn.functional.softmax")
        assert doc and "_stacklevel" not in doc.signature and "dtype" in doc.signature

    def test_deprecation(self, docs: TorchDocs) -> None:
        for name in ("torch.cuda.amp.autocast", "torch.norm", "torch.jit.script", "torch.cuda.amp.GradScaler"):
            doc = docs.doc(name)
            assert doc is not None
            assert doc.deprecated, name
        for name in ("torch.amp.autocast", "torch.sum", "torch.nn.CrossEntropyLoss", "torch.stft", "torch.linalg.norm"):
            doc = docs.doc(name)
            assert doc is not None
            assert doc.deprecated is None, name

    def test_members_of_what_people_complete(self, docs: TorchDocs) -> None:
        expected = {
            "torch": {"sum", "nn", "cat", "float32", "no_grad", "Tensor", "compile", "optim", "load"},
            "torch.nn": {"Conv2d", "Module", "functional", "Parameter", "init"},
            "torch.nn.functional": {"relu", "conv2d", "cross_entropy", "max_pool2d", "gelu"},
            "torch.Tensor": {"view", "backward", "shape", "add_", "to", "grad"},
            "torch.nn.Module": {"train", "eval", "parameters", "state_dict", "training"},
            "torch.optim": {"SGD", "AdamW", "lr_scheduler", "Optimizer"},
            "torch.utils.data": {"DataLoader", "Dataset", "random_split"},
            "torch.optim.lr_scheduler": {"StepLR", "CosineAnnealingLR"},
        }
        for owner, names in expected.items():
            assert names <= set(docs.members(owner)), owner
            assert not any(name.startswith("_") for name in docs.members(owner))

    def test_it_never_imports_torch(self, tmp_path: Path) -> None:
        code = (
            "import sys; from pathlib import Path; from torch_handbook.torchdocs.docs import TorchDocs\n"
            f"docs = TorchDocs.open(Path({str(FOLDER)!r}), 'x', Path({str(tmp_path)!r}))\n"
            "assert docs.doc('torch.nn.Conv2d') and docs.doc('torch.Tensor.view') and docs.members('torch')\n"
            "print(sorted({'torch', 'numpy', 'jedi', 'yaml', 'pygls'} & set(sys.modules)))"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
        assert run.stdout.strip() == "[]"
