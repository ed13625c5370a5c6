"""Fixes, silencing comments, benchmarks and lenses, as plain data; and shapes behind assigned names."""

from __future__ import annotations

import pytest
from feature_snapshots import at, interpreted, snapshot
from torch_handbook.engine import registry
from torch_handbook.engine.fixes import apply
from torch_handbook.features import code_actions
from torch_handbook.features.code_actions import FIX_ALL, OPEN, Action, actions, fix_all
from torch_handbook.features.code_lens import lenses, text_of
from torch_handbook.features.diagnostics import diagnose
from torch_handbook.features.inlay_hints import hints
from torch_handbook.settings import Settings
from torch_handbook.source.text import Position, Span, Text

EINSUM = 'torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 4))'
ONE = f"import torch\nx = {EINSUM}\n"


def found(text: str, line: int = 2) -> list[Action]:
    place = Position(line, len(Text(text).line(line).partition("einsum")[0].encode()) if line > 1 else 6)
    return actions(snapshot(text), Span(*place, *place))


def titled(text: str, title: str, line: int = 2) -> Action:
    return next(action for action in found(text, line) if action.title.startswith(title))


def after(text: str, action: Action) -> str:
    return apply(Text(text), action.edits)


def test_the_fix_comes_first_and_is_preferred() -> None:
    first, *others = found(ONE)
    assert first.preferred and first.title.startswith("Replace einsum by torch.") and first.finding
    assert not any(action.preferred for action in others)
    assert diagnose(snapshot(after(ONE, first))) == []


def test_nothing_is_offered_elsewhere() -> None:
    assert found(ONE, line=1) == []


SILENCED = {
    "a line": (ONE, 2),
    "a line with a comment": (ONE.replace("))\n", "))  # why\n"), 2),
    "several lines": (ONE.replace(", torch.ones(2", ",\n    torch.ones(2"), 2),
    "the last line without an end": (ONE.rstrip("\n"), 2),
    "behind a backslash": (
        ONE.replace("x = torch", "x = y + \\\n   torch").replace("import torch\n", "import torch\ny = 0\n"),
        4,
    ),
    "before a backslash": (ONE.replace("))\n", ")) + \\\n    1\n"), 2),
    "a string over lines": (ONE.replace('"ij,jk->ik"', '"""ij,\njk->ik"""'), 2),
    "windows": (ONE.replace("\n", "\r\n"), 2),
    "letters of more bytes": (ONE.replace("x =", "名 = '😀'; x ="), 2),
}


@pytest.mark.parametrize("name", SILENCED)
def test_silencing_a_finding_silences_it_and_nothing_else_changes(name: str) -> None:
    text, line = SILENCED[name]
    before = [item.finding.rule for item in diagnose(snapshot(text))]
    assert before == ["einsum-with-bmm-equivalent"], "the sample has the finding"
    silent = after(text, titled(text, "Silence", line))
    assert diagnose(snapshot(silent)) == []
    assert silent.replace("  # torch-handbook: ignore[einsum-with-bmm-equivalent]", "") == text
    assert snapshot(silent).file.problem is None


def test_a_silencing_comment_is_extended() -> None:
    text = ONE.replace("))\n", "))  # torch-handbook: ignore[shape-mismatch] because\n")
    silent = after(text, titled(text, "Silence"))
    assert "ignore[shape-mismatch, einsum-with-bmm-equivalent] because" in silent


def test_all_of_a_rule_at_once() -> None:
    text = ONE + f"y = {EINSUM}\nz = {EINSUM}\n"
    fixed = after(text, titled(text, "Fix all 3"))
    assert "einsum" not in fixed and diagnose(snapshot(fixed)) == []
    assert not any(action.title.startswith("Fix all") for action in found(ONE))


