"""What a user may set: `[tool.torch-handbook]` of pyproject.toml, and what the editor sends. Wrong values become sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeGuard

from torch_handbook.requirement import lowest_torch, read_toml

SEVERITIES = ("error", "warning", "information", "hint", "off")
MODES = ("all", "annotated", "off")
LIBRARIES = ("torchvision", "timm", "transformers")  # whose networks can be known by importing them
GROUPS = ("completion",)  # settings that are written with a dot
# What holds other people's code, or none.
EXCLUDED = (".*", "__pycache__", "__pypackages__", "build", "dist", "env", "node_modules", "site-packages", "venv", "wheels")


@dataclass(frozen=True)
class Settings:
    """All settings, each with the value it has when nobody says anything."""

    python: str = ""  # the interpreter that has torch; "" looks for one
    select: tuple[str, ...] = ()  # the rules that run; none: those that are on by default
    extend_select: tuple[str, ...] = ()  # these run besides
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    severity: Mapping[str, str] = field(default_factory=dict[str, str])  # rule to "error", …, or "off"
    exclude: tuple[str, ...] = EXCLUDED  # files and folders that `check` passes over
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    baseline: str = ""  # the file with the findings that are known and not reported
    facts: bool = True  # whether a worker is asked what tensors are
    libraries: tuple[str, ...] = ()  # those of torchvision, timm and transformers that may be imported to know their networks
    inlay_hints: bool = True
    inlay_hints_chains: bool = False  # also behind each call whose result the next call of a chain is about
    code_lens: bool = True
    completion_mode: str = "all"  # "annotated": only names that the handbook has something to say of; "off": nothing
    benchmark_seconds: float = 60.0
    memory: str = ""  # what a training step may take, such as "24GiB": a summary says which batch fits into it
    locale: str = ""  # the language of the handbook; "" is that of the editor, or of the terminal
    lowest_torch: str = ""  # the lowest torch that the code must run on; "" reads it from the requirements of the project
    max_lines: int = 50_000  # longer files get no rules and no facts


@dataclass(frozen=True)
class Selected:
    """What an editor says of itself, which is no setting of its user's."""

    python: str = ""  # the interpreter that is selected in it
    trusted: bool = True  # whether code of the workspace may run


def selected(client: Mapping[str, Any] | None) -> Selected:
    """`python` under `defaults`, which is thought of after the user's own setting, and `trusted`."""
    given: Mapping[str, Any] = client if is_mapping(client) else {}
    defaults = given.get("defaults")
    python: Any = defaults.get("python") if is_mapping(defaults) else None
    return Selected(python if isinstance(python, str) else "", given.get("trusted") is not False)


def load(
    workspace: Path | None, client: Mapping[str, Any] | None = None, pyproject: Path | None = None
) -> tuple[Settings, list[str]]:
    """The settings of a workspace under those of the editor, and what is wrong with them, in sentences. Raises nothing.

    They stand in the workspace's pyproject.toml, unless another file is named. What the editor says under `defaults` lies below
    them: it holds where nobody has chosen anything.
    """
    given = {key: value for key, value in client.items() if key not in ("defaults", "trusted")} if is_mapping(client) else client
    defaults: Any = client.get("defaults") if is_mapping(client) else None
    if is_mapping(defaults):
        defaults = {key: value for key, value in defaults.items() if key != "python"}
    settings, problems = merge(Settings(), defaults, "the editor's defaults")
    if workspace is not None:
        path = pyproject or workspace / "pyproject.toml"
        table, problem = read_pyproject(path)
        problems += [problem] if problem else []
        settings, more = merge(settings, table, str(path))
        problems += more
    settings, more = merge(settings, given or {}, "the editor's settings")
    if workspace is not None and not settings.lowest_torch:
        settings = replace(settings, lowest_torch=lowest_torch(workspace))
    return settings, problems + more


