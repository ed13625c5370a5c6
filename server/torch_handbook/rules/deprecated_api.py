"""What is used is deprecated: it works, with a warning, and will be removed.

Why
    torch warns for some releases before it removes something. What takes the place is often the same under another name
    (torch.cuda.amp.autocast() is torch.amp.autocast("cuda")); where it is not, the message says what is different.

Bad
    with torch.cuda.amp.autocast():
        pass

Good
    with torch.amp.autocast("cuda"):
        pass
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule(
    "deprecated-api",
    Severity.WARNING,
    Category.DEPRECATION,
    entry="guides/deprecations",
    covers=(
        "deprecated-cuda-amp",
        "deprecated-linalg-function",
        "deprecated-nonunderscore-alias",
        "deprecated-range",
        "deprecated-reduction-args",
    ),
)


@dataclass(frozen=True)
class Successor:
    """What takes the place: its name, what else changes, and the first argument that it needs more; `same` if that is all."""

    name: str
    kind: str
    but: str = ""
    first: str = ""
    same: bool = False


AMP, LINALG, ALIAS = "deprecated-cuda-amp", "deprecated-linalg-function", "deprecated-nonunderscore-alias"
INIT = words("uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse")
SUCCESSORS: dict[str, Successor] = {
    "torch.cuda.amp.autocast": Successor("torch.amp.autocast", AMP, first='"cuda"', same=True),
    "torch.cpu.amp.autocast": Successor("torch.amp.autocast", AMP, first='"cpu"', same=True),
    "torch.cuda.amp.GradScaler": Successor("torch.amp.GradScaler", AMP, first='"cuda"', same=True),
    "torch.cpu.amp.GradScaler": Successor("torch.amp.GradScaler", AMP, first='"cpu"', same=True),
    "torch.qr": Successor("torch.linalg.qr", LINALG, but="mode in the place of some"),
    "torch.cholesky": Successor("torch.linalg.cholesky", LINALG, same=True),
    "torch.lu": Successor("torch.linalg.lu_factor", LINALG),
    "torch.lu_solve": Successor("torch.linalg.lu_solve", LINALG, but="its arguments in another order"),
    "torch.triangular_solve": Successor("torch.linalg.solve_triangular", LINALG, but="its arguments in another order"),
    "torch.chain_matmul": Successor("torch.linalg.multi_dot", LINALG, but="the matrices in a list"),
    "torch.range": Successor("torch.arange", "deprecated-range", but="the end left out"),
    "torch.nn.utils.clip_grad_norm": Successor("torch.nn.utils.clip_grad_norm_", ALIAS, same=True),
    "torch.nn.utils.weight_norm": Successor("torch.nn.utils.parametrizations.weight_norm", "", but="other names in state_dict"),
    "torch.nn.functional.upsample": Successor("torch.nn.functional.interpolate", "", same=True),
    "torch.nn.functional.upsample_bilinear": Successor(
        "torch.nn.functional.interpolate", "", but='mode="bilinear", align_corners=True'
    ),
    "torch.nn.functional.upsample_nearest": Successor("torch.nn.functional.interpolate", "", same=True),
    "torch.set_default_tensor_type": Successor("torch.set_default_dtype", "", but="set_default_device for the device"),
    **{f"torch.nn.init.{name}": Successor(f"torch.nn.init.{name}_", ALIAS, same=True) for name in INIT},
}
REDUCTIONS = {("size_average", True): "mean", ("size_average", False): "sum", ("reduce", False): "none", ("reduce", True): "mean"}


@RULE.on(ast.Call)
def deprecated_call(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or ""
    new = SUCCESSORS.get(name)
    if new is not None and not is_guarded(context.file, call):
        but = f", with {new.but}" if new.but else ""
        wanted = f"{new.name}({new.first}, …)" if new.first else new.name
        text = f"{ast.unparse(call.func)} is deprecated: use {wanted}{but}"
        # New names in a checkpoint are a reason to stay with the old function for now.
        weight = Severity.INFORMATION if "state_dict" in new.but else None
        yield Finding.at(call.func, text, fix=renamed(call, new, context), kind=new.kind, severity=weight)
    elif is_loss(name):
        yield from reduction_words(call, context)


def renamed(call: ast.Call, new: Successor, context: Context) -> Fix | None:
    """The new name, where the file can write it, and the argument that it needs more."""
    spelt = context.spell(new.name, call)
    if spelt is None or not new.same or any(word.arg in ("upper", "out") for word in call.keywords):
        return None
    if new.first and (len(call.args) > 1 or any(isinstance(item, ast.Starred) for item in call.args)):
        return None
    edits = [Edit(span_of(call.func), spelt)]
    if new.first:
        filled = bool(call.args or call.keywords)
        # The old autocast takes enabled first, the new one dtype after the device.
        named = "enabled=" if call.args and new.name.endswith("autocast") else ""
        place = span_of(call.args[0] if call.args else call.keywords[0]).start if filled else before_bracket(call)
        edits.append(Edit(Span(*place, *place), f"{new.first}{', ' if filled else ''}{named}"))
    return Fix(f"use {spelt}", tuple(edits))


def before_bracket(call: ast.Call) -> tuple[int, int]:
    """The place before the bracket that ends a call."""
    line, column = span_of(call).end
    return line, column - 1


def is_loss(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    return (owner == "torch.nn" and last.endswith("Loss")) or (
        owner == "torch.nn.functional" and (last.endswith(("_loss", "entropy", "_div")) or "cross_entropy" in last)
    )


def reduction_words(call: ast.Call, context: Context) -> Findings:
    old = [word for word in call.keywords if word.arg in ("size_average", "reduce")]
    kept = [word for word in old if not (isinstance(word.value, ast.Constant) and word.value.value is None)]
    for word in kept:
        value = word.value.value if isinstance(word.value, ast.Constant) else None
        reduction = REDUCTIONS.get((word.arg or "", value)) if isinstance(value, bool) else None
        alone = len(old) == 1 and reduction and not any(other.arg == "reduction" for other in call.keywords)
        fix = Fix(f'reduction="{reduction}"', (Edit(span_of(word), f'reduction="{reduction}"'),)) if alone else None
        advice = f'use reduction="{reduction}"' if alone else "use reduction"
        yield Finding.at(word, f"{word.arg} is deprecated: {advice}", fix=fix, kind="deprecated-reduction-args")
