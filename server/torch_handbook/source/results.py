"""What calls into torch give back, told from the name of what is called and from its arguments."""

from __future__ import annotations

import ast
from dataclasses import replace

from torch_handbook.source.torch_names import base_of, returns, words
from torch_handbook.source.value import LIKELY_TENSOR, MODULE, PARAMETER, TENSOR, Value, literal, many, several

WORDS = {
    "tensor": TENSOR,
    "tensors": many(TENSOR),
    "dtype": Value("instance", "torch.dtype"),
    "device": Value("instance", "torch.device"),
    "layout": Value("instance", "torch.layout"),
    "Size": Value("instance", "torch.Size"),
    "ndarray": Value("instance", "numpy.ndarray"),
    "number": literal("number"),
    **{word: literal(word) for word in ("int", "float", "bool", "str")},
    **{str(count): several(*[TENSOR] * count) for count in range(2, 6)},
}
REDUCTIONS = frozenset(("max", "min", "median", "nanmedian"))  # a tensor of all, or values and indices along a dimension
FLAGS = frozenset(("return_indices", "return_inverse", "return_counts", "as_tuple"))
CALLED: dict[str, Value | None] = {  # what calling an instance of these gives, where that is not one tensor
    "torch.nn.LSTM": several(TENSOR, several(TENSOR, TENSOR)),
    "torch.nn.GRU": several(TENSOR, TENSOR),
    "torch.nn.RNN": several(TENSOR, TENSOR),
    "torch.nn.LSTMCell": several(TENSOR, TENSOR),
    "torch.nn.MultiheadAttention": several(TENSOR, TENSOR),
    "torch.nn.AdaptiveLogSoftmaxWithLoss": several(TENSOR, TENSOR),
    "torch.nn.ModuleList": None,
    "torch.nn.ModuleDict": None,
    "torch.nn.ParameterList": None,
    "torch.nn.ParameterDict": None,
    "torch.nn.Sequential": LIKELY_TENSOR,
    "torch.nn.Identity": LIKELY_TENSOR,
    "torch.nn.Module": LIKELY_TENSOR,
    "torch.nn.DataParallel": LIKELY_TENSOR,
    "torch.nn.parallel.DistributedDataParallel": LIKELY_TENSOR,
}
SAME = words("to cuda cpu xpu ipu mtia half float double bfloat16 type train eval requires_grad_ apply share_memory to_empty")
OF_MODULE = {
    "parameters": many(PARAMETER),
    "buffers": many(TENSOR),
    "named_parameters": many(several(literal("str"), PARAMETER)),
    "named_buffers": many(several(literal("str"), TENSOR)),
    "children": many(MODULE),
    "modules": many(MODULE),
    "named_children": many(several(literal("str"), MODULE)),
    "named_modules": many(several(literal("str"), MODULE)),
    "get_submodule": MODULE,
    "get_parameter": PARAMETER,
    "get_buffer": TENSOR,
}
FUNCTIONS = {
    "torch.autograd.grad": many(TENSOR),
    "torch.nn.utils.rnn.pad_sequence": TENSOR,
    "torch.nn.utils.rnn.pack_padded_sequence": Value("instance", "torch.nn.utils.rnn.PackedSequence"),
    "torch.nn.utils.rnn.pack_sequence": Value("instance", "torch.nn.utils.rnn.PackedSequence"),
    "torch.nn.utils.rnn.pad_packed_sequence": several(TENSOR, TENSOR),
    "torch.nn.utils.clip_grad_norm_": TENSOR,
    "torch.nn.utils.parameters_to_vector": TENSOR,
    "torch.get_rng_state": TENSOR,
    "torch.autograd.Variable": TENSOR,
    "torch.utils.data.random_split": many(Value("instance", "torch.utils.data.Subset")),
    "torch.device": Value("instance", "torch.device"),
    "torch.finfo": Value("instance", "torch.finfo"),
    "torch.iinfo": Value("instance", "torch.iinfo"),
}
# What einops' functions give: the kind of array that they are given.
REARRANGED: dict[str, Value] = {
    **dict.fromkeys(("einops.rearrange", "einops.repeat", "einops.reduce", "einops.einsum"), LIKELY_TENSOR),
    "einops.pack": several(LIKELY_TENSOR, literal("list")),
    "einops.unpack": many(LIKELY_TENSOR),
}
# Functions that give back what they are given.
THROUGH = words(
    "torch.compile torch.jit.script torch.nn.SyncBatchNorm.convert_sync_batchnorm copy.deepcopy copy.copy"
    " torch.nn.utils.weight_norm torch.nn.utils.spectral_norm torch.nn.utils.parametrizations.weight_norm"
    " torch.nn.utils.parametrizations.spectral_norm torch.nn.utils.parametrizations.orthogonal"
    " tqdm.tqdm tqdm.auto.tqdm tqdm.notebook.tqdm tqdm.std.tqdm tqdm.autonotebook.tqdm"
    " rich.progress.track"
)
OF_DISTRIBUTION = words("sample rsample log_prob entropy cdf icdf sample_n")


