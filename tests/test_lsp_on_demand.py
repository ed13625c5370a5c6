"""The protocol's types are the same when attrs finishes each of them at its first use, and a start does without most of them."""

from __future__ import annotations

import re
import subprocess
import sys

BEGIN = "from torch_handbook.lsp.on_demand import load_types; load_types()\n"
TYPES = """
import attrs, inspect
from lsprotocol import converters, types as lsp
converter = converters.get_converter()
classes = {name: one for name, one in vars(lsp).items() if isinstance(one, type) and hasattr(one, "__attrs_attrs__")}
"""
TELL = """
for name, one in classes.items():
    print(name, inspect.signature(one), attrs.fields(one), one.__match_args__, [base.__name__ for base in one.__mro__])
    print(*(sorted(set(dir(one)) & {"__eq__", "__lt__", "__hash__", "__repr__", "__setattr__"})), one.__hash__ is None)
"""
USE = """
import json
place = {"line": 3, "character": 4}
for kind, value in (
    (lsp.HoverParams, {"textDocument": {"uri": "file:///a.py"}, "position": place}),
    (lsp.TextEdit, {"range": {"start": place, "end": place}, "newText": "x"}),
    (lsp.InitializeParams, {"capabilities": {"workspace": {"configuration": True}}, "processId": None, "rootUri": None}),
):
    made = converter.structure(value, kind)
    print(made, made == converter.structure(value, kind), json.dumps(converter.unstructure(made, kind)))
print(lsp.Position(1, 2) < lsp.Position(1, 3), lsp.Range(lsp.Position(1, 2), lsp.Position(1, 3)))
class Own(lsp.TextDocumentItem):
    pass
print(Own("file:///a.py", "python", 1, ""), attrs.fields(Own) == attrs.fields(lsp.TextDocumentItem))
for wrong in (lambda: lsp.Position("1", 2), lambda: lsp.Position(), lambda: setattr(lsp.Position(1, 2), "line", -1)):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
"""
LEFT = """
import sys
from torch_handbook.lsp.on_demand import Unfinished
from torch_handbook.lsp.server import Server
Server()
lsp = sys.modules["lsprotocol.types"]
print(sum(isinstance(vars(one).get("__attrs_attrs__"), Unfinished) for one in vars(lsp).values() if isinstance(one, type)))
"""
TOGETHER = """
from threading import Barrier, Thread
from lsprotocol import types as lsp
names = [name for name, one in vars(lsp).items() if isinstance(one, type) and name.endswith("Request")]
failed, begin = [], Barrier(8)
def use():
    begin.wait()
    for name in names:
        try:
            getattr(lsp, name)(id=1, **{"params": None} if "params: " in repr(getattr(lsp, name).__annotations__) else {})
        except TypeError as error:
            failed.append(str(error)) if "__init__() missing" not in str(error) else None
        except Exception as error:
            failed.append(repr(error))
threads = [Thread(target=use) for _ in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
print(len(names) > 50, failed)
"""


def said(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return re.sub(r" at 0x[0-9a-f]+", "", done.stdout)


def test_all_types_are_what_they_are_without() -> None:
    plain = said(TYPES + TELL)
    assert plain.count("\n") > 1000
    assert said(BEGIN + TYPES + TELL) == plain


def test_they_behave_as_they_do_without() -> None:
    plain = said(TYPES + USE)
    assert plain.count("True") >= 5 and "Own(uri='file:///a.py'" in plain and "ValueError Position.line should be" in plain
    assert said(BEGIN + TYPES.replace('hasattr(one, "__attrs_attrs__")', "False") + USE) == plain


def test_a_start_finishes_few_of_them() -> None:
    assert int(said(BEGIN + LEFT)) > 500


def test_threads_that_use_a_type_first_at_once_get_the_same() -> None:
    assert said(BEGIN + TOGETHER) == "True []\n"
