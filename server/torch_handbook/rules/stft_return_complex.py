"""stft is not told to return complex numbers.

Why
    torch.stft raises for real input without return_complex since torch 2.0. With return_complex=True it gives complex
    numbers; code that was written for the old result, whose last axis holds real and imaginary part, wants torch.view_as_real
    of it.

Bad
    spectrum = torch.stft(torch.randn(400), 64)

Good
    spectrum = torch.stft(torch.randn(400), 64, window=torch.hann_window(64), return_complex=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule("stft-return-complex", Severity.ERROR, Category.DEPRECATION, entry="guides/deprecations")

PLACE = 9  # of return_complex among the arguments of torch.stft


@RULE.on(ast.Call)
def not_told(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.stft" or len(call.args) >= PLACE or is_guarded(context.file, call):
        return
    if any(word.arg in ("return_complex", None) for word in call.keywords) or not call.args:
        return
    if any(isinstance(item, ast.Starred) for item in call.args) or is_complex(call.args[0], context):
        return
    end = span_of([*call.args, *call.keywords][-1]).end
    fix = Fix("view the complex result as pairs of real numbers, as it was", whole(call, end, context))
    words = "stft raises for real input without return_complex: give return_complex=True"
    yield Finding.at(call, words, fix=fix if fix.edits else None)


def whole(call: ast.Call, end: tuple[int, int], context: Context) -> tuple[Edit, ...]:
    """The edits that keep what the code after it expects."""
    spelt, span = context.spell("torch.view_as_real", call), span_of(call)
    if spelt is None:
        return ()
    last = Edit(Span(*end, *end), ", return_complex=True")
    return (Edit(Span(*span.start, *span.start), f"{spelt}("), last, Edit(Span(*span.end, *span.end), ")"))


def is_complex(node: ast.expr, context: Context) -> bool:
    """Whether the input may be known to be complex: then it need not be said."""
    return "complex" in context.text_of(node)
