"""What the statements of converted code do: run as Python, or recorded when an array decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .....dialect.errors import ConcreteValueError, ControlFlowError, UnsupportedError
from ....settings import settings
from ....tracing.current import current_trace, required_trace
from ..branches.branches import stage_if
from ..branches.checkpoints import Checkpoint
from ..branches.conditions import is_staged, truth_of
from ..branches.exits import BREAK, RETURN, Exit, StagedExit, without_break, without_continue
from ..loops.carried_permutations import WritesOthers
from ..loops.first_tests import FirstTest
from ..loops.loop_memory import LoopMemory
from ..loops.loops import Loop
from ..values.hidden_state import acts, note_walked, require_followed, state_of
from ..values.iterables import Sequence
from ..values.narrowing import facts_of, narrowed, not_returned
from ..values.optional import MaybeUnbound, Optional
from ..values.own_variables import Variables, variables_named
from ..values.program_locations import UNBOUND, Variable
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.special_methods import tested
from .known_loops import MOST_ITEMS, KnownIterations
from .plain_loops import MOST_WITHIN_WHILE, Plain, ran_alone

Body = Callable[[], Exit]

_MAY_NEED_VALUES = (ConcreteValueError, ControlFlowError, UnsupportedError)
"""What a loop may be refused by that Python can run, as it knows the values."""


def if_(test: Any, body: Body, orelse: Body | None = None, dead: str = "") -> Exit:
    """`if test: body else: orelse`."""
    test = tested(resolve_grown_list(test))
    if not is_staged(test):
        if test:
            return body()
        return None if orelse is None else orelse()
    trace, watched = required_trace(), (body, orelse)
    present, absent = facts_of(trace, test)
    bodies = (narrowed(body, present, watched), narrowed(orelse or _nothing, absent, watched))
    return stage_if(trace, truth_of(test), bodies, watched, variables_named(dead, watched))[0]


def then_(exit_: Exit, rest: Body, dead: str = "") -> Exit:
    """The statements after one that may leave the block: they run unless it did."""
    return rest() if exit_ is None else continued(exit_, rest, (rest,), variables_named(dead, (rest,)))


def continued(
    exit_: Exit,
    rest: Body,
    watched: tuple[Callable[..., Any] | None, ...],
    dead: Variables | None = None,
) -> Exit:
    """Run what follows a block unless it left with an exit; nothing looks at the variables in `dead` behind that."""
    if exit_ is None:
        return rest()
    if not isinstance(exit_, StagedExit) or 0 not in exit_.codes:
        return exit_
    goes_on = narrowed(rest, not_returned(watched), watched) if RETURN in exit_.codes else rest
    return stage_if(required_trace(), exit_.among(0), (goes_on, lambda: _left(exit_)), watched, dead)[0]


def _left(exit_: StagedExit) -> Exit:
    """The exit where it is known not to fall through."""
    codes = exit_.codes - {0}
    return next(iter(codes)) if len(codes) == 1 else StagedExit(exit_.status, codes)


def result(body: Body, name: str = "return_") -> Any:
    """The value of a function whose body may return in several places, which it leaves in a variable."""
    exit_ = body()
    value = variable(body, name)
    if isinstance(value, MaybeUnbound):
        value = value.value
    if exit_ is None or value is UNBOUND or value is None:
        return None
    if not isinstance(exit_, StagedExit) or 0 not in exit_.codes:
        return value
    falls_through = exit_.among(0)
    if isinstance(value, Optional):
        return Optional(np.logical_or(falls_through, value.is_none), value.value)
    return Optional(falls_through, value)


def variable(function: Callable[..., Any], name: str) -> Any:
    """What a variable that a body shares with the function around it holds now."""
    code = function.__code__
    cells = function.__closure__ or ()
    return Variable(name, cells[code.co_freevars.index(name)]).get()


def while_(
    test: Callable[[], Any],
    body: Body,
    orelse: Body | None = None,
    dead: str = "",
    plain: Plain | None = None,
) -> Exit:
    """`while test(): body() else: orelse()`: Python runs it until an array decides, then the rest is recorded.

    A loop that Python decides is recorded too, once it has repeated what it records as often as loops are unrolled.
    """
    trace = current_trace()
    if trace is None:
        return _run_while(test, body, orelse)
    if ran_alone(trace, plain, MOST_WITHIN_WHILE):
        return None
    ops_before, trips = trace.op_count, 0
    watched = (test, body)
    loop = partial(Loop, trace, body, watched, variables_named(dead, watched), test=test)
    first, known = FirstTest(trace, watched), KnownIterations(trace)
    while True:
        start = Checkpoint.take(trace, watched)
        if trips == 0 and first.was_staged():
            break
        truth = first.truth(test) if trips == 0 else tested(resolve_grown_list(test()))
        if is_staged(truth):
            break
        if not truth:
            return None if orelse is None else orelse()
        is_long = known.next()
        if is_long or (trips == settings.unroll_limit and trace.op_count > ops_before):
            start.roll_back()
            refused = _MAY_NEED_VALUES if is_long else (ConcreteValueError, ControlFlowError)
            try:
                return finish_loop(_record_while(loop, watched, start), orelse)
            except refused:
                start.roll_back()  # Python has to know the values, so it runs the loop to its end
                test()
        trips += 1
        exit_ = body()
        LoopMemory.of_next(trace, watched).note_iteration(start.snapshot)
        if isinstance(exit_, StagedExit):
            break
        if exit_ in (BREAK, RETURN):
            return None if exit_ == BREAK else exit_
    start.roll_back()
    return finish_loop(_record_while(loop, watched, start), orelse)


def _record_while(
    loop: Callable[[], Loop], watched: tuple[Callable[[], Any], Body], start: Checkpoint
) -> Exit:
    """Record a loop, and its first iteration by itself where that alone writes to arrays from before."""
    try:
        return loop().record()
    except WritesOthers as error:
        refusal = error
    start.roll_back()
    test, body = watched
    try:
        return if_(
            tested(test()), lambda: continued(without_continue(body()), lambda: loop().record(), watched)
        )
    except UnsupportedError:
        raise refusal from None


def _run_while(test: Callable[[], Any], body: Body, orelse: Body | None) -> Exit:
    """The loop as Python runs it."""
    while test():
        exit_ = body()
        if exit_ in (BREAK, RETURN):
            return None if exit_ == BREAK else exit_
    return None if orelse is None else orelse()


def finish_loop(exit_: Exit, orelse: Body | None) -> Exit:
    """What follows a loop: its `else` unless it was left, and for `break` the statements behind."""
    if orelse is None:
        return without_break(exit_)
    if exit_ is None:
        return orelse()
    if not isinstance(exit_, StagedExit) or 0 not in exit_.codes:
        return without_break(exit_)
    bodies = (orelse, lambda: without_break(_left(exit_)))
    return stage_if(required_trace(), exit_.among(0), bodies, (orelse,))[0]


def run_items(
    items: Iterable[Any], body: Callable[[Any], Exit], orelse: Body | None = None, walked: Any = None
) -> Exit:
    """A loop that Python runs; after an iteration that may have left it at run time, the next ones are branches.

    What `walked`, an iterator that the items come from, does to give the next item happens in these branches, too.
    It is walked to its end while tracing, so that nothing else may ask it for items if run-time values end the loop.
    """
    iterator = iter(items)
    is_repeatable = not acts(walked)
    counted = KnownIterations(current_trace(), MOST_ITEMS)
    return _run((_Taken(iterator, is_repeatable) for _ in counted.each()), body, orelse, walked)


def run_sequence(
    sequence: Sequence, positions: Iterable[int], body: Callable[[Any], Exit], orelse: Body | None
) -> Exit:
    """A loop over the items of a sequence at some positions that Python runs; see `run_items`."""
    return _run((partial(sequence.item, position) for position in positions), body, orelse, None)


def _run(
    fetches: Iterator[Callable[[], Any]], body: Callable[[Any], Exit], orelse: Body | None, walked: Any
) -> Exit:
    """Run a loop of which each item is fetched in the branch that takes it; StopIteration says that there is none."""
    exit_: Exit = None
    may_be_left = False
    for fetch in fetches:
        turn = _Turn(fetch, body)
        exit_ = turn() if exit_ is None else continued(exit_, turn, (body, partial(_same, state_of(walked))))
        if turn.is_at_end or exit_ in (BREAK, RETURN):
            break
        if isinstance(exit_, StagedExit):
            require_followed(walked)
            may_be_left = True
    if may_be_left:
        note_walked(required_trace(), walked)
    return finish_loop(exit_, orelse)


class _Turn:
    """One iteration of a loop that Python runs."""

    def __init__(self, fetch: Callable[[], Any], body: Callable[[Any], Exit]) -> None:
        self._fetch = fetch
        self._body = body
        self.is_at_end = False

    def __call__(self) -> Exit:
        try:
            item = self._fetch()
        except StopIteration:
            self.is_at_end = True
            return None
        return without_continue(self._body(item))


class _Taken:
    """The next item of an iterator of Python's, which is asked for it once."""

    def __init__(self, iterator: Iterator[Any], is_repeatable: bool) -> None:
        self._iterator = iterator
        self._is_repeatable = is_repeatable
        self._items: list[Any] = []

    def __call__(self) -> Any:
        if not self._items:
            self._items.append(next(self._iterator))
        elif not self._is_repeatable:
            raise UnsupportedError(
                "a loop over an iterator that runs Python code is ended by run-time values, and has to be recorded a "
                "second time, which would run that code again: walk a list of the items (list(iterator))"
            )
        return self._items[0]


def _same(value: Any) -> Any:
    return value


def _nothing() -> None:
    return None
