"""What takes the place of a deprecated name, and how a call of it is then written: what torch's own words do not tell."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

if TYPE_CHECKING:
    from torch_handbook.source.file import File

Change = tuple[Span, str]
Rewrite = Callable[["File", ast.Call, str], "list[Change] | None"]


@dataclass(frozen=True)
class Successor:
    """A name, what else changes, and how a call is rewritten; None where that takes a thought."""

    name: str
    kind: str = ""
    but: str = ""
    rewrite: Rewrite | None = None
    decorator: str = ""  # the arguments that it needs where the old name stands bare above a function
    shown: str = ""  # how it is called, where that is not its name
    sure: bool = True  # whether the rewritten call gives the same whatever it is given

    @property
    def plain(self) -> bool:
        """Whether one name can stand for the other wherever it is."""
        return self.rewrite is renamed


def renamed(file: File, call: ast.Call, new: str) -> list[Change]:
    """The same call under another name."""
    return [(span_of(call.func), new)]


def on_device(device: str) -> Rewrite:
    """autocast and GradScaler of one device: the new ones take its name first; autocast then dtype, so `enabled` is named."""

    def rewrite(file: File, call: ast.Call, new: str) -> list[Change] | None:
        if len(call.args) > 1 or any(isinstance(item, ast.Starred) for item in call.args):
            return None
        filled = [*call.args, *call.keywords]
        named = "enabled=" if call.args and new.endswith("autocast") else ""
        return [*renamed(file, call, new), inserted(filled, call, f'"{device}"{", " if filled else ""}{named}')]

    return rewrite


def with_words(*more: str) -> Rewrite:
    """The same call with more keywords at its end."""

    def rewrite(file: File, call: ast.Call, new: str) -> list[Change]:
        filled = [*call.args, *call.keywords]
        text = ", ".join(more)
        end = max((span_of(item).end for item in filled), default=before_bracket(call))
        return [*renamed(file, call, new), (Span(*end, *end), f", {text}" if filled else text)]

    return rewrite


def inserted(filled: list[ast.expr | ast.keyword], call: ast.Call, text: str) -> Change:
    """A text in front of the first argument, or between the brackets."""
    place = min((span_of(item).start for item in filled), default=before_bracket(call))
    return Span(*place, *place), text


def before_bracket(call: ast.Call) -> tuple[int, int]:
    """The place before the bracket that ends a call."""
    line, column = span_of(call).end
    return line, column - 1


def only(call: ast.Call, count: int, *allowed: str) -> bool:
    """Whether a call has so many arguments by place, none of them starred, and no keywords but these."""
    starred = any(isinstance(item, ast.Starred) for item in call.args)
    return len(call.args) == count and not starred and all(word.arg in allowed for word in call.keywords)


def qr(file: File, call: ast.Call, new: str) -> list[Change] | None:
    """`some` became `mode`: "reduced", which is what one gets anyway, or "complete"."""
    given = [word for word in call.keywords if word.arg == "some"] or call.args[1:2]
    if not only(call, 1, "some") and not only(call, 2):
        return None
    if not given:
        return renamed(file, call, new)
    value = given[0].value if isinstance(given[0], ast.keyword) else given[0]
    if not isinstance(value, ast.Constant) or not isinstance(value.value, bool):
        return None
    start, end = span_of(call.args[0]).end, span_of(given[0]).end
    return [*renamed(file, call, new), (Span(*start, *end), "" if value.value else ', mode="complete"')]


def cholesky(file: File, call: ast.Call, new: str) -> list[Change] | None:
    """`upper` must be named now."""
    if only(call, 1, "upper", "out"):
        return renamed(file, call, new)
    if not only(call, 2):
        return None
    place = span_of(call.args[1]).start
    return [*renamed(file, call, new), (Span(*place, *place), "upper=")]


def lu(file: File, call: ast.Call, new: str) -> list[Change] | None:
    return renamed(file, call, new) if only(call, 1) else None


def lu_solve(file: File, call: ast.Call, new: str) -> list[Change] | None:
    """The right-hand side goes to the end."""
    if not only(call, 3):
        return None
    b, factors, pivots = (file.text.slice(span_of(item)) for item in call.args)
    whole = Span(*span_of(call.args[0]).start, *span_of(call.args[2]).end)
    return [*renamed(file, call, new), (whole, f"{factors}, {pivots}, {b}")]


def chain(file: File, call: ast.Call, new: str) -> list[Change] | None:
    """The matrices become one list."""
    if len(call.args) < 2 or any(word.arg != "out" for word in call.keywords):
        return None
    first, last = span_of(call.args[0]).start, span_of(call.args[-1]).end
    return [*renamed(file, call, new), (Span(*first, *first), "["), (Span(*last, *last), "]")]


def up_to(file: File, call: ast.Call, new: str) -> list[Change] | None:
    """arange leaves out its end, so that becomes one more; and it makes whole numbers of whole ones, where range made floats."""
    named = {word.arg: word.value for word in call.keywords}
    given = dict(zip(("start", "end", "step"), call.args, strict=False)) | {name: value for name, value in named.items() if name}
    end, step = given.get("end"), given.get("step")
    if None in named or end is None or "start" not in given or any(isinstance(item, ast.Starred) for item in call.args):
        return None
    stride = number(step) if step is not None else 1
    if not stride or any(is_fraction(node) for node in (end, given["start"])):
        return None
    changes = [*renamed(file, call, new), (span_of(end), one_further(file, end, 1 if stride > 0 else -1))]
    if "dtype" not in named and "out" not in named:
        owner = new.rpartition(".")[0]
        last = max(span_of(item).end for item in (*call.args, *call.keywords))
        changes.append((Span(*last, *last), f", dtype={f'{owner}.float32' if owner else 'float'}"))
    return changes


def one_further(file: File, end: ast.expr, by: int) -> str:
    """The end that is left out where the old one was kept: 4 for 3, `n` for `n - 1`, else `n + 1`."""
    known = number(end)
    if known is not None:
        return str(known + by)
    if isinstance(end, ast.BinOp) and isinstance(end.op, (ast.Sub, ast.Add)) and number(end.right) is not None:
        moved = (number(end.right) or 0) * (1 if isinstance(end.op, ast.Add) else -1) + by
        left = file.text.slice(span_of(end.left))
        return f"{left} {'+' if moved > 0 else '-'} {abs(moved)}" if moved else left
    simple = isinstance(end, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp))
    text = file.text.slice(span_of(end))
    return f"{text if simple else f'({text})'} {'+' if by > 0 else '-'} {abs(by)}"


def number(node: ast.expr | None) -> int | None:
    """A whole number that is written out, its sign included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return -inner if inner is not None else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def is_fraction(node: ast.expr) -> bool:
    """Whether an expression may be no whole number, as far as can be seen."""
    return any(
        (isinstance(part, ast.Constant) and isinstance(part.value, float)) or isinstance(part, ast.Div) for part in ast.walk(node)
    )