def of_function(name: str, call: ast.Call) -> Value | None:
    """What a torch function gives; None where that is not known."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    owner, _, last = name.rpartition(".")
    if owner in ("torch", "torch.Tensor"):
        special = depending(last, call, 1)
        if special is not NOTHING:
            return special
    if owner == "torch.nn.functional" and "max_pool" in last and not last.endswith("indices"):
        return several(TENSOR, TENSOR) if flag(call, "return_indices") else TENSOR
    if owner == "torch.nn.init":
        return TENSOR if last.endswith("_") else None
    return WORDS.get(returns(owner).get(last, ""))


def of_tensor(member: str, call: ast.Call | None) -> Value | None:
    """What a member of a tensor is (`call` None), or gives when it is called."""
    if call is None and member == "grad":
        return TENSOR
    if call:
        special = depending(member, call, 0)
        if special is not NOTHING:
            return special
    return WORDS.get(returns("torch.Tensor").get(member, ""))


NOTHING = Value("literal", "")


def depending(name: str, call: ast.Call, skipped: int) -> Value | None:
    """The functions whose result depends on their arguments; `skipped` of these come before the ones of the method."""
    given = len(call.args) - skipped
    if name == "size":
        return WORDS["int"] if given > 0 or call.keywords else WORDS["Size"]
    if name == "stride":
        return WORDS["int"] if given > 0 or call.keywords else None
    if name in REDUCTIONS:
        return reduced(call, skipped)
    if name == "nonzero":
        return many(TENSOR) if flag(call, "as_tuple") else TENSOR
    if name == "where":
        return TENSOR if given > 0 else many(TENSOR)
    if name in ("unique", "unique_consecutive"):
        flags = [word.value for word in call.keywords if word.arg in FLAGS]
        extra = sum(isinstance(value, ast.Constant) and value.value is True for value in flags)
        if given > 0 or extra < len(flags):
            return None
        return several(*[TENSOR] * (extra + 1)) if extra else TENSOR
    if name == "type":
        return TENSOR if given > 0 else WORDS["str"]
    return NOTHING


def reduced(call: ast.Call, skipped: int) -> Value | None:
    """`x.max()` is a tensor, `x.max(1)` and `x.max(dim=1)` are values and indices, `x.max(y)` cannot be told from here."""
    if any(word.arg == "dim" for word in call.keywords):
        return several(TENSOR, TENSOR)
    if len(call.args) <= skipped:
        return TENSOR
    first = call.args[skipped]
    number = first.operand if isinstance(first, ast.UnaryOp) else first
    return several(TENSOR, TENSOR) if isinstance(number, ast.Constant) and isinstance(number.value, int) else None


def flag(call: ast.Call, name: str) -> bool:
    """Whether the call may turn this on: anything but a plain False counts."""
    return any(word.arg == name and not (isinstance(word.value, ast.Constant) and not word.value.value) for word in call.keywords)


def of_instance(value: Value, member: str) -> Value | None:
    """What a method gives of an instance of a torch class, or of a class that derives from one."""
    if value.base == "torch.nn.Module":
        return value if member in SAME else OF_MODULE.get(member) or (called(value) if member == "forward" else None)
    if value.name.startswith("torch.distributions.") and member in OF_DISTRIBUTION:
        return TENSOR
    if value.base == "torch.device" and member == "type":
        return WORDS["str"]
    return WORDS["int"] if value.name == "torch.Size" and member == "numel" else None


def called(value: Value) -> Value | None:
    """What calling an instance of a torch module gives."""
    for name in (value.name, *value.bases):
        if name in CALLED:
            return CALLED[name]
        if base_of(name) == "torch.nn.Module":
            return TENSOR if value.sure else LIKELY_TENSOR
    return None


def made(name: str, sure: bool = True) -> Value:
    """An instance of a torch class."""
    if base_of(name) == "torch.Tensor":
        return replace(PARAMETER if name == "torch.nn.Parameter" else TENSOR, sure=sure)
    return Value("instance", name, sure=sure)
