"""How others run `check`: pre-commit's hooks and GitHub's action, as their files say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_command import EINSUM, FINE, write

ROOT = Path(__file__).parents[1]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "a.py", EINSUM)
    write(tmp_path / "b.py", FINE)
    write(tmp_path / "build" / "c.py", EINSUM)
    return tmp_path


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_checks_the_files_that_it_is_given(hook: dict[str, Any], project: Path) -> None:
    command = [sys.executable, "-m", "torch_handbook", *hook["entry"].split()[1:], *hook["args"]]
    done = subprocess.run([*command, "a.py", "b.py", "build/c.py"], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == ""
    if "--fix" in command:
        assert done.stdout == "1 fixed, 0 left\n" and (project / "a.py").read_text() == FINE
        assert subprocess.run([*command, "a.py"], cwd=project, capture_output=True, check=False).returncode == 0
    else:
        assert done.stdout.startswith("a.py:3:5: information: ") and done.stdout.count("\n") == 1
    assert (project / "build" / "c.py").read_text() == EINSUM, "what is passed over below folders is so here too"


@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("pre-commit") is None, reason="pre-commit is not installed")
def test_pre_commit_runs_the_hooks_of_a_clone(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    clone = tmp_path_factory.mktemp("clone")
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():  # the working tree as it is, whatever is committed
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    for folder in (clone, project):
        subprocess.run([*git, "init", "-q"], cwd=folder, check=True)
        subprocess.run([*git, "add", "-A"], cwd=folder, check=True)
        subprocess.run([*git, "commit", "-qm", "all"], cwd=folder, check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], cwd=clone, capture_output=True, text=True, check=True).stdout.strip()
    hooks = [{"id": hook["id"]} for hook in HOOKS]
    write(project / ".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": str(clone), "rev": head, "hooks": hooks}]}))
    subprocess.run([*git, "add", "-A"], cwd=project, check=True)
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("home"))}
    environment.pop("PYTHONPATH", None)
    command = ["pre-commit", "run", "--all-files", "--color", "never"]
    first = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert first.returncode == 1 and "a.py:3:5: information" in first.stdout and "1 fixed, 0 left" in first.stdout, first
    assert (project / "a.py").read_text() == FINE
    again = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0 and again.stdout.count("Passed") == 2


def test_the_action_checks_and_says_it_to_github(project: Path) -> None:
    *_, step = ACTION["runs"]["steps"]
    script = project / "bin" / "torch-handbook"
    write(script, f'#!/bin/sh\nexec "{sys.executable}" -m torch_handbook "$@"\n').chmod(0o755)
    values = {"${{ inputs.paths }}": "*.py build", "${{ inputs.args }}": ACTION["inputs"]["args"]["default"]}
    environment = {
        **os.environ,
        "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}",
        **{name: values[value] for name, value in step["env"].items()},
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert [line.partition("file=")[2].partition(",")[0] for line in done.stdout.splitlines()] == ["a.py", "build/c.py"]
    assert all(line.startswith("::notice title=torch-handbook (") for line in done.stdout.splitlines())


def test_the_action_installs_what_it_lies_beside() -> None:
    first, _ = ACTION["runs"]["steps"]
    assert subprocess.run(["bash", "-n", "-c", first["run"]], check=False).returncode == 0
    assert '"$GITHUB_ACTION_PATH"' in first["run"] and (ROOT / "pyproject.toml").is_file()
    assert set(ACTION["inputs"]) == {"paths", "args"}
