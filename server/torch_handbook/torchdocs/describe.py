"""From a definition in torch's files to what is said of it: signature, docstring, deprecation."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from torch_handbook.torchdocs import deprecation, signature
from torch_handbook.torchdocs.doc import Doc, DocKind, Parameter
from torch_handbook.torchdocs.library import Library
from torch_handbook.torchdocs.signature import Signature
from torch_handbook.torchdocs.sources import Definition
from torch_handbook.torchdocs.syntax import FUNCTIONS, dotted, is_overload
from torch_handbook.torchdocs.text import Strings
from torch_handbook.torchdocs.unwritten import TEXTS

# Modules that document builtins, and what a bare name in their `add_docstr_all` calls belongs to.
TABLES = {
    "torch._torch_docs": "torch",
    "torch._tensor_docs": "torch.Tensor",
    "torch._storage_docs": "torch.UntypedStorage",
    "torch._size_docs": "torch.Size",
    "torch.functional": "torch",
    "torch.autograd": "torch",
    "torch.sparse": "torch",
    "torch.nested": "torch",
    "torch.utils.dlpack": "torch",
}
SEE = re.compile(
    r"\A\s*(?:See|See also|Alias for|Alias of|In-?place version of|Out-of-place version of|This is an alias for)\s+"
    r"(?::\w+:)?`+~?\.?([\w.]+?)(?:\(\))?`+",
    re.IGNORECASE,
)
UNDERSCORED = re.compile(r"\b_(?=(?:bool|int|float|complex|dtype|device|size|layout|qscheme)\b)|['\"]")  # so stubs call them
VAGUE = re.compile(r"\b(?:Any|ClassVar|Final|TypeAlias|TypeVar|_\w+)\b")
LONGEST = 60  # characters of a type
SHORT = 500  # characters: a longer docstring speaks for itself


@dataclass(eq=False)
class Describer:
    """Makes a `Doc` of any public name of the torch in a folder."""

    library: Library
    busy: set[str] = field(default_factory=set[str])

    @cached_property
    def builtins(self) -> dict[str, str]:
        """The docstrings of what is written in C++, by public name."""
        found: dict[str, str] = {}
        for module, owner in TABLES.items():
            source, strings = self.library.source(module), self.library.strings(module)
            for what, text in source.added if source else []:
                name = dotted(what) or (f"{owner}.{what.value}" if isinstance(what, ast.Constant) else "")
                value = strings.text(text)
                if name and value:
                    found[public(name)] = value
        return found

    def describe(self, name: str) -> Doc | None:
        """What is said of a public name; None where torch has no such thing."""
        definition = self.library.find(name)
        if definition and definition.kind == "module":
            return Doc(name, "module", "", self.library.docstring(definition.module))
        written = self.builtins.get(name) or TEXTS.get(name)
        if definition is None and written is None:
            return None
        raw = self.docstring(definition, written)
        last = name.rpartition(".")[2]
        lines, body = signature.of_docstring(raw, last)
        coded = self.coded(definition) if definition else []
        kind = kind_of(name, definition)
        see = self.pointed_to(name, body)
        chosen = [] if kind == "attribute" else choose(lines, coded, definition is not None and self.is_stub(definition))
        return Doc(
            name,
            kind,
            chosen[0].text if chosen else self.typed(definition) if definition and kind == "attribute" else "",
            f"{body.strip()}\n\n{see.docstring}" if see else body.strip(),
            signature.united([*chosen, *coded]) if chosen is lines else signature.united(chosen),
            self.deprecation(last, definition, body),
            tuple(item.text for item in chosen[1:]),
            see.name if see else None,
        )

    def is_stub(self, definition: Definition) -> bool:
        source = self.library.source(definition.module)
        return source is not None and source.path.suffix == ".pyi"

    def docstring(self, definition: Definition | None, written: str | None) -> str:
        """The docstring as it is, its common indentation taken away."""
        if definition is None:
            return inspect.cleandoc(written or "")
        strings = self.library.strings(definition.module)
        given = self.assigned(definition)
        place = public(definition.place)
        written = (
            (strings.text(given) if given is not None else None)
            or self.builtins.get(place)
            or own_docstring(definition)
            or written
        )
        if not written and definition.kind == "class":
            written = self.of_constructor(definition)
        return inspect.cleandoc(written or decorated(definition, strings) or "")

    def assigned(self, definition: Definition) -> ast.expr | None:
        """The expression of a docstring that is not written as one: `_add_docstr(…)`, `SGD.__doc__ = …`, `__doc__ = …`."""
        if definition.text is not None or definition.kind != "class":
            return definition.text
        inside = self.library.member(definition, "__doc__")
        node = inside.nodes[-1] if inside else None
        return node.value if isinstance(node, ast.Assign) else None

    def of_constructor(self, definition: Definition) -> str | None:
        made = self.constructor(definition)
        return own_docstring(made) if made and made.owner == definition.name else None

    def constructor(self, definition: Definition) -> Definition | None:
        """What makes an instance: the `__init__` or `__new__` of the nearest class that has one."""
        for name in ("__init__", "__new__"):
            own = self.library.in_class(definition, name)
            if own and own.module.startswith("torch") and own.kind == "function":
                return own
        return None

    def coded(self, definition: Definition) -> list[Signature]:
        """The signatures in the code."""
        if definition.kind == "class":
            made = self.constructor(definition)
            found = self.coded(made) if made else fields_of(definition.nodes[-1])
            return [replace(item, text=item.text.partition(" -> ")[0]) for item in found] or [Signature("()", ())]
        if definition.kind == "alias":
            target = self.library.named_in(definition.module, definition.target)
            return self.coded(target) if target and target.kind == "function" else []
        functions = [node for node in definition.nodes if isinstance(node, FUNCTIONS)]
        if any(is_property(node) for node in functions):
            return []
        found = [signature.of_code(node, has_self(definition, node)) for node in functions]
        whole = [one for one, node in zip(found, functions, strict=True) if not is_overload(node)]
        return found if self.is_stub(definition) or not whole or whole[-1].tells_nothing else whole[-1:]

    def typed(self, definition: Definition) -> str:
        """What the code says that an attribute or a constant is, ": int | None"; "" where it says nothing of use."""
        node = next((node for node in definition.nodes if isinstance(node, ast.AnnAssign) or is_property(node)), None)
        said = node.annotation if isinstance(node, ast.AnnAssign) else getattr(node, "returns", None)
        text = UNDERSCORED.sub("", ast.unparse(said)) if said else ""
        return f": {text}" if text and len(text) <= LONGEST and not VAGUE.search(text) else ""

    def pointed_to(self, name: str, body: str) -> Doc | None:
        """What a docstring that only says "See …" points to."""
        found = SEE.match(body.strip())
        if found is None or len(body) > SHORT or name in self.busy:
            return None
        self.busy.add(name)
        try:
            return next((doc for guess in guesses(found[1], name) if (doc := self.describe(guess)) and doc.docstring), None)
        finally:
            self.busy.discard(name)

    def deprecation(self, last: str, definition: Definition | None, body: str) -> str | None:
        """Why not to use it any more, in torch's words."""
        nodes = list(definition.nodes[-1:]) if definition else []
        made = self.constructor(definition) if definition and definition.kind == "class" else None
        if made and definition and made.owner == definition.name:
            nodes.extend(made.nodes[-1:])
        strings = self.library.strings(definition.module if definition else "")
        found = (deprecation.decorated(node, strings) or deprecation.warned(node, last, strings) for node in nodes)
        return next((text for text in found if text), None) or deprecation.documented(body, last)


