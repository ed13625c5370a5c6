"""A batch norm has the momentum of another framework.

Why
    In torch, momentum is the share of the new batch in the running statistics, 0.1 by default; in Keras it is the share of what
    was there before, 0.99. With 0.99 here the statistics are those of the last batch alone, and eval() gives other results
    after each batch that was trained on.

Bad
    norm = nn.BatchNorm2d(16, momentum=0.99)

Good
    norm = nn.BatchNorm2d(16, momentum=0.01)
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.text import span_of

RULE = Rule("batchnorm-momentum-from-keras", Severity.WARNING, Category.MODULE, entry="torch.nn.BatchNorm2d")
NORMS = re.compile(r"torch\.nn\.(?:Lazy|Sync)?BatchNorm(?:[123]d)?")
LARGE = 0.9


@RULE.on(ast.Call)
def kept(call: ast.Call, context: Context) -> Findings:
    if NORMS.fullmatch(context.name_of(call.func) or "") is None:
        return
    given = arguments_of(context.file, call, ("num_features", "eps", "momentum")).given.get("momentum")
    share = given.value if isinstance(given, ast.Constant) else None
    if given is not None and isinstance(share, float) and LARGE <= share < 1:
        other = f"{1 - share:g}"
        words = (
            f"momentum={share:g} takes {share:.0%} of the running statistics from the last batch: torch's counterpart of Keras'"
        )
        fix = Fix(f"write {other}", (Edit(span_of(given), other),), safe=False)
        yield Finding.at(given, f"{words} {share:g} is {other}", fix=fix)
