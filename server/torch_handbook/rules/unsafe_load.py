"""A file is loaded in a way that runs whatever code it holds.

Why
    Pickle can run any function. torch.load reads tensors and plain containers only with weights_only=True, which is the default
    since torch 2.6. weights_only=False, and leaving it out on an older torch, hands the machine to whoever wrote the file.
    torch.hub.load_state_dict_from_url still has False as its default: there it is whoever holds the address.

Bad
    weights = torch.load("downloaded.pt", weights_only=False)

Good
    weights = torch.load("downloaded.pt")
"""

from __future__ import annotations

import ast

from torch_handbook.engine.rule import Category, Context, Edit, Finding, Findings, Fix, Rule, Severity
from torch_handbook.source.arguments import arguments_of
from torch_handbook.source.guards import is_guarded
from torch_handbook.source.text import Span, span_of

RULE = Rule(
    "unsafe-load",
    Severity.INFORMATION,
    Category.SECURITY,
    entry="guides/security",
    covers=("load-without-weights-only", "download-without-weights-only"),
)
SAFE_BY_DEFAULT = (2, 6)
ORDER = ("f", "map_location", "pickle_module")
FROM_URL = ("torch.hub.load_state_dict_from_url", "torch.utils.model_zoo.load_url")
URL_ORDER = ("url", "model_dir", "map_location", "progress", "check_hash", "file_name", "weights_only")


@RULE.on(ast.Call)
def runs_code(call: ast.Call, context: Context) -> Findings:
    if context.name_of(call.func) != "torch.load" or not [*call.args, *call.keywords]:
        return
    given = arguments_of(context.file, call, ORDER)
    if given.constant("weights_only") is False:
        word = next((word for word in call.keywords if word.arg == "weights_only"), None)
        words = "weights_only=False runs whatever code the file holds: only for files that you wrote"
        yield Finding.at(word or call, words, severity=Severity.HINT)
    elif given.lacks("weights_only") and context.target.may_be_before(SAFE_BY_DEFAULT) and not is_guarded(context.file, call):
        old = min(release for release in (context.target.installed, context.target.lowest) if release is not None)
        words = f"torch {old[0]}.{old[1]} runs whatever code the file holds: give weights_only=True, the default since 2.6"
        other = "pickle_module" in given.given
        fix = None if other else with_weights_only(call)
        yield Finding.at(call, words, fix=fix, severity=Severity.WARNING, kind="load-without-weights-only")


@RULE.on(ast.Call)
def downloads_code(call: ast.Call, context: Context) -> Findings:
    """The same of a file that is fetched first; one whose hash is compared is the one that was meant."""
    if context.name_of(call.func) not in FROM_URL or not [*call.args, *call.keywords]:
        return
    given = arguments_of(context.file, call, URL_ORDER)
    if given.constant("check_hash", False) is not False:
        return
    if given.constant("weights_only") is False:
        words = "weights_only=False runs whatever code the download holds: only for files that you wrote"
        yield Finding.at(call, words, severity=Severity.HINT, kind="download-without-weights-only")
    elif given.lacks("weights_only"):
        shown = context.text_of(call.func)
        words = f"{shown} runs whatever code the download holds, as its weights_only is False by default: give weights_only=True"
        fix = with_weights_only(call) if context.target.oldest >= SAFE_BY_DEFAULT else None
        yield Finding.at(call, words, fix=fix, severity=Severity.HINT, kind="download-without-weights-only")


def with_weights_only(call: ast.Call) -> Fix:
    end = span_of([*call.args, *call.keywords][-1]).end
    return Fix("give weights_only=True", (Edit(Span(*end, *end), ", weights_only=True"),), safe=False)
