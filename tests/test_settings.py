"""Settings: where they come from, and what a wrong one gets."""

from pathlib import Path

import pytest
from torch_handbook.settings import Selected, Settings, load, selected


def pyproject(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[tool.torch-handbook]\n{table}\n", "utf-8")
    return folder


def test_nothing_said_gives_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, None) == (Settings(), [])
    assert load(None, {}) == (Settings(), [])


def test_pyproject_is_read(tmp_path: Path) -> None:
    table = (
        'python = "/opt/py"\nignore = ["shape-mismatch"]\ninlay-hints = false\n'
        'per-file-ignores = {"tests/*" = ["all"]}\nseverity = {"in-place-on-grad" = "hint"}'
    )
    settings, problems = load(pyproject(tmp_path, table))
    assert problems == []
    assert settings.python == "/opt/py"
    assert settings.ignore == ("shape-mismatch",)
    assert settings.per_file_ignores == {"tests/*": ("all",)}
    assert settings.severity == {"in-place-on-grad": "hint"}
    assert settings.inlay_hints is False


def test_the_editor_wins_and_writes_camel_case(tmp_path: Path) -> None:
    settings, problems = load(pyproject(tmp_path, "inlay-hints = false\nbenchmark-seconds = 5"), {"inlayHints": True})
    assert (settings.inlay_hints, settings.benchmark_seconds, problems) == (True, 5.0, [])


@pytest.mark.parametrize(
    "client", [{"completion.mode": "off"}, {"completion": {"mode": "off"}}, {"defaults": {"completion.mode": "off"}}]
)
def test_the_mode_of_completion_is_a_key_with_a_dot_or_a_table(client: dict[str, object]) -> None:
    settings, problems = load(None, client)
    assert (settings.completion_mode, problems) == ("off", [])


def test_what_an_editor_calls_a_default_lies_under_what_the_project_says(tmp_path: Path) -> None:
    beside = {"defaults": {"completion": {"mode": "annotated"}, "inlayHints": False}, "codeLens": False}
    settings, problems = load(pyproject(tmp_path, 'completion.mode = "all"'), beside)
    assert (settings.completion_mode, settings.inlay_hints, settings.code_lens, problems) == ("all", False, False, [])
    assert load(tmp_path, {**beside, "completion.mode": "off"})[0].completion_mode == "off"
    assert load(tmp_path, {"defaults": 3})[1] == ["the editor's defaults: settings must be a table, not 3"]


@pytest.mark.parametrize(
    ("client", "words"),
    [
        ({"completion": {"mode": "full"}}, 'completion.mode must be "all", "annotated" or "off", not \'full\''),
        ({"completionMod": "off"}, "there is no setting called 'completionMod': did you mean completion.mode?"),
        ({"facts": "yes"}, "facts must be true or false, not 'yes': true is used"),
        ({"benchmarkSeconds": -1}, "benchmarkSeconds must be a number of seconds above 0, not -1: 60.0 is used"),
        ({"inlyHints": True}, "there is no setting called 'inlyHints': did you mean inlay-hints?"),
        ({"severity": {"x": "loud"}}, "severity must be a table from rules to one of error"),
        ({"select": [1]}, "select must be a list of rules"),
        ([1, 2], "settings must be a table, not [1, 2]"),
    ],
)
def test_a_wrong_setting_is_said_and_left_out(client: object, words: str) -> None:
    settings, problems = load(None, client)  # type: ignore[arg-type]
    assert settings == Settings()
    assert len(problems) == 1 and words in problems[0]


@pytest.mark.parametrize("content", [b"[tool.torch-handbook\n", b"\xff\xfe[", b"[tool]\ntorch-handbook = 3\n", b"tool = 3\n"])
def test_a_broken_pyproject_never_raises(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(content)
    settings, problems = load(tmp_path)
    assert settings == Settings()
    assert len(problems) == (0 if content == b"tool = 3\n" else 1)


def test_what_an_editor_says_of_itself_is_no_setting(tmp_path: Path) -> None:
    said = {"trusted": False, "defaults": {"python": "/opt/py", "codeLens": False}}
    settings, problems = load(tmp_path, said)
    assert (settings.python, settings.code_lens, problems) == ("", False, [])
    assert selected(said) == Selected("/opt/py", trusted=False)
    for nothing in (None, {}, {"defaults": 3}, {"defaults": {"python": 3}, "trusted": None}):
        assert selected(nothing) == Selected("", trusted=True)
