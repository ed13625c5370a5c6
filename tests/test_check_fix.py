"""`check --fix` and `--diff`: what is mended parses, has no longer what was found, and is otherwise as it was."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import stat
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from check_command import EINSUM, check, write
from markers import checked
from test_rules import FIXTURES, found_in, with_torch
from torch_handbook.cli.examination import Examined, How, Surroundings, Task, examine
from torch_handbook.cli.files import SourceFile
from torch_handbook.engine.fixes import apply, fixed, sound
from torch_handbook.engine.patch import Patch
from torch_handbook.engine.rule import Edit
from torch_handbook.engine.suppressions import DIRECTIVE
from torch_handbook.settings import Settings
from torch_handbook.source.text import Span, Text

MENDED = EINSUM.replace('torch.einsum("i,i->", torch.ones(3), torch.ones(3))', "torch.dot(torch.ones(3), torch.ones(3))")
GUESS = "import torch\nimport torch.nn.functional as F\n\n\ndef f(a: torch.Tensor):\n    a.contiguous()\n    return a\n"


def mended(content: str, unsafe: bool = True) -> Examined:
    task = Task(SourceFile("net.py", content), Settings(), Path.cwd())
    return examine(task, How(hints=True, fix=True, unsafe=unsafe), Surroundings())


@pytest.mark.parametrize("path", with_torch(FIXTURES))
def test_each_fix_alone_leaves_sound_code_without_its_finding(path: Path) -> None:
    content = path.read_text("utf-8")
    before = found_in(path, content)
    for finding in before:
        for fix in finding.fixes:
            after = apply(Text(content), fix.edits)
            assert sound(after), fix.title
            left = [one.message for one in found_in(path, after) if one.id == finding.id]
            same = [one.message for one in before if one.id == finding.id]
            assert left.count(finding.message) < same.count(finding.message), f"{fix.title}: {finding.message} is still there"


@pytest.mark.parametrize("path", with_torch(FIXTURES))
def test_any_fixes_of_a_file_together_leave_sound_code(path: Path) -> None:
    content = path.read_text("utf-8")
    fixes = [fix for finding in found_in(path, content) for fix in finding.fixes]
    for seed in range(8):
        chance = random.Random(seed)
        some = chance.sample(fixes, chance.randint(0, len(fixes)))
        result, applied = fixed(Text(content), some)
        assert sound(result) and (result != content) == bool(applied)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_mending_comes_to_an_end_in_any_form_of_a_file(path: Path) -> None:
    content = path.read_text("utf-8")
    done = mended(content)
    assert sound(done.content) and not done.complaints
    assert not any(finding.fixes for finding in done.findings)
    windows = mended(content.replace("\n", "\r\n"))
    assert windows.content == done.content.replace("\n", "\r\n")
    assert comments(done.content) == comments(content)


@pytest.mark.parametrize(
    "path", [path for path in FIXTURES if path.with_suffix(".fixed.py").exists()], ids=lambda path: path.name
)
def test_lines_are_indented_as_their_neighbours(path: Path) -> None:
    content = path.read_text("utf-8")
    assert mended(tabbed(content)).content == tabbed(mended(content).content)


def tabbed(content: str) -> str:
    return re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), content, flags=re.MULTILINE)


LOOP = (
    "from torch.utils.data import DataLoader\nfrom torch.utils.data.distributed import DistributedSampler\n\n\n"
    "def run(data, train):\n    sampler = DistributedSampler(data)\n    loader = DataLoader(data, sampler=sampler)\n"
    "    for epoch in range(3): train(x for x in loader)\n"
)
ODD = {
    "a body on the line of its head": (LOOP, ": sampler.set_epoch(epoch); train("),
    "a class on a line": (
        "from torch import nn\n\n\nclass N(nn.Module):\n    def __init__(self): self.f = nn.Linear(2, 2)\n",
        "def __init__(self): super().__init__(); self.f = nn.Linear(2, 2)",
    ),
    "a comment in what would go": (
        "import torch\nfrom torch.autograd import Variable\n\nx = Variable(  # why\n    torch.zeros(3)\n)\n",
        "x = Variable(  # why\n    torch.zeros(3)\n)\n",
    ),
    "backslashes": (
        'import torch\nx = 1 + \\\n    torch.einsum("i,i->", torch.ones(3), \\\n    torch.ones(3))  # why\n',
        "x = 1 + \\\n    torch.dot(torch.ones(3), torch.ones(3))  # why\n",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_code_that_shares_lines_stays_sound(name: str) -> None:
    before, wanted = ODD[name]
    done = mended(before)
    assert wanted in done.content and sound(done.content)
    assert mended(before.replace("\n", "\r\n")).content == done.content.replace("\n", "\r\n")


HEAD = (
    '"""What it does.\n\nimport nothing\n"""\n\nfrom __future__ import annotations\n\n'
    "from torch.cuda import (  # for amp\n    amp,\n)\n"
)
USES = "\n\ndef f():\n    with amp.autocast():\n        return amp.GradScaler()\n"


def test_an_import_is_added_once_behind_the_docstring_and_the_future() -> None:
    done = mended(HEAD + USES).content
    assert done == f"{HEAD}import torch\n{USES}".replace("amp.autocast()", 'torch.amp.autocast("cuda")').replace(
        "amp.GradScaler()", 'torch.amp.GradScaler("cuda")'
    )
    local = mended(f"{HEAD}{USES}".replace("def f():", "def f(torch):")).content
    assert "import torch\n" not in local and "amp.autocast()" in local


def comments(content: str) -> list[str]:
    """What they say besides what silences, which is mended itself."""
    tokens = tokenize.generate_tokens(io.StringIO(content).readline)
    said = (DIRECTIVE.sub("", token.string).strip() for token in tokens if token.type == tokenize.COMMENT)
    return [words for words in said if words]


def test_many_files_at_once(tmp_path: Path) -> None:
    for path in FIXTURES:
        shutil.copy(path, tmp_path / path.name)
    done = check(".", "--fix", "--hints", "--unsafe-fixes", "--jobs", "2", folder=tmp_path)
    assert done.returncode == 1 and done.stderr == ""
    count = int(done.stdout.splitlines()[-1].partition(" fixed, ")[0])
    assert count > 100
    again = check(".", "--fix", "--hints", "--unsafe-fixes", folder=tmp_path)
    assert again.stdout.splitlines()[-1].startswith("0 fixed, ")
    assert again.stdout.splitlines()[:-1] == done.stdout.splitlines()[:-1]


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_a_file_is_mended_in_its_place(tmp_path: Path, jobs: str) -> None:
    path = write(tmp_path / "a.py", EINSUM)
    path.chmod(0o754)
    other = write(tmp_path / "b.py", EINSUM + "import os\nloss[0]\n")
    (tmp_path / "link.py").symlink_to("b.py")
    done = check("a.py", "link.py", "--fix", "--jobs", jobs, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 fixed, 0 left\n", "")
    assert path.read_text() == MENDED and stat.S_IMODE(path.stat().st_mode) == 0o754
    assert (tmp_path / "link.py").is_symlink() and other.read_text() == MENDED + "import os\nloss[0]\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.py", "b.py", "link.py"]
    assert check("a.py", "--fix", "--exit-non-zero-on-fix", folder=tmp_path).returncode == 0
    write(path, EINSUM)
    assert check("a.py", "--fix", "--exit-non-zero-on-fix", folder=tmp_path).returncode == 1


FORMS = {
    "windows": EINSUM.replace("\n", "\r\n").encode(),
    "byte order mark": b"\xef\xbb\xbf" + EINSUM.encode(),
    "latin-1": ("# -*- coding: latin-1 -*-\n# é\n" + EINSUM).encode("latin-1"),
    "no line end": EINSUM.rstrip("\n").encode(),
    "form feed": (EINSUM + "\x0c\nx = '\u2028'  # \x0b\n").encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_bytes_that_are_not_mended_stay(tmp_path: Path, form: str) -> None:
    path = write(tmp_path / "a.py", FORMS[form])
    assert check("a.py", "--fix", folder=tmp_path).returncode == 0
    old, new = EINSUM.splitlines()[-1].encode(), MENDED.splitlines()[-1].encode()
    assert path.read_bytes() == FORMS[form].replace(old, new)


def test_a_difference_can_be_applied_and_nothing_is_written(tmp_path: Path) -> None:
    for name, content in FORMS.items():
        write(tmp_path / "src" / f"{name}.py", content)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.py")}
    command = [sys.executable, "-m", "torch_handbook", "check", "--no-facts", "--diff", "src"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 1 and done.stderr == b"5 would be fixed in 5 files\n"
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.py")} == before
    assert done.stdout.startswith(b"--- src/byte order mark.py\n+++ src/byte order mark.py\n@@ -1,3 +1,3 @@\n")
    write(tmp_path / "a.diff", check("--diff", "src/windows.py", "src/no line end.py", folder=tmp_path).stdout)
    subprocess.run(["git", "apply", "-p0", "a.diff"], cwd=tmp_path, check=True)
    assert b"torch.dot" in (tmp_path / "src/windows.py").read_bytes()
    assert (tmp_path / "src/no line end.py").read_text() == MENDED.rstrip("\n")
    assert check("src/windows.py", "--diff", folder=tmp_path).returncode == 0


def test_standard_input_is_mended_to_standard_output(tmp_path: Path) -> None:
    data = EINSUM.replace("\n", "\r\n").encode() + b"model.requires_grad_ = False\r\n"
    done = check("-", "--fix", "--stdin-filename", "src/a.py", folder=tmp_path, data=data)
    assert done.stdout == data.decode().replace(EINSUM.splitlines()[-1], MENDED.splitlines()[-1])
    assert done.stderr == "1 fixed, 0 left\n" and done.returncode == 0
    assert check("-", "--diff", "--stdin-filename", "src/a.py", folder=tmp_path, data=data).stdout.startswith("--- src/a.py\n")
    write(tmp_path / "pyproject.toml", '[tool.torch-handbook.per-file-ignores]\n"src/*" = ["all"]\n')
    assert check("--fix", "--stdin-filename", "src/a.py", folder=tmp_path, data=data).stdout == data.decode()
    assert check("--stdin-filename", "a.py", folder=tmp_path, data=data).stdout.startswith("a.py:3:5: information")


def test_what_may_be_meant_otherwise_is_left_to_people(tmp_path: Path) -> None:
    path = write(tmp_path / "a.py", GUESS)
    done = check("a.py", "--fix", folder=tmp_path)
    assert done.returncode == 1 and done.stdout.splitlines()[-1] == "0 fixed, 1 left" and path.read_text() == GUESS
    (row,) = json.loads(check("a.py", "--output-format", "json", folder=tmp_path).stdout)
    assert row["fix"]["safe"] is False
    assert check("a.py", "--fix", "--unsafe-fixes", folder=tmp_path).returncode == 0
    assert "    a = a.contiguous()\n" in path.read_text()


@pytest.mark.parametrize(
    "name",
    [
        *("unregistered_submodules", "shared_layer_by_multiplication", "tensor_attribute_not_buffer"),  # keys of checkpoints
        *("redundant_bias_before_batchnorm", "in_place_clobbers_alias", "zero_grad_set_to_none_false"),
        *("randperm_device", "distributed_sampler_set_epoch"),  # what is drawn
        *("functional_dropout_no_training_flag", "sample_instead_of_rsample", "network_alias_not_copy"),
        *("checkpoint_use_reentrant", "non_blocking_unpinned"),
    ],
)
def test_what_changes_checkpoints_draws_or_training_is_looked_at_first(name: str) -> None:
    path = Path(__file__).parent / "rules" / f"{name}.py"
    own = [finding for finding in checked(path, path.read_text("utf-8")) if finding.rule == name.replace("_", "-")]
    fixes = [fix for finding in own for fix in finding.fixes]
    assert fixes and not any(fix.safe for fix in fixes)


def test_a_range_is_sure_of_whole_numbers_only() -> None:
    code = "import torch\n\n\ndef f(n):\n    return torch.range(0, n)\n"
    assert mended(code, unsafe=False).content == code
    assert "torch.arange(0, n + 1" in mended(code).content


def test_a_broken_file_is_not_touched(tmp_path: Path) -> None:
    path = write(tmp_path / "a.py", EINSUM + "def f(:\n")
    done = check("a.py", "--fix", folder=tmp_path)
    assert path.read_text() == EINSUM + "def f(:\n" and "only what can be read" in done.stdout


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    write(tmp_path / "a.py", ("# coding: ascii\n" + EINSUM).encode())
    script = (
        "import sys; from torch_handbook.cli import files, fixing\n"
        "def refuse(path, data): raise PermissionError(13, 'Permission denied')\n"
        "fixing.write = refuse\n"
        "from torch_handbook.cli.main import main; sys.exit(main(['check', '--no-facts', '--fix', 'a.py']))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "a.py cannot be written: Permission denied" in done.stderr


@pytest.mark.parametrize("seed", range(40))
def test_edits_of_several_turns_are_the_same_as_one_set(seed: int) -> None:
    chance = random.Random(seed)
    first = now = Text("".join(chance.choices(["a", "é", "b\n", "\r\n", "c"], k=20)))
    patch = Patch.of(first)
    for _ in range(4):
        edits: list[Edit] = []
        for at in chance.sample(range(now.line_count), min(now.line_count, 3)):
            places = sorted(chance.choices(range(len(now.line(at + 1)) + 1), k=2))
            start, end = (now.position(now.starts[at] + place) for place in places)
            edits.append(Edit(Span(*start, *end), chance.choice(["", "x", "y\n", "zz"])))
        patch, now = patch.then(now, edits), Text(apply(now, edits))
        assert apply(first, patch.edits()) == now.content


def test_a_keyword_is_never_given_twice() -> None:
    assert not sound("f(a=1, a=2)") and sound("f(a=1, **a)") and not sound("f(")
