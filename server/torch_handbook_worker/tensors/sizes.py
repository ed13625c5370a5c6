"""Free sizes: torch's own symbolic integers, each with a name that a reader knows, and never a guard on one."""

from __future__ import annotations

import contextlib
import operator
import re
from fractions import Fraction
from typing import Any, Dict, Generator, List, NamedTuple, Optional, Set, Tuple, Union

import sympy
import torch
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._sympy.value_ranges import ValueRanges

from torch_handbook_worker.tensors import algebra
from torch_handbook_worker.tensors.size_names import is_number, witness_of
from torch_handbook_worker.tensors.size_texts import as_python
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown

algebra.mend()

# The numbers that stand for a free size while torch decides something. They divide by all that networks divide by, are
# larger than any kernel, and no two are equal or a simple multiple of each other.
WITNESSES = {"N": 48, "C": 240, "T": 336, "L": 336, "D": 672, "H": 6720, "W": 4032}
OTHERS = (480, 720, 1008, 1200, 1440, 1680, 2160, 2400, 2640, 2880, 3120, 3360)


FREE = "?"  # what is shown of a size that has no name
UNNAMED = re.compile(r"\bn\d+\b")


class Made(NamedTuple):
    """How a free size was made: what it was to be called, what it was shown as at first, and in which round of a loop."""

    name: str
    shown: str
    born: int


