"""Python's operators on known, symbolic and unknown values."""

from __future__ import annotations

import ast
import operator
from functools import partial
from typing import Any, Callable, Dict, List, Tuple

import torch

from torch_handbook_worker.tensors import arrays
from torch_handbook_worker.tensors.arrays import Array
from torch_handbook_worker.tensors.autograd import Operation
from torch_handbook_worker.tensors.bounds import is_heavy, operation
from torch_handbook_worker.tensors.holes import Hole, Scaled
from torch_handbook_worker.tensors.kernel_dtypes import dtype_refusal
from torch_handbook_worker.tensors.operation import Call
from torch_handbook_worker.tensors.outcome import raised, settle, unknown_result, untold
from torch_handbook_worker.tensors.python_calls import decided, truth
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.sizes import SYMBOLIC, choose
from torch_handbook_worker.tensors.sizes import compare as compare_sizes
from torch_handbook_worker.tensors.trace import span_of
from torch_handbook_worker.tensors.values import UNKNOWN, Stream, Unknown, each

Pair = Callable[[Any, Any], Any]
BINARY: Dict[type, Tuple[str, Pair, Pair]] = {
    ast.Add: ("+", operator.add, operator.iadd),
    ast.Sub: ("-", operator.sub, operator.isub),
    ast.Mult: ("*", operator.mul, operator.imul),
    ast.Div: ("/", operator.truediv, operator.itruediv),
    ast.FloorDiv: ("//", operator.floordiv, operator.ifloordiv),
    ast.Mod: ("%", operator.mod, operator.imod),
    ast.Pow: ("**", operator.pow, operator.ipow),
    ast.MatMult: ("@", operator.matmul, operator.imatmul),
    ast.BitAnd: ("&", operator.and_, operator.iand),
    ast.BitOr: ("|", operator.or_, operator.ior),
    ast.BitXor: ("^", operator.xor, operator.ixor),
    ast.LShift: ("<<", operator.lshift, operator.ilshift),
    ast.RShift: (">>", operator.rshift, operator.irshift),
}
ELEMENTWISE = frozenset(["+", "-", "*", "/", "**"])
SCALING = frozenset(["*", "//", "+", "-"])
LONGEST = 100_000  # values that are looked through
COMPARE: Dict[type, Tuple[str, Pair]] = {
    ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne), ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
}  # fmt: skip


def binary(frame: Frame, node: Any, kind: Any, left: Any, right: Any, in_place: bool = False) -> Any:
    """`left OP right`, or `left OP= right`."""
    symbol, plain, changing = BINARY[type(kind)]
    if isinstance(left, (int, Unknown, torch.SymInt)) and isinstance(right, (int, Unknown, torch.SymInt)) and symbol in SCALING:
        left, right = frame.session.sizes.number(left), frame.session.sizes.number(right)
    with frame.session.trace.at(frame.source.path, node):
        if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
            sides = (node.target, node.value) if isinstance(node, ast.AugAssign) else (node.left, node.right)
            name = symbol + "=" if in_place else symbol
            return _tensors(
                Call(frame, node, changing if in_place else plain, name, [left, right], {}, list(zip(sides, (left, right))))
            )
        if isinstance(left, Array) or isinstance(right, Array):
            return left if in_place and isinstance(left, Array) else arrays.binary(symbol, left, right)
        for side, other in ((left, right), (right, left)):
            if isinstance(side, Hole) and type(other) in (int, float) and symbol in ELEMENTWISE and not in_place:
                return Scaled(side)
        journal = frame.session.journal
        if isinstance(left, Unknown) or isinstance(right, Unknown) or journal.is_blurred(left) or journal.is_blurred(right):
            return _unknown(symbol, left, right)
        return _plain(frame, node, changing if in_place else plain, symbol, left, right)


def _unknown(symbol: str, left: Any, right: Any) -> Any:
    kinds = {value.kind if isinstance(value, Unknown) else type(value).__name__ for value in (left, right)}
    if kinds <= {"int", "bool"} and symbol != "/":
        return Unknown("int")
    if kinds <= {"int", "number", "bool", "float", "SymInt", "SymFloat"}:
        return Unknown("number" if symbol != "//" else "int")
    return Unknown("str" if kinds == {"str"} else "")


def _tensors(made: Call) -> Any:
    if any(isinstance(value, Unknown) for value in made.args):
        return unknown_result(_out_of_place(made))
    tensors = [value for value in made.args if isinstance(value, torch.Tensor)]
    sizes = made.frame.session.sizes
    sizes.told = False
    with made.frame.session.graph.executing(Operation(made.name, tensors)):
        try:
            result = made.callee(*made.args)
        except Exception as error:
            return raised(_out_of_place(made), error)
    unlike = dtype_refusal(made)
    if unlike is not None:
        return raised(_out_of_place(made), RuntimeError(unlike.text))
    if result is made.args[0]:
        return result
    return settle(made, untold(made, result) if sizes.told else result)


def _out_of_place(made: Call) -> Call:
    if made.name.endswith("=") and made.name[:-1] in ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^"):
        made.name = made.name[:-1]
    return made


