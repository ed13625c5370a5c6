"""What an einsum specification computes, and the plain operator that computes the same: read from the letters, no table."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "bmm", "mm", "matmul", "mv", "dot", "outer", "linear", "mul-sum", "mul", "permute", "sum", "trace", "diagonal", "tensordot"
]  # fmt: skip

# One term of a specification: letters, with at most one ellipsis. Spaces are legal anywhere between them.
TERM = re.compile(r"[A-Za-z]*(?:\.\.\.)?[A-Za-z]*")
ELLIPSIS = "…"  # one character that stands for "...", so that a term is a string of axes


@dataclass(frozen=True)
class Replacement:
    """The operator that equals an einsum call.

    In `form`, {a} and {b} are the operands as arguments, {A} and {B} the same where a name could stand before a dot,
    {torch} and {F} the names that the file has for torch and torch.nn.functional.
    `plain` is whether it takes the operands as they stand, without a transpose: then it reads no worse than the einsum
    did. `rounding` is whether sums may be added up in another order.
    """

    kind: Kind
    form: str
    plain: bool = True
    rounding: bool = True
    operator: bool = False  # the form is a binary operator: it may need parentheses where it lands

    def write(self, operands: list[str], torch: str = "torch", functional: str = "torch.nn.functional") -> str:
        """The expression, over the operands' own source text."""
        fields = {"torch": torch, "F": functional}
        for letter, text in zip("ab", operands, strict=False):
            fields[letter] = text
            fields[letter.upper()] = atom(text)
        return self.form.format(**fields)


@dataclass(frozen=True)
class Spec:
    """A specification read into axes: one string of letters an operand, and the output's, which may have been implicit."""

    operands: tuple[str, ...]
    output: str


def atom(text: str) -> str:
    """The text of an expression, in parentheses unless it can stand before a dot as it is."""
    try:
        node = ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError):
        return f"({text})"
    bare = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) and "\n" not in text and "\r" not in text
    return text if bare else f"({text})"


def read(spec: str) -> Spec | None:
    """The axes of a specification; None when it is not one that torch.einsum takes."""
    inputs, arrow, output = "".join(spec.split()).partition("->")
    terms = inputs.split(",")
    if not all(TERM.fullmatch(term) for term in terms) or not TERM.fullmatch(output):
        return None
    axes = tuple(term.replace("...", ELLIPSIS) for term in terms)
    out = output.replace("...", ELLIPSIS) if arrow else implicit_output(axes)
    known = set("".join(axes))
    return Spec(axes, out) if len(set(out)) == len(out) and set(out) <= known else None


def implicit_output(operands: tuple[str, ...]) -> str:
    """Without an arrow: the ellipsis, then the letters that occur once, capitals first, each in alphabetical order."""
    letters = "".join(operands)
    once = sorted(letter for letter in set(letters) - {ELLIPSIS} if letters.count(letter) == 1)
    return (ELLIPSIS if ELLIPSIS in letters else "") + "".join(once)


def equivalent(spec: str, *, equal_batches: bool = False) -> Replacement | None:
    """The operator that equals `torch.einsum(spec, …)` on one or two operands; None when no single one does.

    einsum and matmul broadcast a batch axis of size 1 and torch.bmm refuses it, so bmm is the answer only to who says
    that the batches are equal.
    """
    axes = read(spec)
    if axes is None or any(ELLIPSIS in term[1:] for term in (*axes.operands, axes.output)):
        return None  # an ellipsis that does not come first names axes from both ends: no plain form
    if len(axes.operands) == 1:
        return one_operand(axes.operands[0], axes.output)
    if len(axes.operands) == 2:
        return two_operands(*axes.operands, axes.output, equal_batches)
    return None


def one_operand(a: str, out: str) -> Replacement | None:
    if len(set(a)) < len(a):
        return repeated_letter(a, out)
    if a == out or (ELLIPSIS in a and ELLIPSIS not in out):
        return None
    if set(a) == set(out):
        return permuted(a, out)
    if out == "":
        return Replacement("sum", "{A}.sum()")
    kept = [letter for letter in a if letter in out]
    if "".join(kept) != out:
        return None
    return Replacement("sum", f"{{A}}.sum({dims(a, [letter for letter in a if letter not in out])})")


