"""`for` statements: unrolled when short or when Python has to know the items, else recorded once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .....dialect.errors import (
    ConcreteValueError,
    ControlFlowError,
    ConversionError,
    TraceSizeError,
    UnrollingWarning,
    UnsupportedError,
    WeftError,
)
from .....dialect.mlir import Value
from .....dialect.records import NamedTuple
from .....dialect.types import TensorType
from .....passes.notes import note, wanted
from ....runtime_values.calls_in_loops import refusing_calls
from ....settings import settings
from ....signature.feeds import Called
from ....source.locations import warn_at
from ....tracing.current import current_trace
from ....tracing.may_alias import MayBeAnother
from ....tracing.recorder import Recorder
from ....tracing.staging import raise_if
from ...library.deques import Deque
from ..branches.checkpoints import Checkpoint
from ..branches.exits import BREAK, RAISE, RETURN, Exit, StagedExit, codes_of, without_continue
from ..branches.memory import codes_of_blocks
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..loops.carried_permutations import WritesOthers
from ..loops.index_values import counter_value, trip_count
from ..loops.loop_memory import LoopMemory
from ..loops.loops import LeavesLoop, Loop
from ..tables.hash_tables import TableWalk
from ..values.control_flow_state import ControlFlowState, control_flow
from ..values.hidden_state import require_own
from ..values.iterables import (
    ENDLESS,
    Enumerated,
    Part,
    Sequence,
    Unrolled,
    is_never_unrolled,
    sequence_of,
)
from ..values.optional import Chosen
from ..values.own_variables import Variables, variables_named
from ..values.program_locations import Slot
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.sequence_iterators import Held, PythonItems, SequenceIterator, left_of, positions_of
from ..values.special_methods import iterated
from . import effects, fetched_items
from .generators import Walk, for_walk
from .known_items import Table, table_of
from .known_loops import KnownIterations
from .plain_loops import MOST_ITERATIONS, Plain, ran_alone
from .statements import Body, continued, finish_loop, if_, run_items, run_sequence, while_

_INT = TensorType((), np.dtype(np.int64))


class _Blocks(NamedTuple):
    """What a loop does for each item, and behind the last one."""

    body: Callable[[Any], Exit]
    orelse: Body | None
    dead: Variables
    """What nothing looks at behind the loop."""
    leaves: bool = False
    """Whether the body has a `break` or `return`."""

    def with_body(self, body: Callable[[Any], Exit]) -> _Blocks:
        """Another body for each item."""
        return self._replace(body=body)


def for_(
    iterable: Any,
    body: Callable[[Any], Exit],
    orelse: Body | None = None,
    dead: str = "",
    plain: Plain | None = None,
    leaves: bool = False,
) -> Exit:
    """`for item in iterable: body(item) else: orelse()`; the body `leaves` where it has a `break` or `return`."""
    trace = current_trace()
    if ran_alone(trace, plain, MOST_ITERATIONS):
        return None
    unread = {} if trace is None else variables_named(dead, (body,))
    if isinstance(iterable, Chosen) and iterable.held:
        return _walk_chosen(iterable, body, orelse, dead, leaves)
    return _walk(trace, iterable, _Blocks(body, orelse, unread, leaves))


def _walk_chosen(
    chosen: Chosen, body: Callable[[Any], Exit], orelse: Body | None, dead: str, leaves: bool
) -> Exit:
    """A loop over one of several values: one over each of them, on a path of its own."""

    def walk(number: int) -> Exit:
        this = chosen.options[number]
        if number == len(chosen.options) - 1:
            return for_(this, body, orelse, dead, leaves=leaves)
        return if_(
            np.equal(chosen.index, number),
            lambda: for_(this, body, orelse, dead, leaves=leaves),
            lambda: walk(number + 1),
        )

    return walk(0)


def _walk(trace: Recorder | None, iterable: Any, blocks: _Blocks) -> Exit:
    """A loop over anything."""
    if isinstance(iterable, Held):
        return _walk_held(trace, iterable.iterator, blocks)
    if isinstance(iterable, SequenceIterator) and iterable.is_in_python and iterable.is_known:
        return _run_sequence(trace, iterable.given("a loop"), blocks)
    if trace is not None:
        if (source := fetched_items.fetched(trace, iterable)) is not None:
            return fetched_items.for_fetched(source, blocks.body, blocks.orelse)
        if fetched_items.may_be_fetched(trace, iterable):
            return _walk_or_fetch(trace, iterable, blocks)
    return _walk_items(trace, iterable, blocks)


def _walk_or_fetch(trace: Recorder, iterable: Any, blocks: _Blocks) -> Exit:
    """A loop over an object of the program's: its items are fetched where its own code cannot be compiled."""
    checkpoint = Checkpoint.take(trace, (blocks.body,))
    own = operators().call(iterable.make, *iterable.arguments) if isinstance(iterable, Called) else iterable
    try:
        return _walk_items(trace, own, blocks)
    except (UnsupportedError, ConversionError) as error:
        checkpoint.roll_back()
        source = fetched_items.made_of(trace, iterable)
        if source is None:
            raise
        try:
            return fetched_items.for_fetched(source, blocks.body, blocks.orelse)
        except _REFUSALS:
            raise error from None


