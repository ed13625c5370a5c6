"""Facts of an older text: moved along with untouched lines, dropped where something was typed."""

from __future__ import annotations

from torch_handbook.engine.carry import carried, shift
from torch_handbook.source.text import Text
from torch_handbook_worker.protocol import FactAt, Failure, InterpretResult, Operand, TensorFact

OLD = Text("a = f()\nb = g()\nc = h()\nd = i()\n")
FACT = TensorFact([2, 3], "float32", "cpu")


def facts(*lines: int) -> InterpretResult:
    return InterpretResult([FactAt((line, 0, line, 1), FACT) for line in lines])


def lines_after(new: str) -> list[int]:
    return [fact.span[0] for fact in carried(facts(1, 2, 3, 4), OLD, Text(new)).facts]


def test_an_edited_line_loses_its_facts() -> None:
    assert lines_after("a = f()\nb = gg()\nc = h()\nd = i()\n") == [1, 3, 4]


def test_lines_behind_an_insertion_move() -> None:
    assert lines_after("a = f()\nnew = 1\nb = g()\nc = h()\nd = i()\n") == [1, 3, 4, 5]


def test_lines_behind_a_deletion_move_back() -> None:
    assert lines_after("a = f()\nd = i()\n") == [1, 2]


def test_nothing_is_left_of_another_text() -> None:
    assert lines_after("x") == []


def test_the_same_text_keeps_everything() -> None:
    assert lines_after(OLD.content) == [1, 2, 3, 4]


def test_nobody_has_looked_at_all_of_a_text_that_was_edited() -> None:
    result = facts(1, 2)
    assert result.complete and carried(result, OLD, OLD).complete
    for new in ("x", f"{OLD.content}\n", f"\n{OLD.content}", OLD.content.replace("g", "h"), OLD.content[:-8]):
        assert not carried(result, OLD, Text(new)).complete


def test_repeated_lines_are_not_counted_twice() -> None:
    old, new = Text("x\nx\nx\n"), Text("x\nx\n")
    by = shift(old, new)
    assert by.head + (4 - by.tail + 1) <= 3 and by.lines == -1


def test_a_failure_goes_when_an_operand_was_touched() -> None:
    failure = Failure((4, 0, 4, 1), "shape", "torch.matmul", "RuntimeError", "…", [Operand("b", (2, 0, 2, 1), FACT)])
    result = InterpretResult(failures=[failure])
    assert carried(result, OLD, Text("a = f()\nb = gg()\nc = h()\nd = i()\n")).failures == []
    moved = carried(result, OLD, Text("\n" + OLD.content)).failures[0]
    assert (moved.span, moved.operands[0].span) == ((5, 0, 5, 1), (3, 0, 3, 1))


def test_a_failure_moves_or_goes_with_the_places_in_its_details() -> None:
    details = {"saved_by": "exp", "saved_at": [2, 0, 2, 1], "backward_at": None}
    result = InterpretResult(failures=[Failure((4, 0, 4, 1), "saved-output", "add_", "RuntimeError", "…", [], details)])
    assert carried(result, OLD, Text("\n" + OLD.content)).failures[0].details == {**details, "saved_at": [3, 0, 3, 1]}
    assert carried(result, OLD, Text("a = f()\n\nc = h()\nd = i()\n")).failures == []
