"""The entries keep the rules for content: one small test for each question that a reviewer would ask."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from collections import Counter
from dataclasses import fields, is_dataclass
from pathlib import Path

import codespell_lib
import jsonschema
import pytest
import yaml
from torch_handbook.engine import registry
from torch_handbook.handbook.entry import Advice, Entry, Example, Pitfall, Row, Section, Table
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.index import paths_of
from torch_handbook.handbook.load import load_file
from torch_handbook.source.torch_names import members

ROOT = Path(__file__).parents[1] / "entries"
PATHS = paths_of(ROOT)
SCHEMA = json.loads((ROOT / "schema.json").read_text(encoding="utf-8"))
HANDBOOK = Handbook.open(ROOT)
TAGS = yaml.safe_load((ROOT / "tags.yaml").read_text(encoding="utf-8"))
KINDS = set((Path(__file__).parent / "data" / "kinds.txt").read_text(encoding="utf-8").split())
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs)\.")
MARKUP = re.compile(r"__\w+|(?<!\w)_\w+|\*+\w+|<[a-z/]\w*>?")
VARIADIC = {"args", "kwargs", "arg", "operands", "tensors", "modules"}

NO_PROSE = {
    "name", "kind", "tags", "aliases", "compare", "see_also", "source", "locale", "columns", "rule", "patterns", "search",
    "code", "given", "bad", "good", "slow", "fast", "same", "as_",
}  # fmt: skip
MEANT = ("fro", "forwad", "foward")  # a norm; what a page is about

each = pytest.mark.parametrize("name", PATHS)


def entry_of(name: str) -> Entry:
    return load_file(PATHS[name], ROOT)


@each
def test_entry_meets_the_schema(name: str) -> None:
    written = yaml.load(PATHS[name].read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    faults = jsonschema.Draft202012Validator(SCHEMA).iter_errors(written)
    assert [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message[:300]}" for fault in faults] == []


def test_schema_and_entry_have_the_same_keys() -> None:
    defs = SCHEMA["$defs"]
    row = SCHEMA["properties"]["table"]["properties"]["rows"]["items"]
    pairs = {
        Entry: SCHEMA, Example: defs["example"], Pitfall: defs["pitfall"], Advice: defs["advice"], Section: defs["section"],
        Table: SCHEMA["properties"]["table"], Row: row,
    }  # fmt: skip
    for kind, schema in pairs.items():
        assert {field.name.rstrip("_") for field in fields(kind)} - {"name", "locale"} == set(schema["properties"]), kind
    for kind, schema in list(pairs.items())[1:]:
        assert "additionalProperties" in schema, kind


@each
def test_tags_are_in_the_list(name: str) -> None:
    unknown = set(entry_of(name).tags) - TAGS.keys()
    assert not unknown, f"{unknown}: entries/tags.yaml has all tags with what they mean; take one of them, or add a line there"


def test_each_tag_says_what_it_is_about_and_its_chinese_name() -> None:
    assert [tag for tag, said in TAGS.items() if set(said) != {"about", "zh-CN"} or not all(said.values())] == []
    names = [said["zh-CN"] for said in TAGS.values()]
    assert len(set(names)) == len(names)


def test_paths_differ_by_more_than_case() -> None:
    folded = Counter(path.relative_to(ROOT).as_posix().casefold() for path in ROOT.rglob("*"))
    assert [path for path, count in folded.items() if count > 1] == []


def test_every_name_leads_to_one_entry() -> None:
    aliases = [alias for name in PATHS for alias in entry_of(name).aliases]
    assert [name for name, count in Counter([*PATHS, *aliases]).items() if count > 1] == []


@each
def test_summary_is_one_sentence(name: str) -> None:
    summary = ABBREVIATION.sub("", entry_of(name).summary)
    assert not re.search(r"[.!?] [A-Z]", summary), summary


@each
def test_api_entry_has_all_five_parts(name: str) -> None:
    entry = entry_of(name)
    if entry.kind.is_api and entry.kind.value not in ("attribute", "dtype"):
        assert entry.summary and entry.examples and entry.pitfalls and entry.performance
        assert entry.parameters or not takes_parameters(name), "say what its parameters do"


def takes_parameters(name: str) -> bool:
    """Whether there is an argument to explain; without torch one cannot know, and the question is left open."""
    try:
        found = public(name)
        return bool(found is not None and set(inspect.signature(found).parameters) - {"self", "input"})
    except (ImportError, ValueError, TypeError):
        return False


@each
def test_pitfalls_come_with_code(name: str) -> None:
    entry = entry_of(name)
    if entry.kind.is_api and entry.pitfalls:
        assert any(pitfall.bad for pitfall in entry.pitfalls)


@each
def test_code_is_complete_python(name: str) -> None:
    entry = entry_of(name)
    codes = [part.code for part in (*entry.examples, *entry.sections)]
    codes += [code for pitfall in entry.pitfalls for code in (pitfall.bad, pitfall.good)]
    for code in codes:
        ast.parse(code)


@each
def test_rules_are_known(name: str) -> None:
    entry = entry_of(name)
    unknown = {part.rule for part in (*entry.pitfalls, *entry.performance) if part.rule} - KINDS - registry.finders().keys()
    assert not unknown, f"{unknown}: not an id of a rule, nor of a kind in tests/data/kinds.txt"


@each
def test_texts_read_the_same_raw_and_rendered(name: str) -> None:
    """Outside of `code`, no __init__ (bold), no a*b*c (italics), no <tag>: a word of code belongs in backticks."""
    entry = entry_of(name)
    parts = (*entry.pitfalls, *entry.performance, *entry.sections)
    texts = [entry.summary, *entry.parameters.values(), *entry.shapes.values(), *(part.text for part in parts)]
    texts += [part.title for part in (*parts, *entry.examples)]
    found = [match for text in texts for match in MARKUP.findall(re.sub(r"`[^`]*`", "", text))]
    assert found == []


@pytest.mark.torch
@each
def test_links_lead_somewhere(name: str) -> None:
    pytest.importorskip("torch")
    entry = entry_of(name)
    pages = [f"compare/{page}" for page in entry.compare]
    columns = [name for name in (entry.table.columns if entry.table else ()) if " " not in name]
    links = [*pages, *entry.see_also, *entry.aliases, *columns]
    assert [link for link in links if link not in PATHS and public(link) is None] == []


@pytest.mark.torch
@each
def test_name_is_public_in_torch(name: str) -> None:
    pytest.importorskip("torch")
    owner, _, last = name.rpartition(".")
    held = last in members(owner)  # what each object has and the class has not: Optimizer.param_groups
    assert "/" in name or entry_of(name).removed or held or public(name) is not None


@pytest.mark.torch
@each
def test_parameters_are_in_the_signature(name: str) -> None:
    pytest.importorskip("torch")
    entry = entry_of(name)
    if not entry.kind.is_api or not entry.parameters or not tells_parameters(public(name)):
        return
    known = parameters_of(name)
    written = {part.strip(" *") for key in entry.parameters for part in key.split(",")}
    assert written - known - set(entry.removed) == set()


@pytest.mark.torch
@each
def test_nothing_is_copied_from_the_docstring(name: str) -> None:
    pytest.importorskip("torch")
    doc = shingles(inspect.getdoc(public(name)) or "")
    assert [" ".join(run) for text in texts_of(entry_of(name)) for run in shingles(text) & doc] == []


def texts_of(value: object) -> list[str]:
    """All prose of an entry or of a part of it; not code, nor names."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_of(item)]
    if isinstance(value, tuple):
        return [text for item in value for text in texts_of(item)]
    if not is_dataclass(value) or isinstance(value, type):
        return []
    parts = (getattr(value, field.name) for field in fields(value) if field.name not in NO_PROSE)
    return [text for part in parts for text in texts_of(part)]


