"""Code of somebody's repository is downloaded and run.

Why
    torch.hub.load runs hubconf.py of the repository. Without trust_repo torch before 2.11 only warns of that, and newer ones ask,
    which a batch job cannot answer. Without a tag or a commit behind the name it is whatever stands on the main branch today.
    trust_remote_code=True of Hugging Face's libraries does the same without revision.

Bad
    model = torch.hub.load("somebody/models", "tiny")

Good
    model = torch.hub.load("somebody/models:v1.2", "tiny", trust_repo="check")
"""

from __future__ import annotations

import ast
import re

from torch_handbook.engine.rule import Category, Context, Finding, Findings, Rule, Severity
from torch_handbook.source.arguments import UNKNOWN, arguments_of

RULE = Rule(
    "untrusted-hub",
    Severity.INFORMATION,
    Category.SECURITY,
    entry="guides/security",
    covers=("remote-code-without-revision",),
)
ORDERS = {
    "torch.hub.load": ("repo_or_dir", "model", "source", "trust_repo"),
    "torch.hub.help": ("github", "model"),
    "torch.hub.list": ("github",),
}
OWNERS = ("pytorch", "facebookresearch", "facebookincubator", "fairinternal")  # torch trusts them itself
ASKS = (2, 11)  # the first release whose default is trust_repo="check"
FRIENDS = ("transformers.", "diffusers.", "datasets.", "sentence_transformers.")
FETCHING = ("from_pretrained", "pipeline", "load_dataset", "SentenceTransformer", "CrossEncoder")
REVISIONS = ("revision", "code_revision")
REPOSITORY = re.compile(r"([\w.-]+)/[\w.-]+(:.+)?")


@RULE.on(ast.Call)
def foreign_code(call: ast.Call, context: Context) -> Findings:
    name = context.name_of(call.func) or ""
    order = ORDERS.get(name)
    given = arguments_of(context.file, call, order) if order else None
    if order is None or given is None or given.constant("source", "github") != "github":
        return
    text = given.constant(order[0])
    found = REPOSITORY.fullmatch(text) if isinstance(text, str) else None
    if found is None or found[1] in OWNERS:
        return
    trust = given.constant("trust_repo")
    if trust in (None, UNKNOWN) and given.lacks("trust_repo"):
        pin = "" if found[2] else ", and name a tag or commit"
        warns = context.target.may_be_before(ASKS)
        does = f"runs the code of {text} with no more than a warning" if warns else f"asks before it runs the code of {text}"
        words = f"{name} {does}: say what you trust with trust_repo{pin}"
        yield Finding.at(call, words, severity=None if warns else Severity.HINT)
    elif trust is True and not found[2]:
        words = f"{name} runs whatever is on the main branch of {text} today: name a tag or commit, {text}:v1.0"
        yield Finding.at(call, words, severity=Severity.HINT)


@RULE.on(ast.Call)
def remote_code(call: ast.Call, context: Context) -> Findings:
    """`AutoModel.from_pretrained("somebody/model", trust_remote_code=True)`."""
    if not any(word.arg == "trust_remote_code" for word in call.keywords):
        return
    name = context.name_of(call.func) or ""
    if not name.startswith(FRIENDS) or name.rpartition(".")[2] not in FETCHING:
        return
    first = "task" if name.endswith("pipeline") else "name"
    given = arguments_of(context.file, call, (first, "model"))
    text = next((one for one in map(given.constant, ("model", "name", "pretrained_model_name_or_path", "path")) if one), None)
    found = REPOSITORY.fullmatch(text) if isinstance(text, str) else None
    local = found is None or found[1].startswith(".")
    if not local and given.constant("trust_remote_code") is True and given.complete and given.given.keys().isdisjoint(REVISIONS):
        words = f"the code of {text} is run as it is today: give revision, a commit of the repository"
        yield Finding.at(call, words, kind="remote-code-without-revision")
