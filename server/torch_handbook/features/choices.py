"""The values that an argument takes: strings as its annotation or its docstring lists them, dtypes, devices, true and false."""

from __future__ import annotations

import re

from torch_handbook.features import docstring
from torch_handbook.torchdocs.docs import Doc, Parameter
from torch_handbook.torchdocs.listing import words

QUOTED = re.compile(r"""(?<![\w'"])['"]([A-Za-z][\w-]*)['"](?![\w'"])""")
# What torch's files do not list, or list in words, by the last part of the callable's name.
KNOWN = {
    ("ReduceLROnPlateau", "mode"): "min max",
    ("ReduceLROnPlateau", "threshold_mode"): "rel abs",
    ("CyclicLR", "mode"): "triangular triangular2 exp_range",
    ("KLDivLoss", "reduction"): "none batchmean sum mean",
    ("triplet_margin_loss", "reduction"): "none mean sum",
    ("triplet_margin_with_distance_loss", "reduction"): "none mean sum",
    ("gelu", "approximate"): "none tanh",
    ("quantile", "interpolation"): "linear lower higher midpoint nearest",
    ("nanquantile", "interpolation"): "linear lower higher midpoint nearest",
    ("stft", "pad_mode"): "constant reflect replicate circular",
    ("calculate_gain", "nonlinearity"): "linear conv1d conv2d conv3d sigmoid tanh relu leaky_relu selu",
    ("compile", "backend"): "inductor eager aot_eager cudagraphs",
    ("init_process_group", "backend"): "nccl gloo mpi ucc xccl",
    ("new_group", "backend"): "nccl gloo mpi ucc xccl",
    # The annotation names four, and all but one of them raise.
    **{(f"{lazy}ConvTranspose{n}d", "padding_mode"): "" for lazy in ("", "Lazy") for n in (1, 2, 3)},
}
DEVICES = ("cuda", "cpu", "mps", "xpu", "meta")
DTYPES = words("float32 float16 bfloat16 float64 int64 int32 int16 int8 uint8 bool complex64 complex128")


def of(doc: Doc | None, parameter: str) -> list[str]:
    """The strings in their order, with the default among them; none where fewer than two are known."""
    signed = next((item for item in doc.parameters if item.name == parameter), None) if doc else None
    known = KNOWN.get((doc.name.rpartition(".")[2], parameter)) if doc else None
    if doc is None or known is not None:
        return known.split() if known else []
    if parameter == "device" and _takes_strings(signed):
        return list(DEVICES)
    if signed and (signed.annotation or "").startswith("Literal["):
        return QUOTED.findall(signed.annotation or "")
    return _listed(doc, parameter, signed)


def _listed(doc: Doc, parameter: str, signed: Parameter | None) -> list[str]:
    """What the docstring quotes where it explains the parameter."""
    said = next((item for item in docstring.arguments(doc.docstring) if item.name == parameter), None)
    text = f"{said.type} {said.text}" if said else ""
    default = QUOTED.findall(signed.default or "") if signed else []
    values = list(dict.fromkeys([*QUOTED.findall(text.replace("`", "")), *default]))
    return values if len(values) > 1 and (default or "str" in (said.type if said else "")) else []


def _takes_strings(signed: Parameter | None) -> bool:
    """Whether a device may be named: some functions want its number."""
    return signed is not None and "int]" not in (signed.annotation or "")


def is_switch(doc: Doc, parameter: str) -> bool:
    """Whether an argument is true or false."""
    signed = next((item for item in doc.parameters if item.name == parameter), None)
    return signed is not None and signed.default in ("True", "False")