def test_words_are_spelled_right() -> None:
    """Known misspellings in pages and in what explains how to write them; what is meant is in MEANT."""
    paths = [str(path) for path in sorted(ROOT.rglob("*")) if path.suffix in (".yaml", ".md", ".json", ".py")]
    assert codespell_lib.main("--ignore-words-list", ",".join(MEANT), *paths) == 0, "see what it printed"


def shingles(text: str) -> set[tuple[str, ...]]:
    """All runs of eight words of a text."""
    words = re.findall(r"[a-z0-9_]+", text.lower())
    return set(zip(*(words[start:] for start in range(8)), strict=False))


def public(name: str) -> object | None:
    """What a dotted name of torch is, or None; the name itself for what only instances have (param_groups)."""
    if "/" in name:
        return None
    module, rest = importlib.import_module("torch"), name.split(".")[1:]
    found: object = module
    for index, part in enumerate(rest):
        if not hasattr(found, part) and inspect.ismodule(found):
            try:
                importlib.import_module(".".join(["torch", *rest[: index + 1]]))
            except ImportError:
                return None
        outer, found = found, getattr(found, part, None)
        if found is None:
            return part if inspect.isclass(outer) and f"self.{part}" in inspect.getsource(outer) else None
    return found


def tells_parameters(found: object) -> bool:
    """Whether torch says what it takes: a class in C without a docstring, such as torch.device, does not."""
    try:
        return bool(inspect.signature(found))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return bool(inspect.getdoc(found))


def parameters_of(name: str) -> set[str]:
    """The parameters of an API: from its signature, else (functions in C) from the call forms at the top of its docstring."""
    found = public(name)
    try:
        names = set(inspect.signature(found).parameters)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        names = set()
    if names <= {"self", "args", "kwargs"}:
        forms = re.findall(
            rf"\b(?:__init__|{name.rpartition('.')[2]})\((.*?)\)\s*(?:->|$)",
            inspect.getdoc(found) or "",
            re.MULTILINE | re.DOTALL,
        )
        names |= {match for form in forms for match in re.findall(r"[A-Za-z_]\w*(?=\s*(?:[,=:)]|$))", form)}
    return names | VARIADIC