class Sizes(ShapeEnv):
    """Answers torch's questions about free sizes by their witnesses, and remembers nothing of it: no size is specialised."""

    def __init__(self) -> None:
        super().__init__(specialize_zero_one=False, duck_shape=False)
        self.names: Dict[str, str] = {}  # symbol to name
        self.taken: Dict[str, int] = {}
        self.made: Dict[str, Made] = {}  # by symbol
        self.first = 0  # how many free sizes the parts of the walk have made that came before
        self.witnesses: Dict[Any, Any] = {}  # symbol to the number that stands for it
        self.answers: Dict[Any, Any] = {}
        self.lengths: Dict[Any, int] = {}
        self.cuts: Dict[Any, Any] = {}  # operator and operands to the node of the free size that stands for the result
        self.cut = 0  # how often such a node was the result
        self.computed: Dict[Any, Any] = {}  # operator and operands to the node of the result
        self.constants: Dict[Any, Any] = {}  # plain values to their nodes
        self.plain: Dict[Any, Any] = {}  # expression to the plain number that it is, or None
        self.texts: Dict[Any, Union[int, str]] = {}  # expression to what is shown
        self.assumed: Dict[str, str] = {}  # while an object is made: the free sizes that stand for defaults, and their parameters
        self.told = False  # whether torch took the witness of a free size for a plain number
        self.written = False  # whether the user's own code computes, and not torch, which divides only where nothing is left
        self.pieces: Dict[Any, Any] = {}  # symbol of the length of a piece of data to the length that all but the last ones have
        self.unsure: Set[Any] = set()  # symbols of numbers that the code does not tell: they may be no size at all
        self.usual: Dict[str, int] = {}  # by the name that is shown: the default of the option that a free size stands for
        self.least: Dict[Any, int] = {}  # the least number that a symbol may be, where that is not 1
        self.is_rounded = False  # whether torch rounded a size by what stood for it, so that an expression may be 1 too large
        self.numbers: Optional[Dict[str, int]] = None  # with these, every size is a number: those of a walk that only checks

    def begin(self) -> None:
        """Begin a part of the walk: its free sizes get their names, and the numbers that stand for them, as in the first one."""
        self.taken.clear()
        self.is_rounded = False
        self.first = len(self.names)

    def evaluate_sym_node(self, sym_node: Any, *arguments: Any, **named: Any) -> Any:
        hint = sym_node.hint
        return super().evaluate_sym_node(sym_node, *arguments, **named) if hint is None else hint

    def _constrain_range_for_size(self, *arguments: Any, **named: Any) -> None:
        return None

    def constrain_symbol_range(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, *arguments: Any, **named: Any
    ) -> None:
        return None

    def replace(self, expr: Any) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return expr  # no size is ever replaced by another

    def evaluate_expr(self, orig_expr: Any, hint: Any = None, *arguments: Any, **named: Any) -> Any:
        if hint is None:
            hint = self.with_witnesses(orig_expr)
        if hint is not None:
            return hint
        with self.suppress_guards():
            return super().evaluate_expr(orig_expr, hint, *arguments, **named)

    def _maybe_evaluate_static(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, expr: Any, *arguments: Any, **named: Any
    ) -> Any:
        answer = self.with_witnesses(expr)
        return super()._maybe_evaluate_static(expr, *arguments, **named) if answer is None else answer

    def with_witnesses(self, expression: Any) -> Any:
        """The value of an expression when each free size is its witness; None where that is not a plain value."""
        known = self.answers.get(expression)
        if known is None:
            found = expression.xreplace(self.witnesses) if hasattr(expression, "xreplace") else expression
            known = found if getattr(found, "is_number", False) or str(found) in ("True", "False") else None
            self.answers[expression] = known
        return known

    def create_unbacked_symint(self, *arguments: Any, **named: Any) -> Any:
        made = self.symbol("n", born=Unknown.handbook_round)
        self.least[made.node.expr] = 0  # a mask may choose nothing
        return made

    def length(self, expression: Any) -> int:
        """How many parts an expression has."""
        known = self.lengths.get(expression)
        if known is None:
            known = self.lengths[expression] = 1 + sum(self.length(part) for part in getattr(expression, "args", ()))
        return known

    def free(self, name: str, witness: int = 0, born: Optional[int] = None) -> Any:
        """A new free size that is shown as `name` (with a number behind it when that name is taken).

        It belongs to the round of a loop in which it was `born`: the present one, if nothing else is said.
        """
        if self.numbers is not None:
            return self.numbers.get(name, witness or WITNESSES.get(name, OTHERS[0]))
        return self.symbol(name, witness, Unknown.handbook_round if born is None else born)

    def symbol(self, name: str, witness: int = 0, born: int = 0) -> Any:
        """The same, also in a walk in which all other sizes are numbers."""
        count = self.taken.get(name, 0)
        self.taken[name] = count + 1
        shown = name if not count else f"{name}{count + 1}"
        if witness < 1:
            witness = WITNESSES[name] + 48 * count if name in WITNESSES else OTHERS[(len(self.names) - self.first) % len(OTHERS)]
        symbol = sympy.Symbol(f"s{len(self.names):05d}", positive=True, integer=True)
        self.names[str(symbol)] = shown
        self.made[str(symbol)] = Made(name, shown, born)
        self.witnesses[symbol] = sympy.Integer(witness)
        for registry in ("var_to_val", "backed_var_to_val", "var_to_hint_override"):
            if registry in vars(self) and isinstance(vars(self)[registry], dict):
                vars(self)[registry][symbol] = sympy.Integer(witness)
        self.var_to_range[symbol] = ValueRanges(1, 1 << 40)
        return torch.SymInt(SymNode(symbol, self, int, witness))

    def born(self, *expressions: Any) -> int:
        """The latest round that a part of some expressions belongs to; 0 where they belong to none."""
        parts = [str(symbol) for expression in expressions for symbol in getattr(expression, "free_symbols", ())]
        return max((self.made[part].born for part in parts if part in self.made), default=0)

    def state(self) -> Tuple[int, int]:
        """What is another one after a new free size was made, or one stood for a long expression."""
        return len(self.names), self.cut

    def standing_for(self, unknown: Unknown) -> Any:
        """The free size that stands for an unknown number: always the same one."""
        if unknown is UNKNOWN or unknown.number is None:
            made = self.free(unknown.name or "n", witness_of(unknown.name), None if unknown is UNKNOWN else unknown.handbook_born)
            if isinstance(made, torch.SymInt):
                self.unsure.add(made.node.expr)
                if unknown.usual is not None:
                    self.usual[self.names[str(made.node.expr)]] = unknown.usual
            if unknown is UNKNOWN:
                return made
            unknown.number = made
        return unknown.number

    def number(self, value: Any) -> Any:
        """A value as a size, where it is an unknown option that its name calls a size: `config.n_embd`."""
        if not isinstance(value, Unknown) or value.kind not in ("", "int") or value is UNKNOWN:
            return value
        return self.standing_for(value) if value.number is not None or is_number(value.name, value.kind) else value

    def show(self, size: Any) -> Union[int, str]:
        """The size as a number or as an expression of names: 3, "N", "16*((H - 4)//2)"."""
        if isinstance(size, int):
            return size
        expression = size.node.expr
        shown = self.texts.get(expression)
        if shown is None:
            shown = self.texts[expression] = self._shown(str(expression))
        return shown

    def _shown(self, expression: str) -> Union[int, str]:
        if re.fullmatch(r"-?\d+", expression):
            return int(expression)
        text = as_python(self.renamed(expression))
        return FREE if UNNAMED.search(text) else text

    def renamed(self, text: str) -> str:
        """A text of torch's with the names of the free sizes in place of its symbols."""
        return re.sub(r"\b[a-z]+\d+\b", lambda found: self.names.get(found.group(), found.group()), text)