def _plain(frame: Frame, node: ast.AST, function: Pair, symbol: str, left: Any, right: Any) -> Any:
    for items, times in ((left, right), (right, left)):
        if symbol == "*" and isinstance(items, (list, tuple, str, bytes)) and isinstance(times, SYMBOLIC):
            return Unknown(item=partial(operator.getitem, items, 0) if len(items) else None)
    if symbol == "%" and isinstance(left, (str, bytes)) and any(isinstance(value, SYMBOLIC) for value in each([right])):
        return Unknown("str" if isinstance(left, str) else "")
    too_large = operation(symbol, left, right)
    if too_large is not None:
        return too_large
    if isinstance(left, (list, set, dict)):
        frame.session.journal.content(left)
    sizes = frame.session.sizes
    sizes.written = True
    try:
        return function(left, right)
    except Exception as error:
        frame.session.trace.gap(span_of(node), str(error), frame.source.path)
        return UNKNOWN
    finally:
        sizes.written = False


def unary(frame: Frame, node: Any, kind: Any, value: Any) -> Any:
    """`-x`, `+x`, `~x`, `not x`."""
    if isinstance(kind, ast.Not):
        verdict = decided(frame.session, value)
        return Unknown("bool") if verdict is None else not verdict
    if isinstance(value, Unknown):
        return value if isinstance(value, Array) else Unknown(value.kind)
    function = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}[type(kind)]
    with frame.session.trace.at(frame.source.path, node):
        made = Call(frame, node, function, "-" if isinstance(kind, ast.USub) else "~", [value], {}, [(node.operand, value)])
        try:
            result = function(value)
        except Exception as error:
            return raised(made, error)
        return settle(made, result) if isinstance(value, torch.Tensor) else result


def compare(frame: Frame, node: Any, values: List[Any]) -> Any:
    """`a < b <= c`."""
    verdict: Any = True
    for kind, left, right in zip(node.ops, values, values[1:]):
        result = _compare_pair(frame, node, kind, left, right)
        if len(values) == 2:
            return result
        one = truth(result)
        if one is False:
            return False
        verdict = None if one is None else verdict
    return Unknown("bool") if verdict is None else True


def _compare_pair(frame: Frame, node: Any, kind: Any, left: Any, right: Any) -> Any:
    if isinstance(kind, (ast.Is, ast.IsNot)):
        return _identity(left, right, isinstance(kind, ast.IsNot))
    if isinstance(kind, (ast.In, ast.NotIn)):
        return _membership(frame, left, right, isinstance(kind, ast.NotIn))
    symbol, function = COMPARE[type(kind)]
    if isinstance(left, Array) or isinstance(right, Array):
        return arrays.binary(symbol, left, right)
    if isinstance(left, (Unknown, Stream)) or isinstance(right, (Unknown, Stream)):
        if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
            return unknown_result(Call(frame, node, function, symbol, [left, right]))
        return Unknown("bool" if _is_scalar(left) and _is_scalar(right) else "")
    if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
        with frame.session.trace.at(frame.source.path, node):
            return _tensors(
                Call(frame, node, function, symbol, [left, right], {}, [(node.left, left), (node.comparators[0], right)])
            )
    try:
        if isinstance(left, SYMBOLIC) or isinstance(right, SYMBOLIC):
            known = compare_sizes(symbol, left, right)
            if known is None and symbol in ("==", "!="):
                choose(left, right)
            return Unknown("bool") if known is None else known
        if (
            isinstance(left, (list, tuple, dict))
            and isinstance(right, (list, tuple, dict))
            and (is_heavy(left) or is_heavy(right))
        ):
            return Unknown("bool")
        return _shapes(symbol, left, right) if symbol in ("==", "!=") and type(left) is torch.Size else function(left, right)
    except Exception:
        return Unknown("bool")


def _is_scalar(value: Any) -> bool:
    """Whether it is no tensor, known or not."""
    return bool(value.kind) if isinstance(value, Unknown) else not isinstance(value, Stream)


def _shapes(symbol: str, left: Any, right: Any) -> Any:
    """Two shapes are the same where each pair of sizes is."""
    if not isinstance(right, (tuple, torch.Size)) or len(left) != len(right):
        return symbol == "!="
    answers = [compare_sizes("==", one, other) for one, other in zip(left, right)]
    if False in answers:
        return symbol == "!="
    return Unknown("bool") if None in answers else symbol == "=="


def _identity(left: Any, right: Any, negative: bool) -> Any:
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return Unknown("bool")
    return (left is not right) if negative else (left is right)


def _membership(frame: Frame, left: Any, right: Any, negative: bool) -> Any:
    if isinstance(left, (Unknown, torch.Tensor)) or isinstance(right, (Unknown, Stream, torch.Tensor)):
        return Unknown("bool")
    if frame.session.journal.is_blurred(right):
        return Unknown("bool")
    if is_heavy(left) or is_heavy(right, LONGEST):
        return Unknown("bool")
    if isinstance(left, torch.SymInt) and isinstance(right, (list, tuple)) and right:
        choose(left, right[0])
    try:
        found = left in right
    except Exception:
        return Unknown("bool")
    if not found and isinstance(right, (list, tuple, set)) and any(isinstance(item, Unknown) for item in right):
        return Unknown("bool")
    return found != negative