def _walk_items(trace: Recorder | None, iterable: Any, blocks: _Blocks) -> Exit:
    """A loop over what compiled code has itself, or Python walks while tracing."""
    if isinstance(iterable, Deque):
        blocks = blocks.with_body(_keeping_deque(iterable, blocks.body))
    body, orelse, dead = blocks.body, blocks.orelse, blocks.dead
    iterable = iterated(resolve_grown_list(left_of(iterable)))
    if isinstance(iterable, SequenceIterator):  # what `__iter__` of an object of the program's has returned
        return _walk(trace, iterable, blocks)
    require_own(trace, iterable)
    if isinstance(iterable, Walk):
        return for_walk(iterable, body, orelse, dead)
    if isinstance(iterable, Unrolled) and (sequence := iterable.sequence()) is not None:
        return _run_known(trace, sequence, blocks)
    if trace is None or isinstance(iterable, Unrolled):
        return run_items(_counted(trace, iterable), body, orelse)
    sequence = sequence_of(iterable)
    blocks = blocks.with_body(_keeping_size(iterable, sequence, body))
    if sequence is None and type(iterable) in (list, tuple, str):
        return _run_sequence(trace, PythonItems(iterable), blocks)
    if sequence is None:
        return run_items(_counted(trace, iterable), blocks.body, orelse, iterable)
    return _walk_sequence(trace, sequence, blocks)


def _walk_sequence(trace: Recorder, sequence: Sequence, blocks: _Blocks) -> Exit:
    """A loop over items that lie at places: unrolled, or recorded once."""
    length, body = sequence.length, blocks.body
    if not isinstance(length, int):
        return finish_loop(_stage_for(trace, sequence, length, blocks), blocks.orelse)
    if length == ENDLESS:
        return _walk_endless(trace, sequence, blocks)
    flow = control_flow(trace)
    key = (id(body.__code__), length)  # wherever the function that it is in is called
    if _is_short(flow, key, length) and not is_never_unrolled(sequence):
        checkpoint = Checkpoint.take(trace, (body,))
        try:
            exit_ = _unroll(trace, sequence, length, blocks, _most_ops(key in flow.nested))
            if wanted():
                note("loop", trace.location(), "is unrolled, as it has {} iterations", str(length))
            return exit_
        except _TooManyOps:
            checkpoint.roll_back()
            flow.not_unrolled.add(key)
        except MayBeAnother as refusal:
            # What one iteration returns (`return x[:i]`) is written to by others, which do not run then.
            checkpoint.roll_back()
            return _staged_instead(trace, sequence, length, blocks, refusal)
    return _staged_or_unrolled(trace, sequence, length, blocks)


def _staged_instead(
    trace: Recorder, sequence: Sequence, length: int, blocks: _Blocks, refusal: UnsupportedError
) -> Exit:
    """Record a short loop once, as unrolling it was refused."""
    try:
        return finish_loop(_stage_for(trace, sequence, length, blocks), blocks.orelse)
    except _REFUSALS:
        raise refusal from None


def _walk_endless(trace: Recorder, sequence: Sequence, blocks: _Blocks) -> Exit:
    """A loop that only `break` and the like end: Python runs it until values decide, then the rest is recorded."""
    ops_before, known = trace.op_count, KnownIterations(trace)
    for position in itertools.count():
        start = Checkpoint.take(trace, (blocks.body,))
        exit_: Exit = None
        is_long = known.next() or (position >= settings.unroll_limit and trace.op_count > ops_before)
        if not is_long:
            exit_ = without_continue(blocks.body(sequence.item(position)))
            if exit_ in (BREAK, RETURN):
                return finish_loop(exit_, blocks.orelse)
        if is_long or isinstance(exit_, StagedExit):
            start.roll_back()
            return finish_loop(_stage_for(trace, Part(sequence, position), ENDLESS, blocks), blocks.orelse)
    raise AssertionError("a loop without end has ended")