def permuted(a: str, out: str) -> Replacement | None:
    moved = [index for index, letter in enumerate(a) if out[index] != letter]
    if len(a) == 2 and ELLIPSIS not in a:
        return Replacement("permute", "{A}.T", rounding=False)
    if len(moved) == 2:
        first, second = (axis(a, a[index]) for index in moved)
        return Replacement("permute", f"{{A}}.transpose({first}, {second})", rounding=False)
    if ELLIPSIS in a:
        return None
    order = ", ".join(str(a.index(letter)) for letter in out)
    return Replacement("permute", f"{{A}}.permute({order})", plain=len(a) <= 4, rounding=False)  # more axes read better by letter


def repeated_letter(a: str, out: str) -> Replacement | None:
    twice = {letter for letter in a if a.count(letter) > 1}
    if len(twice) != 1 or a.count(letter := twice.pop()) != 2 or letter == ELLIPSIS:
        return None
    others = a.replace(letter, "")
    first, second = axis(a, letter), axis(a, letter) + a.rindex(letter) - a.index(letter)
    if a == letter * 2:
        whole = {
            "": Replacement("trace", "{torch}.trace({a})"),
            letter: Replacement("diagonal", "{A}.diagonal()", rounding=False),
        }
        return whole.get(out)
    diagonal = f"{{A}}.diagonal(dim1={first}, dim2={second})"
    if out == others + letter:
        return Replacement("diagonal", diagonal, plain=False, rounding=False)
    return Replacement("diagonal", f"{diagonal}.sum(-1)", plain=False) if out == others else None


def two_operands(a: str, b: str, out: str, equal_batches: bool) -> Replacement | None:
    if len(set(a)) < len(a) or len(set(b)) < len(b) or lonely(a, b, out) or lonely(b, a, out):
        return None
    contracted = [letter for letter in a if letter in b and letter not in out]
    if ELLIPSIS in contracted:
        return None
    if not contracted:
        return product(a, b, out)
    if a == b:
        return multiplied_sum(a, out, contracted)
    if len(contracted) == 1:
        found = contraction(a, b, out, contracted[0], equal_batches)
        if found is not None:
            return found
    return tensordot(a, b, out, contracted)


def lonely(a: str, b: str, out: str) -> bool:
    """Whether an axis of `a` is summed on its own before the product."""
    return any(letter not in b and letter not in out for letter in a)


def product(a: str, b: str, out: str) -> Replacement | None:
    """Nothing is summed: outer products and element-wise ones."""
    if a == b == out:
        return Replacement("mul", "{A} * {B}", plain=False, rounding=False, operator=True)
    if len(a) == len(b) == 1 and ELLIPSIS not in a + b:
        return Replacement("outer", "{torch}.outer({a}, {b})" if out == a + b else "{torch}.outer({b}, {a})", rounding=False)
    if a[:-1] == b[:-1] and out == a + b[-1] and a[-1] not in b and a[-1] != ELLIPSIS:
        form = "{A}.unsqueeze(-1) * {B}.unsqueeze(-2)"
        return Replacement("outer", form, plain=False, rounding=False, operator=True)
    return None


def multiplied_sum(a: str, out: str, contracted: list[str]) -> Replacement | None:
    """Both operands have the same axes: multiply, then sum."""
    if out != "".join(letter for letter in a if letter in out):
        return None
    if len(a) == 1:
        return Replacement("dot", "{torch}.dot({a}, {b})")
    return Replacement("mul-sum", f"({{A}} * {{B}}).sum({dims(a, contracted) if out else ''})")


def contraction(a: str, b: str, out: str, inner: str, equal_batches: bool) -> Replacement | None:
    """A matrix product over one letter, in the order of operands that needs the fewest transposes; None when it is no such."""
    tries = [matrices(a, b, out, inner, ("a", "b")), matrices(b, a, out, inner, ("b", "a"))]
    forms = sorted((form for form in tries if form is not None), key=lambda form: len(form.turned))
    if not forms:
        return None
    return forms[0].replacement(equal_batches)


