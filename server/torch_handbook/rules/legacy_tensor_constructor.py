"""A tensor is made by calling its class, which takes a whole number for a size.

Why
    torch.Tensor(5) is five floats of whatever was in memory, torch.Tensor([5]) holds 5.0, and torch.Tensor(x) of a tensor is x
    itself under another name, in its memory and with its dtype. torch.LongTensor and its like do the same, and refuse tensors of
    other dtypes. torch.tensor takes values and torch.empty sizes, each of one meaning.

Bad
    threshold = torch.Tensor(5)
    print(torch.zeros(5) > threshold)

Good
    threshold = torch.tensor(5.0)
    print(torch.zeros(5) > threshold)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("legacy-tensor-constructor", Severity.HINT, Category.DTYPE, entry="torch.tensor")

DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Byte": "uint8",
    "Char": "int8",
    "Short": "int16",
    "Int": "int32",
    "Long": "int64",
    "Bool": "bool",
    "": "",
}
NAMES = {
    f"{place}{word}Tensor": (dtype, device)
    for word, dtype in DTYPES.items()
    for place, device in [("torch.", ""), ("torch.cuda.", "cuda")]
}
STORAGES = ("storage", "untyped_storage", "from_buffer", "from_file")
LONGEST = 30
SEQUENCES = (ast.List, ast.Tuple, ast.ListComp)
READING = words(
    "item tolist sum mean max min prod norm exp log sqrt abs pow add sub mul div neg sigmoid softmax log_softmax tanh dot matmul"
    " mm clamp round floor ceil eq ne lt gt le ge any all"
)


@RULE.on(ast.Call)
def called(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or ""
    if name not in NAMES or any(isinstance(item, ast.Starred) for item in call.args) or any(w.arg is None for w in call.keywords):
        return
    shown = context.text_of(call.func)
    if not call.args:
        if not call.keywords:
            yield Finding.at(call, f"{shown} is the old constructor: use torch.empty", fix=sized(call, name, context))
    elif len(call.args) > 1 or is_size(call.args[0], context):
        yield of_size(call, name, context)
    elif is_number(call.args[0], context):
        words = f"{shown} takes no number but a size, and raises TypeError: use torch.tensor"
        yield Finding.at(call, words, fix=holding(call, name, context), severity=Severity.ERROR)
    elif not is_storage(call.args[0], context):
        yield of_data(call, name, shown, context)


def of_size(call: ast.Call, name: str, context: Context) -> Finding:
    shown = context.text_of(call)
    if len(call.args) == 1 and is_read(call, context):
        count = context.text_of(call.args[0])
        words = f"{shown} is not {count} but that many values of whatever was in memory, and they are read: use torch.tensor"
        return Finding.at(call, words, severity=Severity.WARNING)
    words = f"{shown} is a tensor of that size with whatever was in memory: torch.empty says so"
    return Finding.at(call, words, fix=sized(call, name, context))


def of_data(call: ast.Call, name: str, shown: str, context: Context) -> Finding:
    given = call.args[0]
    value = context.value_of(given)
    if value is not None and value.kind == "tensor" and value.sure:
        text, dtype = context.text_of(given), NAMES[name][0]
        what = f"{shown} takes a {dtype} tensor only, and is" if dtype else f"{shown} of a tensor is"
        kept = "" if dtype else " and with its dtype"
        return Finding.at(call, f"{what} {text} itself, in its memory{kept}: use {text} or clone()")
    if isinstance(given, SEQUENCES) or (value is not None and value.sure and value.name == "list"):
        made = f" makes {NAMES[name][0] or 'float32'} of whatever it is given"
        return Finding.at(call, f"{shown}{made}: torch.tensor with dtype says so", fix=holding(call, name, context))
    text = context.text_of(given)
    what, written = (text, text) if len(text) <= LONGEST else ("it", "…")
    values = f"torch.tensor({written}, dtype={kind(call, name, context)})"
    return Finding.at(call, f"{shown} makes a tensor of that size where {what} is a whole number: {values} always takes values")


def kind(call: ast.Call, name: str, context: Context) -> str:
    """How the file can write the dtype that a class stands for."""
    dtype = f"torch.{NAMES[name][0] or 'float32'}"
    return context.spell(dtype, call) or dtype


def is_size(node: ast.expr, context: Context) -> bool:
    """Whether an argument surely is a whole number or a torch.Size."""
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    value = context.value_of(node)
    if value is not None and value.kind == "literal" and value.name == "int":
        return value.sure
    owner = node.func if isinstance(node, ast.Call) and not node.args else node
    if not isinstance(owner, ast.Attribute) or owner.attr != ("size" if owner is not node else "shape"):
        return False
    of = context.value_of(owner.value)
    return of is not None and of.kind == "tensor" and of.sure


def is_storage(node: ast.expr, context: Context) -> bool:
    """Whether an argument is memory that the tensor is to lie in, which only the old constructors take."""
    made = context.assigned(node)
    if not isinstance(made, ast.Call):
        return False
    method = made.func.attr if isinstance(made.func, ast.Attribute) else ""
    return method in STORAGES or "Storage" in (context.name_of(made.func) or "")


def is_number(node: ast.expr, context: Context) -> bool:
    """Whether an argument is a float or a bool, as it is written."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in (float, bool)


