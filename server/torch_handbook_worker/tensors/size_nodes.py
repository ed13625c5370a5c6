"""Torch's nodes of free sizes, made quick: what was computed once of the same expressions is not computed again."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Generator, Tuple

from torch.fx.experimental.sym_node import SymNode

from torch_handbook_worker.tensors.sizes import Sizes

Method = Callable[..., Any]
ARITHMETIC = ("add", "sub", "mul", "mod", "floordiv", "int_floordiv")


@contextlib.contextmanager
def quick_nodes() -> Generator[None, None, None]:
    """Within this, sums of free sizes are looked up where they were computed before, and constants are shared."""
    quick = {"wrap_int": _constant, "wrap_bool": _constant, "maybe_as_int": _number}
    quick.update(dict.fromkeys(ARITHMETIC, _computed))
    kept = {name: vars(SymNode)[name] for name in quick if name in vars(SymNode)}
    expression = vars(SymNode)["expr"]
    for name, original in kept.items():
        setattr(SymNode, name, quick[name](name, original))
    SymNode.expr = _expression(expression)  # type: ignore[method-assign, assignment]  # pyright: ignore
    try:
        yield
    finally:
        for name, original in kept.items():
            setattr(SymNode, name, original)
        SymNode.expr = expression  # type: ignore[method-assign]


def _expression(original: Any) -> property:
    """No size is ever replaced by another, so a node's expression stays as it was made."""

    def expression(node: Any) -> Any:
        return node._expr if isinstance(node.shape_env, Sizes) else original.fget(node)

    return property(expression)


def _number(name: str, original: Method) -> Method:
    """Whether an expression is a plain number is found out once; torch looks through all of it each time."""

    def maybe_as_int(node: Any) -> Any:
        own = node.__dict__
        if "handbook_number" in own:
            return own["handbook_number"]
        sizes, expression = node.shape_env, node._expr
        if not isinstance(sizes, Sizes):
            return original(node)
        if expression not in sizes.plain:
            sizes.plain[expression] = original(node)
        node.handbook_number = sizes.plain[expression]
        return node.handbook_number

    return maybe_as_int


def _constant(name: str, original: Method) -> Method:
    def constant(node: Any, value: Any) -> Any:
        sizes = node.shape_env
        if not isinstance(sizes, Sizes):
            return original(node, value)
        made = sizes.constants.get((name, value))
        if made is None:
            made = sizes.constants[name, value] = original(node, value)
        return made

    return constant


def _computed(name: str, original: Method) -> Method:
    def compute(left: Any, right: Any) -> Any:
        sizes = left.shape_env
        if not isinstance(sizes, Sizes) or not _is_known(left) or not _is_known(right):
            return original(left, right)
        key: Tuple[Any, ...] = (name, left._expr, right._expr, sizes.written, *map(_is_sum, (left, right)))
        found = sizes.computed.get(key)
        if found is None:
            before = sizes.cut
            found = original(left, right)
            if sizes.cut == before:
                sizes.computed[key] = found
        return found

    return compute


def _is_sum(node: Any) -> bool:
    """Whether torch adds to it in a quick way, which gives the same parts in another order."""
    return bool(getattr(node, "_optimized_summation", False))


def _is_known(node: Any) -> bool:
    return getattr(node, "pytype", None) is int and node._hint is not None