@dataclass(frozen=True)
class Product:
    """A matrix product `left @ right`, each (batch, rows, columns) or a vector, and which of the two must be turned."""

    left: str
    right: str
    names: tuple[str, str]
    turned: tuple[str, ...]

    def replacement(self, equal_batches: bool) -> Replacement:
        first, second = self.names
        ranks = (rank(self.left), rank(self.right))
        if self.turned == ("right",) and ranks[1] == 2 and ranks[0] != 2:
            # x @ W.T is what a Linear layer does, whichever operand came first.
            return Replacement("linear", f"{{F}}.linear({{{first}}}, {{{second}}})")
        left = self.operand(first, "left", self.left)
        right = self.operand(second, "right", self.right)
        kind, function = self.function(ranks, equal_batches)
        return Replacement(kind, f"{{torch}}.{function}({left}, {right})", plain=not self.turned)

    def function(self, ranks: tuple[int, int], equal_batches: bool) -> tuple[Kind, str]:
        if ranks == (2, 2):
            return "mm", "mm"
        if ranks == (2, 1):
            return "mv", "mv"
        if ranks == (3, 3):
            return ("bmm", "bmm") if equal_batches else ("bmm", "matmul")
        return "matmul", "matmul"

    def operand(self, name: str, side: str, axes: str) -> str:
        if side not in self.turned:
            return f"{{{name}}}"
        turn = {2: ".T", 3: ".transpose(1, 2)"}.get(rank(axes), ".transpose(-2, -1)")
        return f"{{{name.upper()}}}{turn}"


def matrices(left: str, right: str, out: str, inner: str, names: tuple[str, str]) -> Product | None:
    """Read two terms as `left @ right` with the output's axes in just that order; None when they are not."""
    rows = [letter for letter in left if letter not in right]
    columns = [letter for letter in right if letter not in left]
    if len(left) == 1:
        return vector_times_matrix(left, right, out, names)
    if len(right) == 1:
        return Product(left, right, names, ()) if left == out + inner else None
    if not rows or not columns or out[-2:] != rows[-1] + columns[-1] or columns[-1] == ELLIPSIS:
        return None  # an ellipsis for rows is fine: (…, inner) @ (inner, columns) holds for every number of axes
    batch, row, column = out[:-2], rows[-1], columns[-1]
    sides = [side(left, row, inner, batch), side(right, inner, column, batch)]
    if None in sides or batch not in (left[:-2], right[:-2]):
        return None
    return Product(left, right, names, tuple(name for name, turned in zip(("left", "right"), sides, strict=True) if turned))


def vector_times_matrix(left: str, right: str, out: str, names: tuple[str, str]) -> Product | None:
    """`v @ M`: matmul takes a vector on the left of (…, rows, columns) too."""
    if len(right) < 2 or right[-2] != left or right[-1] == ELLIPSIS or out != right[:-2] + right[-1]:
        return None
    return Product(left, right, names, ())


def side(term: str, row: str, column: str, batch: str) -> bool | None:
    """Whether a term is a (batch, column, row) that must be turned; None when it is neither that nor (batch, row, column)."""
    if not batch.endswith(term[:-2]):  # matmul lines batch axes up from the right
        return None
    return {row + column: False, column + row: True}.get(term[-2:])


def tensordot(a: str, b: str, out: str, contracted: list[str]) -> Replacement | None:
    """A product over neighbouring axes of two operands without a batch."""
    free = [letter for letter in a + b if letter not in contracted]
    shared = "".join(contracted)
    if ELLIPSIS in a + b or "".join(free) != out or shared not in a or shared not in b:
        return None
    if a.endswith(shared) and b.startswith(shared):
        return Replacement("tensordot", f"{{torch}}.tensordot({{a}}, {{b}}, dims={len(contracted)})", plain=False)
    axes = ([a.index(letter) for letter in contracted], [b.index(letter) for letter in contracted])
    return Replacement("tensordot", f"{{torch}}.tensordot({{a}}, {{b}}, dims=({axes[0]}, {axes[1]}))", plain=False)


def rank(term: str) -> int:
    """How many axes a term has; a large number when an ellipsis leaves it open."""
    return 99 if ELLIPSIS in term else len(term)


def axis(term: str, letter: str) -> int:
    """The axis of a letter, from the end where an ellipsis stands before it."""
    index = term.index(letter)
    return index - len(term) if ELLIPSIS in term else index


def dims(term: str, letters: list[str]) -> str:
    """The `dim` argument that names these letters."""
    axes = [axis(term, letter) for letter in letters]
    return str(axes[0]) if len(axes) == 1 else f"({', '.join(map(str, axes))})"