def read_pyproject(path: Path) -> tuple[Mapping[str, Any], str | None]:
    """The table of a pyproject.toml, and why it cannot be read."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        return {}, f"{path} cannot be read ({error.strerror}): its settings are not used"
    try:
        found: Any = read_toml(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return {}, f"{path} is not valid TOML ({error}): its settings are not used"
    tools: Any = found.get("tool")
    table: Any = tools.get("torch-handbook", {}) if is_mapping(tools) else {}
    if not is_mapping(table):
        return {}, f"{path}: [tool.torch-handbook] must be a table: it is not used"
    return table, None


def merge(settings: Settings, given: Any, source: str) -> tuple[Settings, list[str]]:
    """The settings with those of a table laid over them. Keys may be kebab-case, snake_case or camelCase; "completion.mode"
    may be a key with a dot, or a table in the table."""
    if not is_mapping(given):
        return settings, [] if given is None else [f"{source}: settings must be a table, not {kind(given)}"]
    problems: list[str] = []
    for key, value in flat(given):
        name = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", key).replace("-", "_").replace(".", "_").lower()
        reader = READERS.get(name)
        if reader is None:
            problems.append(f"{source}: there is no setting called {key!r}{suggestion(name)}")
            continue
        if value is None:
            continue
        read, wanted = reader
        try:
            settings = replace(settings, **{name: read(value)})
        except (TypeError, ValueError):
            problems.append(f"{source}: {key} must be {wanted}, not {kind(value)}: {shown(getattr(settings, name))} is used")
    return settings, problems


def flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Keys and values, those of a group under a key with a dot."""
    for key, value in table.items():
        if key in GROUPS and is_mapping(value):
            yield from ((f"{key}.{inner}", item) for inner, item in value.items())
        else:
            yield str(key), value


def key_of(field: str) -> str:
    """How a setting is written: "completion.mode", "inlay-hints"."""
    group, _, rest = field.partition("_")
    return f"{group}.{rest}" if group in GROUPS else field.replace("_", "-")


def suggestion(name: str) -> str:
    near = get_close_matches(name, [item.name for item in fields(Settings)], 1)
    return f": did you mean {key_of(near[0])}?" if near else ""


def kind(value: object) -> str:
    """A wrong value in a few words."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else "what it was before"


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def release(value: Any) -> str:
    if value and not re.fullmatch(r"\d+\.\d+(\.\d+)*", text(value)):
        raise ValueError
    return text(value)


def amount(value: Any) -> str:
    if value and not re.fullmatch(r"\d+(\.\d+)?\s*[KMGTkmgt]?i?[Bb]?", text(value).strip()):
        raise ValueError
    return text(value)


def language(value: Any) -> str:
    if value and not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*", text(value)):
        raise ValueError
    return text(value)


def names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        raise TypeError
    items: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType]
    return tuple(text(item) for item in items)


def switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def positive(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
        raise ValueError
    return float(value)


def patterns(value: Any) -> dict[str, tuple[str, ...]]:
    if not is_mapping(value):
        raise TypeError
    return {text(key): names(item) for key, item in value.items()}


def severities(value: Any) -> dict[str, str]:
    if not is_mapping(value) or any(item not in SEVERITIES for item in value.values()):
        raise ValueError
    return {text(key): text(item) for key, item in value.items()}


def libraries(value: Any) -> tuple[str, ...]:
    if any(name not in LIBRARIES for name in names(value)):
        raise ValueError
    return names(value)


def mode(value: Any) -> str:
    if value not in MODES:
        raise ValueError
    return str(value)


RULES = 'a list of rules, such as ["shape-mismatch"]'
PATTERNS = 'a list of patterns, such as ["legacy", "src/generated/*.py"]'
SWITCH = "true or false"
READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "python": (text, "the path of a Python interpreter"),
    "select": (names, RULES),
    "extend_select": (names, RULES),
    "ignore": (names, RULES),
    "extend_ignore": (names, RULES),
    "per_file_ignores": (patterns, 'a table of patterns, such as {"tests/*" = ["all"]}'),
    "severity": (severities, f"a table from rules to one of {', '.join(SEVERITIES)}"),
    "exclude": (names, PATTERNS),
    "extend_exclude": (names, PATTERNS),
    "respect_gitignore": (switch, SWITCH),
    "baseline": (text, "the path of a file that `torch-handbook check --write-baseline` wrote"),
    "facts": (switch, SWITCH),
    "libraries": (libraries, f"a list of some of {', '.join(LIBRARIES)}"),
    "inlay_hints": (switch, SWITCH),
    "inlay_hints_chains": (switch, SWITCH),
    "code_lens": (switch, SWITCH),
    "completion_mode": (mode, '"all", "annotated" or "off"'),
    "benchmark_seconds": (positive, "a number of seconds above 0"),
    "memory": (amount, 'an amount of memory, such as "24GiB"'),
    "locale": (language, 'a language, such as "en" or "zh-CN"'),
    "lowest_torch": (release, 'a release of torch, such as "2.1"'),
    "max_lines": (lambda value: int(positive(value)), "a number above 0"),
}
