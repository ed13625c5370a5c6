"""Reads one entry from its YAML file; a mistake in it is named with file and line."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import yaml

from torch_handbook.handbook.entry import Entry, Table
from torch_handbook.handbook.locale import Overlay

Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # all scalars stay text, so nothing is tried on them
Made = TypeVar("Made")


class EntryError(Exception):
    """An entry that cannot be read: "entries/torch/nn/Linear.yaml:12: unknown key 'paramters' …"."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line, self.message = path, line, message


class Mistake(Exception):
    """What is wrong at a node of the file; `load_text` turns it into an EntryError with the file's name."""

    def __init__(self, node: yaml.Node, message: str) -> None:
        super().__init__(message)
        self.line, self.message = node.start_mark.line + 1, message


def load_file(path: Path, root: Path) -> Entry:
    """The entry in `path`, named by its place under `root`. Raises EntryError."""
    shown = f"{root.name}/{path.relative_to(root).as_posix()}"
    return load_text(_read(path, shown), shown, name_at(path.relative_to(root).parts))


def load_text(text: str, shown: str, name: str) -> Entry:
    """The entry that a YAML text holds; `shown` is the path that mistakes are reported with. Raises EntryError."""
    return _loaded(text, shown, lambda node: _checked(_make(Entry, node, {"name": name, "locale": ""}), node))


def load_overlay(path: Path, root: Path) -> Overlay:
    """The translation in `path`. Raises EntryError."""
    shown = f"{root.name}/{path.relative_to(root).as_posix()}"
    return _loaded(_read(path, shown), shown, lambda node: _make(Overlay, node, {}))


def load_tags(root: Path) -> dict[str, dict[str, str]]:
    """Every tag with what it is about and its names in other languages; none where the list cannot be read."""
    try:
        node = yaml.compose((root / "tags.yaml").read_text(encoding="utf-8"), Loader=Loader)
        tags = _pairs(node, "tags") if node else ()
        return {tag.value: {key.value: text.value for key, text in _pairs(said, "a tag")} for tag, said in tags}
    except (OSError, UnicodeDecodeError, yaml.YAMLError, Mistake):
        return {}


def load_glossaries(root: Path) -> dict[str, str]:
    """The words that people search with in other languages, with the English ones that stand on the pages for them."""
    lines = (line for path in sorted(root.glob("glossary.*.tsv")) for line in path.read_text(encoding="utf-8").splitlines())
    return dict(line.split("\t", 1) for line in lines if "\t" in line and not line.startswith("#"))


