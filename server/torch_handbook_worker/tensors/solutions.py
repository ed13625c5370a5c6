"""Which inputs make a product of sizes a certain number: 16*(H//4 - 3)*(W//4 - 3) is 400 for images of 32 to 35 pixels."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import sympy
import torch

from torch_handbook_worker.tensors.sizes import SYMBOLIC, fixed

LARGEST = 1 << 20  # pixels on one side
Range = Tuple[int, int]
Measure = Callable[[int], int]


def equal_sides(axes: Sequence[Any], wanted: Any) -> Optional[Range]:
    """The least and the largest number that all free sizes may be so that the product of `axes` is `wanted`.

    None where there is none, or where a larger input may have fewer features.
    """
    factors, total = _factors(axes, fixed(wanted))
    measured = _measured(factors)
    if measured is None or total is None or total < 1:
        return None
    lowest = _first(lambda side: all(count(side) >= 1 for count in measured))
    if lowest is None:
        return None
    low = _first(lambda side: _product(measured, side) >= total, lowest)
    above = _first(lambda side: _product(measured, side) > total, lowest)
    if low is None or above is None or _product(measured, low) != total:
        return None
    return low, above - 1


def nearest(axes: Sequence[Any], wanted: Any) -> List[List[int]]:
    """The sides of square inputs around the one that would give `wanted`, with their products: [[20, 384], [22, 486]]."""
    symbols = {symbol for axis in axes if isinstance(axis, torch.SymInt) for symbol in axis.node.expr.free_symbols}
    measured, total = _measured(_factors(axes, 0)[0]), fixed(wanted)
    if measured is None or total is None or not 0 < len(symbols) < 4:
        return []
    lowest = _first(lambda side: all(count(side) >= 1 for count in measured))
    above = _first(lambda side: _product(measured, side) >= total, lowest) if lowest is not None else None
    if lowest is None or above is None:
        return []
    under = _first(lambda side: _product(measured, side) >= _product(measured, above - 1), lowest) if above > lowest else None
    return [[side, _product(measured, side)] for side in (under, above) if side is not None]


def _product(measured: List[Measure], side: int) -> int:
    total = 1
    for count in measured:
        total *= count(side)
    return total


def _first(holds: Callable[[int], bool], lowest: int = 1) -> Optional[int]:
    """The least number from `lowest` on for which something holds that holds for all larger ones too."""
    step = 1
    while not holds(lowest + step - 1):
        step *= 2
        if step > LARGEST:
            return None
    low, high = lowest, lowest + step - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _factors(axes: Sequence[Any], total: Optional[int]) -> Tuple[List[Any], Optional[int]]:
    """The factors of all axes, and what their product must be: a single axis may have a number added, as a class token is."""
    expressions = [axis.node.expr if isinstance(axis, SYMBOLIC) else sympy.Integer(axis) for axis in axes]
    if len(expressions) == 1 and total:
        constant, rest = expressions[0].as_coeff_Add()
        if rest.is_Mul:
            expressions, total = [rest], total - int(constant)
    return [part for expression in expressions for part in sympy.Mul.make_args(expression)], total


def _measured(factors: Sequence[Any]) -> Optional[List[Measure]]:
    """Each factor as a function of the side of the input, which never falls; None where it may."""
    return None if any(direction(factor) not in (0, 1) for factor in factors) else [_function(factor) for factor in factors]


def _function(expression: Any) -> Measure:
    known: Dict[int, int] = {}

    def count(side: int) -> int:
        if side not in known:
            known[side] = int(expression.xreplace({symbol: sympy.Integer(side) for symbol in expression.free_symbols}))
        return known[side]

    return count


def direction(expression: Any) -> Optional[int]:
    """How an expression goes when all of its sizes grow: 1 up or level, -1 down or level, 0 it is a number, None it depends."""
    if expression.is_number:
        return 0
    if expression.is_Symbol:
        return 1
    kind = type(expression).__name__
    if kind == "FloorDiv":
        above, below = expression.args
        return direction(above) if below.is_Integer and below > 0 else None
    if expression.is_Add or kind in ("Max", "Min"):
        ways = {direction(part) for part in expression.args} - {0}
        return ways.pop() if len(ways) == 1 else None
    if expression.is_Mul:
        scale, rest = expression.as_coeff_Mul()
        way = direction(rest) if len(sympy.Mul.make_args(rest)) == 1 else None
        return None if way is None else way if scale > 0 else -way
    return None
