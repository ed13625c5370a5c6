"""An einsum computes what one plain operator computes.

Why
    einsum reads its specification anew at each call, permutes and reshapes the operands, and then calls the very operator that
    the specification describes. On small tensors that costs more than the product itself (2 to 20 times); on large ones the
    plain operator is as fast and says what it is. Forms that the plain operator can only spell with more transposes than
    letters are hints.

Bad
    scores = torch.einsum("bij,bjk->bik", torch.randn(8, 4, 5), torch.randn(8, 5, 6))

Good
    scores = torch.matmul(torch.randn(8, 4, 5), torch.randn(8, 5, 6))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.einsum import Replacement, equivalent, read
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "einsum-with-bmm-equivalent",
    Severity.INFORMATION,
    Category.PERFORMANCE,
    entry="torch.einsum",
    covers=(
        "einsum-with-dot-equivalent",
        "einsum-with-linear-equivalent",
        "einsum-with-mul-sum-equivalent",
        "einsum-with-outer-equivalent",
        "einsum-with-permute-equivalent",
        "einsum-with-sum-equivalent",
        "einsum-with-trace-equivalent",
        "einsum-with-simpler-equivalent",
    ),
)
# How a replacement's kind is called in the ids, and in words.
KINDS = {
    "dot": "einsum-with-dot-equivalent",
    "linear": "einsum-with-linear-equivalent",
    "mul-sum": "einsum-with-mul-sum-equivalent",
    "mul": "einsum-with-mul-sum-equivalent",
    "outer": "einsum-with-outer-equivalent",
    "permute": "einsum-with-permute-equivalent",
    "sum": "einsum-with-sum-equivalent",
    "trace": "einsum-with-trace-equivalent",
    "diagonal": "einsum-with-trace-equivalent",
    "tensordot": "einsum-with-simpler-equivalent",
}
WORDS = {
    "bmm": "a batched matrix product",
    "mm": "a matrix product",
    "matmul": "a matrix product",
    "mv": "a matrix times a vector",
    "dot": "a dot product",
    "linear": "a product with a transposed weight, as in a linear layer",
    "mul-sum": "a product summed over an axis",
    "mul": "an element-wise product",
    "outer": "an outer product",
    "permute": "a reordering of axes",
    "sum": "a sum",
    "trace": "a trace",
    "diagonal": "a diagonal",
    "tensordot": "a contraction without a batch",
}
# Where an expression stands between brackets or alone, a binary operator needs no parentheses.
LOOSE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr, ast.keyword, ast.Tuple, ast.List, ast.Yield)


@RULE.on(ast.Call)
def einsum(call: ast.Call, context: Context) -> Findings:
    """Look at `torch.einsum("…", a, b)` with the specification written out."""
    if context.name_of(call.func) != "torch.einsum" or not 2 <= len(call.args) <= 3 or call.keywords:
        return
    spec, *operands = call.args
    if not isinstance(spec, ast.Constant) or not isinstance(spec.value, str):
        return
    if any(isinstance(operand, (ast.Starred, ast.List, ast.Tuple, ast.ListComp)) for operand in operands):
        return  # a sequence of operands, of a length that is not ours to count
    axes = read(spec.value)
    if axes is None or len(axes.operands) != len(operands):
        return
    found = equivalent(spec.value, equal_batches=equal_batches(operands, context))
    if found is None:
        return
    written = write(found, call, context)
    shown = found.write([ast.unparse(operand) for operand in operands]) if written is None else " ".join(written.split())
    yield Finding.at(
        call,
        f'"{spec.value.strip()}" is {WORDS[found.kind]}: {shown} computes it directly',
        fix=replacement(found, written, call, context) if written else None,
        severity=None if found.plain else Severity.HINT,
        kind=KINDS.get(found.kind, ""),
    )


def equal_batches(operands: list[ast.expr], context: Context) -> bool:
    """Whether facts say that both operands have the same number of matrices: then torch.bmm takes them."""
    shapes = [fact.shape for fact in map(context.facts.tensor, operands) if fact is not None]
    return len(shapes) == 2 and all(len(shape) == 3 for shape in shapes) and shapes[0][0] == shapes[1][0]


def write(found: Replacement, call: ast.Call, context: Context) -> str | None:
    """The expression in the file's own names; None where torch has no name there."""
    texts = [context.file.text.slice(span_of(operand)) for operand in call.args[1:]]
    torch = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else context.spell("torch", call)
    functional = context.spell("torch.nn.functional", call)
    if ("{torch}" in found.form and torch is None) or ("{F}" in found.form and functional is None):
        return None
    return found.write(texts, torch or "", functional or "")


def replacement(found: Replacement, written: str, call: ast.Call, context: Context) -> Fix | None:
    """Put the operator in the call's place. None where that would lose a comment."""
    title = f"replace einsum by {' '.join(written.split())}"
    if found.rounding:
        title += " (equal within rounding)"
    span = span_of(call)
    if has_comment(context.file.text.slice(span)):
        edits = renamed(found, call, context)
        return Fix(title, edits) if edits else None
    loose = isinstance(context.file.parent_of(call), LOOSE) or call in getattr(context.file.parent_of(call), "args", ())
    if found.operator and not loose:
        written = f"({written})"
    return Fix(title, (Edit(span, written),))


def has_comment(text: str) -> bool:
    """Whether a call's text holds a comment; a "#" in the specification or an operand's string counts too, which is no harm."""
    return "#" in text


def renamed(found: Replacement, call: ast.Call, context: Context) -> tuple[Edit, ...]:
    """Change the function and drop the specification, and leave all else where it stands, its comments too."""
    in_order = {"{torch}.bmm({a}, {b})", "{torch}.mm({a}, {b})", "{torch}.matmul({a}, {b})", "{torch}.mv({a}, {b})"}
    in_order |= {"{torch}.dot({a}, {b})", "{torch}.outer({a}, {b})"}
    if found.form not in in_order or not isinstance(call.func, ast.Attribute):
        return ()
    text, spec, function = context.file.text, span_of(call.args[0]), span_of(call.func)
    start = text.offset(spec.start)
    comma = text.content.find(",", text.offset(spec.end))
    if text.content[text.offset(spec.end) : comma].strip():
        return ()
    end = text.position(comma + 1)
    while text.content[text.offset(end) : text.offset(end) + 1] == " ":
        end = text.position(text.offset(end) + 1)
    name = found.form.partition(".")[2].partition("(")[0]
    attribute = Span(function.end_line, function.end_column - len("einsum"), function.end_line, function.end_column)
    return Edit(attribute, name), Edit(Span(*text.position(start), *end), "")