def _read(path: Path, shown: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EntryError(shown, 1, f"cannot be read: {error}") from error


def _loaded(text: str, shown: str, make: Callable[[yaml.Node], Made]) -> Made:
    """What is made of a YAML text; every mistake in it becomes an EntryError with its line."""
    try:
        node = yaml.compose(text, Loader=Loader)
        if node is None:
            raise EntryError(shown, 1, "the file is empty")
        return make(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise EntryError(shown, mark.line + 1 if mark else 1, f"not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise EntryError(shown, 1, f"not YAML: {error}") from error
    except Mistake as mistake:
        raise EntryError(shown, mistake.line, mistake.message) from None


def name_at(parts: Sequence[str]) -> str:
    """The name that a place stands for: torch.nn.Linear for torch/nn/Linear.yaml, guides/in-place for guides/in-place.yaml."""
    names = [*parts[:-1], parts[-1].removesuffix(".yaml")]
    if names[-1] == "index":
        names.pop()
    return ".".join(names) if names[0] == "torch" else "/".join(names)


def _make(kind: type[Made], node: yaml.Node, given: dict[str, Any]) -> Made:
    """A dataclass filled from a mapping: its fields are the keys, their annotations say what stands there."""
    known = _keys(kind, frozenset(given))
    values = dict(given)
    for key, value in _pairs(node, _article(kind)):
        if key.value not in known:
            raise Mistake(key, f"unknown key '{key.value}'{_guess(key.value, known)}")
        field, hint = known[key.value]
        values[field.name] = _value(hint, value, key.value)
    for key, (field, _) in known.items():
        if field.name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise Mistake(node, f"{_article(kind)} needs '{key}'")
    return kind(**values)


def _article(kind: type) -> str:
    word = kind.__name__.lower()
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


@cache
def _keys(kind: type, given: frozenset[str]) -> dict[str, tuple[Field[Any], Any]]:
    """The keys that a dataclass has in a file; "as" is a word of Python and called as_ in the class."""
    hints = get_type_hints(kind)
    return {field.name.rstrip("_"): (field, hints[field.name]) for field in fields(kind) if field.name not in given}


def _value(hint: Any, node: yaml.Node, key: str) -> Any:
    """What a node holds, read as its annotation says."""
    form, inner = _form(hint)
    if form == "list":
        return tuple(_value(inner, item, key) for item in _items(node, key))
    if form == "texts":
        return {name.value: _text(value, name.value) for name, value in _pairs(node, f"'{key}'")}
    if form == "part":
        return _make(inner, node, {})
    return _member(inner, node, key) if form == "choice" else _text(node, key)


@cache
def _form(hint: Any) -> tuple[str, Any]:
    """How an annotation is written in YAML, and what stands inside: looked up once, as typing's own functions are slow."""
    if get_origin(hint) is UnionType:
        return _form(next(option for option in get_args(hint) if option is not type(None)))
    if get_origin(hint) is tuple:
        return "list", get_args(hint)[0]
    if get_origin(hint) is dict:
        return "texts", str
    kind: type[Any] = hint
    return ("part" if is_dataclass(kind) else "choice" if issubclass(kind, Enum) else "text"), kind


def _pairs(node: yaml.Node, what: str) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    """The keys and values of a mapping, each key once."""
    if not isinstance(node, yaml.MappingNode):
        raise Mistake(node, f"{what} is written as 'key: value' lines")
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Mistake(key, f"a key of {what} must be plain text")
        if key.value in seen:
            raise Mistake(key, f"'{key.value}' stands twice")
        seen.add(key.value)
        yield key, value


def _items(node: yaml.Node, key: str) -> list[yaml.Node]:
    if not isinstance(node, yaml.SequenceNode):
        raise Mistake(node, f"'{key}' is a list: write [a, b], or one '- ' a line")
    return node.value


def _text(node: yaml.Node, key: str) -> str:
    """A scalar as it is written: a version 1.10 stays "1.10", a `no` stays "no"."""
    if not isinstance(node, yaml.ScalarNode):
        raise Mistake(node, f"'{key}' must be text; quote it if it begins with [ or {{, or holds ': '")
    if not node.value.strip():
        raise Mistake(node, f"'{key}' is empty")
    return node.value


def _member(kind: type[Enum], node: yaml.Node, key: str) -> Enum:
    text, names = _text(node, key), [member.value for member in kind]
    if text not in names:
        raise Mistake(node, f"'{key}' is '{text}', but must be one of {', '.join(names)}")
    return kind(text)


def _guess(key: str, known: dict[str, Any]) -> str:
    close = difflib.get_close_matches(key, known, 1)
    return f" (did you mean '{close[0]}'?)" if close else f"; there are {', '.join(known)}"


def _checked(entry: Entry, node: yaml.Node) -> Entry:
    """The entry, when its parts fit each other."""
    if not entry.kind.is_api and not entry.title:
        raise Mistake(node, f"a {entry.kind.value} needs 'title'")
    for row in (entry.table or Table((), ())).rows:
        if entry.table and len(row.answers) != len(entry.table.columns):
            raise Mistake(node, f"'{row.question}' has {len(row.answers)} answers for {len(entry.table.columns)} columns")
    for pitfall in entry.pitfalls:
        if bool(pitfall.bad) != bool(pitfall.good):
            raise Mistake(node, f"pitfall '{pitfall.title}' needs both 'bad' and 'good', or neither")
    return entry
