"""The handbook loads what is right, names file and line of what is wrong, and finds entries by name, alias, tag and rule."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from torch_handbook.handbook import index
from torch_handbook.handbook.entry import Entry
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.load import EntryError, load_file, load_text

WHOLE = """\
kind: function
summary: Joins tensors along an axis that they have.
tags: [joining]
aliases: [torch.concat]
shapes: {tensors: "equal but for one axis"}
parameters:
  dim: The axis that grows.
examples:
  - title: rows under rows
    code: |
      torch.cat([a, b])
pitfalls:
  - title: Two arguments
    text: It takes one list.
    bad: torch.cat(a, b)
    good: torch.cat([a, b])
    rule: cat-arguments
performance:
  - title: Once, not in a loop
    text: Each call copies all.
    slow: a
    fast: b
    rule: cat-in-loop
changed: {1.10: "torch.concat"}
source: https://docs.pytorch.org/
"""


def root_with(folder: Path, **files: str) -> Path:
    """An entries folder; a key spells the path with two underscores for a slash."""
    root = folder / "entries"
    for key, text in files.items():
        path = root / (key.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def fault(text: str) -> str:
    with pytest.raises(EntryError) as caught:
        load_text(text, "entries/torch/cat.yaml", "torch.cat")
    return str(caught.value)


def test_one_entry_is_found_without_looking_at_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = root_with(tmp_path, torch__cat=WHOLE, torch__nn__index=WHOLE, torch__nn__Linear=WHOLE, torch__Tensor__index=WHOLE)

    def refuse(*_arguments: object) -> None:
        raise AssertionError("this looks through all entries")

    for name in ("paths_of", "overlays_of", "build", "cached"):
        monkeypatch.setattr(index, name, refuse)
    handbook = Handbook.open(root)
    for name in ("torch.cat", "torch.nn", "torch.nn.Linear", "torch.Tensor"):
        entry = handbook.find(name)
        assert entry and entry.name == name


def test_a_name_is_no_way_out_of_the_folder_and_its_case_counts(tmp_path: Path) -> None:
    root = root_with(tmp_path, torch__cat=WHOLE, torch__Tensor__index=WHOLE)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "out.yaml").write_text(WHOLE, "utf-8")
    for name in (
        "torch/../../torch/out",
        "../torch/out",
        "torch.Cat",
        "torch.tensor",
        "Torch.cat",
        "",
        "torch.",
        "cat.yaml",
        "torch.cat\n",
    ):
        assert Handbook.open(root).find(name) is None, name


def test_a_whole_entry_is_read() -> None:
    entry = load_text(WHOLE, "entries/torch/cat.yaml", "torch.cat")
    assert entry.name == "torch.cat"
    assert entry.aliases == ("torch.concat",)
    assert entry.pitfalls[0].rule == "cat-arguments"
    assert entry.performance[0].rule == "cat-in-loop"
    assert load_text(WHOLE.replace("slow:", "same:").replace("fast:", "as:"), "x", "torch.cat").performance[0].as_ == "b"
    assert entry.changed == {"1.10": "torch.concat"}, "a version is text, not the number 1.1"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("parameters:", "paramters:", "entries/torch/cat.yaml:6: unknown key 'paramters' (did you mean 'parameters'?)"),
        ("    text: It takes one list.\n", "", "entries/torch/cat.yaml:13: a pitfall needs 'text'"),
        ("kind: function", "kind: funktion", "entries/torch/cat.yaml:1: 'kind' is 'funktion', but must be one of"),
        ("tags: [joining]", "tags: joining", "entries/torch/cat.yaml:3: 'tags' is a list"),
        ("tags: [joining]", "tags: [joining", "entries/torch/cat.yaml:4: not YAML"),
        ("  dim: The axis that grows.", "  dim: [a]", "entries/torch/cat.yaml:7: 'dim' must be text"),
        ("  dim: The axis that grows.", "  dim:", "entries/torch/cat.yaml:7: 'dim' is empty"),
        ("shapes:", "tags:", "entries/torch/cat.yaml:5: 'tags' stands twice"),
        ("    good: torch.cat([a, b])\n", "", "pitfall 'Two arguments' needs both 'bad' and 'good'"),
        ("kind: function", "kind: guide", "a guide needs 'title'"),
        ("source:", "so\turce\t:\t-", "entries/torch/cat.yaml:25"),
    ],
)
def test_a_mistake_names_file_and_line(old: str, new: str, message: str) -> None:
    assert message in fault(WHOLE.replace(old, new, 1))


def test_files_that_hold_no_entry() -> None:
    assert "the file is empty" in fault("# only a comment\n")
    assert "an entry is written as" in fault("- a\n- b\n")


def test_a_table_needs_an_answer_for_each_column() -> None:
    table = "table: {columns: [torch.cat, torch.stack], rows: [{question: why, answers: [one]}]}"
    assert "'why' has 1 answers for 2 columns" in fault(f"kind: comparison\ntitle: x\nsummary: y\n{table}\n")


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "entries" / "torch" / "cat.yaml"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EntryError, match=r"entries/torch/cat.yaml:1: cannot be read"):
        load_file(path, tmp_path / "entries")


def test_found_by_name_alias_tag_and_rule(tmp_path: Path) -> None:
    handbook = Handbook.open(root_with(tmp_path, torch__cat=WHOLE))
    entry = handbook.find("torch.cat")
    assert entry is not None
    assert handbook.find("torch.concat") is entry
    assert handbook.find("torch.concatenate") is None
    assert handbook.by_tag("joining") == ("torch.cat",)
    assert handbook.pitfall_counts() == {"torch.cat": 1, "torch.concat": 1}
    assert handbook.pitfalls_of_rule("cat-arguments") == [(entry, entry.pitfalls[0])]
    assert handbook.advice_of_rule("cat-in-loop") == [(entry, entry.performance[0])]
    assert handbook.pitfalls_of_rule("") == []


def test_paths_are_names(tmp_path: Path) -> None:
    guide = "kind: guide\ntitle: t\nsummary: s\n"
    root = root_with(
        tmp_path, torch__Tensor__index=WHOLE, torch__Tensor__view=WHOLE, guides__in_place=guide, **{"torch__cat.zh-CN": "texts"}
    )
    assert Handbook.open(root).names() == ("guides/in_place", "torch.Tensor", "torch.Tensor.view")


def test_a_name_in_another_case_is_not_found(tmp_path: Path) -> None:
    handbook = Handbook.open(root_with(tmp_path, torch__Tensor__index=WHOLE))
    assert handbook.find("torch.Tensor")
    assert handbook.find("torch.tensor") is None


def test_a_broken_entry_is_missing_and_said(tmp_path: Path) -> None:
    handbook = Handbook.open(root_with(tmp_path, torch__cat="kind: function\n", torch__bmm=WHOLE))
    assert handbook.find("torch.cat") is None
    assert handbook.find("torch.bmm")
    assert handbook.by_tag("joining") == ("torch.bmm",)
    assert handbook.problems == ("entries/torch/cat.yaml:1: an entry needs 'summary'",)


def test_an_entry_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    root = root_with(tmp_path, torch__cat="kind: function\n")
    handbook = Handbook.open(root)
    assert handbook.find("torch.cat") is None
    path = root / "torch" / "cat.yaml"
    path.write_text(WHOLE, encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert handbook.find("torch.cat")
    assert handbook.problems == ()


def test_the_index_is_kept_until_an_entry_changes(tmp_path: Path) -> None:
    root, cache = root_with(tmp_path, torch__cat=WHOLE), tmp_path / "cache"
    first = Handbook.open(root, cache).lines
    [place] = cache.iterdir()
    assert Handbook.open(root, cache).lines == first
    place.write_text("[{}]", encoding="utf-8")
    assert Handbook.open(root, cache).lines == first, "a damaged cache is built again"
    (root / "torch" / "cat.yaml").write_text(WHOLE.replace("[joining]", "[joining, common]"), encoding="utf-8")
    assert Handbook.open(root, cache).by_tag("common") == ("torch.cat",)
    assert len(list(cache.iterdir())) == 1


def test_no_folder_at_all_is_an_empty_handbook(tmp_path: Path) -> None:
    handbook = Handbook.open(tmp_path / "nothing")
    assert (handbook.names(), handbook.find("torch.cat"), handbook.pitfall_counts()) == ((), None, {})


def test_all_entries_load_and_one_is_read_without_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    handbook = Handbook.open()
    assert handbook.lines.keys() == set(handbook.names())
    assert handbook.problems == ()
    fresh = Handbook.open()
    fresh.names()
    read: list[Path] = []

    def counted(path: Path, root: Path) -> Entry:
        read.append(path)
        return load_file(path, root)

    monkeypatch.setattr("torch_handbook.handbook.handbook.load_file", counted)
    assert fresh.find(handbook.names()[-1])
    assert len(read) == 1
