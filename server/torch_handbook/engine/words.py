"""The words that several rules share: sizes and names as a reader writes them, and torch's own sentences, shortened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from torch_handbook.engine.rule import Failure

SIZES = re.compile(r"size|shape|dim|divisible|channel|padding|must be Tensor, not tuple|\b\d-?D\b", re.IGNORECASE)
DTYPES = re.compile(r"\binput type \(|scalar type|\bdtype\b", re.IGNORECASE)

NUMBER_INDEXED = "invalid index of a 0-dim tensor"

# The kinds of what torch refuses in its own words: the operation, and words of its message.
REFUSALS = tuple(
    (re.compile(operation), re.compile(words), kind)
    for operation, words, kind in (
        (r"Conv|conv", "divisible by groups", "conv-groups-divisibility"),
        (r"Conv|conv", "strided convolution", "same-padding-with-stride"),
        (
            r"MultiheadAttention|TransformerEncoderLayer|TransformerDecoderLayer",
            "divisible by num_heads",
            "heads-not-dividing-embed",
        ),
        (r"MultiheadAttention|Transformer", r"key_padd\w+_mask", "padding-mask-shape"),
        (r"gather", "same number of dimensions", "gather-index-rank"),
        (r"scatter", "same number of dimensions", "scatter-index-rank"),
        (r"view", "not compatible with input tensor's size and stride", "view-non-contiguous"),
        (r"interpolate|Upsample", "mode needs", "interpolate-missing-batch"),
        (r"[Pp]ool\d|[Cc]onv", "Output size is too small|Kernel size can't be greater", "spatial-size-collapse"),
    )
)


def refusal(failure: Failure) -> str:
    """The kind of a failure that torch's own words tell; "" where they do not."""
    short = short_name(failure.operation)
    return next((kind for name, words, kind in REFUSALS if name.search(short) and words.search(failure.message)), "")


def sizes(shape: Sequence[Any]) -> str:
    """A shape as Python writes it: (8, 3), (8,)."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def product(factors: Sequence[Any]) -> str:
    """6×14×14, or 6×(H//2 - 2)×W"""
    return "×".join(text if text.isdigit() or text.isidentifier() else f"({text})" for text in map(str, factors))


def all_known(shape: Sequence[Any]) -> bool:
    """Whether every size is a number."""
    return all(isinstance(size, int) for size in shape)


def short_name(operation: str) -> str:
    """The last part of an operation's name: Linear, matmul, @."""
    return operation.rpartition(".")[2] or operation


def speaks_of_dtypes(failure: Failure) -> bool:
    """Whether a failure is about the dtypes of tensors."""
    return failure.reason == "dtype" or (failure.reason in ("shape", "argument") and DTYPES.search(failure.message) is not None)


def speaks_of_sizes(failure: Failure) -> bool:
    """Whether a failure is about the sizes of tensors, and not about another argument."""
    if NUMBER_INDEXED in failure.message:
        return False  # scalar-tensor-indexed says more
    if failure.reason == "shape" and failure.details:
        return True
    if failure.reason not in ("shape", "argument") or speaks_of_dtypes(failure):
        return False
    return (failure.error != "TypeError" or "not tuple" in failure.message) and SIZES.search(failure.message) is not None


def raises(failure: Failure) -> str:
    """What torch itself says, where nothing better is known."""
    short = short_name(failure.operation)
    if "tuple of ints" in failure.message and "float" in failure.message:
        return f"{short} takes whole numbers, but gets a float: divide with //"
    short = {"__getitem__": "this index", "__setitem__": "this assignment"}.get(short, short)
    return f"{short} raises {failure.error or 'an error'} here: {first_sentence(failure.message)}"


def first_sentence(message: str) -> str:
    """Torch's own words, shortened; without their first capital, unless that begins a name."""
    text = message.partition("\n")[0].strip().rstrip(".")
    text = text if len(text) < 160 else f"{text[:157]}…"
    begins_a_name = "(" in text.partition(" ")[0]
    return text[:1].lower() + text[1:] if (text[1:2].islower() or text[1:2] == " ") and not begins_a_name else text


def with_defaults(failure: Failure) -> str:
    """Which options would have to be given for it not to happen, where it depends on any."""
    defaults: dict[str, int] = failure.details.get("defaults") or {}
    named = ", ".join(f"{name}={value}" for name, value in defaults.items())
    return f" (with the default{'s' if len(defaults) > 1 else ''} {named})" if defaults else ""
