"""Generators in compiled code: the generator's code runs, and calls the body of the loop that walks it.

So a `yield` may stand in a staged loop or branch. What walks a generator otherwise (`next`, `send`) lets Python run it
while tracing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from .....dialect.errors import ConcreteValueError, ControlFlowError, UnsupportedError
from ....tracing.current import current_trace, required_trace
from ..branches.checkpoints import Checkpoint
from ..branches.exits import (
    BREAK,
    RETURN,
    Exit,
    StagedExit,
    codes_of,
    exit_from,
    status_of,
    without_continue,
)
from ..interface import operators
from ..values.hidden_state import Walked
from ..values.iterables import OneByOne, Sequence, item_or_default
from ..values.optional import MaybeUnbound
from ..values.own_variables import Variables
from ..values.program_locations import UNBOUND
from ..values.sequence_iterators import fail
from .expressions import if_exp
from .statements import Body, finish_loop, if_, run_items

Consumer = Callable[[Any], Any]
"""Takes an item; says whether the generator is to end, which may be known at run time only."""


def require_no_prints(function: FunctionType) -> None:
    """Refuse to let Python run a generator while tracing that prints: it would print then, and not at each call."""
    if current_trace() is None or not _prints(function, set()):
        return
    name = function.__name__
    raise UnsupportedError(
        f"the generator {name}() prints, and is run by Python while the function is traced, as next(), send(), the "
        "value of a yield, and a yield inside of try ask for: it would print then, and not at each call; walk it by a "
        "`for` loop that is left by break, yield outside of try, or print what it yields outside of it"
    )


def _prints(function: FunctionType, seen: set[CodeType]) -> bool:
    """Whether a function, or one that it knows by a global name, has a call of Python's print in it."""
    names = set(_names_in(function.__code__))
    if "print" in names - function.__globals__.keys():
        return True
    seen.add(function.__code__)
    known = [value for name in names if isinstance(value := function.__globals__.get(name), FunctionType)]
    return any(_prints(each, seen) for each in known if each.__code__ not in seen)