def test_each_finding_says_why_and_leads_to_its_page() -> None:
    (why,) = [action for action in found(ONE) if action.command == OPEN]
    assert why.title.startswith("Why: A plain batched product is torch.bmm, and cheaper for small matrices: ")
    assert why.arguments == ("einsum-with-bmm-equivalent",)
    assert why.finding and not why.edits
    titles = [action.title for action in found(ONE)]
    assert titles.index(why.title) < titles.index("Silence einsum-with-bmm-equivalent on this line")
    kind = ONE.replace("ij,jk->ik", "i,i->").replace("(2, 3)", "(3)").replace("(3, 4)", "(3)")
    assert titled(kind, "Why").arguments == ("einsum-with-dot-equivalent",)
    assert titled(kind, "Why").title.startswith("Why: A dot product is torch.dot: ")
    for rule in registry.rules():
        for name in (rule.id, *rule.covers):
            assert 20 < len(code_actions.reason(snapshot(ONE), name)) <= 141, name


def test_everything_in_the_file_at_once_but_what_is_to_be_looked_at() -> None:
    guess = "def f(a: torch.Tensor):\n    a.contiguous()\n    return a\n"
    text = ONE + "model = torch.nn.Linear(2, 2)\nmodel.requires_grad = False\n" + guess
    (action,) = fix_all(snapshot(text))
    assert (action.title, action.kind) == ("Fix all 2 that Torch Handbook can fix", FIX_ALL)
    fixed = after(text, action)
    assert "einsum" not in fixed and "model.requires_grad_(False)" in fixed and fixed.endswith(guess)
    assert fix_all(snapshot(fixed)) == []


def test_fixes_that_make_room_for_others_are_all_made() -> None:
    head, product = "import torch\r\na = torch.eye(3)\r\nb = a\r\n", 'torch.einsum("ij,jk->ik", {}, b)'
    text = f"{head}x = {product.format(product.format(product.format('a')))}\r\n"
    (action,) = fix_all(snapshot(text))
    assert action.title == "Fix all 3 that Torch Handbook can fix"
    assert after(text, action) == head + "x = torch.mm(torch.mm(torch.mm(a, b), b), b)\r\n"


def test_a_line_that_is_half_typed_is_left_alone_and_the_others_are_mended() -> None:
    for broken in ("y = torch.einsum('i,i->', ", "def f(:", "for", f"if {EINSUM}"):
        text = f"\ufeffimport torch\r\n{broken}\r\nx = {EINSUM}\r\n"
        (action,) = fix_all(snapshot(text))
        fixed = after(text, action)
        assert fixed.startswith(f"\ufeffimport torch\r\n{broken}\r\nx = torch.") and "einsum" not in fixed.split("\r\n")[2]


def test_a_comment_is_not_in_vain_where_its_line_was_mended() -> None:
    text = f"import torch\nx = {EINSUM}, torch.ones(3) + torch.ones(4)  # torch-handbook: ignore[add-shape-mismatch]\n"
    (action,) = fix_all(snapshot(text, facts=True))
    assert "einsum" not in after(text, action) and "ignore[add-shape-mismatch]" in after(text, action)


def test_a_benchmark_of_a_finding_and_of_a_selection() -> None:
    bench = titled(ONE, "Benchmark")
    assert bench.arguments == ("file:///workspace/net.py", {"line": 1, "endLine": 1}) and bench.finding
    text = "import torch\nx = torch.ones(3)\ny = x + 1\n"
    (bench,) = actions(snapshot(text), Span(2, 0, 4, 0))
    assert bench.arguments == ("file:///workspace/net.py", {"line": 1, "endLine": 2})


def test_lenses() -> None:
    (lens,) = lenses(snapshot(ONE), {})
    assert lens.span.line == 2 and lens.title.startswith("Benchmark") and lens.arguments[0] == "file:///workspace/net.py"
    (again,) = lenses(snapshot("\n" + ONE), {f"x = {EINSUM}": "1.3× as fast"})
    assert again.span.line == 3 and "1.3× as fast" in again.title
    (timed,) = lenses(snapshot("import torch\nx = torch.ones(3)\n"), {"x = torch.ones(3)": "2 µs"})
    assert timed.span.line == 2 and "2 µs" in timed.title
    assert lenses(snapshot(ONE, settings=Settings(code_lens=False)), {}) == []


