"""Staged loops: the body is recorded until what it carries from iteration to iteration is known.

The first recording takes most things as constant; what turns out to change is carried in the next one, with a type
that holds its value at the start and at the end of the body (dtypes promoted, extents that differ made unknown).
This ends because types only grow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import ControlFlowError
from .....dialect.mlir import Operation, Value, ir
from .....dialect.records import dataclass
from .....dialect.register import context
from ....tracing.array import TracedArray, wrap
from ....tracing.drafts import Draft
from ....tracing.recorder import BEFORE_LOOP, Handed, Join, KeptItem, Recorder
from ....tracing.regions import Region
from ....tracing.staging import value_of
from ..branches.branches import Path, record_path, stage_if
from ..branches.conditions import condition_of, is_staged
from ..branches.exits import (
    BREAK,
    RAISE,
    RETURN,
    Exit,
    StagedExit,
    codes_of,
    status_of,
    without_continue,
    without_raise,
)
from ..branches.paths import catcher_of
from ..branches.retry_recording import let_join, recorded, require_alike
from ..lists.dynamic_lists import Widened
from ..lists.kept_items import keep_carried, keep_joined, states_of
from ..lists.mixed_containers import (
    SeenNow,
    content_of,
    contents_within,
    note_carried,
    note_common,
    note_common_ends,
    note_containers,
    note_earlier_ends,
)
from ..values.abstract import carried_types, flatten, holds_types, kind_of, unflatten
from ..values.aliases import (
    as_another,
    beside_data,
    is_another,
    is_available,
    note_aliases,
    note_handed,
    same_value,
    sees_any,
)
from ..values.array_kinds import as_array_kind
from ..values.control_flow_state import Facts, control_flow
from ..values.copies import copied
from ..values.joins import join
from ..values.kinds import Mismatch
from ..values.looked_up import as_input
from ..values.made_objects import tell_apart
from ..values.mismatches import control_flow_error, endless_error, is_unlike, require_fit, shown_name
from ..values.narrowing import behind_test, facts_of, narrowed, not_returned
from ..values.optional import MaybeUnbound
from ..values.own_variables import Variables, assigned_variables, own_variables
from ..values.program_locations import (
    UNBOUND,
    ProgramLocation,
    Slot,
    Snapshot,
    consume,
    locations_to_join,
    value_after,
)
from ..values.resolve_grown_lists import changes_of, join_successors
from ..values.shared_containers import joined_kind
from .carried_permutations import Permutation, find_permutations, version_of
from .first_tests import as_truth
from .first_types import MOST_EXTRA, TypeSteps, tell_types_apart, types_around, widened
from .index_values import index_constant
from .loop_memory import Carried, LoopMemory, kinds_of

MAX_RECORDINGS = 20
"""A loop whose types still grow after so many recordings is refused."""


@dataclass
class Loop:
    """A loop to record: `while test(): body()`, or `body(k)` for k from 0 up to a number of trips."""

    trace: Recorder
    body: Callable[..., Exit]
    watched: Sequence[Callable[..., Any] | None]
    """The functions whose reachable state may change."""
    dead: Variables = field(default_factory=dict)
    """What nothing looks at behind the loop."""
    test: Callable[[], Any] | None = None
    trips: Value | None = None
    """An index value, for a loop that counts."""
    runs: bool = False
    """Whether there is at least one iteration."""
    leaves: bool = False
    """Whether an iteration is known to leave it by an exit."""
    slots: Sequence[Slot] = ()
    status: Slot = field(default_factory=lambda: Slot("exit", [np.int64(0)]))
    turn: Slot = field(default_factory=lambda: Slot("turn", [np.int64(0)]))
    """The number of iterations modulo `order`."""
    another: Slot = field(default_factory=lambda: Slot("another", [np.bool_(False)]))
    """Whether an iteration left a view of all of an array (`y = y[:]`) where the array itself was before."""
    phase: Slot = field(default_factory=lambda: Slot("phase", [np.int64(0)]))
    """Of which types numbers are as a `while` leaves them, where its iterations leave several."""
    types: TypeSteps = field(default_factory=TypeSteps)
    """What types numbers have behind each iteration."""
    is_inner: bool = False
    """Whether it is in another loop."""
    order: int = 1
    """How often arrays have to change places until each is back in its own."""
    codes: frozenset[int] = frozenset()
    """The exits that leave the loop."""
    memory: LoopMemory = field(init=False)
    guessed: dict[tuple[Any, ...], Carried] = field(default_factory=dict)
    """What is carried because iterations with other values changed it, until it is seen that these ones do."""
    settled: list[ProgramLocation] = field(default_factory=list)
    """What the loop binds unless an exception comes that is caught around it."""

    def record(self) -> Exit:
        """Record the loop; returns how it is left: at its end, by `break` or by `return`."""
        flow = control_flow(self.trace)
        memory = self.memory = LoopMemory.of_next(self.trace, self.watched)
        self.is_inner = self.trace.region.loop is not None
        slots = (self.status, self.turn, self.another, self.phase, *self.slots)
        exit_ = recorded(self.trace, self.watched, self._record, slots, memory)
        flow.loops_recorded += 1
        catcher = catcher_of(self.trace)
        if catcher is not None and catcher.may_have_raised():
            catcher.go_on()
            for place in self.settled:
                place.set(place.get().value)
        return without_raise(exit_)

    def _record(self, snapshot: Snapshot) -> Exit:
        trace = self.trace
        carried = self._first_guess(snapshot)
        key = self.memory.key, types_around(snapshot)
        known = control_flow(self.trace).types_behind.setdefault(key, {})
        self.types = TypeSteps(known=known, extra=MOST_EXTRA * self.is_inner)
        for _ in range(MAX_RECORDINGS):
            self._follow_types(snapshot, carried)
            recording = _Recording(self, snapshot, carried)
            mark = len(trace.cells)  # without those of what a list begins with
            try:
                found = recording.without_idle(recording.run())
                is_final = {k: c.kind for k, c in found.items()} == {k: c.kind for k, c in carried.items()}
                is_final = recording.tells_types() and is_final
                if is_final and not trace.cells_since(mark):
                    permutations = recording.find_permutations()
                    order = math.lcm(*(permutation.order for permutation in permutations))
                    if order == self.order:
                        snapshot.restore()
                        recording.finish()
                        for permutation in permutations:
                            permutation.give_back(trace, np.mod(self.turn.get(), permutation.order))
                        return self._exit()
                    self.order = order
                if not is_final:
                    self.memory.note_tried(snapshot, kinds_of(found), (), self._own_slots())
                self.require_few_ops()
            except BaseException:
                snapshot.restore()
                recording.draft.drop()
                raise
            snapshot.restore()
            recording.draft.drop()
            before, carried = carried, found
        growing = [c for key, c in carried.items() if key not in before or before[key].kind != c.kind]
        raise endless_error({c.place.name: c.kind for c in growing or carried.values()})

    def _follow_types(self, snapshot: Snapshot, carried: dict[tuple[Any, ...], Carried]) -> None:
        """Find the types that numbers have behind each iteration, as far as those of the first ones differ."""
        while kinds := self.types.follow(carried):
            typed = {k: Carried(c.place, c.initial, kinds.get(k, c.kind)) for k, c in carried.items()}
            recording = _Recording(self, snapshot, typed)
            try:
                recording.run()
                recording.tells_types()
            except ControlFlowError:
                self.types = TypeSteps(extra=MOST_EXTRA)
            finally:
                snapshot.restore()
                recording.draft.drop()

    def _exit(self) -> Exit:
        """How the last iteration ended: `break` included."""
        return StagedExit(self.status.get(), self.codes | {0}) if self.codes else None

    def _first_guess(self, snapshot: Snapshot) -> dict[tuple[Any, ...], Carried]:
        """What was carried when the loop was recorded before, and the numbers among the variables that it assigns."""
        blocks = [getattr(block, "__wrapped__", block) for block in self.watched if block is not None]
        assigned = set().union(*(assigned_variables(block.__code__) for block in blocks))
        own = own_variables(self.watched)
        guess: dict[tuple[Any, ...], Carried] = {}
        self.guessed = {}
        for place, value, before, now in self.memory.candidates(snapshot, self._own_slots()):
            if place.key() in self.dead:
                continue
            if before is not None and is_available(value):
                try:
                    joined = join(kind_of(value), before, holds_types(before))
                except Mismatch:
                    continue
                if not is_unlike(joined) or is_unlike(before):
                    guess[place.key()] = Carried(place, value, joined)
                continue
            kind = as_array_kind(kind_of(value)) if value is not UNBOUND else None
            is_array = isinstance(value, np.ndarray) or (
                isinstance(value, TracedArray) and not value._is_scalar
            )
            is_number = kind is not None and kind.type.rank == 0 and not is_array
            is_exit = place is self.status and self.leaves
            is_assigned = (place.key() in own and place.name in assigned) or place in self.slots or is_exit
            if now is not None:
                self.guessed[place.key()] = Carried(place, value, now)
            elif kind is not None and is_number and is_assigned:
                guess[place.key()] = Carried(place, value, kind)
        grown = self.memory.grown(snapshot)
        self.guessed.update((place.key(), Carried(place, value, kind)) for place, value, kind in grown)
        return {**self.guessed, **guess}

    def require_few_ops(self) -> None:
        """End the recording of a loop around this one that is unrolled, and is long together with this one."""
        for require in control_flow(self.trace).unrolling:
            require()

    def _own_slots(self) -> Sequence[Slot]:
        """The values of the staged code that may be known before the body is recorded."""
        return (self.status, self.another, *self.slots)


class _Recording:
    """One recording of a loop with given carried places."""

    def __init__(self, loop: Loop, snapshot: Snapshot, carried: dict[tuple[Any, ...], Carried]) -> None:
        self.loop = loop
        self.trace = loop.trace
        self.snapshot = snapshot
        self.carried = carried
        self.initial = [v for c in carried.values() for v in flatten(self.trace, c.initial, c.kind)]
        self.draft = Draft(
            self.trace, "scf.for" if loop.test is None else "scf.while", regions=1 + bool(loop.test)
        )
        self.condition: Value | None = None
        self.versions = {key: version_of(c.initial) for key, c in carried.items()}
        """How often the arrays from before the loop were written when it began."""
        self.passed = carried
        """What the test passes on to the body and the results; the test may bind names."""
        self.regions: list[Region] = []
        self.bound: dict[tuple[Any, ...], Any] = {}
        self.states: dict[tuple[Any, ...], list[KeptItem]] = {}
        """What the arrays and containers hold then that an iteration begins with."""
        self.ends: list[dict[tuple[Any, ...], Any]] = []
        """The values of the carried places at the end of each region."""
        self.starts: list[dict[tuple[Any, ...], Any]] = []
        """What stands for the carried places at the start of each region."""
        self.ended: Facts = ()
        """What is known of the values of the test when it has failed, behind a loop that ends in no other way."""
        self.path: Path | None = None
        self.others: list[ProgramLocation] = []
        """The places that get another object that shows the same array."""

    def run(self) -> dict[tuple[Any, ...], Carried]:
        """Record test and body; returns what has to be carried."""
        flow = control_flow(self.trace)
        flow.carried_by.append(lambda: self.bound.values())
        try:
            with flow.inside(self.loop.memory.key):
                return self._record()
        finally:
            flow.carried_by.pop()

    def _record(self) -> dict[tuple[Any, ...], Carried]:
        kinds = self.carried
        if self.loop.test is not None:
            region = self._enter(0, kinds, [])
            with self.draft.recording(region):
                self._bind(region, kinds, 0)
                self.condition = self._condition()
                kinds = self._leave(kinds)
                self.passed = {key: self._after_test(key, c) for key, c in kinds.items()}
        with context():
            counter = [] if self.loop.test is not None else [ir.IndexType.get()]
        region = self._enter(len(self.regions), self.passed, counter)
        with self.draft.recording(region):
            self._bind(region, self.passed, len(counter))
            self.path = Path(region)
            record_path(self.trace, self.path, self._body(region, counter), False)
            self._note_exit(self.path)
            if self.loop.order > 1:
                turn = self.loop.turn.get() + 1
                self.loop.turn.set(np.where(np.equal(turn, self.loop.order), np.int64(0), turn))
            if self.loop.types.states and self.loop.test is not None:
                self.loop.phase.set(self.loop.types.next(self.loop.phase.get()))
            join_successors(self.trace, self.snapshot)
            self._note_others()
            kinds = self._leave(kinds, self.path.is_dead)
        return kinds

    def tells_types(self) -> bool:
        """Note what types the iteration leaves; returns whether they are those that were told in advance."""
        types, first = self.loop.types, self.ends[0]
        told = types.states, types.back
        if self.path is not None and not self.path.is_dead and not self.path.raises:
            starts = self.starts[0] if self.loop.test is not None else {}
            tested = [key for key in starts if not same_value(first.get(key, starts[key]), starts[key])]
            types.note(self.carried, self.ends[-1], tested)
        if told[0]:
            types.follow(self.carried)
        return told == (types.states, types.back)

    def without_idle(self, found: dict[tuple[Any, ...], Carried]) -> dict[tuple[Any, ...], Carried]:
        """What has to be carried, without what was guessed and is after the iteration what it was before or at first.

        To carry it for nothing would make another array of it than the one that other names may have.
        """
        guessed, self.loop.guessed = self.loop.guessed, {}
        ends = self.ends[-1]
        idle = {
            key
            for key, carried in guessed.items()
            if key in ends
            and (same_value(ends[key], self.bound.get(key)) or same_value(ends[key], carried.initial))
        }
        return {key: carried for key, carried in found.items() if key not in idle}

    def _note_others(self) -> None:
        """Note at the end of the body where it leaves another object that shows the same array."""
        for place, end in changes_of(self.trace, self.snapshot).values():
            old = self.snapshot.old_value(place)
            if same_value(old, end) and is_another(old) is False and is_another(end) is not False:
                self.others.append(place)
                self.loop.another.set(np.logical_or(self.loop.another.get(), is_another(end)))

    def _after_test(self, key: tuple[Any, ...], carried: Carried) -> Carried:
        """A carried place as the test leaves it: what it assigns has a value then."""
        if key not in self.carried:
            return carried
        end = self.ends[0][key]
        kind = joined_kind([end], [end], self.snapshot.had, by_type=True)
        return Carried(carried.place, carried.initial, kind if carried_types(kind) else carried.kind)

    def _enter(self, number: int, kinds: dict[tuple[Any, ...], Carried], counter: list[Any]) -> Region:
        types = [t for c in kinds.values() for t in carried_types(c.kind)]
        region = self.draft.add_region(number, [*counter, *types], is_loop=True)
        self.regions.append(region)
        return region

    def _bind(self, region: Region, kinds: dict[tuple[Any, ...], Carried], skip: int) -> None:
        """Give the carried places the values that the block's arguments stand for."""
        values: Iterator[Value] = iter(list(region.block.arguments)[skip:])
        join = Join()
        for carried in kinds.values():
            value = unflatten(self.trace, carried.kind, values)
            note_aliases(join, value, [carried.initial])
            carried.place.set(value)
        self.bound = {key: carried.place.get() for key, carried in kinds.items()}
        self.contents = {key: content_of(value) for key, value in self.bound.items()}
        self.within = contents_within(self.bound.values())
        self.starts.append({key: copied(value) for key, value in self.bound.items()})
        seen = SeenNow()
        for key, carried in kinds.items():
            note_containers(self.trace, carried.place.name, self.bound[key], [carried.initial], seen)
            keep_joined(self.bound[key], [carried.initial])
        self.states = {key: states_of(value) for key, value in self.bound.items()}

    def _body(self, region: Region, counter: list[Any]) -> Callable[[], Exit]:
        loop = self.loop
        if counter:
            return lambda: loop.body(region.block.arguments[0])
        return narrowed(loop.body, not_returned(loop.watched), loop.watched)

    def _condition(self) -> Value:
        """Record the test; a loop that was left by an exit is not tested again."""
        loop, trace, status = self.loop, self.trace, self.loop.status.get()
        assert loop.test is not None
        test, path = loop.test, Path(trace.region)
        if isinstance(status, TracedArray):
            bodies = (lambda: as_truth(test()), lambda: np.bool_(False))
            record_path(
                trace,
                path,
                lambda: stage_if(trace, status == 0, bodies, tuple(loop.watched), wants_result=True)[1],
                True,
            )
        else:
            record_path(trace, path, lambda: as_truth(test()), True)
        truth: Any = np.bool_(False) if path.is_dead or path.raises else path.result
        self.ended = () if path.may_raise else facts_of(trace, truth)[1]
        if path.may_raise and not path.raises:
            catcher = catcher_of(trace)
            assert catcher is not None
            truth = np.logical_and(catcher.goes_on(), truth)
        if not is_staged(truth):
            truth = wrap(trace, value_of(trace, np.bool_(truth)))
        return condition_of(trace, truth)

    def _note_exit(self, path: Path) -> None:
        if path.may_raise:
            catcher = catcher_of(self.trace)
            assert catcher is not None
            path.exit = catcher.exit_of(path)
        leaving = codes_of(path.exit) & {BREAK, RETURN, RAISE} if not path.is_dead else frozenset()
        self.loop.codes |= leaving
        if leaving and self.loop.test is None:
            raise LeavesLoop
        if self.loop.codes:
            self.loop.status.set(status_of(without_continue(path.exit)))

    def _leave(
        self, kinds: dict[tuple[Any, ...], Carried], is_dead: bool = False
    ) -> dict[tuple[Any, ...], Carried]:
        """Note the values at the end of a region; returns what has to be carried, with joined types."""
        changes = changes_of(self.trace, self.snapshot)
        places = {key: c.place for key, c in kinds.items()}
        places.update({key: place for key, (place, _) in changes.items()})
        needed: dict[tuple[Any, ...], Carried] = {}
        ends: dict[tuple[Any, ...], Any] = {}
        problems: list[str] = []
        differing: list[tuple[ProgramLocation, Any]] = []
        widened: list[Widened] = []
        for place in locations_to_join(places):
            if place.key() in self.loop.dead:
                continue
            key = place.key()
            end = value_after(changes, place, self.snapshot)
            is_unread = is_dead or (self.path is not None and self.path.leaves_unread(key))
            sides = [self.snapshot.old_value(place), end]
            try:
                if not is_unread:
                    require_alike(place, sides)
                carried = self._needed(kinds.get(key), place, end, is_unread)
            except Widened as wider:
                widened.append(wider)
            except Mismatch as mismatch:
                let_join(sides)
                differing.append((place, end))
                problems.append(f"{shown_name(place.name)} is {mismatch}")
            else:
                if carried is not None:
                    needed[key], ends[key] = carried, self.bound.get(key, end) if is_unread else end
        if widened or problems:
            self._begin_again(needed, differing, widened, problems)
        self.ends.append(ends)
        return needed

    def _begin_again(
        self,
        needed: dict[tuple[Any, ...], Carried],
        differing: list[tuple[ProgramLocation, Any]],
        widened: list[Widened],
        problems: list[str],
    ) -> NoReturn:
        """Note what was found, for the next recording, and say why this one comes to nothing."""
        memory, snapshot = self.loop.memory, self.snapshot
        memory.note_tried(snapshot, kinds_of(needed), differing, self.loop._own_slots())
        for one in widened:
            memory.note_wider(snapshot, one)
        self.loop.require_few_ops()
        if not problems:
            raise Widened.together(widened)
        error = control_flow_error(
            "the iterations of a loop leave values that cannot be one", [_before_after(p) for p in problems]
        )
        tell_apart(self.trace, [v for p, end in differing for v in (snapshot.old_value(p), end)], error)
        raise Widened.together(widened, error) if widened else error

    def _needed(
        self, known: Carried | None, place: ProgramLocation, end: Any, is_dead: bool
    ) -> Carried | None:
        """How a place has to be carried."""
        initial = known.initial if known is not None else self.snapshot.old_value(place)
        if known is None and same_value(initial, end):
            return None
        if known is None:
            initial = beside_data(initial, [end])
            initial = as_input(consume(self.trace, place, initial))
        knows = self.snapshot.had
        if is_dead:
            kind = known.kind if known is not None else kind_of(initial)
        elif known is None:
            by_type = holds_types(kind_of(end))
            kind = joined_kind([initial, end], [initial, end], knows, by_type)
        else:
            kind = widened(known.kind, initial, end, knows)
        require_fit(place, kind)
        return Carried(place, initial, kind)

    def find_permutations(self) -> list[Permutation]:
        """The arrays that change places and are written; refuses what could be seen wrong behind the loop."""
        return find_permutations(self.passed, self.bound, self.ends[-1], self.versions)

    def finish(self) -> None:
        """End the regions and put the loop in place; the places get its results."""
        trace, loop = self.trace, self.loop
        earlier = {key: content_of(end) for key, end in self.ends[-1].items() if self.snapshot.knows(end)}
        types = [t for c in self.passed.values() for t in carried_types(c.kind)]
        for region, ends in zip(self.regions, self.ends, strict=True):
            is_test = loop.test is not None and region is self.regions[0]
            with self.draft.recording(region):
                kinds = self.passed if is_test else self.carried
                values = [v for key, c in kinds.items() for v in flatten(trace, ends[key], c.kind)]
                if is_test:
                    assert self.condition is not None
                    self.draft.terminate(region, "scf.condition", [self.condition, *values])
                else:
                    self.draft.terminate(region, "scf.yield", values)
        operands = self.initial
        if loop.test is None:
            assert loop.trips is not None
            zero, one = index_constant(trace, 0, self.draft), index_constant(trace, 1, self.draft)
            operands = [zero, loop.trips, one, *self.initial]
        made = self.draft.finish(operands, types)
        results = iter(made)
        within, join = Join(), Join(sees_any)
        for key, value in self.bound.items():  # which iterations before have left
            note_aliases(within, value, [self.passed[key].initial, self.ends[-1].get(key)])
        for key, carried in self.passed.items():
            value = self._left_in(key, carried, results)
            note_aliases(join, value, [carried.initial, self.ends[-1].get(key)])
            if made:
                self._note_handed(made[0].owner, key, value)
            carried.place.set(value)
        for place in self.others:
            place.set(as_another(place.get(), self.loop.another.get()))
        seen = SeenNow()
        for key, carried in self.passed.items():
            sides = [carried.initial, self.ends[-1].get(key)]
            note_containers(trace, carried.place.name, carried.place.get(), sides, seen)
            note_carried(
                trace, shown_name(carried.place.name), carried.place.get(), sides, self.bound.values()
            )
            keep_joined(carried.place.get(), sides)
            keep_carried(sides[-1], self.states.get(key, ()))
        for held, contents in ((self.bound, self.within), (self._results(), None)):
            places = [
                (c.place.name, held[key], [c.initial, self.ends[-1].get(key)])
                for key, c in self.passed.items()
                if key in held
            ]
            note_common(trace, places, contents)
        note_common_ends(trace, self.passed, self.bound, self.ends[-1], self.contents)
        note_earlier_ends(trace, self.passed, self.ends[-1], earlier)
        tell_types_apart(trace, loop, self.passed)
        for variable in loop.dead.values():
            variable.set(UNBOUND)
        loop.memory.remember(self.snapshot, kinds_of(self.carried), loop._own_slots())

    def _left_in(self, key: tuple[Any, ...], carried: Carried, results: Iterator[Value]) -> Any:
        """What a carried place holds behind the loop."""
        value = unflatten(self.trace, carried.kind, results)
        end = self.ends[-1].get(key)  # an iteration that a `break` ends may not bind it
        is_bound = self.loop.runs and end is not UNBOUND and not isinstance(end, MaybeUnbound)
        if is_bound and isinstance(value, MaybeUnbound):
            if self.path is not None and self.path.may_raise:
                self.loop.settled.append(carried.place)
            else:
                value = value.value
        return value if self.loop.codes else behind_test(self.ended, self.ends[0].get(key), value)

    def _results(self) -> dict[tuple[Any, ...], Any]:
        """What the carried places hold behind the loop."""
        return {key: carried.place.get() for key, carried in self.passed.items()}

    def _note_handed(self, op: Operation, key: tuple[Any, ...], value: Any) -> None:
        """Remember what the regions get: the first from before the loop and from the last, the last from the first."""
        last = len(self.regions) - 1
        initial = self.carried[key].initial if key in self.carried else self.passed[key].initial
        around = ((BEFORE_LOOP, initial), (last, self.ends[last].get(key)))
        between = ((0, self.ends[0].get(key)),)
        for number, start in enumerate(self.starts):
            if key in start:
                note_handed(start[key], Handed(op, number, between if number else around))
        note_handed(value, Handed(op, None, between if last else around))


class LeavesLoop(Exception):
    """A loop that was recorded as counting has a `break` or `return`."""


def _before_after(problem: str) -> str:
    return problem.replace("on one path", "before").replace("on the other", "after an iteration")
