"""What a public name of torch is: a module, a class, a dtype, a function."""

from __future__ import annotations

from torch_handbook.source.torch_names import words
from torch_handbook.source.value import Value

DTYPES = words(
    "float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 bool float double half long int short complex64 complex128"
)
MODULES = words(
    "nn nn.functional nn.init nn.utils nn.utils.rnn nn.parallel optim optim.lr_scheduler utils utils.data cuda cuda.amp amp"
    " autograd linalg fft special distributions distributed backends backends.cudnn jit onnx fx func sparse hub random testing"
    " profiler mps export compiler nn.attention nn.modules nn.utils.parametrizations optim.swa_utils utils.checkpoint"
)
CONTEXTS = words("torch.no_grad torch.enable_grad torch.inference_mode torch.set_grad_enabled torch.profiler.profile")


def named(name: str) -> Value | None:
    """What a public name is: a class of torch by its capital, a dtype, a module, else a function."""
    owner, _, last = name.rpartition(".")
    if not name.startswith("torch.") and name != "torch":
        return None
    if name == "torch" or name.removeprefix("torch.") in MODULES:
        return Value("module_import", name)
    if owner == "torch" and last in DTYPES:
        return Value("instance", "torch.dtype")
    return Value("class" if last[:1].isupper() or name == "torch.device" else "function", name)