def table() -> Iterator[tuple[str, Successor]]:
    amp, linalg, alias = "deprecated-cuda-amp", "deprecated-linalg-function", "deprecated-nonunderscore-alias"
    for device in ("cuda", "cpu"):
        for name in ("autocast", "GradScaler"):
            shown = f'torch.amp.{name}("{device}", …)'
            yield f"torch.{device}.amp.{name}", Successor(f"torch.amp.{name}", amp, rewrite=on_device(device), shown=shown)
    for name in ("custom_fwd", "custom_bwd"):
        word = 'device_type="cuda"'
        new = Successor(f"torch.amp.{name}", amp, rewrite=with_words(word), decorator=word, shown=f"torch.amp.{name}({word})")
        yield f"torch.cuda.amp.{name}", new
    yield "torch.qr", Successor("torch.linalg.qr", linalg, "mode in the place of some", qr)
    yield "torch.svd", Successor("torch.linalg.svd", linalg, "Vh in the place of V, and full_matrices=False")
    yield "torch.cholesky", Successor("torch.linalg.cholesky", linalg, rewrite=cholesky)
    yield "torch.lu", Successor("torch.linalg.lu_factor", linalg, rewrite=lu)
    yield "torch.lu_solve", Successor("torch.linalg.lu_solve", linalg, "the right-hand side last", lu_solve)
    yield "torch.triangular_solve", Successor("torch.linalg.solve_triangular", linalg, "its arguments in another order")
    yield "torch.chain_matmul", Successor("torch.linalg.multi_dot", linalg, "the matrices in a list", chain)
    yield "torch.ger", Successor("torch.outer", linalg, rewrite=renamed)
    yield "torch.norm", Successor("torch.linalg.vector_norm", linalg, "matrix_norm for matrices")
    yield "torch.range", Successor("torch.arange", "deprecated-range", "the end left out", up_to, sure=False)
    yield "torch.nn.functional.upsample", Successor("torch.nn.functional.interpolate", rewrite=renamed)
    yield "torch.nn.functional.upsample_nearest", Successor("torch.nn.functional.interpolate", rewrite=renamed)
    words_of_bilinear = ('mode="bilinear"', "align_corners=True")
    bilinear = Successor("torch.nn.functional.interpolate", "", ", ".join(words_of_bilinear), with_words(*words_of_bilinear))
    yield "torch.nn.functional.upsample_bilinear", bilinear
    yield "torch.nn.UpsamplingNearest2d", Successor("torch.nn.Upsample", rewrite=renamed)
    yield "torch.nn.UpsamplingBilinear2d", Successor("torch.nn.Upsample", "", bilinear.but, bilinear.rewrite)
    weight_norm = Successor("torch.nn.utils.parametrizations.weight_norm", but="other names in state_dict")
    yield "torch.nn.utils.weight_norm", weight_norm
    for name in words("script trace script_method trace_module"):
        yield f"torch.jit.{name}", Successor("torch.compile", shown="torch.compile, or torch.export for a file of its own")
    yield "torch.jit.save", Successor("torch.export", shown="torch.export.save, of what torch.export.export gives")
    yield "torch.jit.load", Successor("torch.export", shown="torch.export.load, for what torch.export.save wrote")
    yield "torch.set_default_tensor_type", Successor("torch.set_default_dtype", but="set_default_device for the device")
    yield "torch.nn.utils.clip_grad_norm", Successor("torch.nn.utils.clip_grad_norm_", alias, rewrite=renamed)
    yield "torch.utils._pytree._register_pytree_node", Successor("torch.utils._pytree.register_pytree_node", rewrite=renamed)
    yield "torch.testing.assert_allclose", Successor("torch.testing.assert_close", but="its own tolerances")
    for name in words("vmap grad vjp jvp jacrev jacfwd hessian functionalize grad_and_value"):
        yield f"functorch.{name}", Successor(f"torch.func.{name}", rewrite=renamed)
    init = "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal sparse"
    for name in words(init):
        yield f"torch.nn.init.{name}", Successor(f"torch.nn.init.{name}_", alias, rewrite=renamed)


SUCCESSORS = dict(table())