PROGRAM = """import torch
from torch import nn

@torch.no_grad()
def run(x):
    \"\"\"Runs.\"\"\"
    y = torch.relu(x)
    return y

def plain(x):
    return x + 1

def short(x): return torch.relu(x)

def many(x):
    yield torch.relu(x)

async def later(x):
    return torch.relu(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        def inner(y):
            return torch.relu(y)
        return inner(self.fc(x))

if __name__ == "__main__":
    run(torch.ones(3))
    print(1)
"""


def test_functions_that_compute_with_torch_and_the_program_can_be_timed() -> None:
    found = [lens for lens in lenses(snapshot(PROGRAM), {}) if lens.title == "Benchmark"]
    lines = PROGRAM.split("\n")
    assert [lines[lens.span.line - 1].strip() for lens in found] == [
        "@torch.no_grad()",
        "def forward(self, x):",
        'if __name__ == "__main__":',
    ]
    texts = ["\n".join(lines[lens.arguments[1]["line"] : lens.arguments[1]["endLine"] + 1]) for lens in found]  # type: ignore[index]
    assert texts[0] == "    y = torch.relu(x)\n    return y"
    assert texts[1].startswith("        def inner") and texts[1].endswith("inner(self.fc(x))")
    assert texts[2] == "    run(torch.ones(3))\n    print(1)"


def test_what_was_timed_is_noted_until_it_is_edited() -> None:
    known = {text_of(Text(PROGRAM), 7, 8): "3 µs"}
    moved = PROGRAM.replace("@torch.no_grad()", "\n\n@torch.no_grad()")
    (note,) = [lens for lens in lenses(snapshot(moved), known) if "3 µs" in lens.title]
    assert note.span.line == 6 and note.arguments[1] == {"line": 8, "endLine": 9}
    (alone,) = lenses(snapshot("import torch\n\ny = torch.relu(x)\nreturn y\n"), known)
    assert alone.title == "3 µs · again" and alone.span.line == 3
    for edited in (PROGRAM.replace("return y", "return -y", 1), PROGRAM.replace("    return y\n", "\n    return y\n", 1)):
        assert not [lens for lens in lenses(snapshot(edited), known) if "3 µs" in lens.title]


def test_a_file_that_is_too_long_has_no_diagnostics() -> None:
    assert diagnose(snapshot(ONE, settings=Settings(max_lines=2))) == []


def test_a_comment_in_vain_is_drawn_as_unnecessary() -> None:
    text = "import torch\nx = 1  # torch-handbook: ignore[einsum-with-bmm-equivalent]\n"
    (item,) = diagnose(snapshot(text))
    assert item.unnecessary and item.finding.rule == "unused-suppression"


def test_what_was_computed_once_is_not_computed_again() -> None:
    shot = snapshot(ONE)
    assert diagnose(shot) is diagnose(shot)


@pytest.mark.torch
def test_shapes_behind_assigned_names() -> None:
    pytest.importorskip("torch")
    text, place = at("import torch\nx = torch.ones(2, 3)\na, b = x, x.T|\nn = 3\nfor row in x:\n    y = row\n")
    shot = snapshot(text, facts=True)
    labels = [(hint.position, hint.label) for hint in hints(shot, shot.text.whole())]
    assert labels == [
        (Position(2, 1), ": [2, 3]"),
        (Position(3, 1), ": [2, 3]"),
        (Position(3, 4), ": [3, 2]"),
        (Position(5, 7), ": [3]"),
        (Position(6, 5), ": [3]"),
    ]
    assert [hint.label for hint in hints(shot, Span(3, 0, *place))] == [": [2, 3]", ": [3, 2]"]
    off = snapshot(text, facts=True, settings=Settings(inlay_hints=False))
    assert hints(off, off.text.whole()) == []
    assert "float32" in hints(shot, shot.text.whole())[0].tooltip


