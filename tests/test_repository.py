"""What the repository tells those who contribute and the services that read it: forms, workflows, the changelog, the guide."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[0].split())
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", WORKFLOWS),
        ("github-issue-forms", FORMS),
        ("github-issue-config", [GITHUB / "ISSUE_TEMPLATE" / "config.yml"]),
        ("github-actions", [ROOT / "action.yml"]),
    ],
)
def test_files_have_the_form_that_their_reader_wants(schema: str, files: list[Path]) -> None:
    pytest.importorskip("check_jsonschema")
    assert files
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_hooks_have_the_form_that_pre_commit_wants() -> None:
    pytest.importorskip("pre_commit")
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_little_and_keeps_no_secrets(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    content: dict[str, Any] = yaml.safe_load(text)
    assert "secrets." not in text and content["permissions"] == {"contents": "read"}
    for name, job in content["jobs"].items():
        assert job["timeout-minutes"] <= 60, name
    writes = {name: job["permissions"] for name, job in content["jobs"].items() if "permissions" in job}
    assert writes == ({"pypi": {"id-token": "write"}, "github": {"contents": "write"}} if workflow.stem == "release" else {})


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_the_steps_of_a_workflow_are_sound_shell(workflow: Path) -> None:
    steps = [step for job in yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values() for step in job["steps"]]
    scripts = [step["run"] for step in steps if "run" in step]
    assert scripts
    for script in scripts:
        assert "${{" not in script, "what others may choose reaches a shell as a variable only"
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    assert {target for script in scripts for target in re.findall(r"^make ([a-z-]+)", script, re.MULTILINE)} <= TARGETS


def test_a_report_of_a_problem_has_what_doctor_says() -> None:
    form: dict[str, Any] = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / "bug.yml").read_text("utf-8"))
    (doctor,) = [item for item in form["body"] if item["id"] == "doctor"]
    assert doctor["validations"]["required"] and "torch-handbook doctor" in doctor["attributes"]["label"]
    assert len(FORMS) == 3


def test_the_guide_names_what_is_there() -> None:
    links = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", CONTRIBUTING)]
    files = re.findall(r"`?\b((?:tests|entries|server|\.github|editors)/[\w./-]+)", CONTRIBUTING)
    assert len(links) > 6 and len(files) > 8
    assert [name for name in [*links, *files] if not (ROOT / name.rstrip(".")).exists()] == []
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", CONTRIBUTING, re.MULTILINE)) <= TARGETS


def test_the_changelog_keeps_its_form() -> None:
    """Dated versions, the newest first, below what is not released yet; each part has one of the six kinds."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heads = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    assert [head for head in heads[1:] if not re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", head)] == []
    versions = [tuple(map(int, head[1:].partition("]")[0].split("."))) for head in heads[1:]]
    assert versions == sorted(versions, reverse=True)
    kinds = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert kinds and set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
