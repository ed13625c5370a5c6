"""Torch's files, read as Python would import them but never run: which definition a public name leads to."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from torch_handbook.torchdocs.sources import Definition, Source, assigned, read_source
from torch_handbook.torchdocs.syntax import bound, dotted, set_in_constructor, statements
from torch_handbook.torchdocs.text import Strings

DEPTH = 12
# The string with which a file begins, behind comments.
OPENING = re.compile(r"""(?:\s|\#[^\n]*\n)*([rRuU]?(?:\"{3}.*?(?<!\\)\"{3}|'{3}.*?(?<!\\)'{3}|"[^"\n]*"|'[^'\n]*'))""", re.DOTALL)


@dataclass(eq=False)
class Library:
    """The torch package in a folder. Files are parsed when a name leads to them."""

    root: Path
    sources: dict[str, Source | None] = field(default_factory=dict[str, "Source | None"])
    found: dict[str, Definition | None] = field(default_factory=dict[str, "Definition | None"])

    def source(self, module: str) -> Source | None:
        """The file of a module, "torch.nn.functional"; None where there is none."""
        if module not in self.sources:
            path = self.path_of(module)
            self.sources[module] = read_source(module, path) if path else None
        return self.sources[module]

    def docstring(self, module: str) -> str:
        """What a module says of itself, without parsing the rest of it; "" for one that says nothing."""
        path = self.path_of(module)
        try:
            found = OPENING.match(path.read_text("utf-8", "replace")) if path else None
            return inspect.cleandoc(ast.literal_eval(found[1])) if found else ""
        except (OSError, ValueError, SyntaxError):
            return ""

    def path_of(self, module: str) -> Path | None:
        parts = module.split(".")
        if parts[0] != "torch":
            return None
        base = self.root.joinpath(*parts[1:])
        choices = (base / "__init__.py", base.with_suffix(".py"), base / "__init__.pyi", base.with_suffix(".pyi"))
        return next((path for path in choices if path.is_file() and len(parts) > 1), None) or (
            self.root / "__init__.py" if len(parts) == 1 else None
        )

    def find(self, name: str) -> Definition | None:
        """The definition that a dotted name leads to, through imports and aliases."""
        if name not in self.found:
            self.found[name] = None  # while it is looked for: modules import each other
            self.found[name] = self.search(name, 0)
        return self.found[name]

    def search(self, name: str, depth: int) -> Definition | None:
        owner, _, last = name.rpartition(".")
        if not owner:
            return Definition("module", name, "") if name == "torch" else None
        held = self.find(owner)
        if held and held.kind == "class":
            return self.in_class(held, last)
        # A function can hide the module that it is defined in, as `torch.autograd.gradcheck` does; the path still leads there.
        module = held.module if held and held.kind == "module" else owner if self.path_of(owner) else None
        return self.in_module(module, last, depth) if module and depth <= DEPTH else None

    def in_module(self, module: str, name: str, depth: int = 0) -> Definition | None:
        """What a name is in a module: bound there, a module below it, from a star import, or a builtin of the stubs."""
        source = self.source(module)
        here = source.get(name) if source else None
        if here:
            followed = self.follow(here, depth)
            if followed:
                return followed
        if self.path_of(f"{module}.{name}"):
            return Definition("module", f"{module}.{name}", "")
        for star in source.stars if source else []:
            found = self.in_module(star, name, depth + 1) if star != module and depth < DEPTH else None
            if found and not (found.kind == "module" and self.withholds(star, name)):
                return found
        if module == "torch":
            return self.in_module("torch._C._VariableFunctions", name, depth + 1) or self.in_module("torch._C", name, depth + 1)
        return None

    def withholds(self, module: str, name: str) -> bool:
        """Whether a module says in `__all__` what it gives to a star import, and this is not among it."""
        source = self.source(module)
        return source is not None and source.exported is not None and name not in source.exported

    def follow(self, definition: Definition, depth: int) -> Definition | None:
        """The end of a chain of imports and aliases. One that has a docstring of its own is such an end."""
        if definition.kind not in ("import", "alias") or definition.text is not None:
            return definition
        target = definition.target or ""
        if definition.kind == "import":
            return self.find(target) if target.startswith("torch") and depth < DEPTH else None
        head, _, rest = target.partition(".")
        start = self.in_module(definition.module, head, depth + 1) if depth < DEPTH and head != definition.name else None
        if start is None:
            return definition if definition.nodes else None
        return (self.find(f"{start.place}.{rest}") if rest else start) or definition

    def in_class(self, owner: Definition, name: str) -> Definition | None:
        """A member of a class, its bases included."""
        for definition in self.lineage(owner):
            found = self.member(definition, name)
            if found:
                return found
        return None

    def member(self, owner: Definition, name: str) -> Definition | None:
        """What a class itself defines under a name, in its body or for each instance."""
        found = [child for child in self.body_of(owner, name) if name in bound(child)]
        node = owner.nodes[-1]
        if not found and isinstance(node, ast.ClassDef):
            found = [child for attribute, child in set_in_constructor(node) if attribute == name][:1]
        if not found:
            return None
        last = found[-1]
        if isinstance(last, (ast.Assign, ast.AnnAssign)):
            return self.followed(owner, replace(assigned(owner.module, name, last), owner=owner.name))
        return Definition(
            "class" if isinstance(last, ast.ClassDef) else "function", owner.module, name, tuple(found), owner=owner.name
        )

    def followed(self, owner: Definition, definition: Definition) -> Definition:
        """A member that is another name for a function, `__rmul__ = __mul__`, is that function."""
        if definition.kind != "alias" or definition.text is not None:
            return definition if definition.text is not None else replace(definition, kind="value")
        head = definition.target or ""
        found = None if head == definition.name or "." in head else self.member(owner, head) or self.in_module(owner.module, head)
        if found is None or found.kind != "function":
            return replace(definition, kind="value")
        return replace(found, name=definition.name, owner=owner.name)

    def body_of(self, owner: Definition, name: str) -> Iterator[ast.stmt]:
        source = self.source(owner.module)
        node = owner.nodes[-1]
        yield from source.member_text(owner.name, name) if source else ()
        yield from statements(node.body) if isinstance(node, ast.ClassDef) else ()

    def own_members(self, owner: Definition) -> Iterator[str]:
        """The names that a class itself defines."""
        source, node = self.source(owner.module), owner.nodes[-1]
        yield from source.inside.get(owner.name, {}) if source else ()
        for child in statements(node.body) if isinstance(node, ast.ClassDef) else ():
            yield from bound(child)

    def strings(self, module: str) -> Strings:
        """Works out the texts of a module, with what it takes from others."""
        return Strings(lambda name: self.text_of(module, name))

    def text_of(self, module: str, name: str) -> tuple[ast.expr, Strings] | None:
        source = self.source(module)
        if source is None:
            return None
        if name in source.values:
            return source.values[name], self.strings(module)
        here = source.get(name.removesuffix(".__doc__"))
        if here is None:
            return None
        if name.endswith(".__doc__"):
            text = ast.get_docstring(here.nodes[-1], clean=False) if here.kind in ("function", "class") else None  # type: ignore[arg-type]
            return (ast.Constant(text), self.strings(module)) if text else None
        owner, _, last = (here.target or "").rpartition(".")
        return self.text_of(owner, last) if here.kind == "import" and owner.startswith("torch") and owner != module else None

    def lineage(self, owner: Definition) -> Iterator[Definition]:
        """A class and those that it derives from, as far as torch's files tell."""
        waiting, seen = [owner], set[str]()
        while waiting:
            here = waiting.pop(0)
            if here.place in seen:
                continue
            seen.add(here.place)
            yield here
            node = here.nodes[-1]
            for base in node.bases if isinstance(node, ast.ClassDef) else []:
                found = self.named_in(here.module, dotted(base.value if isinstance(base, ast.Subscript) else base))
                if found and found.kind == "class":
                    waiting.append(found)

    def named_in(self, module: str, name: str | None) -> Definition | None:
        """What a dotted name means inside of a module."""
        if not name:
            return None
        head, _, rest = name.partition(".")
        start = self.in_module(module, head)
        return start if start is None or not rest else self.find(f"{start.place}.{rest}")
