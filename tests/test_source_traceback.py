"""Logs, as programs really print them: what was raised in the end, and the user's own line."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_handbook.source.traceback import Frame, chain, cleaned

FOLDER = Path(__file__).parent / "tracebacks"
SIZES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)"
BROADCAST = "RuntimeError: The size of tensor a (10) must match the size of tensor b (32) at non-singleton dimension 1"
NO_GRAPH = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
NET = "/home/ann/net"
# By log: how the message of what counts begins, and path, line, function and code of the user's last line.
EXPECTED: dict[str, tuple[str, Frame | None]] = {
    "plain": (SIZES, Frame(f"{NET}/plain.py", 11, "forward", "return self.fc1(x)")),
    "chained": (
        "SystemError: no features",
        Frame(f"{NET}/chained.py", 14, "<module>", 'raise SystemError("no features") from error'),
    ),
    "loader": ("RuntimeError: stack expects each tensor to be equal size", None),
    "compile": ("torch._dynamo.exc.TorchRuntimeError: RuntimeError when", Frame(f"{NET}/compile.py", 7, "step", "return y @ w")),
    "ddp": (NO_GRAPH, Frame(f"{NET}/ddp.py", 8, "main", "loss.backward()")),
    "spawn": ("RuntimeError: a leaf Variable that requires grad", Frame(f"{NET}/spawn.py", 7, "work", "x.add_(1)")),
    "pytest": (SIZES.replace("32x256", "3x5").replace("400x120", "4x2"), Frame("test_net.py", 6, "score", "return net(x)")),
    "pytest-short": (SIZES.replace("32x256", "3x5").replace("400x120", "4x2"), Frame("test_net.py", 6, "score", "return net(x)")),
    "ipython": (SIZES, Frame("Cell In[2]", 2, "run", "return model(x)")),
    "ipython-color": (SIZES, Frame("Cell In[2]", 2, "run", "return model(x)")),
    "ipython-old": (NO_GRAPH, Frame("<ipython-input-7-2f1c3d>", 2, "<module>", "loss.backward()")),
    "rich": (SIZES, Frame(f"{NET}/plain.py", 11, "forward", "return self.fc1(x)")),
    "lightning": (BROADCAST, Frame(f"{NET}/fit.py", 21, "training_step", "loss = F.mse_loss(self(x) + y, x)")),
    "containers": (NO_GRAPH, Frame(f"{NET}/train.py", 7, "step", "loss.backward()")),
    "colab": (NO_GRAPH, Frame("<ipython-input-5-0c8a>", 3, "<cell line: 3>", "loss.backward()")),
    "pool": (
        "RuntimeError: a leaf Variable that requires grad",
        Frame(f"{NET}/search.py", 12, "<module>", "pool.map(run, seeds)"),
    ),
    "compose": (NO_GRAPH, Frame(f"{NET}/train.py", 7, "step", "loss.backward()")),
    "warning": ("UserWarning: Using a target size", Frame(f"{NET}/train.py", 12, "", "loss = F.mse_loss(output, target)")),
}


def test_every_log_is_expected() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_what_a_log_ends_with(name: str) -> None:
    raised = chain((FOLDER / f"{name}.txt").read_text("utf-8"))
    text, place = EXPECTED[name]
    assert raised[0].text.startswith(text)
    assert raised[0].place == place


def test_a_chain_goes_back_to_its_cause() -> None:
    kinds = [one.kind for one in chain((FOLDER / "chained.txt").read_text("utf-8"))]
    assert kinds == ["SystemError", "RuntimeError", "KeyError"]


def test_a_worker_without_a_line_of_the_users_is_followed_by_the_loop_that_asked() -> None:
    worker, loop = chain((FOLDER / "loader.txt").read_text("utf-8"))
    assert worker.place is None
    assert loop.place and loop.place.code.startswith("for batch in DataLoader(")


def test_two_exceptions_that_have_nothing_to_do_with_each_other_are_no_chain() -> None:
    plain, ddp = ((FOLDER / f"{name}.txt").read_text("utf-8") for name in ("plain", "containers"))
    assert [one.text.splitlines()[0] for one in chain(f"{plain}\n{'loss 0.3' * 9}\n" * 90 + ddp)] == [NO_GRAPH]


def test_lines_of_other_processes_between_do_not_matter() -> None:
    lines = (FOLDER / "ddp.txt").read_text("utf-8").splitlines()
    ranks = [[line for line in lines if line.startswith(f"[rank{rank}]")] for rank in (0, 1)]
    mixed = [line for pair in zip(*ranks, strict=True) for line in pair]
    assert chain("\n".join(mixed))[0].place == EXPECTED["ddp"][1]


@pytest.mark.parametrize(
    ("log", "text"),
    [
        (
            "RuntimeError: CUDA out of memory.\nTried to allocate 2 GiB",
            "RuntimeError: CUDA out of memory.\nTried to allocate 2 GiB",
        ),
        ("epoch 1\nFAILED test_a.py::test_b - ValueError: too short", "ValueError: too short"),
        ("torch.OutOfMemoryError: no room", "torch.OutOfMemoryError: no room"),
    ],
)
def test_a_message_without_a_stack(log: str, text: str) -> None:
    assert chain(log)[0].text == text


@pytest.mark.parametrize(
    "log", ["", "epoch 1 loss 0.3\nepoch 2 loss 0.2\n", "Traceback (most recent call last):", "E   ", "\x1b[31m\x1b[0m\r\r\n"]
)
def test_nothing_was_raised(log: str) -> None:
    assert chain(log) == ()


def test_colours_and_progress_bars_are_left_out() -> None:
    assert cleaned("\x1b[1;31mError\x1b[0m\r\n 10%\r 20%\rdone \x1b]8;;http://x\x07link\x1b]8;;\x07") == [
        "Error",
        " 10%",
        " 20%",
        "done link",
    ]


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/home/ann/net/lib/model.py", True),
        ("train.py", True),
        ("Cell In[3]", True),
        ("C:\\code\\train.py", True),
        ("C:\\Users\\ann\\venv\\Lib\\site-packages\\torch\\nn\\modules\\linear.py", False),
        ("/usr/lib/python3.11/threading.py", False),
        ("/usr/lib/python3/dist-packages/numpy/core.py", False),
        ("<frozen importlib._bootstrap>", False),
    ],
)
def test_whose_code_it_is(path: str, own: bool) -> None:
    assert Frame(path, 1).own is own
