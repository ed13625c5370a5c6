"""Attention is written out, with its matrix of scores.

Why
    softmax(q @ k.T / sqrt(d)) @ v makes a matrix of length × length for each head, keeps it for backward, and runs as half a
    dozen operations. F.scaled_dot_product_attention computes the same in one, with kernels that never hold the whole matrix.
    Its mask is added to the scores, or is True where attention is allowed; the scale is 1/sqrt(d) unless it is given. Where
    the weights themselves are wanted, as here they are not, they must be computed. Off by default: code that explains
    attention writes it out on purpose.

Bad
    def attend(q, k, v):
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        return scores.softmax(-1) @ v

Good
    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule(
    "manual-attention",
    Severity.INFORMATION,
    Category.PERFORMANCE,
    entry="torch.nn.functional.scaled_dot_product_attention",
    default=False,
)
PRODUCTS = frozenset({"torch.matmul", "torch.bmm"})
DEPTH = 8


@RULE.on(ast.Call, ast.BinOp)
def multiplied(node: ast.Call | ast.BinOp, context: Context) -> Findings:
    """`softmax(scores) @ v`, where the scores are `q @ k.transpose(-2, -1)`, scaled, and nobody else reads the weights."""
    factors = product(node, context)
    known = context.file.index.attributes.get("scaled_dot_product_attention")
    if factors is None or known:  # who calls it elsewhere in the file has a reason to write it out here
        return
    weights = follow(factors[0], context, "drop")
    if weights is None or not is_softmax(weights, context):
        return
    scores = scores_of(argument(weights, context), context, DEPTH, scaled=False)
    if scores is not None:
        words = (
            "this is scaled_dot_product_attention written out: F.scaled_dot_product_attention(q, k, v) holds no matrix of scores"
        )
        yield Finding.at(node, words, related=[Related(span_of(scores), "the scores")])


def product(node: ast.expr, context: Context) -> tuple[ast.expr, ast.expr] | None:
    """The two factors of a matrix product."""
    if isinstance(node, ast.BinOp):
        return (node.left, node.right) if isinstance(node.op, ast.MatMult) else None
    if isinstance(node, ast.Call) and context.name_of(node.func) in PRODUCTS and len(node.args) == 2:
        return node.args[0], node.args[1]
    method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("matmul", "bmm")
    if method and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) == 1:
        return (node.func.value, node.args[0]) if context.name_of(node.func) is None else None
    return None


def follow(node: ast.expr, context: Context, through: str) -> ast.expr | None:
    """What a value is behind names that are read nowhere else, and behind dropout."""
    for _ in range(DEPTH):
        if isinstance(node, ast.Name):
            value = only_value(node, context)
            if value is None:
                return None
            node = value
        elif isinstance(node, ast.Call) and through in ast.unparse(node.func).lower() and node.args:
            node = node.args[0]
        else:
            return node
    return None


def only_value(name: ast.Name, context: Context) -> ast.expr | None:
    """The value that a name was given last, if this is the one place that reads it."""
    names, scope = context.file.names, context.file.scope_of(name).find(name.id)
    bindings = names.bindings(name)
    if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path != () or scope is None:
        return None
    readers = [
        use
        for use in context.file.index.names.get(name.id, [])
        if isinstance(use.ctx, ast.Load)
        and context.file.scope_of(use).find(name.id) is scope
        and bindings[0] in names.bindings(use)
    ]
    return bindings[0].value if readers == [name] else None


def is_softmax(node: ast.expr, context: Context) -> bool:
    """Whether it is a softmax over the last axis."""
    if not isinstance(node, ast.Call):
        return False
    name = context.name_of(node.func)
    value = context.value_of(node.func)
    layer = value is not None and value.kind == "instance" and value.name == "torch.nn.Softmax"
    method = name is None and isinstance(node.func, ast.Attribute) and node.func.attr == "softmax"
    if layer:
        return True
    if name not in ("torch.softmax", "torch.nn.functional.softmax") and not (method and not layer and is_tensor(node, context)):
        return False
    rest = node.args[0 if method else 1 :]
    given = [*rest[:1], *(word.value for word in node.keywords if word.arg == "dim")]
    return bool(given) and ast.unparse(given[0]) in ("-1", "3", "2")


def is_tensor(node: ast.Call, context: Context) -> bool:
    owner = context.value_of(node.func.value) if isinstance(node.func, ast.Attribute) else None
    return owner is None or owner.kind == "tensor"


def argument(node: ast.expr, context: Context) -> ast.expr:
    """What a softmax is taken of."""
    assert isinstance(node, ast.Call), "only asked for a softmax"
    layer = context.value_of(node.func)
    function = context.name_of(node.func) is not None or (layer is not None and layer.kind == "instance")
    if function or not isinstance(node.func, ast.Attribute):
        return node.args[0] if node.args else node
    return node.func.value


def scores_of(node: ast.expr, context: Context, depth: int, scaled: bool) -> ast.expr | None:
    """The product `q @ k.transpose(-2, -1)` behind a scale, a mask and names; None without a scale."""
    if depth == 0:
        return None
    factors = product(node, context)
    if factors is not None:
        return node if is_transposed(factors[1]) and (scaled or is_scale(factors[0])) else None
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        values = [one.value for one in bindings if one.kind == "assign" and one.path == () and one.value is not None]
        found = [scores_of(value, context, depth - 1, scaled) for value in values]
        return next((one for one in found if one is not None), None)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        found = scores_of(node.left, context, depth - 1, True) or scores_of(node.right, context, depth - 1, True)
        return None if is_learned(node.right, context) or is_learned(node.left, context) else found
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return scores_of(node.left, context, depth - 1, scaled)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("masked_fill", "div", "mul", "float")
    ):
        return scores_of(node.func.value, context, depth - 1, scaled or node.func.attr in ("div", "mul"))
    return None


def is_learned(node: ast.expr, context: Context) -> bool:
    """Whether a scale is a parameter: the fused one takes a number."""
    value = context.value_of(node)
    return value is not None and value.name == "torch.nn.Parameter"


def is_transposed(node: ast.expr) -> bool:
    """Whether the last two axes are exchanged."""
    if isinstance(node, ast.Attribute):
        return node.attr == "mT"
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.func.attr not in ("transpose", "swapaxes")
    ):
        return False
    return {ast.unparse(item) for item in node.args} in ({"-1", "-2"}, {"2", "3"}, {"1", "2"})


def is_scale(node: ast.expr) -> bool:
    """Whether the queries are scaled before the product."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))
