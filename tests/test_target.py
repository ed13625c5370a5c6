"""What is advised depends on the torch that is installed and on the lowest one that the project allows."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_handbook import settings
from torch_handbook.cli.target import target_of
from torch_handbook.engine.facts import Facts
from torch_handbook.engine.run import check
from torch_handbook.engine.target import Target
from torch_handbook.requirement import lower_bound, lowest_torch
from torch_handbook.settings import Settings
from torch_handbook.source.file import File
from torch_handbook.source.torch_releases import marks_of, release, table
from torch_handbook.torchdocs.docs import TorchDocs

NEW_AND_OLD = """
import torch
with torch.cuda.amp.autocast():
    pass
with torch.backends.cuda.sdp_kernel():
    pass
q, r = torch.qr(torch.eye(3))
torch.optim.lr_scheduler.StepLR(None, 3, verbose=True)
"""


def rules(installed: str, lowest: str = "", code: str = NEW_AND_OLD) -> list[str]:
    """The rule of each finding and its line."""
    target = Target.of(installed, lowest)
    return [f"{item.rule}:{item.span.line}" for item in check(File.read("a.py", code), Facts.none(), Settings(), target=target)]


def test_what_is_deprecated_is_asked_of_the_installed_torch() -> None:
    assert rules("2.2.1") == ["deprecated-api:7"]
    assert rules("2.3.0+cu121") == ["deprecated-api:5", "deprecated-api:7"]
    assert rules("2.13.0+cpu") == ["deprecated-api:3", "deprecated-api:5", "deprecated-api:7", "removed-api:8"]
    assert rules("2.14.1") == ["deprecated-api:3", "deprecated-api:5", "removed-api:7", "removed-api:8"]


def test_what_the_lowest_torch_lacks_is_not_advised() -> None:
    assert rules("2.13.0", "2.1") == ["deprecated-api:3", "deprecated-api:7", "removed-api:8"]
    assert rules("2.13.0", "1.10") == ["deprecated-api:7", "removed-api:8"]


LOADS = """
import torch
torch.load("weights.pt")
torch.load("weights.pt", weights_only=True)
torch.hub.load("somebody/models", "tiny")
"""


def weights(installed: str, lowest: str = "") -> list[tuple[str, int, str]]:
    target = Target.of(installed, lowest)
    found = check(File.read("a.py", LOADS), Facts.none(), Settings(), target=target)
    return [(item.kind or item.rule, item.span.line, item.severity.value if item.severity else "") for item in found]


def test_loading_is_unsafe_where_an_old_torch_may_do_it() -> None:
    asks = ("untrusted-hub", 5, "hint")
    assert weights("2.13.0") == [asks]
    assert weights("2.5.1") == [("load-without-weights-only", 3, "warning"), ("untrusted-hub", 5, "information")]
    assert weights("2.13.0", "2.5") == [("load-without-weights-only", 3, "warning"), ("untrusted-hub", 5, "information")]
    assert weights("2.13.0", "2.6") == [("untrusted-hub", 5, "information")]


def test_marks_that_were_read_from_an_unknown_torch_are_taken() -> None:
    row = ["torch.relu", "", "warns", "", "", "torch.nn.functional.relu", "torch.relu is deprecated"]
    target = Target.of("3.1.0", None, [row])
    found = check(File.read("a.py", "import torch\ntorch.relu(torch.ones(3))\n"), Facts.none(), Settings(), target=target)
    assert [item.message for item in found] == ["torch.relu is deprecated: use torch.nn.functional.relu"]


@pytest.mark.parametrize(
    ("requirement", "bound"),
    [
        ("torch>=2.1", (2, 1)),
        ("torch >= 2.1.3, < 3", (2, 1)),
        ("torch~=2.4", (2, 4)),
        ("torch==2.5.1+cu121", (2, 5)),
        ("torch[opt-einsum] (>=2)", (2, 0)),
        ("torch>1.13,!=2.0.0,>=2.0.1", (2, 0)),
        ("torch; python_version >= '3.9'", None),
        ("torch", None),
        ("torch<2.3", None),
        ("torchvision>=0.15", None),
        ("torch-geometric>=2.3", None),
    ],
)
def test_a_requirement_has_a_lower_bound(requirement: str, bound: tuple[int, int] | None) -> None:
    assert lower_bound(requirement) == bound


@pytest.mark.parametrize(
    ("name", "content", "lowest"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "torch>=2.3"]', "2.3"),
        ("pyproject.toml", '[project]\ndependencies = ["torch"]\n[project.optional-dependencies]\na = ["torch>=2.2"]', "2.2"),
        ("pyproject.toml", '[dependency-groups]\ntest = ["torch~=2.6", {include-group = "a"}]', "2.6"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.1"', "2.1"),
        ("pyproject.toml", '[tool.poetry.group.gpu.dependencies]\ntorch = {version = "2.7.0", source = "pytorch"}', "2.7"),
        ("pyproject.toml", "[project]\ndependencies = 3\n[tool]\npoetry = 1", ""),
        ("pyproject.toml", "[project", ""),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    torch>=1.13\n", "1.13"),
        ("setup.cfg", "[options.extras_require]\nall =\n    torch>=2.0\n", "2.0"),
        ("setup.cfg", "no section", ""),
        ("requirements.txt", "# torch>=1.0\n-r other.txt\ntorch==2.4.0 # pinned\n", "2.4"),
    ],
)
def test_the_files_of_a_project_state_its_lowest_torch(tmp_path: Path, name: str, content: str, lowest: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    assert lowest_torch(tmp_path) == lowest


def test_a_setting_goes_over_the_requirements(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.3"]\n', "utf-8")
    assert settings.load(tmp_path)[0].lowest_torch == "2.3"
    found, problems = settings.load(tmp_path, {"lowestTorch": "2.0"})
    assert (found.lowest_torch, problems) == ("2.0", [])
    found, problems = settings.load(tmp_path, {"lowestTorch": "new"})
    assert found.lowest_torch == "2.3" and "lowestTorch must be a release of torch" in problems[0]


def test_the_target_is_found_in_files_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages" / "torch"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "version.py").write_text('__version__ = "2.1.2"\n', "utf-8")
    (tmp_path / ".venv" / "bin").mkdir()
    python = tmp_path / ".venv" / "bin" / "python"
    python.touch()
    python.chmod(0o755)
    found = target_of(Settings(lowest_torch="2.0"), str(python), tmp_path)
    assert (found.installed, found.lowest) == ((2, 1), (2, 0))
    assert found.mark("torch.cuda.amp.autocast") is None and found.mark("torch.range") is not None


@pytest.mark.torch
def test_the_table_says_what_the_installed_torch_says(tmp_path: Path) -> None:
    """Reading its files anew gives the rows that are kept of its release."""
    torch = pytest.importorskip("torch")
    here = release(torch.__version__)
    assert here is not None
    if f"{here[0]}.{here[1]}" not in table()["releases"]:
        pytest.skip("the table does not reach this release")
    docs = TorchDocs.open(Path(torch.__file__).parent, torch.__version__, tmp_path)
    read = docs.marks(make=True)
    assert read is not None
    made = Target.of(torch.__version__, None, read)
    kept = {key: (mark.state, mark.instead) for key, mark in marks_of(here).items()}
    assert {key: (mark.state, mark.instead) for key, mark in made.marks.items()} == kept
    again = TorchDocs.open(Path(torch.__file__).parent, torch.__version__, tmp_path)
    assert again.marks() == read
