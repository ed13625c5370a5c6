"""argparse as a stand-in: the options that a parser is told of, each with its type and its default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict

from torch_handbook_worker.tensors.values import Unknown, unknown_in

KINDS: Dict[Any, str] = {int: "int", float: "number", bool: "bool", str: "str"}
SWITCHES = {"store_true": False, "store_false": True}
CLOSED = frozenset({"kind", "name", "item", "number", "usual", "plain", "is_lost"})


@dataclass(frozen=True)
class Option:
    """One option: what it is when nobody gives it, if that is known, and what kind of value it has."""

    name: str
    kind: str
    plain: Any

    def unknown(self) -> Unknown:
        """What stands for it: a number keeps its default beside it."""
        made = Unknown(self.kind, self.name)
        made.usual = self.plain if type(self.plain) is int else None
        return made


class Options(Unknown):
    """What `parse_args` gives. An option is unknown, unless the script is walked as it runs when it is given none."""

    def __init__(self, options: Dict[str, Option], is_lost: bool) -> None:
        super().__init__("", "args")
        self.plain = {name: option.plain for name, option in options.items()}
        self.is_lost = is_lost  # whether somebody else may have changed them
        self.__dict__.update({name: option.unknown() for name, option in options.items() if name not in CLOSED})

    def read(self, name: str, is_plain: bool) -> Any:
        """An option by its name."""
        value = self.plain.get(name, self) if is_plain and not self.is_lost else self
        return getattr(self, name) if value is self or isinstance(value, Unknown) else value

    def write(self, name: str, value: Any) -> None:
        """`args.name = value`."""
        if name not in CLOSED:
            self.plain[name] = self.__dict__[name] = value


class ArgumentParser:
    """argparse's parser; its groups are the parser itself."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.options: Dict[str, Option] = {}
        self.is_open = "parents" in named or "fromfile_prefix_chars" in named

    def add_argument(self, *names: Any, **named: Any) -> Any:
        """One more option; of one whose name is not known nothing is."""
        if not names or not all(isinstance(name, str) for name in names):
            self.is_open = True
            return Unknown()
        long = next((name for name in names if name.startswith("--")), names[0])
        dest = named.get("dest", long.lstrip("-").replace("-", "_"))
        if isinstance(dest, str):
            self.options[dest] = Option(dest, *_value(names[0], named))
        return Unknown()

    def add_argument_group(self, *arguments: Any, **named: Any) -> Any:
        return self

    add_mutually_exclusive_group = add_argument_group

    def set_defaults(self, **named: Any) -> None:
        for name, value in named.items():
            known = self.options.get(name)
            self.options[name] = Option(name, known.kind if known is not None else KINDS.get(type(value), ""), value)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options; what a list of arguments says of them is not read."""
        given = args is not None and not (isinstance(args, (list, tuple)) and not args)
        return Options(self.options, self.is_open or given or namespace is not None)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        return self.parse_args(args, namespace), []

    parse_intermixed_args = parse_args

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(name=name)


def _value(first: str, named: Dict[str, Any]) -> Any:
    """The kind of an option, and its default; an unknown where it has to be given, or where its default is converted."""
    action, default, convert = named.get("action"), named.get("default"), named.get("type")
    if isinstance(action, str) and action in SWITCHES:
        return "bool", named.get("default", SWITCHES[action])
    given = "required" in named or (not first.startswith("-") and named.get("nargs") not in ("?", "*"))
    unclear = given or unknown_in(default) is not None or (isinstance(default, str) and convert not in (None, str))
    listed = "nargs" in named or (isinstance(action, str) and action not in ("store", "store_const"))
    kind = "" if listed else KINDS.get(convert if isinstance(convert, type) else type(default), "")
    return kind, Unknown(kind) if unclear or isinstance(action, type) else default


MEMBERS: Dict[str, Any] = {"ArgumentParser": ArgumentParser}
