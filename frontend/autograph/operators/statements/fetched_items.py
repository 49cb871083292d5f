"""Loops over iterables of Python and of other libraries: each item is fetched when the program runs."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any, NoReturn

import numpy as np

from .....dialect.callbacks import name_of, with_declared
from .....dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from .....dialect.types import TensorType
from ....runtime_values.calls_in_loops import note_call
from ....runtime_values.closures import put_together, taken_apart
from ....runtime_values.outside_traces import outside_traces
from ....runtime_values.values import Frozen, holds_traced
from ....signature.feeds import (
    Called,
    Feed,
    FeedNeeded,
    ItemSpec,
    Typed,
    begins_again,
    feed_of,
    feed_with,
    is_fed,
)
from ....signature.signature import unflatten
from ....signature.traced_value import ByValue
from ....source.modules import is_users_object
from ....source.own_attributes import has_fields
from ....tracing.array import TracedArray
from ....tracing.current import current_trace, set_current_trace
from ....tracing.feed_arguments import FeedArguments
from ....tracing.recorder import Recorder
from ....tracing.staging import host_call
from ..branches.exits import BREAK, Exit
from ..values.hidden_state import MadeObjects, has_hidden_state
from ..values.iterables import item_or_default
from ..values.optional import MaybeUnbound
from ..values.unfollowed_changes import Copies
from .generators import Consumer, Walk
from .statements import Body, if_, while_

_NUMBER = TensorType((), np.dtype(np.int64))
_TRUTH = TensorType((), np.dtype(np.bool_))

_ITERATORS: tuple[type, ...] = (
    GeneratorType, map, filter, zip, enumerate, reversed, type(iter([])), type(iter(())), type(iter({})),
    type(iter(set())), type(iter({}.values())), type(iter({}.items())), type(iter(int, 1)),
    type(iter(np.empty(0))),
)  # fmt: skip
"""Python's own iterators, besides those of itertools."""


