"""A loss is computed at a sample through which no gradient flows.

Why
    sample() draws under no_grad: the result is a constant, and nothing before it learns from what is computed at it. Where the
    gradient shall go through the sample (the encoder of a VAE, the actor of SAC), rsample() draws with the reparameterisation
    trick. torch.normal(mean, std) gives no gradient to its mean either. With log_prob(sample) times a reward (REINFORCE)
    sample() is right.

Bad
    from torch.distributions import Normal
    actor, critic = nn.Linear(3, 2), nn.Linear(5, 1)
    observation = torch.randn(16, 3)
    policy = Normal(actor(observation), 1.0)
    action = policy.sample()
    loss = -critic(torch.cat([observation, action], dim=1)).mean()
    loss.backward()

Good
    from torch.distributions import Normal
    actor, critic = nn.Linear(3, 2), nn.Linear(5, 1)
    observation = torch.randn(16, 3)
    policy = Normal(actor(observation), 1.0)
    action = policy.rsample()
    loss = -critic(torch.cat([observation, action], dim=1)).mean()
    loss.backward()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Related, Rule, Severity
from torch_handbook.source.callers import FUNCTIONS
from torch_handbook.source.text import Span, span_of
from torch_handbook.source.torch_names import words

RULE = Rule("sample-instead-of-rsample", Severity.ERROR, Category.AUTOGRAD, entry="torch.distributions.Normal")
# The distributions that can draw with a gradient.
DRAWN = words(
    "Normal LogNormal MultivariateNormal LowRankMultivariateNormal Laplace Uniform Gamma Beta Dirichlet Exponential Cauchy"
    " HalfNormal HalfCauchy StudentT Gumbel Kumaraswamy RelaxedBernoulli RelaxedOneHotCategorical LogisticNormal Weibull"
    " Pareto Chi2 InverseGamma Independent"
)
OUTER = ("Independent",)
PICKS = frozenset({"torch.min", "torch.minimum", "torch.max", "torch.maximum"})
REPARAMETERISED = re.compile(r"repara|rsample", re.IGNORECASE)


@RULE.on(ast.Module)
def in_objectives(module: ast.Module, context: Context) -> Findings:
    """`loss = -critic(observation, action).mean()`: a network's output is the loss, and nothing else came from the sample."""
    if not context.file.text.has("sample") and not context.file.text.has("torch.normal"):
        return
    told: set[ast.Call] = set()
    for term in context.objectives.terms:
        yield from in_term(term.node, told, context)


def in_term(node: ast.expr, told: set[ast.Call], context: Context) -> Findings:
    """A summand that is what a network says of a sample, or the smaller of two such."""
    calls = node.args if isinstance(node, ast.Call) and context.name_of(node.func) in PICKS else [node]
    for call in calls:
        if not isinstance(call, ast.Call) or not is_network(call, context) or has_other_use(call, context):
            continue
        for drawn in (cut for item in call.args for cut in context.graphs.of(item).cuts):
            if isinstance(drawn, ast.Call) and drawn not in told and is_drawn(drawn, context):
                told.add(drawn)
                yield finding(drawn, call, "this loss", context)


@RULE.on(ast.Call)
def in_encoders(call: ast.Call, context: Context) -> Findings:
    """`z = posterior.sample()` that a decoder is given, or that a function of that name returns."""
    if not is_drawn(call, context) or context.gradients.off_at(call):
        return
    function = context.file.enclosing(call, *FUNCTIONS)
    if not isinstance(function, FUNCTIONS) or is_switched(call, context):
        return
    if REPARAMETERISED.search(function.name):
        if is_returned(call, function, context):
            yield finding(call, call, f"what {function.name} returns", context)
    elif function.name in ("forward", "training_step"):
        decoded = next(decodings(call, function, context), None)
        if decoded is not None:
            yield finding(call, decoded, context.text_of(decoded.func), context)


