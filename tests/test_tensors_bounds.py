"""No single call of plain Python may take long or much memory: what it would give is unknown, and the walk goes on."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from torch_handbook_worker.protocol import InterpretRequest, InterpretResult, TensorFact

pytestmark = pytest.mark.torch
SECONDS, BYTES = 10.0, 50_000_000  # what is carried out by mistake takes minutes; a busy machine may take seconds for all

COSTLY = {
    "a list doubled": "x = [0]\nfor _ in range(64):\n    x = x + x",
    "a list doubled in place": "x = [0]\nfor _ in range(64):\n    x += x",
    "a list that extends itself": "x = [0]\nfor _ in range(64):\n    x.extend(x)",
    "a list put into itself": "x = [0]\nfor _ in range(64):\n    x[len(x):] = x",
    "a text doubled": "x = 'ab'\nfor _ in range(64):\n    x = f'{x}{x}'",
    "a text repeated": "x = 'a' * 10**10",
    "a text padded": (
        "x = 'a'.ljust(10**10)\ny = '{:>1000000000}'.format(1)\nz = '%1000000000d' % 3\nw = format(1, '>1000000000')"
    ),
    "a text replaced": "x = ('a' * 90000).replace('a', 'b' * 90000)",
    "bytes": "x = bytes(10**10)\ny = bytearray(10**10)",
    "a number squared": "x = 3\nfor _ in range(64):\n    x = x * x",
    "a power": "x = 10 ** 10**8\ny = pow(10, 10**8)\nz = 7 << 10**10",
    "a power of the operator module": "import operator\nx = operator.pow(10, 10**8)\ny = operator.mul([0], 10**10)",
    "a factorial": "import math\nx = math.factorial(10**7)\ny = math.comb(10**7, 10**6)",
    "a long range": "x = list(range(10**10))\ny = dict.fromkeys(range(10**9))\nz = sum(range(10**9))\nw = set(range(10**9))",
    "a long range counted": "import collections\nx = collections.Counter(range(10**9))\ny = collections.deque(range(10**9))",
    "a pattern that tries all ways": (
        "import re\nx = re.match(r'(a+)+$', 'a' * 40 + 'b')\ny = re.compile('(x*)*y').search('x' * 50)"
    ),
    "a pattern with many repeats": (
        "import re\nx = re.search('a*a*a*a*a*a*b', 'a' * 500)\ny = re.sub('(a|aa)+$', '', 'a' * 60 + 'b')"
    ),
    "pairs of pairs": (
        "x = ()\nfor _ in range(60):\n    x = (x, x)\ny = {x: 1}\nz = str(x)\nw = x == (x, x)\nv = hash(x)\nu = {x}"
    ),
    "lists of lists": (
        "import copy\nx = []\nfor _ in range(60):\n    x = [x, x]\ny = repr(x)\nz = copy.deepcopy(x)\nw = x in [x, [x]]"
    ),
    "a tensor in very many parts": "x = torch.zeros(10**7)\ny = x.split(1)\nz = x.unbind()\nw = torch.chunk(x, 10**6)",
    "steps of a recurrent layer, for an input that nothing is known of": (
        "encode = torch.nn.GRU(8, 8, bidirectional=True)\nx, state = encode(unknown())\ny, state = encode(unknown(), state)"
    ),
    "parts of a size that is not known": (
        "def cut(image, patch_size):\n    n, c, h, w = image.shape\n    x = image.view(n, c, -1).split(patch_size, -1)\n"
        "    return torch.stack([torch.stack([part for part in one.split(patch_size, 1)]) for one in x])"
    ),
    "very many tensors": "x = torch.cat([torch.zeros(2)] * 10**5)",
}


def interpreted(text: str) -> InterpretResult:
    pytest.importorskip("torch")
    from torch_handbook_worker.tensors.program import interpret

    return interpret(InterpretRequest("/nowhere/file.py", text, [], 60.0))


@pytest.mark.parametrize("code", COSTLY.values(), ids=COSTLY.keys())
def test_what_would_be_costly_is_not_carried_out(code: str) -> None:
    interpreted("import torch\n")  # torch is imported
    tracemalloc.start()
    started = time.process_time()
    result = interpreted(f"import torch\n{code}\nlast = torch.zeros(3, 4)\n")
    spent, (_, most) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    last = [fact.fact for fact in result.facts if isinstance(fact.fact, TensorFact)][-1]
    assert last.shape == [3, 4] and result.complete
    assert spent < SECONDS and most < BYTES


def test_what_is_cheap_is_still_carried_out() -> None:
    code = """
import math
import operator
import re
import torch

sizes = [4] * 3 + [2 ** 3]
text = "conv%d" % 3 + "-{}".format(5) + "x".ljust(3)
found = re.match(r"conv(\\d+)-(\\d+)", text)
counts = dict.fromkeys(["a", "b"], 7)
nested = {"a": (1, 2), ("b", 3): [4]}
a = torch.zeros(sizes[3], operator.mul(2, 3), math.factorial(3), pow(2, 4))
b = torch.zeros(int(found.group(1)), int(found.group(2)), len(text), counts["b"], nested[("b", 3)][0])
c = torch.zeros(100, 2).split(10)[3]
"""
    facts = [fact.fact.shape for fact in interpreted(code).facts if isinstance(fact.fact, TensorFact)]
    assert [8, 6, 6, 16] in facts and [3, 5, 10, 7, 4] in facts and [10, 2] in facts
