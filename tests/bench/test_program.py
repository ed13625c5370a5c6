"""What a benchmark runs: the statement that is meant, what it needs, and nothing else. No torch is needed for that."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import pytest
from torch_handbook_worker.bench import display, program, values
from torch_handbook_worker.bench.inputs import Inputs, expression_of, size_of
from torch_handbook_worker.bench.selection import Unusable, check, select
from torch_handbook_worker.protocol import Fact, ObjectFact, TensorFact, TupleFact


@pytest.fixture(autouse=True)
def a_log_to_write_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "PROVIDED", program.PROVIDED | {"log"})


class Finished(BaseException):
    pass


class Trial:
    """The program for the line marked `# here` (or all lines so marked), run twice with a double of the timer."""

    def __init__(self, code: str, inputs: dict[str, Any] | None = None) -> None:
        self.code = textwrap.dedent(code)
        marked = [number for number, line in enumerate(self.code.splitlines(), 1) if "# here" in line]
        self.inputs = inputs or {}
        tree = ast.parse(self.code)
        self.selection = select(tree, marked[0], marked[-1])
        check(self.selection)
        builder = program.Builder(tree, set(self.inputs))
        self.program = builder.build(self.selection, self.selection.statements)
        self.setup = display.setup_of(self.code, self.program, {})
        self.results: list[Any] = []
        self.log: list[str] = []

    def run(self) -> list[Any]:
        def measure(timed: Any) -> None:
            self.results += [timed(), timed()]
            raise Finished

        doubles = {program.MEASURE: measure, values.INPUTS: self.inputs, values.INSTANCE: lambda value: value}
        doubles[values.PART] = lambda whole, kind: next(part for part in vars(whole).values() if type(part) is kind)
        namespace = {"__name__": "__main__", "log": self.log, **doubles}
        with pytest.raises(Finished):
            exec(compile(self.program.module, "sample.py", "exec"), namespace)
        return self.results


def timed(code: str, **inputs: Any) -> Any:
    """What the marked lines return; the second run must do the same as the first."""
    first, second = Trial(code, inputs).run()
    assert first == second
    return first


def test_only_what_is_needed_is_run() -> None:
    trial = Trial(
        """
        import math, no_such_module
        from os import path
        unused = 1 / 0
        a = 3
        def helper(x):
            return other(x) + a
        def other(x):
            return math.floor(x)
        b = helper(2.5)
        print(b)  # here
        """
    )
    trial.run()
    assert "no_such_module" not in trial.setup and "unused" not in trial.setup


def test_only_needed_imports() -> None:
    code = """
    import no_such_module
    import math
    x = 4
    y = math.sqrt(x)  # here
    """
    assert timed(code) is None
    assert "no_such_module" not in Trial(code).setup


def test_a_function_body_with_defaults_and_given_inputs() -> None:
    code = """
    scale = 10
    def f(x, n=2, *rest, flag=True, **options):
        '''Doc.'''
        y = x * n
        log.append("never: nothing needs it")
        z = y + scale
        return z + len(rest) + len(options) + flag  # here
    """
    assert timed(code, x=3) == 17


def test_parameters_from_a_call_in_the_main_guard() -> None:
    code = """
    def train(model, steps, lr=0.5):
        total = 0
        for step in range(steps):
            loss = model(step) + lr
            total = total + loss
            return total, step  # here
    def build(n):
        return lambda step: step * n
    if __name__ == "__main__":
        size = 7
        net = build(size)
        train(net, steps=3)
    """
    assert timed(code) == (0.5, 0)


def test_a_call_inside_another_function() -> None:
    code = """
    def inner(a, b):
        return a - b  # here
    def main(n=5):
        k = n * 2
        inner(k, b=n)
    if __name__ == "__main__":
        main(4)
    """
    assert timed(code) == 4


def test_a_method_of_an_object_that_the_file_makes() -> None:
    code = """
    class Base:
        def area(self):
            return 1
    class Net(Base):
        def __init__(self, width):
            self.width = width
            self.__secret = 5
        def forward(self, x):
            y = x + self.width
            return y + super().area() + self.__secret  # here
    net = Net(100)
    """
    assert timed(code, x=1) == 107


def test_a_part_of_an_object() -> None:
    code = """
    class Block:
        def __init__(self, channels):
            self.channels = channels
        def forward(self, x):
            return x * self.channels  # here
    class Net:
        def __init__(self, channels=6):
            self.block = Block(channels)
    """
    assert timed(code, x=2) == 12


def test_inside_a_constructor() -> None:
    code = """
    class Base:
        def __init__(self):
            self.ready = True
    class Net(Base):
        def __init__(self, width, bias=2):
            super().__init__()
            self.width = width * bias  # here
            return None
    def build(n):
        return Net(n + 1)
    build(5)
    """
    trial = Trial(code)
    trial.run()
    assert "Net(n + 1)" in trial.setup
    assert timed(code.replace("# here", "").replace("super().__init__()", "return super().__init__()  # here")) is None


def test_code_under_the_main_guard() -> None:
    code = """
    def main():
        raise RuntimeError("never called")
    if __name__ == "__main__":
        x = 5
        main()
        y = x * 2
        y + 1  # here
    """
    assert timed(code) is None


def test_values_that_are_bound_again_start_afresh() -> None:
    code = """
    def f(x):
        x = x + 1
        total = 0
        for i in range(2):
            x = x * 2  # here
            return x
    """
    trial = Trial(code, {"x": 1})
    trial.run()
    whole = """
    def f(x):
        x = x * 2; x += 1; return x  # here
    """
    assert timed(whole, x=4) == 9
    assert timed("total = 3\nfor i in range(3):\n    total += i; log.append(total)  # here\n") is None


def test_a_loop_gives_its_first_item() -> None:
    code = """
    batches = [(1, 2), (3, 4)]
    for epoch in range(9):
        for index, (a, b) in enumerate(batches):
            c = a + b
            log.append((index, epoch, c))  # here
    """
    trial = Trial(code)
    trial.run()
    assert trial.log == [(0, 0, 3), (0, 0, 3)]


def test_contexts_stay_around_it() -> None:
    code = """
    from contextlib import contextmanager
    @contextmanager
    def quiet():
        log.append("in")
        yield 5
        log.append("never seen: the timer leaves")
    with quiet() as value:
        if value > 100:
            log.append(value)  # here
    """
    trial = Trial(code)
    trial.run()
    assert trial.log == ["in", 5, 5]


def test_errors_are_not_swallowed_by_the_code_around() -> None:
    code = """
    import contextlib
    try:
        with contextlib.suppress(Exception):
            log.append(1)  # here
    except BaseException:
        log.append("caught")
    finally:
        log.append("finally")
    """
    trial = Trial(code)
    trial.run()
    assert trial.log == [1, 1]


def test_preparation_is_kept_and_training_is_not() -> None:
    code = """
    class Model:
        def eval(self): log.append("eval")
        def fit(self): log.append("fit")
        def __call__(self, x): return x
        weight = 1
    def train(model): log.append("train")
    model = Model()
    model.weight = 3
    model.eval()
    model.fit()
    train(model)
    loss = None
    for epoch in range(3):
        for x in range(2):
            loss = model(x)
            log.append("step")
            model.step()
    print(model(2))  # here
    """
    trial = Trial(code)
    trial.run()
    assert trial.log == ["eval"]


def test_a_training_loop_for_a_name_that_only_it_binds_is_run_once() -> None:
    code = """
    class Optimizer:
        def step(self): log.append("step")
    optimizer = Optimizer()
    for epoch in range(3):
        for x in (5, 6):
            out = x * 2
            optimizer.step()
    print(out)  # here
    """
    trial = Trial(code)
    trial.run()
    assert trial.log == ["step"]
    assert trial.program.notes == ["the training loop on line 5 was run once around, for the names that it binds"]


def test_backward_matters_to_who_reads_gradients() -> None:
    code = """
    class Thing:
        def backward(self): log.append("backward")
        def step(self): log.append("step")
    loss = Thing()
    optimizer = Thing()
    loss.backward()
    optimizer.step()  # here
    """
    trial = Trial(code)
    trial.run()
    assert trial.log == ["backward", "step", "step"]


def test_a_function_in_a_function_sees_the_outer_one() -> None:
    code = """
    def outer(n):
        k = n + 1
        def inner(m=3):
            return m * k  # here
        return inner
    outer(4)
    """
    assert timed(code) == 15


def test_comprehensions_lambdas_and_walrus() -> None:
    code = """
    rows = [1, 2, 3]
    def f(x):
        return [(y := row * x, (lambda a: a + x + y)(row)) for row in rows if row]  # here
    """
    assert timed(code, x=2) == [(2, 5), (4, 8), (6, 11)]


def test_global_names_of_a_function() -> None:
    code = """
    count = 0
    def f():
        global count
        count = count + 1
        return count  # here
    """
    assert timed(code) == 1


def test_a_match_case_keeps_its_pattern() -> None:
    code = """
    point = (1, 2)
    match point:
        case (0, y):
            log.append(0)
        case (x, y):
            log.append(x + y)  # here
    """
    if hasattr(ast, "Match"):
        trial = Trial(code)
        trial.run()
        assert trial.log == [3, 3]


def test_several_lines_and_a_whole_loop() -> None:
    assert Trial("a = 1\nb = a  # here\nc = b\nd = c  # here\n").selection.lines == (2, 4)
    loop = "for i in range(3):  # here\n    x = i\n    y = x\n"
    assert Trial(loop).selection.lines == (1, 3)
    assert Trial("x = [\n    1,\n    2,  # here\n]\n").selection.lines == (1, 4)
    assert Trial("def f(a=1):\n    if a:\n        b = 1  # here\n    else:\n        b = 2\n").selection.lines == (3, 3)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1\n# here\n", "there is no statement on line 2"),
        ("def f(a):  # here\n    return a\n", "line 1 only defines f"),
        ("import math  # here\n", "line 1 only imports something"),
        ("x = y + 1  # here\n", "it needs a value for y, which nothing before it in this file gives"),
        ("def f(a):\n    return a  # here\n", "it needs a value for a, a parameter of f"),
        ("class A:\n    def f(self, a):\n        return a  # here\n", "it needs a value for a, a parameter of A.f"),
        ("class A:\n    def __init__(self, n): self.n = n\n    def f(self):\n        return self.n  # here\n", "an object of A"),
        ("async def f():\n    x = 1  # here\n", "asynchronous"),
        ("def f():\n    yield 1  # here\n", "the `yield` on line 2 belongs to code around"),
        ("for i in range(3):\n    if i: break  # here\n", "the `break` on line 2"),
        ("try:\n    pass\nexcept ValueError as e:\n    print(e)  # here\n", "handles an exception"),
        ("def f(a):\n    return f(a)  # here\nf(1)\ndef g(b):\n    f(b)\n", ""),
        ("def f(n):\n    for i in range(n):\n        print(last)  # here\n        last = i\nf(3)\n", "last has no value yet"),
    ],
)
def test_what_cannot_be_timed_is_said(code: str, words: str) -> None:
    if not words:
        Trial(code)
        return
    with pytest.raises(Unusable) as caught:
        Trial(code)
    assert words in str(caught.value)


def test_the_display_is_the_code_as_written_and_plain() -> None:
    trial = Trial(
        """
        import math   # odd  spacing stays


        class Net:
            def __init__(self):
                self.n = 2

            def forward(self, x):
                y = math.floor(x)
                return y * self.n  # here
        """,
        {"x": 3.5},
    )
    assert "import math   # odd  spacing stays" in trial.setup
    assert "__" not in trial.setup.replace("__init__", "").replace("__inputs__['x']", "")
    assert trial.setup.endswith("forward(self=Net(), x=__inputs__['x'])")
    assert "    ...  # the timed lines" in trial.setup


@pytest.mark.parametrize(("size", "number"), [(3, 3), ("N", 32), ("H", 64), ("16*((H-4)//2)", 480), ("-1", 1), ("?", 64)])
def test_free_sizes_get_numbers(size: int | str, number: int) -> None:
    assert size_of(size) == number


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        (TupleFact([TensorFact([2], "float32", "cpu"), ObjectFact("int", "3")]), "(torch.randn(2), 3, )"),
        (TensorFact(["N", 3, 8], "float32", "cpu"), "torch.randn(32, 3, 8)"),
        (TensorFact([], "float32", "?"), "torch.randn(())"),
        (TensorFact([4], "int64", "cpu"), "torch.randint(2, (4,), dtype=torch.int64)"),
        (TensorFact([4], "bool", "cpu"), "torch.rand(4) > 0.5"),
        (TensorFact([2, 2], "float16", "cpu", True), "torch.randn(2, 2, dtype=torch.float16, requires_grad=True)"),
        (TensorFact([2], "float32", "cpu", True, False), "torch.randn(2, requires_grad=True).clone()"),
    ],
)
def test_inputs_are_made_by_code_that_can_be_shown(fact: Fact, code: str) -> None:
    assert expression_of(fact, "cpu") == code


@pytest.mark.torch
def test_the_inputs_code_runs() -> None:
    torch = pytest.importorskip("torch")
    shapes: list[list[int | str]] = [[], [4], ["N", 2]]
    for dtype in ("float32", "float64", "bfloat16", "int64", "uint8", "bool", "complex64"):
        for shape in shapes:
            inputs = Inputs({"x": TensorFact(shape, dtype, "cpu")})
            value = inputs["x"]
            assert value.dtype == getattr(torch, dtype) and list(value.shape) == [size_of(size) for size in shape]
            assert inputs.assumed["x"].startswith("torch.rand")
