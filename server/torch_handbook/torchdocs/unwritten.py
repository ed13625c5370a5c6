"""A sentence on names that torch's own files say nothing about, though everyone uses them."""

from __future__ import annotations

WRITTEN = {
    "torch.Tensor": "A multi-dimensional array whose elements all have one data type.",
    "torch.device": "Where a tensor is or is to be: a type, `cpu`, `cuda`, `mps`, …, and optionally a number.",
    "torch.dtype": "The data type of a tensor's elements.",
    "torch.Size": "The sizes of a tensor, one for each dimension: a tuple of integers.",
    "torch.layout": "How a tensor lies in memory: `torch.strided`, or one of the sparse layouts.",
    "torch.memory_format": "In which order a tensor's dimensions lie in memory.",
    "torch.finfo": "The numerical limits of a floating point data type: `eps`, `max`, `min`, `tiny`, `bits`.",
    "torch.iinfo": "The numerical limits of an integer data type: `max`, `min`, `bits`.",
    "torch.relu": "See :func:`torch.nn.functional.relu`.",
    "torch.Tensor.relu": "See :func:`torch.nn.functional.relu`.",
    "torch.Tensor.relu_": "In-place version of :meth:`torch.Tensor.relu`.",
    "torch.Tensor.data": "The same values without their history: autograd does not see changes made through it.",
    "torch.Tensor.dtype": "The :class:`torch.dtype` of the tensor's elements.",
    "torch.Tensor.grad_fn": "The node of the autograd graph that made the tensor; None for leaves.",
    "torch.Tensor.clamp_min": "Raises every element that is smaller to `min`. See :func:`torch.clamp`.",
    "torch.Tensor.clamp_max": "Lowers every element that is larger to `max`. See :func:`torch.clamp`.",
    "torch.clamp_min": "Raises every element that is smaller to `min`. See :func:`torch.clamp`.",
    "torch.clamp_max": "Lowers every element that is larger to `max`. See :func:`torch.clamp`.",
    "torch.Tensor.new": "An old way to make a tensor like this one: `new_tensor` and `new_zeros` say what they do.",
    "torch.autograd.Variable": "An old name for tensors: since PyTorch 0.4 every tensor records gradients by itself.",
    "torch.optim.Optimizer.param_groups": "A list of dicts: each group's parameters under `params`, and its options, such as `lr`.",
    "torch.optim.Optimizer.state": "What the optimizer remembers of each parameter, by parameter.",
    "torch.nn.Module.training": "Whether the module is in training mode; set by `train()` and `eval()`.",
    "torch.backends.cudnn.benchmark": "If True, cuDNN tries several algorithms and takes the fastest for each input size.",
    "torch.backends.cudnn.deterministic": "If True, cuDNN only uses deterministic convolution algorithms.",
    "torch.backends.cudnn.enabled": "Whether cuDNN is used at all.",
    "torch.channels_last": "A memory format: the channels of a 4-D tensor lie next to each other (NHWC).",
    "torch.contiguous_format": "A memory format: dimensions lie in order, the last one densely.",
    "torch.preserve_format": "A memory format: that of the input is kept.",
    "torch.strided": "The layout of ordinary, dense tensors.",
    "torch.pi": "The number π.",
    "torch.inf": "Positive infinity.",
    "torch.nan": "Not a number.",
    "torch.newaxis": "None, as an index: puts in a dimension of size 1.",
    "torch.bool": "Booleans, one byte each.",
    "torch.bfloat16": "16-bit brain floating point: the range of float32 with 8 bits of precision.",
    "torch.float16": "16-bit floating point, up to 65504. Also `torch.half`.",
    "torch.float32": "32-bit floating point, the default. Also `torch.float`.",
    "torch.float64": "64-bit floating point. Also `torch.double`.",
    "torch.complex64": "Complex numbers of two 32-bit floats. Also `torch.cfloat`.",
    "torch.complex128": "Complex numbers of two 64-bit floats. Also `torch.cdouble`.",
    "torch.uint8": "Integers from 0 to 255.",
    "torch.int8": "8-bit integers.",
    "torch.int16": "16-bit integers. Also `torch.short`.",
    "torch.int32": "32-bit integers. Also `torch.int`.",
    "torch.int64": "64-bit integers, what indices and class numbers are. Also `torch.long`.",
}
SAME = {
    "half": "float16", "float": "float32", "double": "float64", "cfloat": "complex64", "cdouble": "complex128",
    "short": "int16", "int": "int32", "long": "int64",
}
OLD = "An old way to make a tensor of one data type: `torch.tensor(…, dtype=…, device=…)` says more."
KINDS = ("Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool")
TEXTS = {
    **WRITTEN,
    **{f"torch.{short}": WRITTEN[f"torch.{name}"].partition(" Also")[0] for short, name in SAME.items()},
    **{f"torch.{place}{kind}Tensor": OLD for place in ("", "cuda.") for kind in KINDS},
}