def _is_short(flow: ControlFlowState, key: tuple[Any, ...], length: int) -> bool:
    """Whether a loop makes few copies of its body with those around it; they may record it several times."""
    limit = settings.unroll_limit
    if length <= limit < flow.unrolled * length:
        flow.nested.add(key)
    return flow.unrolled * length <= limit and key not in flow.not_unrolled


def _run_sequence(trace: Recorder | None, sequence: Sequence, blocks: _Blocks) -> Exit:
    """Let Python run a loop over what it has itself; a list may become longer or shorter meanwhile.

    Of many numbers or texts a table is made where the body records much for each.
    """
    table = None if trace is None else table_of(trace, sequence)
    if trace is not None and table is not None:
        return _walk_table(trace, table, sequence, blocks)
    return _run_known(trace, sequence, blocks)


def _run_known(trace: Recorder | None, sequence: Sequence, blocks: _Blocks) -> Exit:
    return run_sequence(sequence, _counted(trace, positions_of(sequence)), blocks.body, blocks.orelse)


def _walk_table(trace: Recorder, table: Table, sequence: Sequence, blocks: _Blocks) -> Exit:
    """A loop over known items: Python runs it if it records little, else it is recorded once where that works."""
    flow = control_flow(trace)
    key = (id(blocks.body.__code__), str(trace.location()), table.length)
    checkpoint = Checkpoint.take(trace, (blocks.body,))
    if key in flow.not_unrolled:
        return _run_known(trace, sequence, blocks)
    try:
        positions = positions_of(sequence)  # there may be more of them meanwhile
        return _unroll(trace, sequence, table.length, blocks, _most_ops(is_nest=False), positions)
    except _TooManyOps:
        checkpoint.roll_back()
    try:
        with refusing_calls(trace):
            left = _stage_for(trace, table.sequence, table.length, blocks._replace(dead={}))
            exit_ = finish_loop(left, blocks.orelse)
        if table.is_as_before:
            return exit_
    except TraceSizeError:
        raise
    except _UNKNOWN:
        pass
    checkpoint.roll_back()
    flow.not_unrolled.add(key)
    return _run_known(trace, sequence, blocks)


class _TakesItems(Exception):
    """The body of a loop takes items of the iterator that the loop walks."""


def _walk_held(trace: Recorder | None, iterator: SequenceIterator, blocks: _Blocks) -> Exit:
    """A loop over an iterator that other code may take items of afterwards, or in the body."""
    iterator.require_items()
    body, orelse = blocks.body, blocks.orelse
    if trace is None:
        return run_items(iterator, body, orelse)

    def step(numbered: tuple[Any, Any]) -> Exit:
        taken = iterator.position = numbered[0] + 1
        exit_ = body(numbered[1])
        if iterator.position is not taken:
            raise _TakesItems
        return exit_

    def take() -> Exit:
        return body(iterator.take())

    here = iterator.position
    numbered = Enumerated(Part(iterator.sequence, here), here)
    checkpoint = Checkpoint.take(trace, (step,))
    try:
        if iterator.is_in_python and iterator.is_known:
            return _run_sequence(trace, numbered, blocks.with_body(step))
        return _walk(trace, numbered, blocks.with_body(step))
    except _TakesItems:
        checkpoint.roll_back()
    return while_(lambda: np.less(iterator.position, iterator.sequence.length), take, orelse)


def _keeping_size(
    iterable: Any, sequence: Sequence | None, body: Callable[[Any], Exit]
) -> Callable[[Any], Exit]:
    """The body of a loop, which must not change the size of what is walked."""
    if isinstance(iterable, GrowingList):
        return _keeping_length(iterable, body)
    return _keeping_keys(sequence, body) if isinstance(sequence, TableWalk) else body


def _keeping_length(items: GrowingList, body: Callable[[Any], Exit]) -> Callable[[Any], Exit]:
    """The body of a loop over a list, which must not become longer or shorter in it."""

    def checked(item: Any) -> Exit:
        sizes = items.sizes()
        exit_ = body(item)
        if items.sizes() is not sizes:
            raise UnsupportedError(
                "a list becomes longer or shorter while a loop walks it, and its length is known when the program runs "
                "only: walk a copy (for item in items.copy()), or write `while i < len(items)`"
            )
        return exit_

    checked.__wrapped__ = body  # type: ignore[attr-defined]
    return checked


