"""A loss is given numbers on another scale than it expects.

Why
    Each loss of a probability wants one form of it. BCEWithLogitsLoss takes scores and applies the sigmoid itself; BCELoss takes
    probabilities; NLLLoss and the first argument of KLDivLoss take log-probabilities. On another form most compute a number
    all the same, which is negative, or cannot come near zero, and the gradients are wrong.

Bad
    scores, labels = torch.randn(8, 10), torch.randint(0, 10, (8,))
    loss = F.nll_loss(F.softmax(scores, dim=1), labels)

Good
    scores, labels = torch.randn(8, 10), torch.randint(0, 10, (8,))
    loss = F.nll_loss(F.log_softmax(scores, dim=1), labels)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Origin, Related, Rule, Severity
from torch_handbook.source.text import span_of

RULE = Rule(
    "loss-on-wrong-scale",
    Severity.ERROR,
    Category.TRAINING,
    entry="guides/losses",
    covers=("sigmoid-before-bce-logits", "nll-needs-log-softmax", "kl-needs-log-input", "bce-on-logits"),
)
FUNCTIONAL = "torch.nn.functional."
SIGMOID = frozenset({"torch.sigmoid", "torch.special.expit", "torch.Tensor.sigmoid", "torch.nn.Sigmoid", FUNCTIONAL + "sigmoid"})
SOFTMAX = frozenset(
    {
        "torch.softmax",
        FUNCTIONAL + "softmax",
        "torch.special.softmax",
        "torch.Tensor.softmax",
        "torch.nn.Softmax",
        "torch.nn.Softmax2d",
    }
)
LINEAR = frozenset({"torch.nn.Linear", FUNCTIONAL + "linear", "torch.nn.LazyLinear"})


@dataclass(frozen=True)
class Mistake:
    """What a loss must not be given, and the words for it; `{0}` is the input, `{1}` how it is made."""

    kind: str
    wrong: frozenset[str]
    words: str


MISTAKES = {
    "bce_logits": Mistake(
        "sigmoid-before-bce-logits", SIGMOID, "takes the sigmoid itself, but {0} has been through one{1}: give it the scores"
    ),
    "bce": Mistake(
        "bce-on-logits", LINEAR, "takes probabilities, but {0} is what a linear layer gives{1}: use its WithLogits form"
    ),
    "nll": Mistake(
        "nll-needs-log-softmax",
        SOFTMAX | LINEAR,
        "takes log-probabilities, but {0} is not through log_softmax{1}: use log_softmax, or cross_entropy on the scores",
    ),
    "kl": Mistake(
        "kl-needs-log-input", SOFTMAX, "takes log-probabilities first, but {0} is a softmax{1}: use log_softmax for it"
    ),
}
LOSSES = {
    FUNCTIONAL + "binary_cross_entropy_with_logits": "bce_logits",
    "torch.nn.BCEWithLogitsLoss": "bce_logits",
    FUNCTIONAL + "binary_cross_entropy": "bce",
    "torch.nn.BCELoss": "bce",
    FUNCTIONAL + "nll_loss": "nll",
    "torch.nn.NLLLoss": "nll",
    FUNCTIONAL + "kl_div": "kl",
    "torch.nn.KLDivLoss": "kl",
}


@RULE.on(ast.Call)
def computed(call: ast.Call, context: Context) -> Findings:
    name = loss_of(call, context)
    given = input_of(call)
    if name is None or given is None:
        return
    mistake = MISTAKES[LOSSES[name]]
    origins = context.origins.of(given)
    if not origins or not all(origin.name in mistake.wrong for origin in origins):
        return
    shown = f"{name.rpartition('.')[2]} {mistake.words.format(context.text_of(given), place(given, origins))}"
    related = [] if origins[0].node is given else [Related(span_of(origins[0].node), "it is made here")]
    yield Finding.at(given, shown, related=related, kind=mistake.kind)


def loss_of(call: ast.Call, context: Context) -> str | None:
    """The public name of the loss that a call computes."""
    name = context.name_of(call.func)
    if name is not None:
        return name if name in LOSSES and name.startswith(FUNCTIONAL) else None
    names = {value.name for value in context.origins.instances(call.func)}
    found = names.pop() if len(names) == 1 else None
    return found if found in LOSSES else None


def input_of(call: ast.Call) -> ast.expr | None:
    """What a loss is computed of."""
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    return next((keyword.value for keyword in call.keywords if keyword.arg == "input"), None)


def place(given: ast.expr, origins: list[Origin]) -> str:
    """Where the input was made, if that is another line."""
    line = origins[0].node.lineno
    return f" (line {line})" if line != given.lineno else ""
