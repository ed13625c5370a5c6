"""A submodule is imported under its own last name.

Why
    `import torchvision.models as models` and `from torchvision import models` bind the same name to the same module; the second
    says the name once. A matter of taste, and so off by default.

Bad
    import torchvision.models as models
    model = models.resnet18()

Good
    from torchvision import models
    model = models.resnet18()
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule("import-under-own-name", Severity.HINT, Category.MODULE, entry="guides/deprecations-of-friends", default=False)
ROOTS = ("torch", "torchvision", "torchaudio", "torchtext")


@RULE.on(ast.Import)
def imported(node: ast.Import, context: Context) -> Findings:
    for alias in node.names:
        owner, _, last = alias.name.rpartition(".")
        if owner.split(".")[0] in ROOTS and alias.asname == last:
            new = f"from {owner} import {last}"
            fix = Fix(f"write {new}", (Edit(span_of(node), new),)) if len(node.names) == 1 else None
            yield Finding.at(alias, f"{alias.name} is imported under its own name: {new} says the same", fix=fix)
