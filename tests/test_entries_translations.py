"""Translations fit their entries: every part is there in English, nothing is code; pages are shown in the language asked for."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest
import yaml
from torch_handbook.handbook import errors, markdown
from torch_handbook.handbook.handbook import Handbook
from torch_handbook.handbook.index import overlays_of, paths_of
from torch_handbook.handbook.load import load_file, load_overlay
from torch_handbook.handbook.locale import LABELS, Overlay, chosen, translated
from torch_handbook.handbook.wrap import WIDTH, width, wrapped

ROOT = Path(__file__).parents[1] / "entries"
PATHS = paths_of(ROOT)
OVERLAYS = [path for places in overlays_of(ROOT).values() for path in places.values()]
SCHEMA = json.loads((ROOT / "overlay.schema.json").read_text(encoding="utf-8"))
HAN = re.compile(r"[\u4e00-\u9fff]")
TITLED = ("examples", "pitfalls", "performance", "sections")

each = pytest.mark.parametrize("path", OVERLAYS, ids=[path.relative_to(ROOT).as_posix() for path in OVERLAYS])


def english(path: Path) -> Path:
    return path.with_name(f"{path.name.partition('.')[0]}.yaml")


def texts_of(value: object) -> list[str]:
    """All texts of an overlay but the English ones under `of`."""
    if isinstance(value, dict):
        return [text for key, item in value.items() if key != "of" for text in texts_of(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [str(value)]


@each
def test_translation_meets_the_schema(path: Path) -> None:
    written = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    faults = jsonschema.Draft202012Validator(SCHEMA).iter_errors(written)
    assert [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message[:300]}" for fault in faults] == []


def test_schema_and_overlay_have_the_same_keys() -> None:
    assert {field.name for field in fields(Overlay)} == set(SCHEMA["properties"])


@each
def test_everything_that_is_translated_is_in_the_entry(path: Path) -> None:
    assert english(path).is_file(), "there is no entry of this name beside it"
    entry, overlay = load_file(english(path), ROOT), load_overlay(path, ROOT)
    for part in TITLED:
        known = [item.title for item in getattr(entry, part)]
        named = [item.of for item in getattr(overlay, part)]
        assert [of for of in named if of not in known] == [], f"{part}: `of` is the English title, letter by letter"
        assert len(set(named)) == len(named)
    for part in ("shapes", "parameters", "changed", "deprecated", "removed"):
        assert getattr(overlay, part).keys() <= getattr(entry, part).keys(), part
    rows = {row.question: row for row in entry.table.rows} if entry.table else {}
    assert [row.of for row in overlay.rows if row.of not in rows or len(row.answers) != len(rows[row.of].answers)] == []
    assert [reading.of for reading in overlay.readings if reading.of not in entry.readings] == []
    assert [one.of for one in overlay.readings if set(errors.names_of(one.of)) != set(errors.names_of(one.text))] == []


@each
def test_a_translation_is_in_its_language_and_has_no_code(path: Path) -> None:
    written = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    texts = texts_of(written)
    assert not [text for text in texts if "```" in text or "\n    " in text], "code stays in the entry"
    if "zh" in path.suffixes[-2]:
        shapes = set(written.get("shapes", {}).values())
        assert [text for text in texts if text not in shapes and not HAN.search(text)] == []


@each
def test_a_translated_page_can_be_shown(path: Path) -> None:
    locale = path.suffixes[-2][1:]
    entry = translated(load_file(english(path), ROOT), load_overlay(path, ROOT), locale)
    text = markdown.hover(entry, signature="(a, b)") + markdown.page(entry)
    prose = "".join(markdown.hover(entry).split("```")[::2])
    assert text.count("```") % 2 == 0
    assert [line for line in prose.splitlines() if width(line) > WIDTH + 8 and "](https://" not in line] == []


def test_the_page_is_shown_in_the_language_asked_for() -> None:
    english_book, chinese = Handbook.open(ROOT), Handbook.open(ROOT, locale="zh_CN.UTF-8")
    stack, translated_stack = english_book.find("torch.stack"), chinese.find("torch.stack")
    assert stack and translated_stack
    assert chinese.locale == translated_stack.locale == "zh-CN"
    assert HAN.search(translated_stack.summary) and HAN.search(translated_stack.pitfalls[0].text)
    assert [pitfall.bad for pitfall in translated_stack.pitfalls] == [pitfall.bad for pitfall in stack.pitfalls]
    assert [pitfall.rule for pitfall in translated_stack.pitfalls] == [pitfall.rule for pitfall in stack.pitfalls]
    page = markdown.page(translated_stack)
    assert "## 常见错误" in page and "# 错误\n" in page and "## Pitfalls" not in page
    assert chinese.lines["torch.stack"].summary == translated_stack.summary
    assert stack.summary in chinese.lines["torch.stack"].other


def test_what_is_not_translated_stays_english(tmp_path: Path) -> None:
    root = tmp_path / "entries"
    (root / "torch").mkdir(parents=True)
    shutil.copy(ROOT / "torch" / "zeros.yaml", root / "torch")
    entry = Handbook.open(root, locale="zh-CN").find("torch.zeros")
    assert entry and entry.locale == "" and entry == Handbook.open(ROOT).find("torch.zeros")


@pytest.mark.parametrize(
    ("wanted", "locale"),
    [
        ("zh-CN", "zh-CN"),
        ("zh_CN.UTF-8", "zh-CN"),
        ("zh-cn", "zh-CN"),
        ("zh", "zh-CN"),
        ("en", ""),
        ("en-GB", ""),
        ("C", ""),
        ("", ""),
        ("fr", ""),
    ],
)
def test_languages_as_systems_name_them(wanted: str, locale: str) -> None:
    assert chosen(wanted, {"zh-CN"}) == locale


def test_every_language_has_all_labels() -> None:
    locales = {path.suffixes[-2][1:] for path in OVERLAYS}
    assert locales and locales <= LABELS.keys()
    assert len({frozenset(labels) for labels in LABELS.values()}) == 1


def test_chinese_takes_two_columns_and_is_broken_behind_its_marks() -> None:
    text = "沿一个已有的轴把张量首尾相接；" * 6 + "用 torch.cat 拼接。"
    lines = wrapped(text).split("\n")
    assert len(lines) > 1 and all(width(line) <= WIDTH for line in lines)
    assert all(line.endswith("；") for line in lines[:-1])
    assert "".join(lines) == text
    endless = wrapped("张" * 100).split("\n")
    assert [len(line) for line in endless] == [40, 40, 20]
    assert wrapped("a line of English words stays as it was") == "a line of English words stays as it was"
