"""The sizes of a tensor do not fit the operation that it goes into.

Why
    Layers and operators take certain sizes only: a Linear its in_features, a Conv2d its in_channels, a matrix product equal
    inner sizes, an addition sizes that broadcast. What does not fit raises when the line is reached, often after minutes of
    loading data. The sizes here are those that torch itself computes for this code, on tensors without data; what depends on a
    size that is not known is not reported.

Bad
    net = nn.Sequential(nn.Conv2d(3, 6, 5), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 10))
    net(torch.randn(8, 3, 32, 32))

Good
    net = nn.Sequential(nn.Conv2d(3, 6, 5), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1176, 10))
    net(torch.randn(8, 3, 32, 32))
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch_handbook.engine.operands import from_layer, makers
from torch_handbook.engine.rule import Category, Context, Edit, Failure, Finding, Findings, Fix, Rule, Severity
from torch_handbook.engine.words import all_known, product, raises, refusal, short_name, sizes, speaks_of_sizes, with_defaults
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "shape-mismatch",
    Severity.ERROR,
    Category.SHAPE,
    entry="guides/shape-errors",
    needs_facts=True,
    covers=(
        "add-shape-mismatch", "batchnorm-channel-axis", "batchnorm-dim-mismatch", "cat-dim-mismatch", "cat-spatial-mismatch",
        "ce-class-dim-layout", "ce-target-shape", "conv-groups-divisibility", "conv-in-channels-mismatch", "einsum-rank-mismatch",
        "einsum-size-mismatch", "flatten-batch-dim", "gather-index-rank", "heads-not-dividing-embed", "interpolate-missing-batch",
        "layernorm-normalized-shape", "linear-in-features-mismatch", "loss-shape-mismatch", "matmul-inner-dim-mismatch",
        "missing-flatten", "mm-requires-2d", "padding-mask-shape", "reconstruction-size-mismatch", "reduction-wrong-dims",
        "rnn-hidden-shape", "rnn-input-size-mismatch", "rnn-tuple-in-sequential", "same-padding-with-stride",
        "scatter-index-rank", "spatial-size-collapse", "view-infers-batch", "view-non-contiguous", "view-size-mismatch",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Words:
    """What to say of a failure, where, and how to mend it."""

    text: str
    kind: str = ""
    fix: Fix | None = None
    span: Span | None = None


@RULE.on(ast.Module)
def failures(module: ast.Module, context: Context) -> Findings:
    for failure in context.facts.failures:
        if speaks_of_sizes(failure):
            words = words_for(failure, context)
            where = words.span or Span(*failure.span)
            defaults = with_defaults(failure)
            fix = None if defaults else words.fix
            yield Finding.at(where, words.text + defaults, fix=fix, related=makers(failure, where), kind=words.kind)


def words_for(failure: Failure, context: Context) -> Words:
    """The words for one failure, by the numbers that came with it."""
    details = failure.details
    for key, speak in SPEAKERS:
        if key in details:
            return speak(failure, context)
    layer = recurrent_at(failure, context)
    if layer is not None and "not tuple" in failure.message:
        text = f"{layer} returns a tuple, output and state, which nn.Sequential hands on to {short_name(failure.operation)}"
        return Words(f"{text}: call it in a forward of your own", "rnn-tuple-in-sequential")
    return Words(raises(failure), refusal(failure))


def recurrent_at(failure: Failure, context: Context) -> str | None:
    """The recurrent layer that a failure in a Sequential points to, since its tuple is what the next layer refuses."""
    layer = context.call_at(failure.span)
    name = context.name_of(layer.func) if layer is not None else None
    return short_name(name) if name in ("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN") else None


def layer_of(failure: Failure, context: Context) -> str:
    """How the reader knows the layer: self.fc1, or its constructor where it is called inside another layer."""
    constructor = failure.details.get("constructor")
    if constructor and list(failure.span) == list(constructor):
        call = context.call_at(constructor)
        return context.text_of(call) if call is not None else short_name(failure.operation)
    return str(failure.details.get("layer") or short_name(failure.operation))


# Layers.


def linear(failure: Failure, context: Context) -> Words:
    details = failure.details
    wanted, features, given = details["in_features"], details["features"], details["input"]
    unflattened: list[Any] = details.get("unflattened") or []
    layer = layer_of(failure, context)
    if isinstance(features, str):
        return never(failure, layer)
    if len(given) == 1 and len(unflattened) > 2:
        return merged_batch(failure, layer, context)
    start = f"{layer} takes {wanted} features, but gets {features}"
    if len(given) > 2 and math.prod(size for size in given[1:] if isinstance(size, int)) == wanted and all_known(given[1:]):
        text = f"{start}, the last axis of {sizes(given)}: flatten it first, {product(given[1:])} = {wanted}"
        return Words(text, "missing-flatten", fix=with_flatten(failure, context))
    if wanted in given[1:-1]:
        text = f"{start}: {wanted} is on axis {given.index(wanted, 1)} of {sizes(given)}, bring it to the end with transpose"
        return Words(text, "linear-in-features-mismatch")
    if len(unflattened) > 1:
        start += f" ({product(unflattened)})"
        fix = with_number(failure, features, unflattened, context)
        return Words(f"{start}: use nn.Linear({features}, …)", "linear-in-features-mismatch", fix)
    return Words(f"{start}, the last axis of {sizes(given)}", "linear-in-features-mismatch")


def never(failure: Failure, layer: str) -> Words:
    """No input of any size has as many features as the layer takes."""
    details = failure.details
    wanted = details["in_features"]
    axes: list[Any] = details.get("unflattened") or [details["features"]]
    text = f"{layer} takes {wanted} features, but gets {product(axes) if len(axes) > 1 else axes[0]}"
    text += f", always a multiple of {details['multiple']}" if details.get("multiple") else ""
    text += f" and never {wanted}"
    free = sum(isinstance(size, str) for size in axes)
    nearest: list[list[int]] = details.get("nearest") or []
    around = [f"{side if free < 2 else product([side] * free)} gives {count}" for side, count in nearest]
    if around:
        text += f": {'an image of' if free == 2 else 'an input of'} {', one of '.join(around)}"
    return Words(text, "linear-in-features-mismatch")


def merged_batch(failure: Failure, layer: str, context: Context) -> Words:
    """The batch was flattened with the rest."""
    details = failure.details
    operand = failure.operands[-1] if failure.operands else None
    call = context.call_at(operand.origin) if operand is not None else None
    shape = details["unflattened"]
    text = f"flatten merges the batch into the features, {product(shape)} = {details['features']}, and {layer} takes"
    text += f" {details['in_features']}: keep the first axis, flatten(…, 1)"
    if call is None or "flatten" not in ast.unparse(call.func):
        return Words(text, "flatten-batch-dim")
    return Words(text, "flatten-batch-dim", keeping_batch(call, context), span_of(call))


def keeping_batch(call: ast.Call, context: Context) -> Fix | None:
    """`x.flatten()` to `x.flatten(1)`, `torch.flatten(x)` to `torch.flatten(x, 1)`."""
    function = context.name_of(call.func) == "torch.flatten"
    if call.keywords or len(call.args) != function:
        return None
    end = span_of(call)
    place = Span(end.end_line, end.end_column - 1, end.end_line, end.end_column - 1)
    return Fix("flatten from axis 1", (Edit(place, ", 1" if function else "1"),), safe=False)


def convolution(failure: Failure, context: Context) -> Words:
    details, layer = failure.details, layer_of(failure, context)
    wanted, channels, given = details["in_channels"], details["channels"], details["input"]
    text = f"{layer} takes {wanted} channels, but gets {channels} of {sizes(given)}"
    if given[-1] == wanted and channels != wanted:
        move = "transpose(1, 2)" if len(given) == 3 else "movedim(-1, 1)"
        return Words(f"{text}: its channels are on the last axis, use {move} first", "conv-in-channels-mismatch")
    fix = with_number(failure, channels, [channels], context) if from_layer(failure, context) else None
    return Words(text + (f": use in_channels={channels}" if fix else ""), "conv-in-channels-mismatch", fix)


def normalization(failure: Failure, context: Context) -> Words:
    details, layer = failure.details, layer_of(failure, context)
    wanted = details.get("num_features", details.get("num_channels"))
    channels, given = details["channels"], details["input"]
    text = f"{layer} normalizes {wanted} channels, but axis 1 of {sizes(given)} has {channels}"
    if given[-1] == wanted:
        return Words(f"{text}: its channels are on the last axis, transpose before and after", "batchnorm-channel-axis")
    fix = with_number(failure, channels, [channels], context) if from_layer(failure, context) else None
    return Words(text + (f": use {channels}" if fix else ""), "batchnorm-channel-axis", fix)


def layer_norm(failure: Failure, context: Context) -> Words:
    details, layer = failure.details, layer_of(failure, context)
    wanted, given = details["normalized_shape"], details["input"]
    text = f"{layer} normalizes the last {'axis' if len(wanted) == 1 else f'{len(wanted)} axes'} {sizes(wanted)}"
    text += f", but {sizes(given)} ends with {', '.join(map(str, given[-len(wanted) :]))}"
    if len(wanted) == 1 and wanted[0] in given[1:-1]:
        text += f": {wanted[0]} is on axis {given.index(wanted[0], 1)}, move it to the end first"
    return Words(text, "layernorm-normalized-shape")


def rank(failure: Failure, context: Context) -> Words:
    details = failure.details
    if "input" not in details or "rank" not in details:
        return cross_entropy(failure, context) if "target" in details else concatenation(failure, context)
    wanted = " or ".join(map(str, details["ranks"]))
    text = f"{layer_of(failure, context)} takes tensors with {wanted} axes, but gets {details['rank']}: {sizes(details['input'])}"
    return Words(text, "batchnorm-dim-mismatch" if "Norm" in failure.operation else "")


def recurrent(failure: Failure, context: Context) -> Words:
    details, layer = failure.details, layer_of(failure, context)
    wanted, features = details["input_size"], details["features"]
    text = f"{layer} takes {wanted} features a step, but gets {features}, the last axis of {sizes(details['input'])}"
    fix = with_number(failure, features, [features], context)
    text += f": use input_size={features}" if isinstance(features, int) else ""
    return Words(text, "rnn-input-size-mismatch", fix)


def recurrent_state(failure: Failure, context: Context) -> Words:
    details = failure.details
    text = f"the state is {sizes(details['state'])}, but must be {sizes(details['expected_state'])}: layers, batch, features"
    if details.get("batch_first"):
        text += "; batch_first turns the input alone"
    return Words(text, "rnn-hidden-shape")


# Operators.


def multiplication(failure: Failure, context: Context) -> Words:
    details = failure.details
    left, right = details["left"], details["right"]
    names = [operand.text for operand in failure.operands if operand.text]
    text = f"{sizes(left)} @ {sizes(right)}" if len(names) < 2 else f"{names[0]} {sizes(left)} @ {names[1]} {sizes(right)}"
    kind = (
        "mm-requires-2d" if short_name(failure.operation) == "mm" and len(left) + len(right) != 4 else "matmul-inner-dim-mismatch"
    )
    if "inner" not in details:
        _, one, other = details["batch"]
        return Words(f"{text}: the batches {one} and {other} do not fit", kind)
    one, other = details["inner"]
    text += f": the inner sizes {one} and {other} do not fit"
    if len(right) > 1 and right[-1] == one:
        turned = ".T" if len(right) == 2 else ".transpose(-2, -1)"
        text += f", {names[1] if len(names) > 1 else 'the second'}{turned} would"
    return Words(text, kind)


def broadcasting(failure: Failure, context: Context) -> Words:
    details = failure.details
    one, other = details["sizes"]
    names = [operand.text for operand in failure.operands if operand.text]
    pair = (f"{names[0]} is ", f"{names[1]} is ") if len(names) > 1 else ("one side is ", "the other ")
    text = f"{pair[0]}{sizes(details['left'])}, {pair[1]}{sizes(details['right'])}: {one} and {other} on axis {details['axis']}"
    kind = "add-shape-mismatch" if failure.operation in ("+", "-", "torch.add", "torch.Tensor.add_") else ""
    return Words(f"{text} do not broadcast", kind)


def concatenation(failure: Failure, context: Context) -> Words:
    details, short = failure.details, short_name(failure.operation)
    shapes, position = details["shapes"], details["position"]
    text = f"{short} of {sizes(shapes[0])} and {sizes(shapes[position])}"
    if "sizes" not in details:
        return Words(f"{text}: they have {len(shapes[0])} and {len(shapes[position])} axes", "cat-dim-mismatch")
    one, other = details["sizes"]
    text += f" along axis {details['dim']}: the others must be equal, but axis {details['axis']} has {one} and {other}"
    if len(shapes[0]) == 3 and shapes[0][2] == shapes[position][1]:
        text += f"; {sizes(shapes[position])} looks like one that needs transpose(1, 2)"
    return Words(text, "cat-spatial-mismatch" if len(shapes[0]) > 3 else "cat-dim-mismatch")


def viewing(failure: Failure, context: Context) -> Words:
    details = failure.details
    target, numel = details["to"], details["numel"]
    asked = details.get("asked") or math.prod(size for size in target if isinstance(size, int) and size != -1)
    text = f"{sizes(details['from'])} has {numel} values, "
    if -1 in target:
        return Words(f"{text}which do not divide into {sizes(target)}: {numel} is no multiple of {asked}", "view-size-mismatch")
    never = "" if isinstance(numel, int) and isinstance(asked, int) else ", which is never as many"
    return Words(f"{text}but {sizes(target)} asks for {asked}{never}", "view-size-mismatch")


def einsum(failure: Failure, context: Context) -> Words:
    details = failure.details
    if "letter" in details:
        one, other = details["sizes"]
        shapes = " and ".join(map(sizes, details["shapes"]))
        text = f'in "{details["equation"]}" {details["letter"]} is {one} and {other}: the operands are {shapes}'
        return Words(text, "einsum-size-mismatch")
    position = details["position"]
    text = f'"{details["equation"]}" gives operand {position + 1} other letters than its {details["rank"]} axes'
    return Words(text, "einsum-rank-mismatch")


# Losses.


def cross_entropy(failure: Failure, context: Context) -> Words:
    details, short = failure.details, short_name(failure.operation)
    if not short.lower().startswith(("cross", "nll")):
        return unequal(failure)
    given, target = details["input"], details["target"]
    text = f"{short} of scores {sizes(given)} and targets {sizes(target)}"
    if len(given) > 2 and given[:-1] == target:
        move = "transpose(1, 2)" if len(given) == 3 else "movedim(-1, 1)"
        return Words(
            f"{text}: the classes must be on axis 1, use {move} on the scores",
            "ce-class-dim-layout",
            moved(failure, move, context),
        )
    if target == [*given[:1], 1] and len(given) == 2:
        return Words(f"{text}: the targets must have one axis, squeeze(1) them", "ce-target-shape")
    return Words(f"{text}: targets must have the scores' axes without the classes, axis 1", "ce-target-shape")


def unequal(failure: Failure) -> Words:
    given, target = failure.details["input"], failure.details["target"]
    text = f"{short_name(failure.operation)} wants equal shapes, but the input is {sizes(given)} and the target {sizes(target)}"
    if given == [*target, 1]:
        text += f": squeeze({len(target)}) the input"
    elif target == [*given, 1]:
        text += f": squeeze({len(given)}) the target"
    return Words(text, "loss-shape-mismatch")


# Fixes.


def with_number(failure: Failure, number: Any, factors: Sequence[Any], context: Context) -> Fix | None:
    """Write another number into the layer's constructor, where that is a plain number and makes this one layer."""
    nodes = context.nodes_at(failure.details.get("argument"))
    argument = next((node for node in nodes if isinstance(node, ast.expr)), None)
    if not isinstance(number, int) or argument is None or not is_arithmetic(argument) or is_repeated(argument, context):
        return None
    written = " * ".join(map(str, factors)) if isinstance(argument, ast.BinOp) and all_known(factors) else str(number)
    call = context.call_at(failure.details.get("constructor"))
    what = f"{ast.unparse(call.func)}({written}, …)" if call is not None else written
    return Fix(f"use {what}", (Edit(span_of(argument), written),), safe=False)


