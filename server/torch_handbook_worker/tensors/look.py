"""One look at a file: what it takes down of each unit of its walk, and which units of the look before still hold.

A unit that entered no function whose body is another one now, and that finds all as it was which other units decide, would do
the same again: what it did is done again without walking it. The file's own code is walked each time, since its objects are
what every unit works on; where a unit changes them, nothing is kept of that look.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from torch_handbook_worker.tensors.functions import CALLS, Row
from torch_handbook_worker.tensors.heap import Heap, Unwatchable
from torch_handbook_worker.tensors.opened import is_plain
from torch_handbook_worker.tensors.outline import Difference, Outline
from torch_handbook_worker.tensors.record import FILE, Name, Record, modules_in
from torch_handbook_worker.tensors.session import Session
from torch_handbook_worker.tensors.shares import Names, Part, Share, Unclear, shares
from torch_handbook_worker.tensors.taking import Taking, state
from torch_handbook_worker.tensors.trace import Needed
from torch_handbook_worker.tensors.unit import Found, add


class Ghost:
    """Stands for an object of a unit that was not walked this time."""

    def __init__(self, unit: Name) -> None:
        self.unit = unit


@dataclass
class Past:
    """What is kept of a look: the units, and what the file's own code had done."""

    outline: Outline
    summary: Any
    records: Dict[Name, Record]
    inputs: Dict[int, Dict[Name, Share]]  # by class: what each unit says of its modules

    def size(self) -> int:
        """About how many places of a text it holds."""
        return sum(record.size() for record in self.records.values())