class Chosen(BaseException):
    """Code chooses by the number that a default is. Not an Exception, so that nothing on the way catches it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def choose(*sides: Any) -> None:
    """Raises `Chosen` where one of two numbers that are compared stands for a default, and the other is a plain one."""
    for side, other in (sides, sides[::-1]):
        if isinstance(side, torch.SymInt) and isinstance(other, int):
            sizes = side.node.shape_env
            if isinstance(sizes, Sizes) and str(side) in sizes.assumed:
                raise Chosen(sizes.assumed[str(side)])


COMPARISONS = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


# An expression with more parts than this becomes a free size of its own: the algebra behind it takes longer and longer, and
# nobody reads it.
LONGEST = {"floordiv": 16, "int_floordiv": 16, "mod": 16, "mul": 40, "add": 40, "sub": 40}


@contextlib.contextmanager
def compared_by_witnesses() -> Generator[None, None, None]:
    """Torch's own comparisons of free sizes are answered by their witnesses at once, and long expressions are cut."""
    names = [name for name in (*COMPARISONS, *LONGEST) if hasattr(SymNode, name)]
    kept = {name: getattr(SymNode, name) for name in (*names, "guard_int")}
    SymNode.guard_int = _guarded(kept["guard_int"])
    for name in names:
        setattr(SymNode, name, _compared(name, kept[name]) if name in COMPARISONS else _cut(name, kept[name]))
    try:
        yield
    finally:
        for name, original in kept.items():
            setattr(SymNode, name, original)


def _guarded(original: Any) -> Any:
    def guard_int(self: Any, *arguments: Any) -> Any:
        if isinstance(self.shape_env, Sizes) and not self.expr.is_Integer:
            self.shape_env.told = True
        return original(self, *arguments)

    return guard_int


def _compared(name: str, original: Any) -> Any:
    function = COMPARISONS[name]

    def compare_nodes(self: Any, other: Any) -> Any:
        left, right = self.hint, other.hint
        return original(self, other) if left is None or right is None else self.wrap_bool(bool(function(left, right)))

    return compare_nodes


ARITHMETIC = {
    "floordiv": operator.floordiv, "int_floordiv": operator.floordiv, "mod": operator.mod, "mul": operator.mul,
    "add": operator.add, "sub": operator.sub,
}  # fmt: skip


def _cut(name: str, original: Any) -> Any:
    longest, function = LONGEST[name], ARITHMETIC[name]

    def compute(self: Any, other: Any) -> Any:
        sizes = self.shape_env
        if not isinstance(sizes, Sizes) or self.pytype is not int or self.hint is None or getattr(other, "hint", None) is None:
            return original(self, other)
        left, right = self._expr, other.expr
        if name.endswith("floordiv") and not sizes.written and type(right).__name__ == "FloorDiv" and right.args[0] == left:
            return other.wrap_int(int(right.args[1])) if right.args[1].is_Integer else node_of(sizes, right.args[1])
        if sizes.length(left) + sizes.length(right) <= longest or other.pytype is not int:
            return _as_product(sizes, original(self, other), left, right) if name == "mul" else original(self, other)
        value = int(function(self.hint, other.hint))
        if value < 1:
            return original(self, other)
        key = (name.replace("int_", ""), left, right)
        sizes.cut += 1
        if key not in sizes.cuts:
            sizes.cuts[key] = sizes.symbol("n", value, sizes.born(left, right)).node
        return sizes.cuts[key]

    return compute


