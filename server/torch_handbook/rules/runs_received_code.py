"""What is received can run code: pickled objects between processes, packages, native libraries.

Why
    all_gather_object and its like unpickle what another process sends: whoever can join the process group runs code in all of
    them. torch.package and torch.ops.load_library run what is in the file. Within one's own machines and with one's own files
    that is meant so, and this rule is off by default; switch it on to look through a project that takes them from elsewhere.

Bad
    found = [None]
    torch.distributed.all_gather_object(found, "what I know")

Good
    found = [torch.zeros(3)]
    torch.distributed.all_gather(found, torch.ones(3))
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.torch_names import words

RULE = Rule(
    "runs-received-code",
    Severity.INFORMATION,
    Category.SECURITY,
    entry="guides/security",
    default=False,
    covers=("object-collective", "package-import", "native-library"),
)
OBJECTS = words("all_gather_object gather_object scatter_object_list broadcast_object_list send_object_list recv_object_list")
LIBRARIES = ("torch.ops.load_library", "torch.classes.load_library")
PACKAGE = "torch.package.PackageImporter"


@RULE.on(ast.Call)
def received(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or ""
    owner, _, last = name.rpartition(".")
    if last in OBJECTS and owner in ("torch.distributed", "torch.distributed.distributed_c10d"):
        said = f"{last} unpickles what other processes send, which can run code here: send tensors, where not all are your own"
        yield Finding.at(call, said, kind="object-collective")
    elif name == PACKAGE:
        yield Finding.at(call, "a package runs the code that it holds: only for files that you wrote", kind="package-import")
    elif name in LIBRARIES:
        yield Finding.at(call, f"{name} runs what the library holds: only for files that you built", kind="native-library")
