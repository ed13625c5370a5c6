"""Writes `source/torch_names.json`: what functions of torch return and which members its classes have.

    python -m torch_handbook.torchdocs.distil path/to/site-packages/torch

The file is made once per supported torch and kept, so that names work where no torch is installed.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path

OWNERS = {
    "torch.Tensor": [("_C/__init__.pyi", "TensorBase"), ("_tensor.py", "Tensor")],
    "torch.nn.Module": [("nn/modules/module.py", "Module")],
    "torch.optim.Optimizer": [("optim/optimizer.py", "Optimizer")],
    "torch.optim.lr_scheduler.LRScheduler": [("optim/lr_scheduler.py", "LRScheduler")],
    "torch.amp.GradScaler": [("amp/grad_scaler.py", "GradScaler")],
    "torch.utils.data.DataLoader": [("utils/data/dataloader.py", "DataLoader")],
    "torch.Generator": [("_C/__init__.pyi", "Generator")],
    "torch.device": [("_C/__init__.pyi", "device")],
    "torch.dtype": [("_C/__init__.pyi", "dtype")],
    "torch.Size": [("_C/__init__.pyi", "Size")],
    "torch.cuda.Event": [("cuda/streams.py", "Event")],
    "torch.cuda.Stream": [("cuda/streams.py", "Stream")],
    "torch.autograd.function.FunctionCtx": [("autograd/function.py", "FunctionCtx")],
    "torch.autograd.Function": [("autograd/function.py", "_SingleLevelFunction"), ("autograd/function.py", "Function")],
}
ATTRIBUTES = {  # set in __init__, or by C++
    "torch.nn.Module": "training",
    "torch.optim.Optimizer": "param_groups state defaults",
    "torch.optim.lr_scheduler.LRScheduler": "optimizer last_epoch base_lrs",
    "torch.utils.data.DataLoader": "dataset batch_size num_workers pin_memory drop_last sampler batch_sampler collate_fn",
    "torch.Tensor": "grad is_leaf",
    "torch.autograd.function.FunctionCtx": "saved_tensors needs_input_grad",
}
CODES = {
    "_bool": "bool",
    "_int": "int",
    "_float": "float",
    "_dtype": "dtype",
    "_device": "device",
    "_layout": "layout",
    "bool": "bool",
    "Size": "Size",
    "Number": "number",
    "numpy.ndarray": "ndarray",
    "_int | SymInt": "int",
    **dict.fromkeys(("Tensor", "Tensor | None", "Self"), "tensor"),
    **dict.fromkeys(("Sequence[Tensor]", "tuple[Tensor, ...]", "list[Tensor]"), "tensors"),
}
# Documented where only `add_docstr` names them; all return a tensor but these.
DOCUMENTED = {
    "torch.linalg": (
        "linalg/__init__.py",
        "eig=2 eigh=2 qr=2 svd=3 lu=3 lu_factor=2 lu_factor_ex=3 slogdet=2 lstsq=4"
        " cholesky_ex=2 inv_ex=2 solve_ex=2 ldl_factor=2 ldl_factor_ex=3",
    ),
    "torch.fft": ("fft/__init__.py", ""),
    "torch.special": ("special/__init__.py", ""),
}
PYTHON = {  # what is written in Python without annotations
    "torch": {
        "tensor": "einsum tensordot cdist norm block_diag cartesian_prod chain_matmul stft istft unravel_index tensor",
        "tensors": "split meshgrid broadcast_tensors align_tensors",
    },
    "torch.Tensor": {"tensor": "norm stft istft refine_names align_to align_as rename rename_ unflatten share_memory_ resize"},
}
# What they return depends on their arguments.
UNSURE = frozenset(
    ("unique", "unique_consecutive", "max", "min", "median", "nanmedian", "nonzero", "where", "dequantize", "type")
)
NO_TENSOR = frozenset(("multi_head_attention_forward", "assert_int_or_pair", "boolean_dispatch", "handle_torch_function"))


def members(path: Path, name: str) -> dict[str, set[str]]:
    """The public members of a class and what each is annotated to return."""
    found = next((node for node in read(path) if isinstance(node, ast.ClassDef) and node.name == name), None)
    return results(found.body) if found else {}


def results(body: list[ast.stmt]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.setdefault(node.name, set()).add(ast.unparse(node.returns) if node.returns else "?")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, set()).add(ast.unparse(node.annotation))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, set()).add("?")
        elif isinstance(node, ast.ImportFrom):
            found.update({alias.name: {"?"} for alias in node.names if alias.asname == alias.name})
    return {name: codes for name, codes in found.items() if not name.startswith("_")}


def code(annotations: set[str], tuples: dict[str, int]) -> str:
    """What a function returns, in a word: tensor, tensors, a number of tensors, int, …; "" where it is not one thing."""
    if len(annotations) != 1:
        return ""
    text = next(iter(annotations)).replace("torch.return_types.", "")
    if re.fullmatch(r"tuple\[(Tensor(, )?)+\]", text):
        return str(text.count("Tensor"))
    return str(tuples[text]) if text in tuples else CODES.get(text, "")


def return_types(torch: Path) -> dict[str, int]:
    """How many tensors each named tuple of torch has."""
    return {
        node.name: ast.unparse(node.bases[0]).count("Tensor")
        for node in read(torch / "return_types.pyi")
        if isinstance(node, ast.ClassDef) and node.bases
    }


def functions(torch: Path) -> dict[str, dict[str, set[str]]]:
    """The functions of each module and what they are annotated to return."""
    functional = {
        **{name: {"Tensor"} for name in results(read(torch / "nn/functional.py"))},
        **{name: found - {"?"} or {"Tensor"} for name, found in results(read(torch / "nn/functional.pyi")).items()},
    }
    found = {
        "torch": results(read(torch / "_C/_VariableFunctions.pyi")),
        "torch.nn.functional": {name: types for name, types in functional.items() if name.islower() and name not in NO_TENSOR},
    }
    for owner, (path, several) in DOCUMENTED.items():
        counts = dict(item.split("=") for item in several.split())
        names = [name for name in results(read(torch / path)) if name not in ("Tensor", "common_args", "common_notes")]
        found[owner] = {
            name: {f"tuple[{', '.join(['Tensor'] * int(counts.get(name, 0)))}]"} if name in counts else {"Tensor"}
            for name in names
        }
    return found


def classes(torch: Path) -> dict[str, dict[str, set[str]]]:
    """The members of each class and what they are annotated to return; what one file leaves open, another may say."""
    found: dict[str, dict[str, set[str]]] = {}
    for owner, parts in OWNERS.items():
        everything = found.setdefault(owner, {name: {"?"} for name in ATTRIBUTES.get(owner, "").split()})
        for path, name in parts:
            for member, types in members(torch / path, name).items():
                everything[member] = types if everything.get(member, {"?"}) == {"?"} else everything[member] | (types - {"?"})
    return found


def distil(torch: Path) -> dict[str, dict[str, dict[str, str]] | dict[str, str]]:
    """All of the file: {"returns": {what: {owner: names}}, "members": {owner: names}}."""
    tuples = return_types(torch)
    owned = classes(torch)
    returns: dict[str, dict[str, list[str]]] = {}
    for owner, found in {**functions(torch), "torch.Tensor": owned["torch.Tensor"]}.items():
        words = {name: code(types, tuples) for name, types in found.items() if name not in UNSURE}
        words.update({name: word for word, names in PYTHON.get(owner, {}).items() for name in names.split()})
        for name, word in sorted(words.items()):
            if word:
                returns.setdefault(word, {}).setdefault(owner, []).append(name)
    listed = {owner: [name for name in found if owner == "torch.Tensor" or name.islower()] for owner, found in owned.items()}
    listed["torch.nn"] = list(exported(torch / "nn/modules/__init__.py"))
    return {
        "returns": {word: {owner: " ".join(names) for owner, names in owners.items()} for word, owners in returns.items()},
        "members": {owner: " ".join(sorted(names)) for owner, names in listed.items()},
    }


def read(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text("utf-8")).body


def exported(path: Path) -> set[str]:
    """The names in a module's `__all__`."""
    for node in read(path):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "source" / "torch_names.json"
    target.write_text(json.dumps(distil(Path(sys.argv[1])), indent=1) + "\n", "utf-8")
