"""The algebra of sizes, mended where this torch knows less of it than newer ones do: (H - 4)//2 is H//2 - 2."""

from __future__ import annotations

from typing import Any

import sympy
from torch.utils._sympy import functions

FLOOR: Any = functions.FloorDiv
CEILING: Any = getattr(functions, "CeilToInt", None)
DIVIDED: Any = getattr(functions, "IntTrueDiv", None)


def mend() -> None:
    """Give torch's functions the rules that they lack."""
    size = sympy.Symbol("handbook_size", positive=True, integer=True)
    if FLOOR(size - 4, 2) != FLOOR(size, 2) - 2:
        mend_floor(FLOOR)
    if CEILING is not None and DIVIDED is not None and CEILING(DIVIDED(size, 1)) != size:
        mend_ceiling(CEILING)


def mend_floor(function: Any) -> None:
    """Let a floor of a sum give back the parts that are multiples of the divisor."""
    original = function.eval.__func__

    def evaluate(kind: Any, base: Any, divisor: Any) -> Any:
        if divisor.is_Integer and divisor > 1 and base.is_Add:
            whole = [term for term in base.args if (term / divisor).is_integer is True and _has_whole_factors(term / divisor)]
            if whole:
                return kind(base - sympy.Add(*whole), divisor) + sympy.Add(*(term / divisor for term in whole))
        return original(kind, base, divisor)

    function.eval = classmethod(evaluate)


def _has_whole_factors(term: Any) -> bool:
    """Whether it has no fraction in it, which the algebra takes for whole beside a floor."""
    return all(number.q == 1 for number in term.atoms(sympy.Rational))


def mend_ceiling(function: Any) -> None:
    """Let a quotient of whole numbers that is rounded up be a floor, or the number itself."""
    original = function.eval.__func__

    def evaluate(kind: Any, number: Any) -> Any:
        if isinstance(number, DIVIDED):
            base, divisor = number.args
            if divisor.is_Integer and divisor > 0 and base.is_integer:
                return base if divisor == 1 else FLOOR(base + divisor - 1, divisor)
        return original(kind, number)

    function.eval = classmethod(evaluate)
