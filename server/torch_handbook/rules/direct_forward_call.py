"""forward is called directly, past the module's hooks.

Why
    Calling a module runs its hooks and then forward. forward alone skips them: what hangs on hooks (weight_norm, profilers,
    feature extractors, FSDP) does not happen, without an error. A module that a function has just made for itself cannot have
    any: there it is a hint.

Bad
    layer = nn.Linear(4, 2)
    out = layer.forward(torch.randn(3, 4))

Good
    layer = nn.Linear(4, 2)
    out = layer(torch.randn(3, 4))
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.value import Value

RULE = Rule("direct-forward-call", Severity.WARNING, Category.MODULE, entry="torch.nn.Module")
HOOKED = re.compile(r"hook|weight_norm|spectral_norm|parametri|prune", re.IGNORECASE)


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
    weight = Severity.HINT if is_private(owner, values, context) else None
    # Hooks may have been left out on purpose, as a hook itself does that calls the module again.
    fix = Fix(f"call {name}(…)", (Edit(Span(*span_of(owner).end, *end), ""),), safe=weight is Severity.HINT)
    yield Finding.at(call.func, f"{name}.forward(…) skips the hooks of {name}: call {name}(…)", fix=fix, severity=weight)


def is_private(owner: ast.expr, values: list[Value], context: Context) -> bool:
    """Whether the function made the module itself, gives it to nobody, and the class hangs nothing on hooks."""
    scope = context.file.scope_of(owner)
    made = context.assigned(owner)
    if not isinstance(owner, ast.Name) or scope.kind != "function" or not isinstance(made, ast.Call):
        return False
    if any(value.away is not None or (value.node is not None and HOOKED.search(ast.unparse(value.node))) for value in values):
        return False
    uses = [node for node in ast.walk(scope.node) if isinstance(node, ast.Name) and node.id == owner.id]
    around = [context.file.parent_of(node) for node in uses if isinstance(node.ctx, ast.Load)]
    return all(isinstance(one, ast.Attribute) and not HOOKED.search(one.attr) for one in around)
