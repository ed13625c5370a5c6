"""Shapes that the user states in `# torch-handbook: x = (B, 3, 224, 224)`, read as text: nothing of them is run."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import torch

from torch_handbook_worker.protocol import Failure, Span
from torch_handbook_worker.tensors.annotations import Shape, annotated
from torch_handbook_worker.tensors.holes import Hole
from torch_handbook_worker.tensors.promises import is_loose
from torch_handbook_worker.tensors.sizes import Sizes, fixed, shape_of
from torch_handbook_worker.tensors.trace import Trace
from torch_handbook_worker.tensors.values import Unknown

Axes = List[Union[int, str]]
REASON = "comment"
DIRECTIVE = re.compile(r"#\s*torch-handbook:(?!\s*ignore\b)\s*(?P<rest>[^#]*[^#\s])", re.IGNORECASE)
ONE = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=\s*[(\[](?P<axes>[^()\[\]]*)[)\]]\s*(?P<dtype>\w+)?")
SIZE = re.compile(r"\d{1,9}|[A-Za-z_]\w*")
HOW = "write a shape as x = (B, 3, 224, 224), and a dtype behind it where it is another than float32: x = (B, T) int64"


@dataclass(frozen=True)
class Statement:
    """What one comment says of one name."""

    name: str
    shape: Shape
    span: Span  # of the comment


@dataclass
class Stated:
    """The statements of a file, by the line of the name that they are about or by the function whose parameter it is."""

    sizes: Sizes
    trace: Trace
    lines: Dict[Tuple[int, str], Statement] = field(default_factory=dict)
    parameters: Dict[Tuple[Any, str], Statement] = field(default_factory=dict)
    named: Dict[str, Any] = field(default_factory=dict)  # the free sizes by their names

    own: Optional[Dict[str, Any]] = None  # those among them that the file's own code has made

    def begin(self) -> None:
        """Begin with a function that nothing calls: names of other such functions mean nothing to it."""
        self.own = dict(self.named) if self.own is None else self.own
        self.named = dict(self.own)

    def value(self, target: Any, value: Any) -> Any:
        """What a name is bound to: the tensor that is stated where nothing is known; what is known otherwise."""
        statement = self.lines.get((target.lineno, target.id))
        return value if statement is None else self._settled(statement, value)

    def of_parameter(self, node: Any, name: str, value: Any) -> Any:
        """The same for a parameter of a function that is called."""
        statement = self.parameters.get((node, name))
        return value if statement is None else self._settled(statement, value)

    def _settled(self, statement: Statement, value: Any) -> Any:
        if isinstance(value, Unknown):
            return tensor_of(statement.shape, self.sizes, self.named)
        if isinstance(value, torch.Tensor) and not is_loose(value) and not self.trace.branches and not self.trace.expected:
            said, sizes = f"({', '.join(map(str, statement.shape.axes))})", [self.sizes.show(size) for size in shape_of(value)]
            if differs(statement.shape.axes, value):
                self._say(
                    statement, f"{statement.name} is [{', '.join(map(str, sizes))}] here, not {said}", "shape-comment-wrong"
                )
            elif statement.shape.typed and statement.shape.dtype != value.dtype:
                text = f"{statement.name} is {str(value.dtype)[6:]} here, not {str(statement.shape.dtype)[6:]}"
                self._say(statement, text, "shape-comment-wrong")
        return value

    def _say(self, statement: Statement, text: str, kind: str) -> None:
        complain(self.trace, statement.span, text, kind)


def complain(trace: Trace, span: Span, text: str, kind: str) -> None:
    """A comment is wrong, or cannot be read."""
    trace.fail(Failure(span, REASON, "", "", text, [], {"kind": kind}), trace.path)


def differs(axes: Axes, tensor: Any) -> bool:
    """Whether a shape that is stated cannot be that of a tensor: another number of axes, another number on one of them, or two
    numbers for one name."""
    if len(axes) != tensor.dim():
        return True
    named: Dict[str, int] = {}
    for said, size in zip(axes, tensor.shape):
        known = fixed(size)
        if known is not None and said != "_" and (said if isinstance(said, int) else named.setdefault(said, known)) != known:
            return True
    return False


def tensor_of(shape: Shape, sizes: Sizes, named: Dict[str, Any]) -> Any:
    """A tensor of the shape that is stated; one name is one size wherever it stands."""
    made: List[Any] = []
    for axis in shape.axes:
        if isinstance(axis, str):
            if axis == "_" or axis not in named:
                named[axis] = sizes.free("n" if axis == "_" else axis, born=0)
            axis = named[axis]
        made.append(axis)
    tensor: Any = torch.empty(made, dtype=shape.dtype)
    if not shape.typed:
        tensor.handbook_loose = "dtype"
    return tensor


def read(text: str, tree: ast.Module, sizes: Sizes, trace: Trace) -> Optional[Stated]:
    """The statements of a file; None where there are none, which is nearly always. What cannot be read is complained of."""
    if "torch-handbook:" not in text:
        return None
    stated = Stated(sizes, trace)
    comments = dict(_comments(text))
    for line, (span, found) in comments.items():
        for part in found.split(";"):
            statement = _statement(part.strip(), span)
            if isinstance(statement, str):
                complain(trace, span, statement, "shape-comment-unreadable")
            elif not _place(stated, tree, statement, line, set(comments)):
                where = f"no {statement.name} is assigned on this line or the next one, and none is a parameter here"
                complain(trace, span, where, "shape-comment-unreadable")
    return stated


def _comments(text: str) -> Iterator[Tuple[int, Tuple[Span, str]]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            found = DIRECTIVE.match(token.string) if token.type == tokenize.COMMENT else None
            if found is not None:
                line, start = token.start[0], len(token.line[: token.start[1]].encode())
                yield line, ((line, start, line, start + len(token.string.encode())), found["rest"])
    except (tokenize.TokenError, SyntaxError):
        return


def _statement(text: str, span: Span) -> Union[Statement, str]:
    """One statement, or what is wrong with it."""
    found = ONE.fullmatch(text)
    if found is None:
        return HOW
    axes: Axes = []
    for part in filter(None, map(str.strip, found["axes"].split(","))):
        if SIZE.fullmatch(part) is None:
            return f"{part} is no size: an axis is a number, a name, or _ for one that does not matter"
        axes.append(int(part) if part.isdigit() else part)
    name = found["dtype"] or ""
    dtype: Any = getattr(torch, name, None) if name else torch.float32
    if not isinstance(dtype, torch.dtype):
        return f"{name} is no dtype of torch"
    return Statement(found["name"], Shape(axes, dtype, typed=bool(name)), span)


def _place(stated: Stated, tree: ast.Module, statement: Statement, line: int, comments: Any) -> bool:
    """Find what a statement is about: a name that is bound on its line, or below it where it has a line of its own."""
    below = line + 1
    while below in comments:  # several comments above one line
        below += 1
    function = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == statement.name:
            if node.lineno in (line, below):
                stated.lines[node.lineno, node.id] = statement
                return True
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno - 1 <= line <= (node.end_lineno or 0):
            names = [row.arg for row in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            if statement.name in names:
                function = node  # walked from the outside inwards: the last one is the innermost
    if function is not None:
        stated.parameters[function, statement.name] = statement
    return function is not None


def fill(stated: Optional[Stated], node: Any, holes: Dict[str, Hole]) -> None:
    """Say what fits into the holes of a function: what a comment of ours states, else its annotations."""
    for name, hole in holes.items():
        statement = stated.parameters.get((node, name)) if stated is not None else None
        shape = statement.shape if statement is not None else annotated(node, name)
        if shape is not None and hole.axes is None:
            hole.axes = ["" if axis == "_" else axis for axis in shape.axes]
            hole.dtype, hole.typed = shape.dtype, shape.typed


def is_stated(stated: Optional[Stated], node: Any, name: str) -> bool:
    """Whether a comment of ours states the shape of a parameter: it is an input then, even if it has a default."""
    return stated is not None and (node, name) in stated.parameters
