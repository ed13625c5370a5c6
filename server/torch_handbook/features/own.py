"""What the file itself defines: the signature of a function, a class or a module, and what is known of its parameters."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass

from torch_handbook_worker.protocol import Fact, ModuleFact, ObjectFact, TensorFact

from torch_handbook.features import docstring, wording
from torch_handbook.features.earlier import class_of
from torch_handbook.handbook.wrap import wrapped
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.bindings import parameters
from torch_handbook.source.classes import METHODS, Method, kind_of
from torch_handbook.source.text import Span, span_of

LINE = r"^\s*[-*]?\s*`?{name}`?\s*(?:\([^)]*\))?\s*:\s*(?P<text>\S.*)$"


@dataclass(frozen=True)
class Own:
    """Something that the file defines: how it is called, the function that is run, and the class that it is of."""

    name: str
    signature: str  # "(x, mask=None) -> Tensor"
    function: Method
    owner: ast.ClassDef | None = None


def callable_of(snapshot: Snapshot, function: ast.expr) -> Own | None:
    """What a call of an expression runs; None for what the file does not define."""
    value = snapshot.file.value_of(function)
    node = value.node if value else None
    seen = class_of(snapshot, function, span_of(function).start) if value is None else None
    if seen is not None:  # a network that a function is given, as the worker saw it
        return next((found for way in ("forward", "__call__") if (found := _method(snapshot, seen, way))), None)
    if value and isinstance(node, ast.ClassDef) and value.kind in ("class", "instance"):
        ways = ("__init__", "__new__") if value.kind == "class" else ("forward", "__call__")
        return next((found for way in ways if (found := _method(snapshot, node, way))), None)
    if isinstance(node, METHODS) and snapshot.file.flow.classes.class_of(node) is None:
        return Own(node.name, signature(node.args, node.returns), node)
    if not isinstance(function, ast.Attribute):
        return None
    owner = snapshot.file.value_of(function.value)
    if owner is None or not isinstance(owner.node, ast.ClassDef):
        return None
    return _method(snapshot, owner.node, function.attr, of_class=owner.kind == "class")


def _method(snapshot: Snapshot, owner: ast.ClassDef, name: str, *, of_class: bool = False) -> Own | None:
    """A method by its name, without the `self` that nobody gives; a constructor goes by the name of its class."""
    found = [one.node for one in snapshot.file.flow.classes.lookup(owner, name)]
    node = found[-1] if found else None
    if not isinstance(node, METHODS) or kind_of(node) == "property":
        return None
    making = name in ("__init__", "__new__")
    bound = making or kind_of(node) == "classmethod" or (kind_of(node) == "method" and not of_class)
    return Own(owner.name if making else name, signature(node.args, None if making else node.returns, bound=bound), node, owner)


def signature(arguments: ast.arguments, returns: ast.expr | None, *, bound: bool = False) -> str:
    """The arguments as a reader writes them, the first one left out of a method that is called on something."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [ast.unparse(one) for one in arguments.defaults]
    words = [_written(argument, default) for argument, default in zip(positional, defaults, strict=True)][bound:]
    if arguments.vararg:
        words.append(f"*{_written(arguments.vararg, None)}")
    elif arguments.kwonlyargs:
        words.append("*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        words.append(_written(argument, ast.unparse(default) if default else None))
    if arguments.kwarg:
        words.append(f"**{_written(arguments.kwarg, None)}")
    return f"({', '.join(words)})" + (f" -> {ast.unparse(returns)}" if returns else "")


def _written(argument: ast.arg, default: str | None) -> str:
    annotation = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    return f"{argument.arg}{annotation}" + ("" if default is None else f" = {default}" if annotation else f"={default}")


def meaning(snapshot: Snapshot, found: Own, parameter: str) -> str:
    """What a parameter is known to be, and what the docstring says of it."""
    argument = next((one for one in parameters(found.function.args) if one.arg == parameter), None)
    fact = _fact(snapshot, argument) if argument else None
    text = _documented(found, parameter)
    return "\n\n".join(filter(None, [f"Here: `{wording.line(fact)}`." if fact else "", wrapped(text) if text else ""]))


def summary(snapshot: Snapshot, found: Own) -> str:
    """The first paragraph of its docstring, or of its class, and what comes out of it."""
    text = ast.get_docstring(found.function) or (ast.get_docstring(found.owner) if found.owner else None) or ""
    results = [node.value for node in ast.walk(found.function) if isinstance(node, ast.Return) and node.value]
    fact = snapshot.facts.of(results[0]) if len(results) == 1 else None
    gives = f"Returns `{wording.line(fact)}`." if isinstance(fact, TensorFact) else ""
    return "\n\n".join(filter(None, [wrapped(" ".join(text.split("\n\n")[0].split())) if text else "", gives]))


def _fact(snapshot: Snapshot, argument: ast.arg) -> Fact | None:
    """What the worker saw in a parameter: a tensor, a module, something of torch's."""
    span = span_of(argument)
    name = Span(span.line, span.column, span.line, span.column + len(argument.arg.encode()))
    fact = snapshot.facts.at(span) or snapshot.facts.at(name)
    is_torch = isinstance(fact, ObjectFact) and fact.type.startswith("torch.")
    return fact if isinstance(fact, (TensorFact, ModuleFact)) or is_torch else None


def _documented(found: Own, parameter: str) -> str:
    """What the docstring of the function, or of its class, says of a parameter."""
    for text in (ast.get_docstring(found.function), ast.get_docstring(found.owner) if found.owner else None):
        cleaned = inspect.cleandoc(text or "")
        listed = next((item.text for item in docstring.arguments(cleaned) if item.name == parameter), None)
        line = re.search(LINE.format(name=re.escape(parameter)), cleaned, re.MULTILINE)
        if listed or line:
            return listed or (line["text"] if line else "")
    return ""
