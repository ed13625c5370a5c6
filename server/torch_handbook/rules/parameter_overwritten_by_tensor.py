"""An attribute that holds a parameter is given a plain tensor.

Why
    The name is registered as a parameter, and nn.Module then takes a Parameter or None there and raises TypeError for
    anything else. Keep what is computed from it in a local variable or under another name; to change the values, copy_ into
    it under no_grad.

Bad
    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.mix = nn.Parameter(torch.zeros(3))

        def forward(self, x):
            self.mix = torch.softmax(self.mix, dim=0)
            return x * self.mix

Good
    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.mix = nn.Parameter(torch.zeros(3))

        def forward(self, x):
            return x * torch.softmax(self.mix, dim=0)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Related, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.scopes import Binding
from torch_handbook.source.text import span_of
from torch_handbook.source.torch_names import words

RULE = Rule("parameter-overwritten-by-tensor", Severity.ERROR, Category.MODULE, entry="guides/own-modules")


@RULE.on(ast.ClassDef)
def overwritten(node: ast.ClassDef, context: Context) -> Findings:
    if not context.modules.is_module_class(node):
        return
    for name, bindings in context.file.flow.classes.attributes.get(node, {}).items():
        made = [binding for binding in bindings if is_parameter(binding, context)]
        if not made or len(made) == len(bindings) or is_released(node, name):
            continue
        methods = {context.file.enclosing(binding.node, ast.FunctionDef) for binding in made}
        for binding in bindings:
            plain = context.value_of(binding.value) if binding.kind == "assign" and binding.path == () else None
            if plain is None or plain.kind != "tensor" or not plain.sure or plain.name != "torch.Tensor":
                continue
            if context.file.enclosing(binding.node, ast.FunctionDef) not in methods:
                said = f"self.{name} is a parameter and takes no plain tensor, this raises: use another name"
                yield Finding.at(binding.node, said, related=(Related(span_of(made[0].node), "it becomes a parameter here"),))


# Layers of torch that have a weight and a bias from the start, be it None.
WEIGHTED = words(
    "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d BatchNorm1d BatchNorm2d BatchNorm3d"
    " LayerNorm GroupNorm"
)
WITHOUT_BIAS = words("Embedding EmbeddingBag PReLU RMSNorm")
FREED = ("weight_norm", "spectral_norm", "prune", "parametrize", "parametrizations", "_parameters")  # they make the name free


@RULE.on(ast.Assign)
def of_layer(statement: ast.Assign, context: Context) -> Findings:
    """`layer.weight = torch.randn(…)`"""
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or target.attr not in ("weight", "bias") or len(statement.targets) > 1:
        return
    layer, given = context.value_of(target.value), context.value_of(statement.value)
    if layer is None or layer.kind != "instance" or not layer.sure or layer.written:
        return
    kind = layer.name.removeprefix("torch.nn.")
    known = kind in WEIGHTED or (kind in WITHOUT_BIAS and target.attr == "weight")
    plain = given is not None and given.kind == "tensor" and given.sure and given.name == "torch.Tensor"
    if not known or not plain or is_parameter_given(statement.value, context) or is_guarded(context.file, statement):
        return
    deleted = any(not isinstance(one.ctx, (ast.Load, ast.Store)) for one in context.file.index.attributes.get(target.attr, ()))
    if not deleted and not any(context.file.text.has(word) for word in FREED):
        text = context.text_of(target)
        yield Finding.at(statement, f"{text} is a parameter and takes no plain tensor, this raises: wrap it in nn.Parameter")


def is_parameter_given(node: ast.expr, context: Context) -> bool:
    """Whether it may be the parameter itself that comes back, as from nn.init and from methods in place."""
    return not all(isinstance(origin.node, ast.BinOp) or makes_new(origin.name) for origin in context.origins.of(node))


def makes_new(name: str) -> bool:
    return name.startswith("torch.") and "init." not in name and not name.endswith("_")


def is_parameter(binding: Binding, context: Context) -> bool:
    if not isinstance(binding.value, ast.Call) or binding.path != ():
        return False
    method = context.file.enclosing(binding.node, ast.FunctionDef)
    conditional = context.file.enclosing(binding.node, ast.If, ast.FunctionDef) is not method
    named = context.name_of(binding.value.func) == "torch.nn.Parameter"
    return named and isinstance(method, ast.FunctionDef) and method.name == "__init__" and not conditional


def is_released(node: ast.ClassDef, name: str) -> bool:
    """Whether the class takes the parameter away somewhere, so that the name is free."""
    words = ast.unparse(node)
    return any(word in words for word in (f"del self.{name}", "delattr", "_parameters", "__delattr__", "__setattr__"))
