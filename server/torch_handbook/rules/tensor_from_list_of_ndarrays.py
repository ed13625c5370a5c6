"""A tensor is made of a list of NumPy arrays, number by number.

Why
    torch.tensor walks a list and reads every number of every array as a Python object; torch warns that this "is extremely
    slow". np.array, or np.stack, puts the arrays together in one copy, and a tensor of one array is one more.

Bad
    import numpy as np
    frames = [np.zeros(1000) for _ in range(64)]
    batch = torch.tensor(frames)

Good
    import numpy as np
    frames = [np.zeros(1000) for _ in range(64)]
    batch = torch.tensor(np.array(frames))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("tensor-from-list-of-ndarrays", Severity.WARNING, Category.PERFORMANCE, entry="torch.tensor")
MAKING = words("torch.tensor torch.as_tensor torch.Tensor torch.FloatTensor torch.LongTensor torch.DoubleTensor torch.IntTensor")
ARRAYS = words(
    "array asarray zeros ones empty full arange linspace stack concatenate vstack hstack zeros_like ones_like full_like load"
    " loadtxt frombuffer fromfile eye ascontiguousarray expand_dims"
)
DRAWN = words("rand randn uniform normal randint random standard_normal")  # an array where a size is given, else a number


@RULE.on(ast.Call)
def walked(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func)
    if name not in MAKING or len(call.args) != 1 or not is_list(call.args[0], context):
        return
    shown, spelled = context.text_of(call.args[0]), context.spell("numpy.array", call)
    words = (
        f"{context.text_of(call.func)} reads a list of arrays number by number, which is very slow: give it np.array(…) of them"
    )
    fix = None
    if spelled is not None and name in ("torch.tensor", "torch.as_tensor"):
        # Of arrays of several dtypes torch takes the first one's, NumPy the widest.
        alike = isinstance(call.args[0], ast.ListComp)
        fix = Fix(f"put them together with {spelled}", (Edit(span_of(call.args[0]), f"{spelled}({shown})"),), safe=alike)
    yield Finding.at(call, words, fix=fix)


def is_list(node: ast.expr, context: Context) -> bool:
    """Whether it is a list whose items are all arrays: written out, comprehended, or filled by append."""
    if isinstance(node, ast.ListComp):
        return is_array(node.elt, context)
    if isinstance(node, ast.List):
        return bool(node.elts) and all(is_array(item, context) for item in node.elts)
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    if not isinstance(node, ast.Name) or len(bindings) != 1 or bindings[0].kind != "assign":
        return False
    value = given_by(bindings[0])
    if isinstance(value, ast.List) and not value.elts:
        return is_filled(node, context)
    return isinstance(value, (ast.List, ast.ListComp)) and is_list(value, context)


def is_filled(name: ast.Name, context: Context) -> bool:
    """Whether all that is appended to a list in its scope are arrays, and nothing else is done to it."""
    scope = context.file.scope_of(name).find(name.id)
    uses = context.file.index.names.get(name.id, [])
    appended: list[ast.expr] = []
    for use in uses:
        parent = context.file.parent_of(use)
        if context.file.scope_of(use).find(name.id) is not scope or not isinstance(parent, ast.Attribute):
            continue
        around = context.file.parent_of(parent)
        if parent.attr != "append" or not isinstance(around, ast.Call) or len(around.args) != 1:
            return False
        appended.append(around.args[0])
    return bool(appended) and all(is_array(item, context) for item in appended)


def is_array(node: ast.expr, context: Context) -> bool:
    """Whether a value is surely a NumPy array with an axis."""
    if isinstance(node, ast.Name):
        bindings = context.file.names.bindings(node)
        values = [given_by(one) if one.kind == "assign" else None for one in bindings]
        return bool(values) and all(value is not None and is_array(value, context) for value in values)
    if not isinstance(node, ast.Call):
        return False
    owner, _, last = (context.name_of(node.func) or "").rpartition(".")
    if owner == "numpy" and last in ARRAYS:
        return not (last in ("array", "asarray") and isinstance(node.args[0] if node.args else None, ast.Constant))
    if owner == "numpy.random" and last in DRAWN:
        sized = [word for word in node.keywords if word.arg == "size"]
        return bool(sized) or (last in ("rand", "randn", "random", "standard_normal") and bool(node.args))
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "copy", "reshape", "transpose", "flatten", "ravel"):
        return is_array(node.func.value, context)
    return False
