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
from torch_handbook.source.scopes import Binding
from torch_handbook.source.text import span_of

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
                words = f"self.{name} is a parameter and takes no plain tensor, this raises: use another name"
                yield Finding.at(binding.node, words, related=(Related(span_of(made[0].node), "it becomes a parameter here"),))


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
