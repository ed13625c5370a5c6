"""A cross-entropy counts padding as a class.

Why
    Targets that were padded hold the padding number, which a loss without ignore_index takes for a class like any other: the
    model learns to predict padding, and the loss of the real tokens is diluted.

Bad
    lines = [torch.tensor([4, 2, 7]), torch.tensor([5])]
    targets = nn.utils.rnn.pad_sequence(lines, batch_first=True)
    loss = F.cross_entropy(torch.randn(6, 9), targets.view(-1))

Good
    lines = [torch.tensor([4, 2, 7]), torch.tensor([5])]
    targets = nn.utils.rnn.pad_sequence(lines, batch_first=True, padding_value=-100)
    loss = F.cross_entropy(torch.randn(6, 9), targets.view(-1))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.arguments import Arguments, arguments_of
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.origins import given_by
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("ce-missing-ignore-index", Severity.WARNING, Category.TRAINING, entry="torch.nn.functional.cross_entropy")

CLASSES = {"torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss"}
FUNCTIONAL = {"torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss"}
OF_CLASS = ("weight", "size_average", "ignore_index", "reduce", "reduction", "label_smoothing")
OF_FUNCTION = ("input", "target", *OF_CLASS)
SAME = words("view reshape flatten contiguous to cuda long squeeze permute transpose t detach clone type")
PAD = ("sequences", "batch_first", "padding_value")
DEPTH = 12


@RULE.on(ast.Call)
def counted(call: ast.Call, context: Context) -> Findings:
    loss, target = loss_of(call, context)
    if loss is None or target is None or not loss.lacks("ignore_index") or loss.constant("reduction", "mean") == "none":
        return
    padding = padded(target, context, DEPTH)
    if padding is None or not loss.lacks("weight"):
        return
    number = arguments_of(context.file, padding, PAD).constant("padding_value", 0)
    if not isinstance(number, (int, float)) or number < 0:
        return
    written = arguments_of(context.file, padding, PAD).given.get("padding_value")
    shown = context.text_of(written) if isinstance(written, ast.Name) else f"{number:g}"
    place = context.assigned(call.func) if isinstance(call.func, ast.Name) else call
    where = place if isinstance(place, ast.Call) else call
    said = f"{context.text_of(target)} is padded with {shown}, which counts as a class: give ignore_index={shown}"
    related = (Related(span_of(padding), "padded here"), *([] if where is call else [Related(span_of(call), "used here")]))
    yield Finding.at(where, said, related=related, fix=ignoring(call, shown, written, context))


def loss_of(call: ast.Call, context: Context) -> tuple[Arguments | None, ast.expr | None]:
    """How the loss that a call computes was made, and its target."""
    if context.name_of(call.func) in FUNCTIONAL:
        given = arguments_of(context.file, call, OF_FUNCTION)
        return given, given.given.get("target")
    made = context.assigned(call.func)
    if isinstance(call.func, ast.Attribute):
        made = held(call.func, context)
    if not isinstance(made, ast.Call) or context.name_of(made.func) not in CLASSES or len(call.args) < 2:
        return None, None
    return arguments_of(context.file, made, OF_CLASS), call.args[1]


def held(node: ast.Attribute, context: Context) -> ast.expr | None:
    """What an attribute of `self` was given, once."""
    owner = context.value_of(node.value)
    found = context.file.flow.classes.lookup(owner.node, node.attr) if owner and isinstance(owner.node, ast.ClassDef) else []
    return given_by(found[0]) if len(found) == 1 and found[0].kind == "assign" else None


def padded(node: ast.expr, context: Context, depth: int) -> ast.Call | None:
    """The pad_sequence that the targets come from, behind slices, reshaping, joins, helper functions and loaders."""
    if depth == 0:
        return None
    if isinstance(node, ast.Name):
        return of_name(node, context, depth)
    if isinstance(node, ast.Subscript):
        return padded(node.value, context, depth - 1)
    if not isinstance(node, ast.Call):
        return None
    name = context.name_of(node.func)
    if name == "torch.nn.utils.rnn.pad_sequence":
        return node
    if name == "torch.cat" and node.args and isinstance(node.args[0], (ast.List, ast.Tuple)) and node.args[0].elts:
        return padded(node.args[0].elts[0], context, depth - 1)
    if name is None and isinstance(node.func, ast.Attribute) and node.func.attr in SAME:
        return padded(node.func.value, context, depth - 1)
    return None


def of_name(node: ast.Name, context: Context, depth: int) -> ast.Call | None:
    bindings = context.file.names.bindings(node)
    if len(bindings) == 1 and bindings[0].kind == "parameter":
        given = context.callers.arguments_of(bindings[0]) or []
        found = [padded(one, context, depth - 1) for one in given]
        return found[0] if found and all(found) else None
    if len(bindings) == 1 and bindings[0].kind == "for" and bindings[0].path is not None:
        return collated(node, bindings[0].path, context, depth)
    values = [given_by(binding) if binding.kind == "assign" else None for binding in bindings]
    found = [padded(value, context, depth - 1) for value in values if value is not None]
    return found[0] if found and len(found) == len(values) and all(found) else None


def collated(node: ast.Name, path: tuple[int, ...], context: Context, depth: int) -> ast.Call | None:
    """What the collate function of a loader puts in a place of the batch."""
    loop = next((one for one in context.batches.loops if one.node in context.file.grown.ancestors(node)), None)
    if loop is None or node.id not in loop.names:
        return None
    function = loop.loader.given.given.get("collate_fn")
    meant = context.file.names.bindings(function) if isinstance(function, ast.Name) else []
    definition = meant[0].node if len(meant) == 1 else None
    if not isinstance(definition, FUNCTIONS):
        return None
    returned = context.file.flow.parameters.returns_of(definition) or []
    if len(returned) != 1 or not isinstance(returned[0], ast.Tuple) or not path or path[-1] >= len(returned[0].elts):
        return None
    return padded(returned[0].elts[path[-1]], context, depth - 1)


def ignoring(call: ast.Call, shown: str, written: ast.expr | None, context: Context) -> Fix | None:
    """Tell the loss; a name is only used where it means the same there."""
    target = call if context.name_of(call.func) in FUNCTIONAL else context.assigned(call.func)
    if not isinstance(target, ast.Call) or any(word.arg is None for word in target.keywords):
        return None
    if isinstance(written, ast.Name) and context.file.scope_of(target).find(shown) is not context.file.scope_of(written).find(
        shown
    ):
        return None
    if isinstance(written, ast.Name) and (target.lineno < written.lineno and context.file.scope_of(target).parent is None):
        return None
    parts = [*target.args, *target.keywords]
    end = span_of(parts[-1]).end if parts else (span_of(target).end[0], span_of(target).end[1] - 1)
    text = f", ignore_index={shown}" if parts else f"ignore_index={shown}"
    return Fix(f"leave padding out, ignore_index={shown}", (Edit(Span(*end, *end), text),), safe=False)
