"""What the worker saw, in the words and signs that a reader gets."""

from __future__ import annotations

import re
from collections.abc import Iterable

from torch_handbook_worker.protocol import Fact, ModuleFact, ObjectFact, Size, TensorFact, TupleFact

from torch_handbook.source.torch_names import members

USUAL = frozenset({"float32", "int64", "bool"})  # dtypes that a hint need not tell of


def sizes(shape: Iterable[Size]) -> str:
    """A shape as torch prints it, free sizes by their name: "[N, 16, 5, 5]"."""
    return f"[{', '.join(map(str, shape))}]"


def short(fact: Fact, device: str = "cpu") -> str | None:
    """A few characters for an inlay hint, or None for what a hint would not help with. A dtype is said where it is an unusual
    one, and a device where it is another than `device`."""
    if isinstance(fact, TensorFact):
        dtype = "" if fact.dtype in USUAL else f" {fact.dtype}"
        return sizes(fact.shape) + assumed(fact) + dtype + ("" if fact.device in ("?", "", device) else f" {fact.device}")
    if isinstance(fact, TupleFact) and 0 < len(fact.items) <= 3:
        parts = [short(item, device) for item in fact.items]
        return f"({', '.join(part for part in parts if part)})" if all(parts) else None
    return None


def assumed(fact: TensorFact) -> str:
    """ " (H = W = 32–35)" behind the shape of an input of which the network assumes that."""
    if fact.assumed is None:
        return ""
    names: dict[Size, list[str]] = {}
    for name, size in zip(fact.shape, fact.assumed.sizes, strict=False):
        if name != size:
            names.setdefault(size, []).append(str(name))
    return f" ({', '.join(' = '.join([*rows, str(size)]) for size, rows in names.items())})"


def assumption(fact: TensorFact) -> str:
    """A sentence about it: "`self.fc1` takes 400 features: the network assumes 32×32 images, and up to 35×35 fit." """
    if fact.assumed is None:
        return ""
    changed = [size for name, size in zip(fact.shape, fact.assumed.sizes, strict=False) if name != size]
    least, _, most = str(changed[0]).partition("–")
    is_image = len(changed) == 2 and changed[0] == changed[1]
    what = f"{least}×{least} images" if is_image else f"an input of {sizes(fact.assumed.sizes)}"
    more = f", and up to {most}×{most} fit" if is_image and most else ""
    return f"`{fact.assumed.why}`: the network assumes {what}{more}."


def line(fact: Fact) -> str:
    """One line of text about a value."""
    if isinstance(fact, TensorFact):
        kind = "Parameter" if fact.parameter else "Tensor"
        return f"{kind} {sizes(fact.shape)} {fact.dtype}" + ("" if fact.device in ("?", "") else f" on {fact.device}")
    if isinstance(fact, ModuleFact):
        return fact.text or fact.type
    if isinstance(fact, ObjectFact):
        return f"{fact.type} = {fact.text}" if fact.text not in ("", fact.type) else fact.type
    return f"({', '.join(map(line, fact.items))})"


def flow(fact: ModuleFact) -> str:
    """What goes into a module and comes out of it, as code: brackets alone are links in Markdown."""
    return f"`{sizes(fact.input)} → {sizes(fact.output)}`" if fact.input and fact.output else ""


def gradient(fact: TensorFact) -> str:
    """How autograd sees a tensor."""
    if not fact.requires_grad:
        return "No gradient is recorded for it: `requires_grad` is False, and it is a leaf."
    if fact.leaf:
        return "A leaf that requires a gradient: `backward()` fills its `.grad`."
    made = f", made by {operation(fact.grad_fn)}" if fact.grad_fn else ""
    return f"Requires a gradient; not a leaf{made}."


def operation(grad_fn: str) -> str:
    """The operation that a node of the graph is named after: autograd numbers its variants, Mean1 is a mean; Log2 is log2."""
    plain = grad_fn.rstrip("0123456789")
    known = members("torch.Tensor")
    return plain if grad_fn.lower() not in known and plain.lower() in known else grad_fn


def details(fact: Fact) -> str:
    """Markdown about a value: what it is in a line of code, then what else is worth knowing."""
    if isinstance(fact, TensorFact):
        free = [str(size) for size in fact.shape if isinstance(size, str)]
        defaults = "".join(f" {name} is {value} by default." for name, value in fact.usual.items())
        note = f"\n\n{', '.join(dict.fromkeys(free))}: known only when it runs.{defaults}" if free else ""
        return "\n\n".join(filter(None, [assumption(fact), gradient(fact) + note]))
    if isinstance(fact, ModuleFact):
        return " · ".join(filter(None, ["" if fact.parameters is None else f"{fact.parameters:,} parameters", flow(fact)]))
    return ""


MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([KMGT])(i?)B?|B)", re.IGNORECASE)


def memory_of(text: str) -> int | None:
    """The bytes that "24GiB", "24G" (both 24 × 1024³) or "24GB" (24 × 1000³) are; None for anything else, a bare number too."""
    found = MEMORY.fullmatch(text.strip())
    if found is None:
        return None
    base = 1000 if text.strip().upper().endswith("B") and not found[3] else 1024
    return int(float(found[1]) * base ** " KMGT".index((found[2] or " ").upper())) or None
