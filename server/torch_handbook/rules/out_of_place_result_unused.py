"""The result of an operation that changes nothing is thrown away.

Why
    x.detach(), x.to(device), F.relu(x) compute a new tensor and leave x as it is. Alone on a line they do nothing. Modules are
    another matter: model.to(device) moves the model itself.

Bad
    x = torch.randn(3)
    x.to(torch.float64)
    print(x.dtype)

Good
    x = torch.randn(3)
    x = x.to(torch.float64)
    print(x.dtype)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule("out-of-place-result-unused", Severity.ERROR, Category.TRAINING, entry="torch.nn.functional.relu")

METHODS = frozenset(
    {
        *("detach", "to", "cuda", "cpu", "float", "double", "half", "bfloat16", "long", "int", "bool", "contiguous", "clone"),
        *(
            "view",
            "reshape",
            "permute",
            "transpose",
            "squeeze",
            "unsqueeze",
            "flatten",
            "expand",
            "repeat",
            "clamp",
            "masked_fill",
        ),
        *(
            "add",
            "sub",
            "mul",
            "div",
            "relu",
            "sigmoid",
            "tanh",
            "softmax",
            "log_softmax",
            "scatter",
            "index_fill",
            "fill_diagonal",
        ),
    }
)
FUNCTIONS = frozenset({"relu", "gelu", "leaky_relu", "softmax", "log_softmax", "dropout", "normalize", "sigmoid", "tanh"})


@RULE.on(ast.Expr)
def dropped(statement: ast.Expr, context: Context) -> Findings:
    call = statement.value
    if not isinstance(call, ast.Call) or is_tried(statement, context):
        return
    if (lost := made_for_nothing(call, context)) is not None and not is_guarded(context.file, statement):
        yield Finding.at(statement, lost)
        return
    changed = unchanged(call, context)
    if changed is None or not is_read_later(changed, statement, context):
        return
    name, shown = ast.unparse(changed), ast.unparse(call.func)
    yield Finding.at(
        statement, f"{shown} gives a new tensor and leaves {name} as it is: nothing uses the result", fix=kept(call, changed)
    )


# What gives something new, of a file or of a model, and leaves what it is given as it is.
MAKERS = {
    "torch.load": "torch.load gives what the file holds and changes no model: hand the result to load_state_dict",
    "torch.compile": "torch.compile gives a compiled model and leaves {} as it is: use the result",
    "torch.jit.script": "torch.jit.script gives a scripted model and leaves {} as it is: use the result",
    "torch.jit.trace": "torch.jit.trace gives a traced model and leaves {} as it is: use the result",
    "torch.nn.DataParallel": "DataParallel wraps the model and leaves {} as it is: use the result",
    "torch.nn.parallel.DistributedDataParallel": "DistributedDataParallel wraps the model and leaves {} as it is: use the result",
    "copy.deepcopy": "deepcopy gives a copy and leaves {} as it is: use the result",
}


def made_for_nothing(call: ast.Call, context: Context) -> str | None:
    """What is lost where a file is read, or a model wrapped, and nobody takes the result."""
    name = context.name_of(call.func) or ""
    if name not in MAKERS or not call.args:
        return None
    given = call.args[0]
    if name == "torch.load":
        return MAKERS[name] if is_path(given, context) and is_meant_for_model(given, context) else None
    value = context.value_of(given)
    network = value is not None and value.kind == "instance" and value.sure and value.base == "torch.nn.Module"
    return MAKERS[name].format(given.id) if network and isinstance(given, ast.Name) and is_used_on(given, context) else None


def is_path(node: ast.expr, context: Context) -> bool:
    """Whether it is a file that stays: what is read from memory may be read to see whether it can be."""
    value = context.assigned(node)
    if isinstance(value, ast.Call) and (context.name_of(value.func) or "").startswith(("io.", "tempfile.")):
        return False
    return isinstance(value, (ast.Constant, ast.JoinedStr, ast.BinOp)) or (
        context.name_of(getattr(value, "func", None)) or ""
    ) == ("os.path.join")


def is_meant_for_model(path: ast.expr, context: Context) -> bool:
    """Whether there is a model to load, and the file was not just written, to be read for whether it is whole."""
    calls = context.file.index.all(ast.Call)
    saves = [call for call in calls if context.name_of(call.func) == "torch.save" and len(call.args) > 1]
    if any(ast.unparse(call.args[1]) == ast.unparse(path) for call in saves):
        return False
    return any(value is not None and value.is_a("torch.nn.Module") for value in map(context.value_of, calls))


def is_used_on(name: ast.Name, context: Context) -> bool:
    """Whether the model is called, or handed on, after it was compiled for nothing."""
    return any(other.lineno > name.lineno for other in context.callers.names.get(name.id, ()))


def unchanged(call: ast.Call, context: Context) -> ast.expr | None:
    """The tensor that looks as if it were changed."""
    owner, _, last = (context.name_of(call.func) or "").rpartition(".")
    if owner in ("torch.nn.functional", "torch") and last in FUNCTIONS:
        inplace = any(keyword.arg in ("inplace", "out", None) for keyword in call.keywords) or len(call.args) > 2
        return call.args[0] if call.args and not inplace and isinstance(call.args[0], (ast.Name, ast.Attribute)) else None
    if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
        value = context.value_of(call.func.value)
        surely = value is not None and value.kind == "tensor" and value.sure and not is_foreign(call.func.value, context)
        return call.func.value if surely and isinstance(call.func.value, (ast.Name, ast.Attribute)) else None
    return None


def is_foreign(node: ast.expr, context: Context) -> bool:
    """Whether the file writes something unknown into the attribute, such as a tensor class of a library that moves in place."""
    if not isinstance(node, ast.Attribute):
        return False
    text = ast.unparse(node)
    written = [part for part in context.file.index.attributes.get(node.attr, ()) if isinstance(part.ctx, ast.Store)]
    rows = [context.file.parent_of(part) for part in written if ast.unparse(part) == text]
    return any(not isinstance(row, ast.Assign) or context.value_of(row.value) is None for row in rows)


def is_read_later(changed: ast.expr, statement: ast.Expr, context: Context) -> bool:
    """Whether somebody counts on the change: the tensor is read again, other than by one more statement of this kind."""
    if not isinstance(changed, ast.Name):
        return True
    for name in context.callers.names.get(changed.id, ()):
        if name.lineno <= statement.lineno or context.file.scope_of(name).find(changed.id) is not context.file.scope_of(changed):
            continue
        around = context.file.enclosing(name, ast.Expr)
        call = around.value if isinstance(around, ast.Expr) else None
        receiver = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
        if receiver is not name and (not isinstance(call, ast.Call) or unchanged(call, context) is not name):
            return True
    return False


def is_tried(statement: ast.Expr, context: Context) -> bool:
    """Whether the call is made to see its result, whether it raises, or how long it takes."""
    around = context.file.enclosing(statement, ast.Try, ast.With)
    return around is not None or context.file.is_shown(statement) or is_timed(statement, context)


def is_timed(statement: ast.Expr, context: Context) -> bool:
    loop = context.file.parent_of(statement)
    return isinstance(loop, (ast.For, ast.While)) and len(loop.body) == 1


def kept(call: ast.Call, changed: ast.expr) -> Fix:
    start = span_of(call).start
    name = ast.unparse(changed)
    return Fix(f"keep the result: {name} = …", (Edit(Span(*start, *start), f"{name} = "),), safe=False)
