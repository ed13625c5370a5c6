"""An activation in place rewrites a tensor that is used again afterwards.

Why
    relu_(x), F.relu(x, inplace=True) and a layer with inplace=True write their result into x itself. A residual connection
    that adds x afterwards adds the activated x, and so does one that kept x under another name. Nothing raises; the network
    is another one than it looks. A block that begins with nn.ReLU(inplace=True) does the same to what it is given.

Bad
    block = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3))
    def forward(x):
        return x + block(x)

Good
    block = nn.Sequential(nn.ReLU(), nn.Linear(3, 3))
    def forward(x):
        return x + block(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.in_place import has_inplace, inplace_argument
from torch_handbook.source.origins import given_by
from torch_handbook.source.reach import Branch, branches, excludes, leaves
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("in-place-clobbers-alias", Severity.WARNING, Category.AUTOGRAD, entry="torch.nn.ReLU")
LAYERS = words("ReLU ReLU6 LeakyReLU RReLU ELU CELU SELU SiLU Mish Hardswish Hardsigmoid Hardtanh Threshold")
FIRST = words("ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid")  # whose first argument is `inplace`
FUNCTIONAL = words("relu relu6 leaky_relu rrelu elu celu selu silu mish hardswish hardsigmoid hardtanh threshold")
FACTS = words("shape size dim dtype device ndim numel is_cuda requires_grad type")


@RULE.on(ast.Call)
def clobbered(call: ast.Call, context: Context) -> Findings:
    """A call that activates a variable in place, which is read again."""
    given = call.args[0] if call.args and (len(call.args) == 1 or is_functional(call, context)) else None
    if not isinstance(given, ast.Name) or isinstance(context.file.parent_of(call), ast.Expr):
        return
    makes, written = writes(call, context)
    if makes is None:
        return
    use = next(uses(given, call, context), None)
    if use is not None:
        how = (
            f"{context.text_of(call)} writes into {given.id}" if not written else f"{context.text_of(call)} begins with {written}"
        )
        told = f"{use.id} is used again" if use.id == given.id else f"{use.id} is the same tensor"
        words = f"{how}{', which writes into ' + given.id if written else ''}: {told}, and is activated too"
        yield Finding.at(call, words, fix=mended(makes, context), related=[Related(span_of(use), "reads what was written")])


def mended(makes: ast.Call, context: Context) -> Fix | None:
    """Leave `inplace=True` out where it is said."""
    span = inplace_argument(makes)
    positional = makes.args[0] if makes.args and isinstance(makes.args[0], ast.Constant) and makes.args[0].value is True else None
    if span is None and positional is not None and len(makes.args) == 1 and not makes.keywords:
        span = Span(*span_of(positional))
    # Weights that were trained with the activated values want them.
    return Fix("not in place", (Edit(span, ""),), safe=False) if span is not None else None


def is_functional(call: ast.Call, context: Context) -> bool:
    owner, _, last = (context.name_of(call.func) or "").rpartition(".")
    return owner in ("torch", "torch.nn.functional") and last.removesuffix("_") in FUNCTIONAL


def writes(call: ast.Call, context: Context) -> tuple[ast.Call | None, str]:
    """The call that says `inplace` if this one activates what it is given in place, and how the layer is written that does it."""
    if is_functional(call, context):
        last = (context.name_of(call.func) or "").rpartition(".")[2]
        return (call if last.endswith("_") or has_inplace(call) else None), ""
    value = made(call.func, context)
    name = context.name_of(value.func) if value is not None else None
    if value is not None and name == "torch.nn.Sequential" and value.args and isinstance(value.args[0], ast.Call):
        first = value.args[0]
        return (first if is_in_place(first, context) else None), context.text_of(first)
    return (value if value is not None and is_in_place(value, context) else None), ""


def made(layer: ast.expr, context: Context) -> ast.Call | None:
    """The call that makes a layer: what the one assignment to its name gives it."""
    if isinstance(layer, ast.Name):
        found = context.file.names.bindings(layer)
    elif isinstance(layer, ast.Attribute):
        owner = context.file.flow.classes.owner_of(layer.value)
        found = context.file.flow.classes.lookup(owner, layer.attr) if owner is not None else []
    else:
        return layer if isinstance(layer, ast.Call) else None
    value = given_by(found[0]) if len(found) == 1 and found[0].kind == "assign" else None
    return value if isinstance(value, ast.Call) else None


def is_in_place(call: ast.Call, context: Context) -> bool:
    owner, _, last = (context.name_of(call.func) or "").rpartition(".")
    if owner != "torch.nn" or last not in LAYERS:
        return False
    first = call.args[0] if call.args and last in FIRST else None
    return has_inplace(call) or (isinstance(first, ast.Constant) and first.value is True)


def uses(given: ast.Name, call: ast.Call, context: Context) -> Iterator[ast.Name]:
    """Where the tensor is read after it was written, or beside the call in a sum, under its own name or another one."""
    names, tree = context.file.names, context.file.grown
    meant = names.bindings(given)
    home = context.file.scope_of(given)
    if not meant or home.find(given.id) is not home:
        return
    around = branches(tree, call)
    for node in ast.walk(home.node):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or call in tree.ancestors(node):
            continue
        if context.file.scope_of(node) is not home:
            continue
        same = node.id == given.id and names.bindings(node) == meant
        if not (same or is_alias(node, given, context)) or is_fact(node, context):
            continue
        if (span_of(node).start > span_of(call).end and is_reached(node, around, context)) or is_summed(node, call, context):
            yield node


def is_reached(node: ast.Name, around: list[Branch], context: Context) -> bool:
    """Whether a later read may run after the call in these branches: not in the other branch, nor behind a `return`."""
    tree = context.file.grown
    own = branches(tree, node)
    return not any(excludes(branch, around) for branch in own) and not any(
        leaves(tree, branch) for branch in around if branch not in own
    )


def is_alias(node: ast.Name, given: ast.Name, context: Context) -> bool:
    """Whether a name was bound to the very tensor: `identity = x` before."""
    names = context.file.names
    for binding in names.bindings(node):
        value = binding.value
        named = binding.kind == "assign" and binding.path == () and isinstance(value, ast.Name) and value.id == given.id
        if named and isinstance(value, ast.Name) and names.bindings(value) == names.bindings(given):
            return True
    return False


def is_fact(node: ast.Name, context: Context) -> bool:
    parent = context.file.parent_of(node)
    return isinstance(parent, ast.Attribute) and parent.attr in FACTS


def is_summed(node: ast.Name, call: ast.Call, context: Context) -> bool:
    """Whether it is added to the result of the call in one expression: the operand is the tensor, not its old values."""
    parent = context.file.parent_of(node)
    return isinstance(parent, ast.BinOp) and parent in context.file.grown.ancestors(call)
