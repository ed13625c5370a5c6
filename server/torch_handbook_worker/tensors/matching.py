"""`match`: which cases a value may take, and what their patterns bind."""

from __future__ import annotations

import ast
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch

from torch_handbook_worker.tensors import attributes
from torch_handbook_worker.tensors.expressions import evaluate
from torch_handbook_worker.tensors.python_calls import truth
from torch_handbook_worker.tensors.scopes import Frame
from torch_handbook_worker.tensors.sizes import SYMBOLIC, compare
from torch_handbook_worker.tensors.values import UNKNOWN, Unknown

Verdict = Optional[bool]  # None: it may match
Bound = Dict[str, Any]
Matcher = Callable[[Frame, Any, Any, Bound], Verdict]
ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)  # of these, one pattern is for the value


def candidates(frame: Frame, node: Any) -> Tuple[List[Tuple[Any, Bound]], bool]:
    """The cases that the value may take, in order, with what they bind; whether the last of them is taken for certain."""
    value = evaluate(frame, node.subject)
    found: List[Tuple[Any, Bound]] = []
    for case in node.cases:
        bound: Bound = {}
        verdict = matches(frame, case.pattern, value, bound)
        if verdict is not False and case.guard is not None:
            verdict = _guarded(frame, case.guard, verdict, bound)
        if verdict is not False:
            found.append((case, bound))
        if verdict:
            return found, True
    return found, False


def _guarded(frame: Frame, guard: Any, verdict: Verdict, bound: Bound) -> Verdict:
    for name, value in bound.items():
        frame.bind(name, value)
    return _all([verdict, truth(evaluate(frame, guard))])


def matches(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    """Whether a pattern matches; names that it captures go into `bound`."""
    return MATCHERS[type(pattern).__name__](frame, pattern, value, bound)


def _all(verdicts: Sequence[Verdict]) -> Verdict:
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _equal(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    wanted = evaluate(frame, pattern.value)
    if isinstance(value, SYMBOLIC) or isinstance(wanted, SYMBOLIC):
        return compare("==", value, wanted) if isinstance(value, (int, *SYMBOLIC)) else None
    if isinstance(value, (Unknown, torch.Tensor)) or isinstance(wanted, (Unknown, torch.Tensor)):
        return None
    try:
        return bool(value == wanted)
    except Exception:
        return None


def _same(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    return None if isinstance(value, Unknown) else value is pattern.value


def _capture(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    verdict: Verdict = True if pattern.pattern is None else matches(frame, pattern.pattern, value, bound)
    if pattern.name is not None:
        bound[pattern.name] = value
    return verdict


def _either(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    verdict: Verdict = False
    for part in pattern.patterns:
        found = matches(frame, part, value, bound)
        if found:
            return True if verdict is False else None
        verdict = None if found is None else verdict
    return verdict


def _sequence(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    parts = pattern.patterns
    if not isinstance(value, (list, tuple)):
        return _unknown(frame, parts, bound) if isinstance(value, Unknown) else False
    starred = next((place for place, part in enumerate(parts) if type(part).__name__ == "MatchStar"), None)
    if len(value) != len(parts) if starred is None else len(value) < len(parts) - 1:
        return None if frame.session.journal.is_blurred(value) else False
    verdicts: List[Verdict] = [None] if frame.session.journal.is_blurred(value) else []
    for place, part in enumerate(parts):
        if starred is not None and place == starred:
            rest = list(value[place : len(value) - (len(parts) - place - 1)])
            bound.update({part.name: rest} if part.name else {})
        else:
            verdicts.append(
                matches(frame, part, value[place if starred is None or place < starred else place - len(parts)], bound)
            )
    return _all(verdicts)


def _mapping(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    if not isinstance(value, dict):
        return _unknown(frame, pattern.patterns, bound) if isinstance(value, Unknown) else False
    vague = frame.session.journal.is_blurred(value)
    verdicts: List[Verdict] = [None] if vague else []
    keys = [evaluate(frame, key) for key in pattern.keys]
    for key, part in zip(keys, pattern.patterns):
        if key in value:
            verdicts.append(matches(frame, part, value[key], bound))
        else:
            verdicts.append(_unknown(frame, [part], bound) if vague else False)
    if pattern.rest:
        bound[pattern.rest] = {key: item for key, item in value.items() if key not in keys}
    return _all(verdicts)


def _instance(frame: Frame, pattern: Any, value: Any, bound: Bound) -> Verdict:
    kind = evaluate(frame, pattern.cls)
    parts = [*pattern.patterns, *pattern.kwd_patterns]
    if not isinstance(kind, type) or isinstance(value, Unknown):
        return _unknown(frame, parts, bound)
    if not (isinstance(value, kind) or (kind is int and isinstance(value, torch.SymInt))):
        return False
    if kind in ITSELF and len(parts) == 1 and pattern.patterns:
        return matches(frame, parts[0], value, bound)
    names = [*getattr(kind, "__match_args__", ())[: len(pattern.patterns)], *pattern.kwd_attrs]
    if len(names) != len(parts):
        return _unknown(frame, parts, bound)
    return _all([matches(frame, part, attributes.read(frame, pattern, value, name), bound) for name, part in zip(names, parts)])


def _unknown(frame: Frame, parts: Sequence[Any], bound: Bound) -> Verdict:
    """What may match binds its names to what is not known."""
    for part in parts:
        if type(part).__name__ == "MatchStar":
            bound.update({part.name: UNKNOWN} if part.name else {})
        else:
            matches(frame, part, Unknown(), bound)
    return None


MATCHERS: Dict[str, Matcher] = {  # by name: Python 3.9 has none of them
    "MatchValue": _equal, "MatchSingleton": _same, "MatchAs": _capture, "MatchOr": _either, "MatchSequence": _sequence,
    "MatchMapping": _mapping, "MatchClass": _instance,
}  # fmt: skip
MATCH: Optional[type] = getattr(ast, "Match", None)
