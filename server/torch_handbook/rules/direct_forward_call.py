"""forward is called directly, past the module's hooks.

Why
    Calling a module runs its hooks and then forward. forward alone skips them: what hangs on hooks (weight_norm, profilers,
    feature extractors, FSDP) does not happen, without an error.

Bad
    layer = nn.Linear(4, 2)
    out = layer.forward(torch.randn(3, 4))

Good
    layer = nn.Linear(4, 2)
    out = layer(torch.randn(3, 4))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of

RULE = Rule("direct-forward-call", Severity.WARNING, Category.MODULE, entry="torch.nn.Module")


@RULE.on(ast.Call)
def past_the_hooks(call: ast.Call, context: Context) -> Findings:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "forward":
        return
    owner = call.func.value
    if not isinstance(owner, (ast.Name, ast.Attribute)) or (isinstance(owner, ast.Name) and owner.id in ("self", "cls")):
        return  # super().forward(…) and self.forward(…) are inside of a call already
    values = context.origins.instances(owner)
    if not values or any(value.base != "torch.nn.Module" for value in values):
        return
    name, end = ast.unparse(owner), span_of(call.func).end
    fix = Fix(f"call {name}(…)", (Edit(Span(*span_of(owner).end, *end), ""),))
    yield Finding.at(call.func, f"{name}.forward(…) skips the hooks of {name}: call {name}(…)", fix=fix)
