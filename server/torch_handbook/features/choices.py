"""The strings that an argument takes, read from how its docstring lists them."""

from __future__ import annotations

import re

from torch_handbook.features import docstring
from torch_handbook.torchdocs.docs import Doc

QUOTED = re.compile(r"""(?<![\w'"])['"]([A-Za-z][\w-]*)['"](?![\w'"])""")


def of(doc: Doc | None, parameter: str) -> list[str]:
    """The values in their order, with the default among them; none where the docs name fewer than two."""
    if doc is None:
        return []
    said = next((item for item in docstring.arguments(doc.docstring) if item.name == parameter), None)
    signed = next((item for item in doc.parameters if item.name == parameter), None)
    words = f"{said.type} {said.text}" if said else ""
    default = QUOTED.findall(signed.default or "") if signed else []
    values = list(dict.fromkeys([*QUOTED.findall(words.replace("`", "")), *default]))
    return values if len(values) > 1 and (default or "str" in (said.type if said else "")) else []