def _as_product(sizes: Sizes, made: Any, left: Any, right: Any) -> Any:
    """A product stays one: torch 2.4 multiplies sums out."""
    expression = getattr(made, "_expr", None)
    if expression is None or not expression.is_Add or (left * right).is_Add:
        return made
    return node_of(sizes, left * right)


def compare(symbol: str, left: Any, right: Any) -> Any:
    """True or False where a comparison of sizes holds or fails for all of them; None where it depends on one."""
    relations = {"==": sympy.Eq, "!=": sympy.Ne, "<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge}
    sides = [side.node.expr if isinstance(side, SYMBOLIC) else sympy.sympify(side) for side in (left, right)]
    answer = str(relations[symbol](*sides))
    return answer == "True" if answer in ("True", "False") else None


def divided(wanted: Any, product: Any, factor: Any) -> Any:
    """What `factor` has to be so that `product`, a multiple of it, is `wanted`; None where that is no whole number for sure."""
    expression, symbol = product.node.expr, factor.node.expr
    if symbol not in expression.free_symbols:
        return None
    found = sympy.cancel((wanted.node.expr if isinstance(wanted, SYMBOLIC) else sympy.Integer(wanted)) * symbol / expression)
    if symbol in found.free_symbols or not found.is_polynomial() or found.is_integer is not True:
        return None
    if found.is_Integer:
        return int(found) if found > 0 else None
    sizes = factor.node.shape_env
    return torch.SymInt(node_of(sizes, found))


def whole(number: Any) -> Any:
    """`int()` of a free number that is a size times or by a plain number, as a size; None where it is another one."""
    expression = number.node.expr
    sizes = number.node.shape_env
    if type(expression).__name__ == "IntTrueDiv":
        above, below = expression.args
        return _size(sizes, above) // _size(sizes, below)
    factor, rest = expression.as_coeff_Mul()
    if type(rest).__name__ == "ToFloat" and factor > 0:
        ratio = Fraction(float(factor)).limit_denominator(1000)
        if float(ratio) == float(factor):
            return _size(sizes, rest.args[0]) * ratio.numerator // ratio.denominator
    return None


def _size(sizes: Sizes, expression: Any) -> Any:
    return int(expression) if expression.is_Integer else torch.SymInt(node_of(sizes, expression))


def node_of(sizes: Sizes, expression: Any) -> Any:
    """The node of a size that is an expression of others."""
    return SymNode(expression, sizes, int, int(sizes.with_witnesses(expression)))


def forget_expressions() -> None:
    """Let the algebra forget what it computed."""
    sympy.core.cache.clear_cache()


def is_free(size: Any) -> bool:
    """Whether it is a size that is not a plain number."""
    return isinstance(size, torch.SymInt) and fixed(size) is None


def fixed(size: Any) -> Any:
    """The number that a size is for sure, or None."""
    if isinstance(size, int):
        return int(size)
    if isinstance(size, torch.SymInt):
        expression = getattr(size.node, "expr", None)
        if expression is not None and getattr(expression, "is_Integer", False):
            return int(expression)
    return None


def expression_of(size: Any) -> Any:
    """What two sizes have in common that are the same: a number, or the expression of a free one."""
    return size.node.expr if isinstance(size, torch.SymInt) else size


def certain(condition: Any) -> Any:
    """True or False where a symbolic condition holds or fails for every size; None where it depends on one."""
    if isinstance(condition, bool):
        return condition
    expression = getattr(condition.node, "expr", None)
    text = str(expression)
    if text in ("True", "False"):
        return text == "True"
    return None


def shape_of(tensor: Any) -> List[Any]:
    """The sizes of a tensor: ints, or SymInts that are free."""
    sizes: List[Any] = []
    for size in tensor.shape:
        known = fixed(size)
        sizes.append(size if known is None else known)
    return sizes


def witness(size: Any) -> int:
    """The number that stands for a size."""
    known = fixed(size)
    if known is not None:
        return int(known)
    hint = getattr(size.node, "hint", None)
    return int(hint) if hint is not None else 2


SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)