def _keeping_deque(deque: Deque, body: Callable[[Any], Exit]) -> Callable[[Any], Exit]:
    """The body of a loop over a deque, which must not become longer or shorter, unless the loop is left."""

    def checked(item: Any) -> Exit:
        before = deque.changes
        exit_ = body(item)
        changed: Any = deque.changes != before
        if changed is False or codes_of(exit_) <= _LEAVING:
            return exit_
        if isinstance(exit_, StagedExit):
            changed = np.logical_and(changed, np.logical_not(exit_.among(*_LEAVING)))
        if changed is True:
            effects.raise_(lambda: RuntimeError(_MUTATED))
        else:
            raise_if(changed, "RuntimeError", _MUTATED)
        return exit_

    checked.__wrapped__ = body  # type: ignore[attr-defined]
    return checked


_MUTATED = "deque mutated during iteration"


def _keeping_keys(walk: TableWalk, body: Callable[[Any], Exit]) -> Callable[[Any], Exit]:
    """The body of a loop over a dict or set; putting keys in or taking them out raises, unless it leaves the loop."""
    name = "Set" if walk.table.made.is_set else "dictionary"

    def checked(item: Any) -> Exit:
        before = walk.sizes()
        exit_ = body(item)
        changed = walk.has_changed(before)
        if changed is not False and not codes_of(exit_) <= _LEAVING:
            if isinstance(exit_, StagedExit):
                changed = np.logical_and(changed, np.logical_not(exit_.among(*_LEAVING)))
            raise_if(changed, "RuntimeError", f"{name} changed size during iteration")
        return exit_

    checked.__wrapped__ = body  # type: ignore[attr-defined]
    return checked


_LEAVING = frozenset({BREAK, RETURN, RAISE})