@pytest.mark.torch
def test_hints_say_what_is_returned_and_what_is_unusual() -> None:
    pytest.importorskip("torch")
    text = (
        "import torch\ndef f(x):\n    return x.flatten(1).relu()\ndef g(x):\n    return x\n"
        "a = f(torch.ones(2, 3, 4))\nb = g(a.half())\nc = torch.zeros(3, dtype=torch.int32)\nd = torch.ones(1).cuda()\n"
    )
    shot = snapshot(text, facts=True)
    labels = {(hint.position.line, hint.position.column): hint.label for hint in hints(shot, shot.text.whole())}
    assert labels == {
        (2, 7): ": [2, 3, 4]", (3, 30): ": [2, 12]", (4, 7): ": [2, 12] float16", (6, 1): ": [2, 12]",
        (7, 1): ": [2, 12] float16", (8, 1): ": [3] int32", (9, 1): ": [1] cuda",
    }  # fmt: skip
    chains = snapshot(text, facts=True, settings=Settings(inlay_hints_chains=True))
    more = {hint.position: hint.label for hint in hints(chains, chains.text.whole())}
    assert len(more) == len(labels) + 2 and more[Position(3, 23)] == ": [2, 12]"


@pytest.mark.torch
def test_where_all_is_on_the_gpu_only_the_rest_is_named() -> None:
    pytest.importorskip("torch")
    text = "import torch\na = torch.ones(2, device='cuda')\nb = a + 1\nc = b * 2\nd = torch.ones(3)\n"
    shot = snapshot(text, facts=True)
    assert [hint.label for hint in hints(shot, shot.text.whole())] == [": [2]", ": [2]", ": [2]", ": [3] cpu"]


SAID = """import torch
from torch import nn, Tensor
from jaxtyping import Float
def f(x,
      y):
    return x @ y
f(torch.ones(2, 3), torch.ones(3, 4).half().float())
class Net(nn.Module):
    def forward(self, image, mask):
        return image
labels = torch.zeros(5, dtype=torch.int64)
for row in torch.ones(2, 7):
    pass
"""


@pytest.mark.torch
def test_shapes_are_written_down_as_comments_and_annotations() -> None:
    pytest.importorskip("torch")
    shot = snapshot(SAID, facts=True)

    def offered(words: str, into: int = 0) -> dict[str, str]:
        place = SAID.index(words) + into
        position = Position(SAID.count("\n", 0, place) + 1, place - SAID.rfind("\n", 0, place) - 1)
        found = [action for action in actions(shot, Span(*position, *position)) if action.kind == "refactor.rewrite"]
        return {action.title: apply(shot.text, action.edits) for action in found}

    x = offered("x,\n")
    assert list(x) == ["Say the shape of x", 'Annotate x as Float[Tensor, "2 3"]']
    assert "      y):\n    # torch-handbook: x = (2, 3)\n    return" in x["Say the shape of x"]
    assert 'def f(x: Float[Tensor, "2 3"],' in x['Annotate x as Float[Tensor, "2 3"]']
    assert "    def forward(self, image, mask):  # torch-handbook: mask = (B, _)\n" in offered("mask)")["Say the shape of mask"]
    said = offered("labels")
    assert list(said) == ["Say the shape of labels"]
    assert "dtype=torch.int64)  # torch-handbook: labels = (5,) int64\n" in said["Say the shape of labels"]
    assert "torch.ones(2, 7):  # torch-handbook: row = (7,)\n" in offered("row")["Say the shape of row"]
    assert offered("self, image") == {} and offered("Net") == {}
    for text in (*x.values(), *said.values()):  # what was written is read, and agrees
        assert interpreted(text).failures == ()