def finding(drawn: ast.Call, reached: ast.Call, what: str, context: Context) -> Finding:
    """The words for one draw, and the call that its value reaches."""
    related = [Related(span_of(reached), "computed at the sample")] if reached is not drawn else []
    if isinstance(drawn.func, ast.Attribute) and drawn.func.attr == "sample" and context.name_of(drawn.func) is None:
        end = span_of(drawn.func).end
        edit = Edit(Span(end[0], end[1] - len("sample"), *end), "rsample")
        words = f"sample() draws without a gradient, so nothing before it learns from {what}: use rsample()"
        # NumPy refuses what has a graph: where the sample goes there too, one line is not enough.
        around = context.file.scope_of(drawn).node
        alone = not any(isinstance(part, ast.Attribute) and part.attr == "numpy" for part in ast.walk(around))
        return Finding.at(drawn, words, fix=Fix("draw with rsample()", (edit,), safe=False) if alone else None, related=related)
    words = f"torch.normal gives its mean and std no gradient, so nothing before it learns from {what}"
    return Finding.at(drawn, f"{words}: use mean + std * torch.randn_like(std)", related=related)


def is_drawn(call: ast.Call, context: Context) -> bool:
    """Whether a call draws, without a gradient, from what a network gives, where that could be done with one."""
    if context.name_of(call.func) == "torch.normal":
        return len(call.args) == 2 and is_learned(call.args[0], context)
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "sample":
        return False
    made = [origin.node for origin in context.origins.of(call.func.value)]
    return bool(made) and all(is_reparameterised(one, context) for one in made) and is_learned(call.func.value, context)


def is_reparameterised(node: ast.expr, context: Context) -> bool:
    if not isinstance(node, ast.Call):
        return False
    owner, _, last = (context.name_of(node.func) or "").rpartition(".")
    if not owner.startswith("torch.distributions") or last not in DRAWN:
        return False
    if last not in OUTER:
        return True
    inner = [origin.node for origin in context.origins.of(node.args[0])] if node.args else []
    return bool(inner) and all(is_reparameterised(one, context) for one in inner)


def is_learned(node: ast.expr, context: Context) -> bool:
    """Whether a value has a graph; what a parameter of a function named for the trick is given counts as one."""
    graph = context.graphs.of(node)
    if graph.live is not None:
        return graph.live
    function = context.file.enclosing(node, *FUNCTIONS)
    return isinstance(function, FUNCTIONS) and REPARAMETERISED.search(function.name) is not None


def is_network(call: ast.Call, context: Context) -> bool:
    value = context.value_of(call.func)
    return value is not None and value.kind == "instance" and value.base == "torch.nn.Module" and not value.name.endswith("Loss")


def has_other_use(call: ast.Call, context: Context) -> bool:
    """Whether the same network is called again in the same function: a penalty compares what it says of two inputs."""
    shown, scope = ast.unparse(call.func), context.file.scope_of(call)
    return any(
        isinstance(part, ast.Call)
        and part is not call
        and ast.unparse(part.func) == shown
        and context.file.scope_of(part) is scope
        for part in ast.walk(scope.node)
    )


def is_switched(call: ast.Call, context: Context) -> bool:
    """Whether the draw happens on some branch only: the other one may be that of training."""
    return any(isinstance(around, (ast.If, ast.IfExp)) for around in context.file.grown.ancestors(call))


def is_returned(call: ast.Call, function: ast.AST, context: Context) -> bool:
    expressions = context.file.flow.parameters.returns_of(function) if isinstance(function, FUNCTIONS) else None
    return any(call in context.graphs.of(one).cuts or call is one for one in expressions or () if one is not None) or any(
        isinstance(one, ast.Name) and any(binding.value is call for binding in context.file.names.bindings(one))
        for one in expressions or ()
    )


def decodings(call: ast.Call, function: ast.AST, context: Context) -> Iterator[ast.Call]:
    """The calls of networks in a function that are given the sample itself, if nothing there takes its log-probability."""
    statement = context.file.parent_of(call)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return
    name = statement.targets[0].id
    calls = [part for part in ast.walk(function) if isinstance(part, ast.Call)]
    given = [part for part in calls if any(isinstance(one, ast.Name) and one.id == name for one in part.args)]
    if any(isinstance(part.func, ast.Attribute) and part.func.attr == "log_prob" for part in calls):
        return
    for part in given:
        bound = [one for one in part.args if isinstance(one, ast.Name) and one.id == name]
        meant = [binding.value for one in bound for binding in context.file.names.bindings(one)]
        if is_network(part, context) and meant == [call] and not context.gradients.off_at(part):
            yield part
