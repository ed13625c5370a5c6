"""Writing down what a tensor is: as a comment that Torch Handbook reads, or as an annotation of jaxtyping."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch_handbook_worker.protocol import Size, TensorFact

from torch_handbook.engine.rule import Edit
from torch_handbook.snapshot import Snapshot
from torch_handbook.source.text import Position, Span, span_of

UNKNOWN: tuple[Size, ...] = ("B", "_")  # what stands for a shape of which nothing is known
CLASSES = {
    "float32": "Float32", "float16": "Float16", "bfloat16": "BFloat16", "float64": "Float64", "int64": "Int64", "int32": "Int32",
    "int16": "Int16", "int8": "Int8", "uint8": "UInt8", "bool": "Bool",
}  # fmt: skip
WIDER = {"Float32": "Float", "Float16": "Float", "BFloat16": "Float", "Float64": "Float", "Int64": "Int", "Int32": "Int",
         "Int16": "Int", "Int8": "Int"}  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Saying:
    """A title and the edit that writes it."""

    title: str
    edit: Edit


def sayings(snapshot: Snapshot, position: Position) -> Iterator[Saying]:
    """What can be written down of the name at a place: a parameter of a function, or a name that is assigned."""
    node = _node_at(snapshot, position)
    if node is None:
        return
    name = node.arg if isinstance(node, ast.arg) else node.id
    fact = snapshot.facts.tensor(node)
    if fact is None and not _may_be_tensor(snapshot, node):
        return
    if f"torch-handbook: {name} =" not in snapshot.text.content:
        yield Saying(f"Say the shape of {name}", _comment(snapshot, node, comment_of(name, fact)))
    if isinstance(node, ast.arg) and node.annotation is None and fact is not None and (text := annotation_of(snapshot, fact)):
        end = Span(node.lineno, span_of(node).end_column, node.lineno, span_of(node).end_column)
        yield Saying(f"Annotate {name} as {text}", Edit(end, f": {text}"))


def _node_at(snapshot: Snapshot, position: Position) -> ast.arg | ast.Name | None:
    """The parameter or the assigned name at a place."""
    for node in snapshot.file.index.all(ast.arg):
        if _name_span(node).contains(position):
            function = snapshot.file.enclosing(node, *FUNCTIONS, ast.Lambda)
            first = function.args.args[:1] if isinstance(function, FUNCTIONS) else []
            is_self = first == [node] and node.arg in ("self", "cls")
            return node if isinstance(function, FUNCTIONS) and not is_self else None
    for node in snapshot.file.index.all(ast.Name):
        if isinstance(node.ctx, ast.Store) and span_of(node).contains(position):
            return node
    return None


def _name_span(node: ast.arg) -> Span:
    return Span(node.lineno, node.col_offset, node.lineno, node.col_offset + len(node.arg.encode()))


def _may_be_tensor(snapshot: Snapshot, node: ast.arg | ast.Name) -> bool:
    """Where nothing is known: a parameter of forward, or one that is annotated as a tensor."""
    if snapshot.facts.of(node) is not None or not isinstance(node, ast.arg):
        return False
    function = snapshot.file.enclosing(node, *FUNCTIONS)
    annotation = ast.unparse(node.annotation) if node.annotation else ""
    is_input = isinstance(function, FUNCTIONS) and function.name == "forward" and not annotation
    return snapshot.facts.known and (is_input or annotation.endswith("Tensor"))


def comment_of(name: str, fact: TensorFact | None) -> str:
    """ "# torch-handbook: x = (B, 3, 224, 224)" """
    shape = UNKNOWN if fact is None else [size if isinstance(size, int) or size.isidentifier() else "_" for size in fact.shape]
    inside = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    dtype = "" if fact is None or fact.dtype == "float32" else f" {fact.dtype}"
    return f"# torch-handbook: {name} = ({inside}){dtype}"


def _comment(snapshot: Snapshot, node: ast.arg | ast.Name, comment: str) -> Edit:
    """The comment behind the line that it is about; on a line of its own where there is no room behind it."""
    text, line = snapshot.text, node.lineno
    function = snapshot.file.enclosing(node, *FUNCTIONS) if isinstance(node, ast.arg) else None
    if isinstance(function, FUNCTIONS):
        first = function.body[0]
        behind = first.lineno > line and text.line(line).rstrip().endswith(":")
        above = first.lineno
    else:
        behind, above = _ends_on_line(snapshot, node, line), line
    if behind and "#" not in text.line(line):
        width = len(text.line(line).rstrip().encode("utf-8", "surrogatepass"))
        return Edit(Span(line, width, line, width), f"  {comment}")
    indent = text.line(above)[: len(text.line(above)) - len(text.line(above).lstrip())]
    return Edit(Span(above, 0, above, 0), f"{indent}{comment}\n")


def _ends_on_line(snapshot: Snapshot, node: ast.AST, line: int) -> bool:
    """Whether nothing else stands behind the line of a name in its statement, or in the head of a loop."""
    statement = next((one for one in snapshot.file.grown.ancestors(node) if isinstance(one, ast.stmt)), None)
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)):
        return statement.body[0].lineno > line and snapshot.text.line(line).rstrip().endswith(":")
    return statement is not None and statement.end_lineno == line


def annotation_of(snapshot: Snapshot, fact: TensorFact) -> str | None:
    """ "Float[Tensor, 'B C H W']" in the names that the file has; None where it does not import jaxtyping."""
    exact = CLASSES.get(fact.dtype)
    head = next(
        (found for kind in (exact, WIDER.get(exact or "")) if kind and (found := _spelt(snapshot, "jaxtyping", kind))), None
    )
    tensor = _spelt(snapshot, "torch", "Tensor")
    if head is None or tensor is None:
        return None
    axes = " ".join(str(size) if isinstance(size, int) or size.isidentifier() else "_" for size in fact.shape)
    return f'{head}[{tensor}, "{axes}"]'


def _spelt(snapshot: Snapshot, module: str, name: str) -> str | None:
    """How the file writes a name of a module: as it imported it, or behind the module's own name."""
    behind = None
    for node in snapshot.file.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == module and not node.level:
            for alias in node.names:
                if alias.name == name:
                    return alias.asname or name
        elif isinstance(node, ast.Import):
            behind = next((f"{alias.asname or module}.{name}" for alias in node.names if alias.name == module), behind)
    return behind