def is_read(call: ast.expr, context: Context) -> bool:
    """Whether the values are used before anything can have written them: at once, or by every use of the name they get."""
    parent = context.file.parent_of(call)
    if isinstance(parent, ast.Assign) and parent.value is call and len(parent.targets) == 1:
        name = parent.targets[0]
        bound = context.file.names.bindings(name) if isinstance(name, ast.Name) else []
        scope = context.file.scope_of(parent).find(name.id) if isinstance(name, ast.Name) and len(bound) == 1 else None
        if scope is None or not isinstance(name, ast.Name):
            return False
        found = [use for use in context.file.index.inside(scope.node, ast.Name) if use.id == name.id and use is not name]
        return bool(found) and all(is_used(use, context) for use in found)
    return is_used(call, context)


def is_used(node: ast.expr, context: Context) -> bool:
    """Whether this use of a tensor reads its values and does not write them."""
    parent = context.file.parent_of(node)
    if isinstance(parent, (ast.BinOp, ast.Compare, ast.FormattedValue)):
        return True
    if isinstance(parent, ast.Attribute):
        method = context.file.parent_of(parent)
        return parent.attr in READING and isinstance(method, ast.Call) and method.func is parent
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    name = context.name_of(parent.func) or ""
    return name.startswith("torch.distributions.") or (name.rpartition(".")[0] == "torch" and name.rpartition(".")[2] in READING)


def sized(call: ast.Call, name: str, context: Context) -> Fix | None:
    return rewritten(call, "torch.empty", *NAMES[name], context, safe=True)


def holding(call: ast.Call, name: str, context: Context) -> Fix | None:
    """torch.tensor with the same values. Without a dtype of its own the class follows the default one, as floats do."""
    dtype, device = NAMES[name]
    numbers = whole_numbers(call.args[0], context) if not dtype else None
    if numbers is not None:
        fix = rewritten(call, "torch.tensor", "", device, context, safe=True)
        points = tuple(Edit(Span(*span_of(one).end, *span_of(one).end), ".0") for one in numbers)
        return Fix(fix.title, (*fix.edits, *points)) if fix else None
    return rewritten(call, "torch.tensor", dtype or "float32", device, context, safe=bool(dtype))


def rewritten(call: ast.Call, function: str, dtype: str, device: str, context: Context, safe: bool) -> Fix | None:
    """The call of another function, with the dtype and the device that the class stood for."""
    spelt = context.spell(function, call)
    kind = context.spell(f"torch.{dtype}", call) if dtype else ""
    if spelt is None or kind is None or (device and any(word.arg == "device" for word in call.keywords)):
        return None
    more = [f"dtype={kind}"] * bool(dtype) + [f'device="{device}"'] * bool(device)
    given = [*call.args, *call.keywords]
    if not given:
        return Fix(f"use {spelt}", (Edit(span_of(call), f"{spelt}({', '.join(['0', *more])})"),), safe)
    end = span_of(given[-1]).end
    words = (Edit(Span(*end, *end), "".join(f", {one}" for one in more)),) if more else ()
    return Fix(f"use {spelt}", (Edit(span_of(call.func), spelt), *words), safe)


def whole_numbers(node: ast.expr, context: Context) -> list[ast.expr] | None:
    """The whole numbers of nested lists that hold no other ones; none where a float is among them; None for anything else."""
    found = list(numbers_in(node))
    values = [one.value for one in found if isinstance(one, ast.Constant) and type(one.value) in (int, float)]
    if not found or len(values) < len(found):
        return None
    if any(isinstance(value, float) for value in values):
        return []
    return found if all(context.text_of(one).isdigit() for one in found) else None


def numbers_in(node: ast.expr) -> Iterator[ast.expr]:
    """What nested lists and tuples hold, a minus left out."""
    if isinstance(node, (ast.List, ast.Tuple)):
        for item in node.elts:
            yield from numbers_in(item)
    else:
        yield node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