def is_arithmetic(node: ast.expr) -> bool:
    """Whether an expression is a number, or a product of numbers."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mult) and is_arithmetic(node.left) and is_arithmetic(node.right)
    return isinstance(node, ast.Constant) and type(node.value) is int


def is_repeated(node: ast.AST, context: Context) -> bool:
    """Whether a constructor makes more than one layer: in a loop, or in a class that is made several times."""
    loops = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.Lambda)
    owner = context.file.enclosing(node, ast.ClassDef)
    if context.file.enclosing(node, *loops) is not None:
        return True
    if not isinstance(owner, ast.ClassDef):
        return False
    made = [name for name in context.callers.names.get(owner.name, ()) if isinstance(context.file.parent_of(name), ast.Call)]
    return len(made) > 1


def with_flatten(failure: Failure, context: Context) -> Fix | None:
    """Put a Flatten before the layer in a Sequential."""
    constructor = failure.details.get("constructor")
    call = context.call_at(constructor)
    if call is None or list(failure.span) != list(constructor or ()):
        return None
    outer = context.file.parent_of(call)
    spelt = context.spell("torch.nn.Flatten", call)
    if not isinstance(outer, ast.Call) or context.name_of(outer.func) != "torch.nn.Sequential" or spelt is None:
        return None
    start = span_of(call).start
    before = context.file.text.slice(Span(start.line, 0, *start))
    between = f",\n{before}" if not before.strip() else ", "
    return Fix(f"insert {spelt}()", (Edit(Span(*start, *start), f"{spelt}(){between}"),), safe=False)


def moved(failure: Failure, move: str, context: Context) -> Fix | None:
    """Move the classes of the scores to axis 1."""
    scores = failure.operands[-2] if len(failure.operands) > 1 else None
    node = next((node for node in context.nodes_at(scores.span if scores else None) if isinstance(node, ast.expr)), None)
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
        return None
    end = span_of(node).end
    return Fix(f"use {context.text_of(node)}.{move}", (Edit(Span(*end, *end), f".{move}"),), safe=False)


# Which words speak of which numbers; the first key that a failure has decides.
SPEAKERS: tuple[tuple[str, Callable[[Failure, Context], Words]], ...] = (
    ("in_features", linear),
    ("in_channels", convolution),
    ("num_features", normalization),
    ("num_channels", normalization),
    ("normalized_shape", layer_norm),
    ("input_size", recurrent),
    ("expected_state", recurrent_state),
    ("equation", einsum),
    ("ranks", rank),
    ("inner", multiplication),
    ("batch", multiplication),
    ("shapes", concatenation),
    ("left", broadcasting),
    ("numel", viewing),
    ("target", cross_entropy),
)
