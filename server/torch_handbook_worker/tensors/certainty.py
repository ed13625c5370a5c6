"""Whether two sizes can be equal at all: decided for every whole number that a free size may be, or left open.

A product of known factors and free ones is a multiple of the known ones: 6*h*w is never 400, whatever the image is. What
cannot be proved is not claimed.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Dict, List, Optional, Tuple

import sympy
import torch

from torch_handbook_worker.tensors.sizes import SYMBOLIC, Sizes, fixed

Bounds = Tuple[float, float]
ANYTHING: Bounds = (-math.inf, math.inf)


def differ(one: Any, other: Any) -> bool:
    """Whether two sizes are different numbers whatever the free sizes are."""
    known, also = fixed(one), fixed(other)
    if known is not None and also is not None:
        return bool(known != also)
    sizes = _sizes(one, other)
    if sizes is None or sizes.is_rounded:
        return False
    left, right = _without_common(_expression(one), _expression(other))
    if any(symbol in sizes.unsure for side in (left, right) for symbol in side.free_symbols):
        return False
    apart = sympy.Add(left, -right)
    return _never_zero(apart, sizes.least)


def _sizes(*values: Any) -> Optional[Sizes]:
    found = next((value.node.shape_env for value in values if isinstance(value, torch.SymInt)), None)
    return found if isinstance(found, Sizes) else None


def _expression(size: Any) -> Any:
    return size.node.expr if isinstance(size, SYMBOLIC) else sympy.Integer(size)


def _without_common(left: Any, right: Any) -> Tuple[Any, Any]:
    """Two products of sizes without the factors that both have: a size of a tensor with values is never 0."""
    one, other = Counter(sympy.Mul.make_args(left)), Counter(sympy.Mul.make_args(right))
    common = one & other
    return sympy.Mul(*(one - common).elements()), sympy.Mul(*(other - common).elements())


def _never_zero(expression: Any, least: Dict[Any, int]) -> bool:
    if expression.is_Integer:
        return expression != 0
    parts = sympy.Add.make_args(expression)
    constant = sum(int(part) for part in parts if part.is_Integer)
    divisors = [divisor(part) for part in parts if not part.is_Integer]
    if None in divisors:
        return False
    if constant % math.gcd(*(found for found in divisors if found is not None)):
        return True
    rests: Dict[Any, Bounds] = {}
    low, high = bounds(sympy.expand(_undivided(expression, rests)), least, rests)
    return low > 0 or high < 0


def _undivided(expression: Any, rests: Dict[Any, Bounds]) -> Any:
    """`a//n` as `(a - rest)/n`, so that halves of one size can be compared; the rest is 0 to n - 1."""
    if not expression.args:
        return expression
    parts = [_undivided(part, rests) for part in expression.args]
    if type(expression).__name__ == "FloorDiv" and parts[1].is_Integer and parts[1] > 0:
        rest = sympy.Symbol(f"rest_{expression}", integer=True)
        rests[rest] = (0, int(parts[1]) - 1)
        return (parts[0] - rest) / parts[1]
    return expression.func(*parts)


def divisor(expression: Any) -> Optional[int]:
    """A number that an expression is a multiple of, whatever its free sizes are; None where it may be no whole number."""
    if expression.is_Integer:
        return abs(int(expression))
    if expression.is_Add or expression.is_Mul:
        found = [divisor(part) for part in expression.args]
        known = [number for number in found if number is not None]
        return None if len(known) < len(found) else math.gcd(*known) if expression.is_Add else math.prod(known)
    if expression.is_Pow:
        base, power = expression.args
        inside = divisor(base)
        return inside ** int(power) if inside is not None and power.is_Integer and power > 0 else None
    return 1 if expression.is_integer is True else None


def common_divisor(size: Any) -> int:
    """The number that a free size is always a multiple of."""
    return divisor(_expression(size)) or 1


def bounds(expression: Any, least: Dict[Any, int], rests: Dict[Any, Bounds]) -> Bounds:
    """The least and the largest value of an expression; `least` says so of symbols that may be less than 1."""
    if expression.is_Rational:
        return float(expression), float(expression)
    if expression.is_Symbol:
        return rests.get(expression) or (least.get(expression, 1), math.inf)
    parts = [bounds(part, least, rests) for part in expression.args]
    if expression.is_Add:
        return sum(low for low, _ in parts), sum(high for _, high in parts)
    if expression.is_Mul:
        return _multiplied(parts)
    if expression.is_Pow and expression.args[1].is_Integer and expression.args[1] > 0 and parts[0][0] >= 0:
        return parts[0][0] ** int(expression.args[1]), parts[0][1] ** int(expression.args[1])
    return ANYTHING


def _multiplied(parts: List[Bounds]) -> Bounds:
    """The bounds of a product: of a number, and of others that are not less than 0, or of one."""
    scale = 1.0
    low, high = 1.0, 1.0
    open_parts = [part for part in parts if part[0] != part[1]]
    for part in parts:
        scale *= part[0] if part[0] == part[1] else 1
    if len(open_parts) > 1 and any(part[0] < 0 for part in open_parts):
        return ANYTHING
    for part in open_parts:
        low, high = low * part[0], (0.0 if 0 in (high, part[1]) else high * part[1])
    ends = [0.0 if 0 in (scale, end) else scale * end for end in (low, high)]
    return min(ends), max(ends)


def product_of(values: Any) -> Any:
    """All sizes multiplied."""
    total: Any = 1
    for value in values:
        total = total * value
    return total