class Look:
    """What is taken down of one walk, and what is taken over from the last one."""

    def __init__(self, session: Session, outline: Outline, past: Optional[Past], change: Optional[Difference]) -> None:
        self.session = session
        self.outline = outline
        self.past = past if change is not None else None
        self.change = change
        self.known: Dict[Name, Record] = {}  # the records that may hold
        self.must: Set[Name] = set()  # units that are walked in any case
        self.records: Dict[Name, Record] = {}  # those of this look
        self.over: Set[Name] = set()  # the units that were taken over
        self.owners: Dict[int, Tuple[Any, Name]] = {}  # by the address of an object of a class: which unit made it
        self.seen_by: Dict[int, Tuple[Name, bool]] = {}  # by function: which unit called it first, and whether with plain sizes
        self.inputs: Dict[int, Dict[Name, Any]] = {}
        self.sizes: Dict[Name, Tuple[int, int]] = {}  # by unit: the numbers of its first free size, and of the one after its last
        self.heap = Heap(session.journal)
        self.is_sound = False  # whether the file's own code was walked, and no unit has changed what others may see
        self.taking: Optional[Taking] = None  # what is being taken down
        session.notes.unit = FILE
        session.look = self

    def begin(self) -> None:
        """The file's own code was walked: number what it has defined, and see whether it did what it had done before."""
        session = self.session
        self.functions = {id(function): place for place, function in enumerate(session.functions)}
        self.classes = {id(kind): place for place, (kind, _, _) in enumerate(session.classes)}
        self.owners.update({id(made): (made, FILE) for made in session.instances.values()})
        for place, function in enumerate(session.functions):
            if function.is_seen:
                self.seen_by[place] = (FILE, any(map(is_plain, function.seen.values())))
        self.sizes[FILE] = (0, len(session.sizes.names))
        self.summary = self._summary()
        self.is_sound = self._watch()
        entered, changed = self.entered(), self.change.changed if self.change is not None else frozenset()
        if self.is_sound and self.past is not None and self.past.summary == self.summary and not entered & changed:
            self.known = dict(self.past.records)
            self.must |= {name for name, row in self.known.items() if not row.is_lasting}
            self._close()

    def _close(self) -> None:
        """Who shares objects with a unit that is walked is walked too."""
        before = -1
        while before != len(self.must):
            before = len(self.must)
            for name, row in self.known.items():
                if name in self.must:
                    self.must |= row.joined
                elif row.joined & self.must:
                    self.must.add(name)

    def _summary(self) -> Any:
        """What the file's own code has done, as far as it can be written down."""
        session, trace = self.session, self.session.trace
        functions = [(function.calls, function.is_seen) for function in session.functions]
        kinds = sorted(place for kind in session.instances if (place := self.classes.get(id(kind))) is not None)
        numbers = (session.fakes.count, len(session.sizes.names), len(trace.notes), len(trace.gaps), session.rounds)
        return functions, kinds, numbers, dict(session.defaults), session.wants_plain

    def _watch(self) -> bool:
        """Watch all that the file's own code has left; whether that can be done."""
        session = self.session
        roots: List[Any] = [session.main, *(module.handbook_scope for module in session.modules.values())]
        roots += [*session.functions, *(kind for kind, _, _ in session.classes), *session.instances.values()]
        roots += [list(function.seen.values()) for function in session.functions]
        roots += [[row.module, list(row.bound.values())] for calls in session.calls.values() for row in calls]
        try:
            self.heap.watch(roots)
        except Unwatchable:
            return False
        return True

    def entered(self) -> Set[int]:
        """The functions of the text that were walked since this was asked last."""
        places = {self.outline.places.get(getattr(node, "lineno", 0), -1) for node in self.session.entered}
        self.session.entered.clear()
        return places - {-1}

    def walk(self, name: Optional[Name], work: Callable[[], Any], given: Any = None, is_told: bool = True) -> Found:
        """Walk a unit, or do again what it did; give what it found."""
        record = self.known.get(name) if name is not None and name not in self.must else None
        if name is not None and record is not None and self._holds(record, given):
            self._do_again(name, record, is_told)
            return record.found
        taking = self.taking = Taking(self, name or ("once", len(self.sizes)), given)
        try:
            found = taking.walk(work, is_told)
        finally:
            self.taking = None
            self.session.notes.unit = FILE
        self.records[taking.name] = taking.record(found)
        if self.is_sound and self.heap.changed():
            self.is_sound = False
        if not self.is_sound:
            self.known = {}
        return found

    def _holds(self, record: Record, given: Any) -> bool:
        """Whether all is as it was that other units decide."""
        session = self.session
        instances = {place: session.instances.get(session.classes[place][0]) for place in {*record.made, *record.taken}}
        return (
            record.given == given
            and record.joined <= self.over
            and record.before == state(session)
            and all((instances[place] is not None) == before for place, before in record.made.items())
            and all(self.owner(instances[place]) == owner for place, owner in record.taken.items())
            and all(session.functions[place].is_seen == seen.before for place, seen in record.seen.items())
        )

    def _do_again(self, name: Name, record: Record, is_told: bool) -> None:
        session = self.session
        add(session, record.found, is_told)
        session.notes.modules.update(record.facts)
        for place, count in record.calls.items():
            session.functions[place].calls += count
        for place, seen in record.seen.items():
            if seen.after and not seen.before:
                session.functions[place].is_seen = True
                self.seen_by[place] = (name, seen.is_plain)
        for place, count in record.rows.items():
            rows = session.calls.setdefault(id(session.functions[place]), [])
            rows.extend([Row(None, {}, name)] * min(count, CALLS - len(rows)))
        for place, before in record.made.items():
            if not before:
                session.instances[session.classes[place][0]] = Ghost(name)
        count, rounds, forks, cut = record.counts
        session.fakes.count += count
        session.rounds += rounds
        session.trace.forks += forks
        session.trace.cut += cut
        session.defaults.update(record.options)
        session.wants_plain |= record.wants_plain
        self.records[name] = record
        self.over.add(name)

    def owner(self, made: Any) -> Optional[Name]:
        """The unit that made an object; None where there is none."""
        return made.unit if isinstance(made, Ghost) else self.owners[id(made)][1] if made is not None else None

    def live(self, made: Any) -> Any:
        """An object that a unit made, which the present one is going to work on."""
        if made is not None:
            owner = self.owner(made)
            if isinstance(made, Ghost):
                raise Needed([made.unit])
            if self.taking is not None and owner is not None and owner != self.taking.name:
                self.taking.joined.add(owner)
        return made

    def instance(self, kind: Any) -> Any:
        """The first object that was made of a class."""
        made = self.session.instances.get(kind)
        place = self.classes.get(id(kind))
        if self.taking is not None and place is not None and place not in self.taking.made:
            self.taking.taken.setdefault(place, self.owner(made))
        return self.live(made)

    def keep(self, kind: Any, made: Any) -> None:
        """An object was made of a class."""
        place, instances = self.classes.get(id(kind)) if self.taking is not None else None, self.session.instances
        if self.taking is not None and place is not None:
            self.taking.made.setdefault(place, kind in instances)
        if kind not in instances:
            instances[kind] = made
            self.owners[id(made)] = (made, self.taking.name if self.taking is not None else FILE)

    def name(self, what: str, value: Any, place: int = 0) -> Optional[Name]:
        """The name of a unit that is about a function or a class; none where it was defined while a unit was walked."""
        number = self.functions.get(id(value), self.classes.get(id(value)))
        return None if number is None else (what, number, place)

    def first_call(self, function: Any) -> Tuple[Optional[Name], bool]:
        """The unit in which a function was called first, and whether a tensor of plain sizes was given there."""
        place = self.functions.get(id(function))
        if place is None:
            return None, any(map(is_plain, function.seen.values()))
        return self.seen_by.get(place, (None, False))

    def use_call(self, function: Any) -> None:
        """What a function was called with first is going to be used."""
        unit, _ = self.first_call(function)
        if unit in self.over:
            raise Needed([unit])
        if unit is not None and self.taking is not None:
            self.taking.joined.add(unit)

    def before_loading(self) -> None:
        """A name of another file is going to be made while a unit is walked."""
        if self.taking is not None and self.is_sound and self.heap.changed(self._names()):
            self.is_sound = False

    def after_loading(self) -> None:
        """It was made: other files have more names now."""
        if self.taking is None or not self.is_sound:
            return
        try:
            self.heap.again(self._names())
            self.heap.watch([module.handbook_scope for module in self.session.modules.values()])
        except Unwatchable:
            self.is_sound = False

    def _names(self) -> List[Any]:
        """What holds the names of other files."""
        scopes = [module.handbook_scope for module in self.session.modules.values()]
        return [part for scope in scopes for part in (scope.names, scope.lenders)]

    def shares(self, kind: Any, calls: List[Row], others: List[Part]) -> Dict[Name, Share]:
        """By unit: what it says of the modules of a class that are called, and of those that are only parts of others."""
        place = self.classes.get(id(kind), -1)
        known = self.past.inputs.get(place, {}) if self.past is not None else {}
        found = {name: share for name, share in known.items() if name in self.over}
        found.update(shares(calls, others, lambda unit: NamesOfUnit(self, unit)))
        if FILE in found:
            found[FILE] = found[FILE]._replace(values=None)  # it is what it was in the last look
        self.inputs[place] = found
        return found

    def use_all(self, given: Dict[Name, Share]) -> None:
        """The modules that units say something of are going to be used."""
        missing = self.over & set(given)
        if missing:
            raise Needed(missing)

    def kept(self) -> Optional[Past]:
        """What the next look may take over; None where nothing is certain."""
        if not self.is_sound:
            return None
        notes = self.session.notes
        for name, record in self.records.items():
            if name not in self.over:
                keys = {key for note in record.found.notes.values() for key in modules_in(note) if key[0] != FILE}
                record.facts = {key: notes.module_fact(key) for key in keys}
        rest = {name: row for name, row in self.known.items() if name not in self.records and name not in self.must}
        before = self.past.inputs if self.past is not None else {}
        inputs = {
            place: {**{name: share for name, share in before.get(place, {}).items() if name in rest}, **found}
            for place, found in self.inputs.items()
        }
        return Past(self.outline, self.summary, {**rest, **self.records}, inputs)


class NamesOfUnit(Names):
    """How values are called that a unit met."""

    def __init__(self, look: Look, unit: Name) -> None:
        self.look = look
        self.first, self.end = look.sizes[unit]

    def size(self, number: int) -> Any:
        """A free size by its place among those of that unit, or among the file's own."""
        if self.first <= number < self.end:
            return number - self.first
        if number < self.look.sizes[FILE][1]:
            return "file", number
        raise Unclear

    def defined(self, value: Any) -> Any:
        """What the file's own code defined, by its number."""
        name = self.look.name("", value)
        if name is None:
            raise Unclear
        return type(value) is type, name