_UNKNOWN = (WeftError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""What an item may be refused by that nobody knows: a known one may do, or raise the same."""

_REFUSALS = (ConcreteValueError, UnsupportedError, ControlFlowError)


def _staged_or_unrolled(trace: Recorder, sequence: Sequence, length: int, blocks: _Blocks) -> Exit:
    """Record a loop of known length once, or else every iteration.

    Its body may need the items as Python numbers, or give values of another shape each time.
    """
    checkpoint = Checkpoint.take(trace, (blocks.body,))
    memory = LoopMemory.of_next(trace, (blocks.body,))
    may_begin_apart = not is_never_unrolled(sequence)
    if may_begin_apart and memory.begins_apart():
        try:
            return finish_loop(_peeled(trace, sequence, length, blocks, _stage_for), blocks.orelse)
        except _REFUSALS:
            memory.forget_begin()
            checkpoint.roll_back()
    before, trace.knows_counters = trace.knows_counters, trace.knows_counters or may_begin_apart
    try:
        with memory.begins_anew(may_begin_apart):
            left = _stage_for(trace, sequence, length, blocks)
    except _REFUSALS as error:
        if not may_begin_apart or isinstance(error, TraceSizeError):
            raise
        refusal: WeftError = error
    else:
        return finish_loop(left, blocks.orelse)
    finally:
        trace.knows_counters = before
    checkpoint.roll_back()
    if isinstance(refusal, ControlFlowError):
        # The first iteration may give another structure: `total = 0; for row in x: total = total + row`.
        try:
            return finish_loop(_peeled(trace, sequence, length, blocks, _stage_for), blocks.orelse)
        except _REFUSALS:
            checkpoint.roll_back()
    try:
        return _unroll(trace, sequence, length, blocks)
    except UnsupportedError:
        raise refusal from None


def _peeled(
    trace: Recorder, sequence: Sequence, length: Any, blocks: _Blocks, stage: Callable[..., Exit]
) -> Exit:
    """Record the first iteration by itself, and the others as a loop."""
    first = without_continue(blocks.body(sequence.item(0)))
    rest = Part(sequence, 1)
    return continued(first, lambda: stage(trace, rest, length - 1, blocks), (blocks.body,))


class _TooManyOps(BaseException):
    """A loop is short, but records much in each iteration; no handler of the program's is for that."""


def _unroll(
    trace: Recorder,
    sequence: Sequence,
    length: int,
    blocks: _Blocks,
    most_ops: int | None = None,
    places: Iterable[int] = (),
) -> Exit:
    """Let Python walk the items, at their places in a table; loops inside may not multiply what that makes."""
    flow = control_flow(trace)
    before, ops_before, loops_before = flow.unrolled, trace.op_count, flow.loops_recorded
    branches_before = flow.branches_recorded if places else math.inf
    iterations = 0

    def require_few(is_in_loop: bool) -> None:
        loops, branches = flow.loops_recorded, flow.branches_recorded
        most = _most_ops(is_in_loop or loops > loops_before or branches > branches_before)
        if (trace.op_count - ops_before) * length > min(most_ops or most, most) * iterations:
            raise _TooManyOps

    def positions() -> Iterator[int]:
        nonlocal iterations
        for position in places or range(length):
            if iterations and most_ops is not None:
                require_few(False)
            iterations += 1
            yield position

    flow.unrolled = before * max(length, 1)
    if most_ops is not None:
        flow.unrolling.append(lambda: require_few(True))
    try:
        return run_sequence(sequence, _counted(trace, positions()), blocks.body, blocks.orelse)
    finally:
        flow.unrolled = before
        if most_ops is not None:
            flow.unrolling.pop()


def _most_ops(is_nest: bool) -> int:
    """How many operations a loop that is unrolled may record, where it and loops in or around it are too long together.

    Copies in a nest of loops cost as much to compile as others, and save less: only the innermost loop runs often.
    """
    return settings.unroll_ops // 4 if is_nest else settings.unroll_ops


def _counted(trace: Recorder | None, items: Iterable[Any]) -> Iterable[Any]:
    """The items; a warning when what their iterations record becomes very large, once in a trace."""
    if trace is None or not settings.unrolled_ops_warning:
        return items
    return _counting(trace, items)


def _counting(trace: Recorder, items: Iterable[Any]) -> Iterator[Any]:
    flow, start = control_flow(trace), trace.op_count
    for number, item in enumerate(items, 1):
        yield item
        recorded = trace.op_count - start
        if recorded > settings.unrolled_ops_warning and not flow.has_warned:
            flow.has_warned = True
            message = (
                f"the loop in {trace.name} is unrolled, and has recorded {recorded} operations after {number} "
                "iterations: compiling them takes long. A loop over an array or range is compiled once unless its "
                "items must be known while tracing (in Python's own functions, as dict keys, as places in lists of "
                "lists), or weft.unroll asks for it; a table that loops fill in belongs into an array (np.zeros)"
            )
            warn_at(trace.user_location(), message, UnrollingWarning)


def _stage_for(trace: Recorder, sequence: Sequence, length: Any, blocks: _Blocks) -> Exit:
    """Record a loop over a sequence, and its first iteration by itself where that alone writes to arrays from before.

    So it is in `x += v; x = x % 3`: the next iterations write to an array that the one before has made.
    """
    checkpoint = Checkpoint.take(trace, (blocks.body,))
    try:
        return _record_for(trace, sequence, length, blocks)
    except WritesOthers as error:
        refusal = error
    checkpoint.roll_back()
    try:
        return if_(length > 0, lambda: _peeled(trace, sequence, length, blocks, _record_for))
    except UnsupportedError:
        raise refusal from None


def _record_for(trace: Recorder, sequence: Sequence, length: Any, blocks: _Blocks) -> Exit:
    """Record a loop over a sequence: as a counting loop, or with a test where it may be left.

    What has a `break` or `return` is recorded with a test first, and counts where no value of the run time decides it.
    """
    body = blocks.body
    flow, codes = control_flow(trace), codes_of_blocks((body,))
    key = flow.next_construct(codes, str(trace.location()))
    while True:
        checkpoint = Checkpoint.take(trace, (body,))
        leaves, _ = flow.left.get(key, (blocks.leaves, codes))
        loop = (_tested if leaves else _counting_loop)(trace, sequence, length, blocks)
        try:
            exit_ = loop.record()
        except LeavesLoop:
            pass
        else:
            if not leaves or loop.codes or key in flow.left:
                return exit_
        checkpoint.roll_back()
        flow.left[key] = not leaves, codes
        flow.met_inside[key[:-1]] = key[-1]  # it is the same loop


def _counting_loop(trace: Recorder, sequence: Sequence, length: Any, blocks: _Blocks) -> Loop:
    """A loop that nothing leaves."""
    body, runs = blocks.body, isinstance(length, int) and length > 0

    def counted(counter: Value) -> Exit:
        return body(sequence.item(counter_value(trace, counter)))

    trips = trip_count(trace, length)
    return Loop(trace, watched=(body,), dead=blocks.dead, runs=runs, body=counted, trips=trips)


def _tested(trace: Recorder, sequence: Sequence, length: Any, blocks: _Blocks) -> Loop:
    """A loop that may be left."""
    body, runs = blocks.body, isinstance(length, int) and length > 0
    position = Slot("position", [0])

    def step() -> Exit:
        here = position.get()
        position.set(here + 1)
        return body(sequence.item(here))

    def test() -> Any:
        return np.less(position.get(), length)

    return Loop(
        trace,
        watched=(body,),
        dead=blocks.dead,
        runs=runs,
        body=step,
        test=test,
        slots=(position,),
        leaves=True,
    )
