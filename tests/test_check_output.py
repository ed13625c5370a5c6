"""The forms in which `check` says what it found: lines, JSON, GitHub's commands, SARIF, and figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from check_command import EINSUM, FINE, check, rows, write
from torch_handbook.cli import examination
from torch_handbook.cli.examination import Task, fitting
from torch_handbook.cli.files import SourceFile
from torch_handbook.cli.github import escaped
from torch_handbook.settings import Settings

CALL = "torch.einsum('i,i->', torch.ones(3), torch.ones(3))"
SEVERAL = f"import torch\n\nx = {CALL}\ny = '😀', {CALL}\nz = torch.matrix_rank(x)\n"


def test_github_commands_are_escaped(tmp_path: Path) -> None:
    assert escaped("50%\r\nof a:b,c") == "50%25%0D%0Aof a:b,c"
    assert escaped("50%\r\nof a:b,c", ":,") == "50%25%0D%0Aof a%3Ab%2Cc"
    write(tmp_path / "a,b%.py", EINSUM)
    done = check(".", "--output-format", "github", folder=tmp_path)
    assert done.returncode == 1
    message = (
        '"i,i->" is a dot product: torch.dot(torch.ones(3), torch.ones(3)) computes it directly [einsum-with-dot-equivalent]'
    )
    assert done.stdout == (
        "::notice title=torch-handbook (einsum-with-dot-equivalent),file=a%2Cb%25.py,line=3,endLine=3,col=5,endColumn=56"
        f"::a,b%25.py:3:5: {message}\n"
    )


def test_github_gets_no_columns_of_several_lines(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM.replace('->", ', '->",\n'))
    assert ",line=3,endLine=4::" in check(".", "--output-format", "github", folder=tmp_path).stdout


# What SARIF 2.1.0 demands of the parts that are written: additional properties are refused there too.
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, "markdown": {"type": "string"}}}
WHOLE = {"type": "integer", "minimum": 1}
REGION: dict[str, Any] = {
    "type": "object",
    "properties": dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), WHOLE),
    "additionalProperties": False,
}
FILE = {"type": "object", "properties": {"uri": {"type": "string", "format": "uri-reference"}}, "additionalProperties": False}
LOCATION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": TEXT,
        "physicalLocation": {
            "type": "object",
            "properties": {"artifactLocation": FILE, "region": REGION},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
REPLACEMENT: dict[str, Any] = {
    "type": "object",
    "required": ["deletedRegion"],
    "properties": {"deletedRegion": REGION, "insertedContent": TEXT},
    "additionalProperties": False,
}
CHANGE: dict[str, Any] = {
    "type": "object",
    "required": ["artifactLocation", "replacements"],
    "properties": {"artifactLocation": FILE, "replacements": {"type": "array", "minItems": 1, "items": REPLACEMENT}},
    "additionalProperties": False,
}
FIX: dict[str, Any] = {
    "type": "object",
    "required": ["artifactChanges"],
    "properties": {"description": TEXT, "artifactChanges": {"type": "array", "minItems": 1, "items": CHANGE}},
    "additionalProperties": False,
}
RESULT: dict[str, Any] = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "uniqueItems": True, "items": LOCATION},
        "fixes": {"type": "array", "uniqueItems": True, "items": FIX},
    },
    "additionalProperties": False,
}
RULE: dict[str, Any] = {
    "type": "object",
    "required": ["id", "help", "shortDescription", "fullDescription"],
    "properties": {
        "id": {"type": "string"},
        "shortDescription": TEXT,
        "fullDescription": TEXT,
        "help": {**TEXT, "required": ["text", "markdown"]},
        "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}, "additionalProperties": False},
        "properties": {"type": "object", "properties": {"tags": {"type": "array", "uniqueItems": True}}},
    },
    "additionalProperties": False,
}


def test_sarif(tmp_path: Path) -> None:
    write(tmp_path / "mein netz" / "a.py", SEVERAL + "import torch.nn as nn\nm = nn.Linear(2, 2)\nm.requires_grad = False\n")
    done = check(".", "--output-format", "sarif", folder=tmp_path)
    assert done.returncode == 1
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0" and set(log) == {"$schema", "version", "runs"}
    (run,) = log["runs"]
    assert set(run) == {"tool", "columnKind", "results"} and run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    jsonschema.validate(driver["rules"], {"type": "array", "minItems": 1, "uniqueItems": True, "items": RULE})
    jsonschema.validate(run["results"], {"type": "array", "minItems": 3, "items": RESULT})
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "mein%20netz/a.py"
    dot = next(rule for rule in driver["rules"] if rule["id"] == "einsum-with-dot-equivalent")
    assert dot["help"]["markdown"].startswith("# einsum-with-dot-equivalent\n") and "Good:" in dot["help"]["text"]
    second = [result for result in run["results"] if result["ruleId"] == "einsum-with-dot-equivalent"][1]
    region = second["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 4, "startColumn": 10, "endLine": 4, "endColumn": 61}
    (change,) = second["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {"deletedRegion": region, "insertedContent": {"text": "torch.dot(torch.ones(3), torch.ones(3))"}}
    ]
    write(tmp_path / "b.py", FINE)
    assert json.loads(check("b.py", "--output-format", "sarif", folder=tmp_path).stdout)["runs"][0]["results"] == []


def test_statistics(tmp_path: Path) -> None:
    write(tmp_path / "a.py", SEVERAL)
    done = check(".", "--statistics", folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "2  [*] einsum-with-dot-equivalent  information",
        "1      removed-linalg-function     error",
    ]
    first, second = rows(check(".", "--statistics", "--output-format", "json", folder=tmp_path))
    assert first == {
        "rule": "einsum-with-dot-equivalent",
        "group": "einsum-with-bmm-equivalent",
        "count": 2,
        "severity": "information",
        "fixable": True,
    }
    assert second["fixable"] is False


def test_the_status_can_be_zero(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM)
    done = check(".", "--exit-zero", folder=tmp_path)
    assert done.returncode == 0 and "einsum-with-dot-equivalent" in done.stdout
    assert check("nowhere", "--exit-zero", folder=tmp_path).returncode == 2


def test_the_report_can_go_into_a_file(tmp_path: Path) -> None:
    write(tmp_path / "a.py", EINSUM)
    done = check(".", "--output-format", "json", "-o", "found.json", folder=tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert json.loads((tmp_path / "found.json").read_text())[0]["path"] == "a.py"
    done = check(".", "-o", "none/found.txt", folder=tmp_path)
    assert done.returncode == 2 and "none/found.txt cannot be written" in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_several_processes_say_the_same_in_the_same_order(tmp_path: Path, form: str) -> None:
    for number in range(12):
        write(tmp_path / f"m{number}.py", SEVERAL + "\n" * number + SEVERAL if number % 3 else FINE)
    write(tmp_path / "m5.py", EINSUM + "def f(:\n")
    write(tmp_path / "m6.py", "def f(:\n")  # without a word of torch, this is said beside the findings
    one, three = (check(".", "--output-format", form, "--jobs", jobs, folder=tmp_path) for jobs in ("1", "3"))
    assert (one.returncode, one.stdout) == (three.returncode, three.stdout) and one.stderr == three.stderr != ""


def test_as_many_processes_as_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination.os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(examination, "FORKS", True)

    def count(characters: int, python: str | None = None, about: str = "torch") -> int:
        source = SourceFile("a.py", about.ljust(characters // 20))
        return fitting([Task(source, Settings(), Path(), python)] * 20)

    assert [count(size) for size in (1_000, 390_000, 400_000, 2_000_000, 50_000_000)] == [1, 1, 2, 10, 16]
    assert [count(size, "python") for size in (1_000, 700_000, 800_000, 50_000_000)] == [1, 1, 2, 4]
    assert count(50_000_000, about="numpy") == 1
    monkeypatch.setattr(examination, "FORKS", False)
    assert [count(size) for size in (1_000_000, 1_200_000)] == [1, 2]


@pytest.mark.torch
def test_several_processes_ask_torch_too(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    import sys

    from check_command import run

    for name in ("a.py", "b.py"):
        write(tmp_path / name, "import torch\n\nx = torch.ones(3) + torch.ones(4)\n")
    done = run("check", ".", "--jobs", "2", "--python", sys.executable, folder=tmp_path)
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["a.py", "b.py"] and done.stderr == ""
    assert done.stdout.count("[add-shape-mismatch]") == 2
