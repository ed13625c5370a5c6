"""A function is called where it should be handed over.

Why
    `model.apply(init_weights())` calls the function at once and hands over what it returns, which is None: apply raises, and a
    DataLoader takes None for "no function" and goes on without a word, so that its workers are never seeded.

Bad
    def seed_worker(worker_id=0):
        torch.manual_seed(worker_id)
    loader = torch.utils.data.DataLoader(data, num_workers=2, worker_init_fn=seed_worker())

Good
    def seed_worker(worker_id=0):
        torch.manual_seed(worker_id)
    loader = torch.utils.data.DataLoader(data, num_workers=2, worker_init_fn=seed_worker)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("callback-called", Severity.ERROR, Category.TRAINING, entry="guides/surprises")
KEYWORDS = words("worker_init_fn collate_fn")
METHODS = words(
    "apply register_forward_hook register_forward_pre_hook register_full_backward_hook register_hook"
    " register_post_accumulate_grad_hook"
)


@RULE.on(ast.Call)
def handed(call: ast.Call, context: Context) -> Findings:
    candidates = [word.value for word in call.keywords if word.arg in KEYWORDS and is_loader(call, context)]
    if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS and len(call.args) == 1:
        candidates.append(call.args[0])
    for given in candidates:
        if isinstance(given, ast.Call) and gives_nothing(given, context):
            shown = context.text_of(given.func)
            end, closing = span_of(given.func).end, span_of(given).end
            fix = Fix(f"hand over {shown}", (Edit(Span(*end, *closing), ""),)) if not (given.args or given.keywords) else None
            words = f"{shown} is called here and returns nothing, so None is handed over: leave the brackets away"
            yield Finding.at(given, words, fix=fix)


def is_loader(call: ast.Call, context: Context) -> bool:
    return context.name_of(call.func) == "torch.utils.data.DataLoader"


def gives_nothing(call: ast.Call, context: Context) -> bool:
    """Whether it runs a function of the file that has no return value and is no generator."""
    function = context.origins.function_of(call)
    if function is None and isinstance(call.func, ast.Attribute):
        owner = context.file.flow.classes.owner_of(call.func.value)
        found = context.file.flow.classes.lookup(owner, call.func.attr) if owner is not None else []
        function = found[0].node if len(found) == 1 else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    return not any(is_answer(node, function, context) for node in ast.walk(function))


def is_answer(node: ast.AST, function: ast.FunctionDef, context: Context) -> bool:
    if context.file.enclosing(node, *FUNCTIONS, ast.Lambda) is not function:
        return False
    return isinstance(node, (ast.Yield, ast.YieldFrom)) or (isinstance(node, ast.Return) and node.value is not None)
