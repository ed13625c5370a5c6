"""Where a file expects trouble: code for several versions of torch, and errors that a test waits for."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_handbook.source.file import File
    from torch_handbook.source.scopes import Binding

# The words of a name that speaks of a version, or of what torch has in some versions. A name that says no more than that a
# device or a library is there does not: the same torch runs on either side of `if torch.cuda.is_available():`.
VERSIONED = re.compile(
    r"(?<![A-Za-z])(?:version|VERSION)|Version|torch_?\d|TORCH_(?:MAJOR|MINOR|V\d|NEW|OLD|HAS|\d)"
    r"|_GE_|_GT_|_LE_|_LT_|_GREATER|_LESS|_greater|_less"
)
AVAILABLE = re.compile(r"^(?P<what>\w*?)_?available$", re.IGNORECASE)
PART_OF_TORCH = re.compile(
    r"amp|attention|attn|autocast|bf16|checkpoint\w*|compile\w*|ddp|dtensor|dynamo|export|fft|flex|fp8|fsdp|func|functorch|fx"
    r"|inductor|nested|profiler|sdpa|tf32|vmap",
    re.IGNORECASE,
)
# Objects of the program's own, whose attributes have nothing to do with torch.
OWN = re.compile(r"^(?:self|cls|(?:\w+\.)*(?:args|cfg|config|flags|hparams|opt|options|opts|params))$")
MISSING = re.compile(r"ImportError|ModuleNotFoundError|AttributeError|RuntimeError|TypeError|Exception")
EXPECTED = re.compile(r"\b(?:raises|assertRaises|assertRaisesRegex|warns|assertWarns|deprecated_call|suppress)\b")


# The same in what a flag was given, where it must be about the version and not about the machine.
LOOKED = re.compile(r"__version__|hasattr\(torch\b|\bVersion\(|is_torch_(?:g|l|v)|TORCH_\w|torch_?\d|_GREATER|_greater")
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
DEPTH = 3


def is_guarded(file: File, node: ast.AST) -> bool:
    """Whether a node runs on some versions of torch only, or its error is waited for."""
    return any(is_guard(around, node, file) or is_left(around, file) for around in (node, *file.grown.ancestors(node)))


def is_guard(around: ast.AST, node: ast.AST, file: File) -> bool:
    if isinstance(around, (ast.If, ast.IfExp)):
        return node is not around and asks_version(around.test, file)
    if isinstance(around, ast.ExceptHandler):
        return around.type is None or MISSING.search(ast.unparse(around.type)) is not None
    if isinstance(around, ast.Try):
        return any(handler.type is None or MISSING.search(ast.unparse(handler.type)) for handler in around.handlers)
    return waits_for_error(around)


def waits_for_error(around: ast.AST) -> bool:
    """`with pytest.raises(TypeError):` and its like."""
    items = around.items if isinstance(around, (ast.With, ast.AsyncWith)) else []
    return any(EXPECTED.search(ast.unparse(item.context_expr)) for item in items)


def awaited(file: File) -> list[range]:
    """The lines whose errors are waited for."""
    blocks = [*file.index.all(ast.With), *file.index.all(ast.AsyncWith)]
    return [range(block.lineno, (block.end_lineno or block.lineno) + 1) for block in blocks if waits_for_error(block)]


def is_left(statement: ast.AST, file: File) -> bool:
    """Whether what stands before a statement, in its block, leaves the block on some versions: `if NEW: return …`."""
    block = file.grown.blocks.get(statement)
    siblings: list[ast.stmt] = getattr(file.parent_of(statement), block, []) if block else []
    before = siblings[: siblings.index(statement)] if statement in siblings and isinstance(statement, ast.stmt) else []
    return any(isinstance(one, ast.If) and isinstance(one.body[-1], LEAVING) and asks_version(one.test, file) for one in before)


def asks_version(test: ast.expr, file: File, depth: int = DEPTH) -> bool:
    """Whether a condition is about the version of torch, itself or by what a name in it was given."""
    return speaks_of_version(test, file) or looked_up(test, file, depth)


def looked_up(test: ast.expr, file: File, depth: int) -> bool:
    """Whether a name in a condition was given something about the version."""
    if depth == 0:
        return False
    named = [part for part in ast.walk(test) if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Load)]
    given = [binding.value for part in named for binding in meanings(part, file)]
    return any(
        value is not None and (LOOKED.search(ast.unparse(value)) is not None or looked_up(value, file, depth - 1))
        for value in given
    )


def speaks_of_version(test: ast.expr, file: File) -> bool:
    """Whether a condition names a version, or asks whether torch has something."""
    built = {part.value for part in ast.walk(test) if isinstance(part, ast.Attribute) and part.attr in ("cuda", "hip")}
    for part in ast.walk(test):
        if isinstance(part, (ast.Name, ast.Attribute)) and part not in built:  # torch.version.cuda is about the build
            if names_version(part.id if isinstance(part, ast.Name) else part.attr):
                return True
        elif isinstance(part, ast.Call) and asks_for_part(part):
            return True
    return False


def asks_for_part(call: ast.Call) -> bool:
    """Whether a call asks for an attribute of something that may be torch's."""
    asks = isinstance(call.func, ast.Name) and call.func.id in ("hasattr", "getattr")
    return asks and bool(call.args) and OWN.match(ast.unparse(call.args[0])) is None


def names_version(name: str) -> bool:
    """Whether a name speaks of a version, or says that a part of torch is there."""
    if VERSIONED.search(name) is not None:
        return True
    found = AVAILABLE.match(name)
    return found is not None and any(PART_OF_TORCH.fullmatch(word) for word in found["what"].split("_"))


def meanings(part: ast.Name | ast.Attribute, file: File) -> list[Binding]:
    """What assigns a name or an attribute of `self`."""
    if isinstance(part, ast.Name):
        found = file.names.bindings(part)
    else:
        owner = file.flow.classes.owner_of(part.value)
        found = file.flow.classes.lookup(owner, part.attr) if owner is not None else []
    return [binding for binding in found if binding.kind == "assign"]
