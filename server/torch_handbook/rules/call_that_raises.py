"""A call raises whatever its tensors hold.

Why
    Functions that torch has removed, arguments that became mandatory, a module class that is called in the place of a module:
    such a call raises each time it is reached. It was carried out here on tensors without data, and torch refused it.

Bad
    wave = torch.randn(1, 16000)
    spectrum = torch.stft(wave, 400)

Good
    wave = torch.randn(1, 16000)
    spectrum = torch.stft(wave, 400, window=torch.hann_window(400), return_complex=True)
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.engine.words import raises, speaks_of_dtypes, speaks_of_sizes
from torch_handbook.source.text import Span

RULE = Rule(
    "call-that-raises",
    Severity.ERROR,
    Category.SHAPE,
    entry="guides/errors",
    needs_facts=True,
)


@RULE.on(ast.Module)
def refusals(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason in ("shape", "argument") and not speaks_of_sizes(failure) and not speaks_of_dtypes(failure):
            yield Finding.at(Span(*failure.span), raises(failure))