class FetchedItems(ByValue):
    """Items of one type, which are fetched from an iterator that is found by its number."""

    def __init__(self, name: str, spec: ItemSpec | None) -> None:
        self.name = name
        self.spec = spec
        """What is known of the items; None where there were none."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FetchedItems) and (self.name, self.spec) == (other.name, other.spec)

    def __hash__(self) -> int:
        return hash((self.name, self.spec))

    def next(self, trace: Recorder, turn: TracedArray) -> tuple[TracedArray, Any]:
        """Record that the next item is fetched: whether there is one, and the item."""
        note_call(
            trace,
            f"each item of this {self.name} is fetched",
            "arrays, and pipelines of weft.data.Dataset, are read by compiled code itself",
        )
        spec, name = self.spec, self.name
        assert spec is not None
        nothing = [np.False_, *spec.zeros()]

        def fetch(turn: Any) -> list[Any]:
            key = int(turn)
            if key not in _places:
                raise WeftValueError(f"more walks of one {name} were begun at once than are kept")
            for number, item in _places[key][key]:
                return [np.True_, *spec.arrays(item, f"item {number} of {name}")]
            _forget(key)
            return nothing

        types = [_TRUTH, *spec.types]
        callback = with_declared(outside_traces(fetch, f"next of {name}"))
        made = host_call(trace, callback, [turn._value()], types)
        arrays = [
            array if kind is None else array._like_python(kind)
            for array, kind in zip(made[1:], spec.kinds, strict=True)
        ]
        item = unflatten(spec.structure, arrays.__getitem__)
        trace.state(Copies).add(item, f"an item of a {name}")
        return made[0], item

    def require_none(self, trace: Recorder, turn: TracedArray) -> None:
        """Record that there are no items, as when the program was compiled."""
        name = self.name

        def require_none(turn: Any) -> list[Any]:
            for _ in _forget(int(turn)):
                raise WeftTypeError(
                    f"the {name} had no items when the function was compiled, which tell their types, and has some "
                    "now: pass it as an argument, or say weft.data.Dataset.from_iterable(items, spec)"
                )
            return []

        host_call(trace, outside_traces(require_none, f"next of {name}"), [turn._value()])


class Fetched(Walk):
    """An iterable whose items are fetched."""

    def __init__(
        self, trace: Recorder, items: FetchedItems, operands: list[Any], begin: Begin, is_iterator: bool
    ) -> None:
        self.trace = trace
        self.items = items
        self.is_iterator = is_iterator
        """Whether it gives each item once."""
        self._operands = operands
        self._begin = begin
        """What makes an iterator, of the values of the operands."""
        self._running: Place = OrderedDict()
        """The iterators of loops that run, by their numbers; of those that were left, until others have run."""

    def feed(self, consumer: Consumer) -> None:
        """Give the items to what `enumerate`, `zip`, `list` and the like make of them."""

        def give(item: Any) -> Exit:
            ends = consumer(item)
            if isinstance(ends, bool):
                return BREAK if ends else None
            return if_(ends, lambda: BREAK)

        for_fetched(self, give, None)

    def __iter__(self) -> Iterator[Any]:
        return self if self.is_iterator else self._refuse()

    def __next__(self) -> Any:
        return self._refuse()

    def __weft_next__(self, *default: Any) -> Any:
        is_there, item = self.take()
        return item_or_default(is_there, lambda: item, default)

    def _refuse(self) -> NoReturn:
        raise UnsupportedError(
            f"the items of a {self.items.name} are fetched when the program runs, and Python asks for them while the "
            "function is traced: walk it by a `for` statement"
        )

    def start(self, most: int = 16) -> TracedArray:
        """Record that a walk begins; the number of its iterator. Of one place so many are walked at once."""

        def start(*operands: Any) -> list[Any]:
            number = next(_turns)
            self._running[number] = enumerate(self._begin(*operands))
            _places[number] = self._running
            if len(self._running) > most:
                _forget(next(iter(self._running)))
            return [np.int64(number)]

        callback = outside_traces(start, f"iter of {self.items.name}")
        return host_call(self.trace, callback, self._operands, [_NUMBER])[0]

    def take(self) -> tuple[Any, Any]:
        """Record that one item of an iterator is fetched: whether there is one, and the item."""
        if not self.is_iterator:
            raise TypeError(f"'{self.items.name}' object is not an iterator")
        turn = self.start()
        if self.items.spec is not None:
            return self.items.next(self.trace, turn)
        self.items.require_none(self.trace, turn)
        return np.False_, None


def feed_held(iterable: Any, feed: Feed) -> Iterator[Any]:
    """The items of an iterable that the compiled program holds."""
    return feed.start()


Begin = Callable[..., Iterator[Any]]
Place = OrderedDict[int, Iterator[tuple[int, Any]]]

_turns = itertools.count()

_places: dict[int, Place] = {}
"""By the numbers of iterators where these are."""


def _forget(number: int) -> Iterator[tuple[int, Any]]:
    return _places.pop(number).pop(number)


def fetched(trace: Recorder, iterable: Any) -> Fetched | None:
    """What to fetch the items of an iterable of; None for one that is walked in another way."""
    if isinstance(iterable, Typed):
        return made_of(trace, iterable.iterable, iterable.types.items)
    is_argument = id(iterable) in trace.state(FeedArguments).numbers
    if is_argument or _is_iterator(trace, iterable) or (is_fed(iterable) and not _is_made(trace, iterable)):
        return made_of(trace, iterable)
    return None


def walk_of(value: Any) -> Any:
    """What is walked in the place of an argument of `enumerate` and the like."""
    trace = current_trace()
    return value if trace is None else fetched(trace, value) or value


def may_be_fetched(trace: Recorder, iterable: Any) -> bool:
    """Whether items may be fetched of an object, if the class that gives them cannot be compiled.

    Of a dataclass among the arguments a trace has a copy only, with its own arrays in it.
    """
    kind = type(iterable)
    if isinstance(iterable, Called):
        return True
    if not is_users_object(iterable) or not hasattr(kind, "__iter__") or has_fields(kind):
        return False
    return trace.python_state is not None and trace.python_state.knows(iterable)


def _is_made(trace: Recorder, value: Any) -> bool:
    """Whether converted code has made an object, whose items are what the recording has put into it."""
    made = trace.state(MadeObjects).places.get(id(value))
    return made is not None and made[0] is value


def _is_iterator(trace: Recorder, value: Any) -> bool:
    if not has_hidden_state(value) or _is_made(trace, value):
        return False
    return isinstance(value, _ITERATORS) or type(value).__module__ == "itertools"


def made_of(trace: Recorder, iterable: Any, spec: ItemSpec | None = None) -> Fetched | None:
    """What to fetch the items of an iterable of; None where these are nothing that compiled code can hold.

    Of an argument of the call, for which the trace has to begin again, as its number is data.
    """
    if isinstance(iterable, Called) and holds_traced((iterable.make, iterable.arguments), 3):
        return None if spec is None else _called(trace, iterable, spec)
    arguments, feed = trace.state(FeedArguments), feed_of(iterable)
    previous = set_current_trace(None)
    try:
        spec = spec or feed.spec()
        is_empty = spec is None and feed.is_at_end()
    finally:
        set_current_trace(previous)
    if spec is None and not is_empty:
        return None
    is_constant = id(iterable) in arguments.constants and id(iterable) not in arguments.numbers
    if is_constant and begins_again():
        raise FeedNeeded(iterable)
    trace.dependencies.refuse(f"the items of a {feed.name}, which are fetched when the program runs")
    number = arguments.numbers.get(id(iterable))
    operands = [] if number is None else [number._value()]
    begin: Begin = (
        (lambda: feed_held(iterable, feed)) if number is None else lambda at: feed_with(int(at)).start()
    )
    return Fetched(trace, FetchedItems(feed.name, spec), operands, begin, hasattr(type(iterable), "__next__"))


def _called(trace: Recorder, called: Called, spec: ItemSpec) -> Fetched:
    """What to fetch the items of what a function makes of values that the running program has."""
    name = name_of(called.make)
    template, contents = taken_apart(called.make) or (None, ())
    frozen = Frozen(trace, (contents, called.arguments))
    trace.dependencies.refuse(f"the items of a {name}, which are fetched when the program runs")

    def begin(*operands: Any) -> Iterator[Any]:
        contents, arguments = frozen.thaw(operands)
        make = called.make if template is None else put_together(template, contents)
        return iter(make(*arguments))

    return Fetched(trace, FetchedItems(name, spec), frozen.operands, begin, False)


def for_fetched(source: Fetched, body: Callable[[Any], Exit], orelse: Body | None) -> Exit:
    """`for item in source: body(item) else: orelse()`."""
    turn = source.start()
    if source.items.spec is None:
        source.items.require_none(source.trace, turn)
        return None if orelse is None else orelse()
    item: Any  # of no value in front of the loop

    def test() -> Any:
        nonlocal item
        is_there, item = source.items.next(source.trace, turn)
        return is_there

    def step() -> Exit:  # which runs where the test has found an item
        return body(item.value if isinstance(item, MaybeUnbound) else item)

    return while_(test, step, orelse)
