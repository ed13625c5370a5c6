"""An operation gets tensors that are on different devices.

Why
    A kernel runs where its operands are, and torch copies nothing between devices by itself: it raises RuntimeError. Only a
    tensor without axes may be on the CPU while the others are not.

Bad
    net = torch.nn.Linear(10, 2).cuda()
    net(torch.randn(4, 10))

Good
    net = torch.nn.Linear(10, 2).cuda()
    net(torch.randn(4, 10).cuda())
"""

from __future__ import annotations

import ast

from torch_handbook.engine.operands import in_brackets, of_batch
from torch_handbook.engine.rule import Category, Context, Failure, Finding, Findings, Operand, Related, Rule, Severity
from torch_handbook.engine.words import short_name
from torch_handbook.source.text import Span

RULE = Rule("device-mismatch", Severity.ERROR, Category.DEVICE, entry="guides/training-loop", needs_facts=True)


# The place of what goes to the GPU only where there is one.
PLACES = {"gpu": "the GPU, where there is one"}


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if failure.reason == "device" and of_batch(failure, context) is None:  # batch-not-moved-to-device speaks of those
            where = Span(*failure.span)
            yield Finding.at(where, words_for(failure), related=origins(failure, where))


def words_for(failure: Failure) -> str:
    """Both operands and where they are, and what to do about the one that is on the CPU."""
    known = [(operand, device) for operand, device in devices(failure) if operand.text and device not in ("", "?")]
    apart = list({device: (operand, device) for operand, device in reversed(known)}.values())
    if len(apart) < 2:
        return f"{short_name(failure.operation)} gets tensors on different devices: move them to one of them first"
    (one, here), (other, there) = reversed(apart)
    text = f"{one.text} is on {PLACES.get(here, here)}, {other.text} on {PLACES.get(there, there)}"
    cpu, away = ((one, there), True) if here == "cpu" else ((other, here), there == "cpu")
    where = "device" if cpu[1] in PLACES else repr(cpu[1])
    several = in_brackets(cpu[0].text).startswith("((")
    advice = f"give each of them .to({where})" if several else f"use {in_brackets(cpu[0].text)}.to({where})"
    return f"{text}: {advice}" if away else f"{text}: move one of them"


def devices(failure: Failure) -> list[tuple[Operand, str]]:
    """The operands of which it is known where they are; of a layer it is where its weights are."""
    return list(zip(failure.operands, failure.details.get("devices", []), strict=False))


def origins(failure: Failure, where: Span) -> list[Related]:
    """Where the operands come from, if that is another line."""
    return [
        Related(Span(*operand.origin), f"{operand.text} is made here, on {PLACES.get(device, device)}")
        for operand, device in devices(failure)
        if operand.origin and operand.origin[0] != where.line and operand.text
    ]
