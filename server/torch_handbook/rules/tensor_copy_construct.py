"""torch.tensor is given a tensor.

Why
    It copies, cuts the gradient, and warns. clone().detach() says the same without a warning; torch.as_tensor copies nothing.

Bad
    x = torch.ones(3)
    y = torch.tensor(x)

Good
    x = torch.ones(3)
    y = x.detach().clone()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("tensor-copy-construct", Severity.WARNING, Category.AUTOGRAD, entry="torch.tensor")


@RULE.on(ast.Call)
def copied(call: ast.Call, context: Context) -> Findings:
    if not is_copying(call, context) or len(call.args) != 1:
        return
    if any(word.arg in ("requires_grad", None) for word in call.keywords) or not is_tensor(call.args[0], context):
        return
    given = context.text_of(call.args[0])
    if is_made_here(call, context):
        return
    simple = not call.keywords and isinstance(call.args[0], (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    fix = Fix(f"use {given}.detach().clone()", (Edit(span_of(call), f"{given}.detach().clone()"),)) if simple else None
    words = f"{given} is a tensor already: use {given}.detach().clone(), or torch.as_tensor to copy nothing"
    yield Finding.at(call, words, fix=fix)


def is_made_here(call: ast.Call, context: Context) -> bool:
    """Whether an attribute is known to be a tensor by this statement alone: `self.x = torch.tensor(self.x)`."""
    given, classes = call.args[0], context.file.flow.classes
    owner = classes.owner_of(given.value) if isinstance(given, ast.Attribute) else None
    if owner is None or not isinstance(given, ast.Attribute):
        return False
    return [binding.value for binding in classes.attributes.get(owner, {}).get(given.attr, [])] == [call]


def is_copying(call: ast.Call, context: Context) -> bool:
    """`torch.tensor(…)`, and `x.new_tensor(…)` of a tensor."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "new_tensor":
        owner = context.value_of(call.func.value)
        return owner is not None and owner.kind == "tensor" and owner.sure
    return context.name_of(call.func) == "torch.tensor"


def is_tensor(node: ast.expr, context: Context) -> bool:
    """Whether it surely is a tensor; a parameter of __init__ if all that make the class in the file give one.

    What a parameter or a function is annotated as is not enough: lists come where it says Tensor, which torch.tensor makes one.
    """
    value = context.value_of(node)
    bindings = context.file.names.bindings(node) if isinstance(node, ast.Name) else []
    if any(is_promised(source, context) for source in [node, *(binding.value for binding in bindings)]):
        return False
    if value is not None and not any(binding.kind == "parameter" for binding in bindings):
        return value.kind == "tensor" and value.sure
    if len(bindings) != 1 or bindings[0].kind != "parameter" or not isinstance(node, ast.Name):
        return False
    method = context.file.enclosing(node, ast.FunctionDef)
    owner = context.file.parent_of(method) if isinstance(method, ast.FunctionDef) and method.name == "__init__" else None
    if not isinstance(owner, ast.ClassDef) or not isinstance(method, ast.FunctionDef):
        return False
    place = [argument.arg for argument in method.args.args].index(node.id) - 1 if node.id in names_of(method) else -1
    made = [call for call in context.gradients.calls if context.modules.local_class(call.func) is owner]
    given = [context.value_of(call.args[place]) if 0 <= place < len(call.args) else None for call in made]
    return bool(given) and all(value is not None and value.kind == "tensor" and value.sure for value in given)


def is_promised(node: ast.AST | None, context: Context) -> bool:
    """Whether this is the call of a function of the workspace that only its annotation says the result of."""
    found = context.value_of(node.func) if isinstance(node, ast.Call) else None
    if found is None or found.kind != "function" or not found.written:
        return False
    definition = found.node or (found.away.node if found.away else None)
    return getattr(definition, "returns", None) is not None


def names_of(method: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in method.args.args]
