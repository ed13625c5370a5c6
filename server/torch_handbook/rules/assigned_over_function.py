"""A function is overwritten where it should be called.

Why
    `torch.manual_seed = 42` puts a number in the place of the function: nothing is seeded, and the next one who calls it fails.
    `optimizer.lr = 1e-4` makes an attribute that nobody reads: the learning rates are in optimizer.param_groups.

Bad
    torch.manual_seed = 42

Good
    torch.manual_seed(42)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule(
    "assigned-over-function",
    Severity.ERROR,
    Category.TRAINING,
    entry="guides/reproducibility",
    covers=("optimizer-lr-attribute",),
)
SETTERS = words(
    "torch.manual_seed torch.cuda.manual_seed torch.cuda.manual_seed_all torch.random.manual_seed torch.mps.manual_seed"
    " torch.set_default_dtype torch.set_default_device torch.use_deterministic_algorithms torch.set_num_threads"
    " torch.set_float32_matmul_precision torch.set_grad_enabled torch.cuda.set_device torch.autograd.set_detect_anomaly"
    " numpy.random.seed random.seed"
)
OPTIMIZER = "torch.optim.Optimizer"


@RULE.on(ast.Assign)
def overwritten(statement: ast.Assign, context: Context) -> Findings:
    target = statement.targets[0]
    if len(statement.targets) != 1 or not isinstance(target, ast.Attribute):
        return
    if context.name_of(target) in SETTERS and is_setting(statement.value):
        shown = context.text_of(target)
        words = f"{shown} is a function, and this puts a value in its place: call {shown}({context.text_of(statement.value)})"
        yield Finding.at(statement, words, fix=called(statement, target, context))
    elif target.attr in ("lr", "learning_rate") and is_optimizer(target.value, context):
        shown = context.text_of(target.value)
        words = f"{shown} has no {target.attr}, and nothing reads this one: set group['lr'] of each group in {shown}.param_groups"
        yield Finding.at(statement, words, kind="optimizer-lr-attribute")


def is_setting(value: ast.expr) -> bool:
    """Whether it is a value, and not another function that takes the place of this one."""
    return isinstance(value, ast.Constant) or "seed" in (getattr(value, "id", "") or getattr(value, "attr", "")).lower()


def is_optimizer(node: ast.expr, context: Context) -> bool:
    values = context.origins.instances(node)
    return bool(values) and all(value.is_a(OPTIMIZER) and value.sure and not value.written for value in values)


def called(statement: ast.Assign, target: ast.Attribute, context: Context) -> Fix:
    start, end = span_of(target).end, span_of(statement.value).start
    closing = span_of(statement.value).end
    edits = (Edit(Span(*start, *end), "("), Edit(Span(*closing, *closing), ")"))
    return Fix(f"call {context.text_of(target)}", edits, safe=False)