def public(name: str) -> str:
    """The documented place of a builtin."""
    for start, target in (
        ("torch._C._VariableFunctions.", "torch."),
        ("torch._C.TensorBase.", "torch.Tensor."),
        ("torch._C._TensorBase.", "torch.Tensor."),
        ("torch._tensor.Tensor.", "torch.Tensor."),
        ("torch._C._nn.", "torch.nn.functional."),
        ("torch._C.", "torch."),
    ):
        if name.startswith(start):
            return target + name[len(start) :]
    return name


def own_docstring(definition: Definition) -> str | None:
    for node in reversed(definition.nodes):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            text = ast.get_docstring(node, clean=False)
            if text:
                return text
    return None


def decorated(definition: Definition, strings: Strings) -> str | None:
    """The docstring that a decorator adds: `@_add_docstr("…")`."""
    for decorator in getattr(definition.nodes[-1], "decorator_list", []) if definition.nodes else []:
        if isinstance(decorator, ast.Call) and "docstr" in (dotted(decorator.func) or ""):
            return "".join(strings.text(argument) or "" for argument in decorator.args)
    return None


def kind_of(name: str, definition: Definition | None) -> DocKind:
    if definition is None:
        return "method" if name.startswith("torch.Tensor.") else "function"
    if definition.kind == "class":
        return "class"
    if definition.kind == "value":
        return "attribute"
    if definition.owner:
        return "attribute" if any(map(is_property, definition.nodes)) else "method"
    return "function"


def is_property(node: ast.AST) -> bool:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return any(
        (dotted(decorator) or "").rpartition(".")[2] in ("property", "cached_property", "lazy_property")
        for decorator in decorators
    )


def has_self(definition: Definition, node: ast.AST) -> bool:
    """Whether the first parameter is not the caller's to give."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return definition.owner is not None and not any(dotted(decorator) == "staticmethod" for decorator in decorators)


def fields_of(node: ast.AST) -> list[Signature]:
    """What a dataclass or named tuple is made of."""
    if not isinstance(node, ast.ClassDef):
        return []
    made = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    if not made and not any((dotted(base) or "").endswith("NamedTuple") for base in node.bases):
        return []
    items = [
        Parameter(child.target.id, ast.unparse(child.value) if child.value else None, ast.unparse(child.annotation))
        for child in node.body
        if isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name)
    ]
    return [Signature(f"({', '.join(signature.words(items, 0))})", tuple(items))]


def choose(lines: list[Signature], coded: list[Signature], stub: bool) -> list[Signature]:
    """The better signatures: those in code, but of builtins and of functions that take anything those in the docstring."""
    if not lines or (coded and not stub and not coded[-1].tells_nothing):
        return coded or lines
    return lines


def guesses(target: str, name: str) -> Iterator[str]:
    """The names that a reference in a docstring may mean, seen from where it stands."""
    if target.startswith("torch."):
        yield target
    owner = name.rpartition(".")[0]
    yield f"torch.{target}"
    while owner:
        yield f"{owner}.{target}"
        owner = owner.rpartition(".")[0]