def _names_in(code: CodeType) -> Iterator[str]:
    """The globals, builtins and attributes that code and the code inside of it name."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


class Walk(OneByOne):
    """Items that come one after the other, from code that calls a consumer."""

    def feed(self, consumer: Consumer) -> None:
        """Give all items to a consumer, until it says to end."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        """The items as Python gets them while tracing."""
        raise NotImplementedError


class Generator(Walk, Walked):
    """A call of a generator function: nothing of it has run yet."""

    __weft_state__: tuple[str, ...] = ("_is_used", "_is_left")

    def __init__(
        self,
        original: FunctionType,
        feeding: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        is_fed_by_loops: bool = True,
    ) -> None:
        self._original = original
        self._feeding = feeding
        self._arguments = (args, kwargs)
        self.is_fed_by_loops = is_fed_by_loops
        """Whether the body of a loop may be its consumer, and not only the block of a context manager."""
        self._plain: Any = None
        self._is_used = False
        self._is_left = False
        trace = current_trace()
        self._region = None if trace is None else trace.region

    def feed(self, consumer: Consumer) -> None:
        args, kwargs = self._arguments
        self._require_place()
        if not self._is_used:
            self._is_used = True
            self._feeding(consumer, *args, **kwargs)

    def run_in_python(self) -> None:
        """Give the items to a loop that Python runs, which asks for each where it takes it."""
        self._generator()
        self._region = None

    def leave(self) -> None:
        """Note that a loop may have been left before all items were taken."""
        self._is_left = True

    def _require_place(self) -> None:
        """Refuse to take items where tracing does not know which are left."""
        trace, name = current_trace(), self._original.__name__
        if trace is not None and self._region is not None and trace.region is not self._region:
            raise UnsupportedError(
                f"the generator {name}() is made in front of a branch or loop and walked inside of it; call it where "
                "it is walked"
            )
        if self._is_left:
            raise UnsupportedError(
                f"items of the generator {name}() are asked for behind a loop that was left: compiled code has ended "
                "it there; do what follows in the same loop, or make a list of the items"
            )

    @property
    def is_begun(self) -> bool:
        """Whether Python has taken items already."""
        return self._plain is not None

    def reset(self) -> None:
        """Forget that the items were taken: what was recorded of it was taken back."""
        self._is_used = False

    def _generator(self) -> Any:
        self._require_place()
        if self._plain is None:
            args, kwargs = self._arguments
            trace = current_trace()
            if trace is not None:
                require_no_prints(self._original)
                trace.dependencies.runs_plain(self._original)
            self._plain = iter(()) if self._is_used else self._original(*args, **kwargs)
            self._is_used = True
        return self._plain

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._generator())

    def __getattr__(self, name: str) -> Any:
        if name in ("send", "throw", "close", "gi_frame", "gi_running", "gi_code", "gi_yieldfrom"):
            return getattr(self._generator(), name)
        raise AttributeError(f"'generator' object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<generator object {self._original.__qualname__}>"


class Listed(Generator):
    """A generator that only picks of other items: those that are asked for one by one are of a list of all."""

    __weft_state__ = ("_is_used", "_is_left", "_plain")

    @property
    def rest(self) -> Any:
        return self._plain if self._is_used is True else None  # not one of a recording that was given up

    def _generator(self) -> Any:
        if self.rest is None:
            self._plain = operators().call(iter, all_at_once(self, "one by one"))
        return self._plain

    def in_turn(self, taker: str) -> Any:
        """The items that are left, for what takes items of this and of others in turn."""
        return self._generator().given(taker)

    def __weft_next__(self, *default: Any) -> Any:
        return self._generator().__weft_next__(*default)


def all_at_once(walk: Walk, how: str) -> Any:
    """A list of all items, for what asks for them in another way; refused where making an item does things."""
    trace: Any = required_trace()
    calls, before = trace.callbacks, len(trace.callbacks)
    made = operators().comprehension("list", walk, lambda item: item)
    if all(getattr(call, "only_computes", False) for call in calls[before:]):
        return made
    raise UnsupportedError(
        f"items are asked for {how} that are picked or made by what prints or calls Python, which would happen for all "
        "of them before the first one is there: make a list of them before (list(...)), or walk them by a for statement"
    )


class Picked(Walk):
    """What a generator function picks of an iterator: it runs anew each time, and goes on where that iterator is."""

    __weft_state__ = ("_taker", "given")

    def __init__(
        self, original: Callable[..., Any], feeding: Callable[..., Any], given: tuple[Any, ...]
    ) -> None:
        self._original = original
        self._feeding = feeding
        self.given = given
        """What the function gets."""
        self._taker: Any = None
        """What has taken all items that are left, to ask for some of them."""

    def feed(self, consumer: Consumer) -> None:
        if self._taker is not None:
            raise UnsupportedError(
                f"items that {self._original.__name__[1:]} picks are taken that were given to {self._taker} beside "
                "others, and how many that takes is not followed: make lists of the items before (list(...))"
            )
        self._feeding(consumer, *self.given)

    def in_turn(self, taker: str) -> Any:
        """The items that are left, for what takes items of this and of others in turn."""
        made = operators().call(iter, all_at_once(self, f"in turn with those of others ({taker})"))
        self._taker = taker
        return made.given(taker)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._original(*self.given))

    def __weft_next__(self, *default: Any) -> Any:
        return first_of(self, default)


class Phase:
    """Whether what picks items has come to where it does something else with them, and how many it was given."""

    __weft_state__ = ("count", "has_come")

    def __init__(self) -> None:
        self.has_come: Any = False
        self.count: Any = 0

    def come(self) -> None:
        """Note that it has come there."""
        self.has_come = True

    def next_place(self) -> Any:
        """The place of an item that it is given."""
        here = self.count
        self.count = here + 1
        return here


def first_of(walk: Walk, default: tuple[Any, ...]) -> Any:
    """What `next` gives of items that are left where a consumer says to end."""
    found: Any = UNBOUND
    is_found: Any = False

    def take(item: Any) -> bool:
        nonlocal found, is_found
        found, is_found = item, True
        return True

    walk.feed(take)
    if is_found is False and not default:
        fail(StopIteration())

    def held() -> Any:
        return found.value if isinstance(found, MaybeUnbound) else found

    return item_or_default(is_found, held, default)


class Mapped(Walk):
    """A function of each item, and of the number of the item."""

    def __init__(
        self, inner: Walk, function: Callable[[Any, Any], Any], length: Any = None, before: Any = None
    ) -> None:
        self._inner = inner
        self._function = function
        self._length = length
        """At how many items it ends, after one more was taken."""
        self._before = before
        """At how many items it ends, with no more of them taken."""

    def feed(self, consumer: Consumer) -> None:
        number: Any = 0

        def given(here: Any, item: Any) -> Any:
            ends = consumer(self._function(here, item))
            return ends if self._before is None else np.logical_or(ends, here + 1 >= self._before)

        def mapped(item: Any) -> Any:
            nonlocal number
            here = number
            number = number + 1
            if self._length is None:
                return given(here, item)
            return if_exp(np.less(here, self._length), lambda: given(here, item), lambda: True)

        if self._before is None:
            self._inner.feed(mapped)
        else:
            if_(self._before > 0, lambda: self._inner.feed(mapped))

    def __weft_next__(self, *default: Any) -> Any:
        raise UnsupportedError(
            "next() of what enumerate, zip or map make of a generator, or of what is fetched when the program runs: "
            "ask the generator itself, or walk it by a `for` statement"
        )

    def __iter__(self) -> Iterator[Any]:
        for number, item in enumerate(self._inner):
            if self._length is not None and number >= self._length:
                return
            yield self._function(number, item)
            if self._before is not None and number + 1 >= self._before:
                return


def enumerated(walk: Walk, start: Any) -> Walk:
    """`enumerate`."""
    return Mapped(walk, lambda number, item: (start + number, item))


def zipped(walks: list[Any], sequences: list[Sequence | None]) -> Walk | None:
    """`zip` of one generator and sequences; None where there is anything else."""
    places = [i for i, walk in enumerate(walks) if isinstance(walk, Walk)]
    count = sum(sequence is not None for sequence in sequences)
    if len(places) != 1 or count + 1 != len(walks):
        return None
    first, rest = sequences[: places[0]], sequences[places[0] :]
    before, length = _shortest(first), _shortest(rest)

    def row(number: Any, item: Any) -> Any:
        return tuple(item if s is None else s.item(number) for s in sequences)

    return Mapped(walks[places[0]], row, length, before)


def _shortest(sequences: list[Sequence | None]) -> Any:
    """The least of the lengths; None where there are none."""
    length: Any = None
    for sequence in sequences:
        if sequence is not None:
            length = sequence.length if length is None else np.minimum(length, sequence.length)
    return length


def for_walk(walk: Walk, body: Callable[[Any], Exit], orelse: Body | None, dead: Variables) -> Exit:
    """`for item in walk: body(item) else: orelse()`."""
    trace, source = current_trace(), _source_of(walk)
    if trace is None or (source is not None and (source.is_begun or not source.is_fed_by_loops)):
        return _run(walk, source, body, orelse)
    checkpoint = Checkpoint.take(trace, (body,))
    try:
        exit_ = _fed(walk, body, dead)
    except (ConcreteValueError, ControlFlowError) as error:
        return _in_python(checkpoint, walk, body, orelse, error)
    if exit_ is not None and source is not None:
        source.leave()
    return finish_loop(exit_, orelse)


def _run(walk: Walk, source: Generator | None, body: Callable[[Any], Exit], orelse: Body | None) -> Exit:
    """Let Python run a generator, and the loop that walks it."""
    if source is not None:
        source.run_in_python()
    return run_items(walk, body, orelse, source)


def _source_of(walk: Walk) -> Generator | None:
    """The generator that gives the items."""
    source: Any = walk
    while isinstance(source, Mapped):
        source = source._inner
    return source if isinstance(source, Generator) else None


def _in_python(
    checkpoint: Checkpoint, walk: Walk, body: Callable[[Any], Exit], orelse: Body | None, error: Exception
) -> Exit:
    """Let Python run the generator after all; what was in the way is the error when that does not work either."""
    checkpoint.roll_back()
    source = _source_of(walk)
    if source is not None:
        source.reset()
    try:
        return _run(walk, source, body, orelse)
    except ConcreteValueError:
        raise error from None


class Codes:
    """The exits that a body may have; not part of the user's state."""

    __weft_state__: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.found: frozenset[int] = frozenset()


def _fed(walk: Walk, body: Callable[[Any], Exit], dead: Variables) -> Exit:
    """Run a generator with the body as its consumer; returns how the loop is left."""
    status: Any = np.int64(0)
    codes = Codes()

    def consumer(item: Any) -> Any:
        nonlocal status
        exit_ = without_continue(body(item))
        for variable in dead.values():
            variable.set(UNBOUND)
        if exit_ is None:
            return False
        codes.found |= codes_of(exit_) - {0}
        status = status_of(exit_)
        return exit_.among(BREAK, RETURN) if isinstance(exit_, StagedExit) else True

    walk.feed(consumer)
    if not codes.found:
        return None
    if isinstance(status, np.generic):
        return exit_from(None, frozenset({int(status)}))
    return StagedExit(status, codes.found | {0})
