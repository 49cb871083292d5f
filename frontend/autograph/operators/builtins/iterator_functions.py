"""The functions of `itertools` where only the program knows the items, or how many there are.

Repetitions, counters, products and slices are sequences, with an item at each place. The others are written here as
Python's documentation writes them, and converted.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, cast

import numpy as np

from ....runtime_values.values import holds_traced
from ....settings import settings
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.staging import is_traced, raise_where
from ...convert.converter import convert_generator
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..statements.comprehensions import is_endless
from ..statements.generators import Generator, Listed, Phase, Picked, Walk
from ..statements.items_in_turn import ItemsInTurn
from ..values.iterables import ENDLESS, Made, Mapped, Part, Sequence, Zipped, indices_of, sequence_of
from ..values.ranges import Range
from ..values.sequence_iterators import (
    HashedItems,
    PythonItems,
    SequenceIterator,
    iter_,
    iterator_over,
    left_of,
    python_sequence,
    walked,
)

Function = Callable[..., Any]


def _tuples(inner: tuple[Sequence, ...]) -> Sequence:
    """The tuples of an item of each of some sequences, the last of which changes fastest."""
    indices = indices_of(tuple(sequence.length for sequence in inner))

    def make(position: Any) -> Any:
        return tuple(
            sequence.item(place) for sequence, place in zip(inner, indices.item(position), strict=True)
        )

    return Made(indices.length, make)


def _repeat(object: Any, *times: Any, **named: Any) -> Any:
    """`itertools.repeat`; what has no end is walked by Python, beside what has one."""
    if len(times) + len(named) != 1 or set(named) - {"times"}:
        return itertools.repeat(object, *times, **named)
    (count,) = (*times, *named.values())
    return iterator_over(Made(Range.of(count).length, lambda _: object), itertools.repeat)


def _count(start: Any = 0, step: Any = 1) -> Any:
    """`itertools.count`; floats are added up one after the other, by Python."""
    if not all(isinstance(n, int) or (is_traced(n) and n.dtype.kind in "iu") for n in (start, step)):
        return itertools.count(start, step)
    return iterator_over(Made(ENDLESS, lambda position: start + position * step), itertools.count)


def _cycle(iterable: Any) -> Any:
    """`itertools.cycle`."""
    iterable = left_of(iterable)
    sequence = python_sequence(iterable)
    if sequence is None or not isinstance(sequence.length, int):
        return itertools.cycle(iterable)
    cycled = Made(
        ENDLESS if sequence.length else 0, lambda position: sequence.item(position % sequence.length)
    )
    return iterator_over(cycled, itertools.cycle)


def _product(*iterables: Any, repeat: Any = 1) -> Any:
    """`itertools.product`."""
    iterables = tuple(_as_now(left_of(iterable)) for iterable in iterables)
    found = [python_sequence(iterable) for iterable in iterables]
    sequences = tuple(sequence for sequence in found if sequence is not None)
    is_known = all(sequence_of(iterable) is None for iterable in iterables)
    if is_known or len(sequences) < len(found) or is_traced(repeat):
        return itertools.product(*iterables, repeat=repeat)
    return iterator_over(_tuples(sequences * repeat), itertools.product)


def _as_now(iterable: Any) -> Any:
    """What is walked of an iterable whose items Python takes at once: numbers as they are now."""
    is_of_numbers = isinstance(iterable, (TracedArray, np.ndarray)) and iterable.ndim == 1
    return iterable.copy() if is_of_numbers or isinstance(iterable, GrowingList) else iterable


def _islice(iterable: Any, *bounds: Any) -> Any:
    """`itertools.islice` of what has an item at each place."""
    if isinstance(iterable, (Picked, ItemsInTurn)) and 1 <= len(bounds) <= 3:
        start, stop, step = _required_bounds(bounds)
        given = iterable, start, ENDLESS if stop is None else stop, step, Phase()
        return Picked(_slice, _feeding(_slice), given)
    is_known = (
        isinstance(iterable, SequenceIterator) and iterable.is_known and not any(map(is_traced, bounds))
    )
    if is_known or isinstance(iterable, Walk) or not 1 <= len(bounds) <= 3:
        return itertools.islice(iterable, *bounds)
    sequence = python_sequence(left_of(iterable, "islice"))
    if sequence is None:
        return itertools.islice(iterable, *bounds)
    (start, stop, step), length = _required_bounds(bounds), sequence.length
    end = length if stop is None else operators().call(min, stop, length)
    return iterator_over(Part(sequence, start, Range.of(start, end, step).length, step), itertools.islice)


def _required_bounds(bounds: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Start, stop and step of a slice, which must be what they may be; stop may be None."""
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    start, step = 0 if start is None else start, 1 if step is None else step
    for bound, name in ((start, "Indices"), (stop, "Stop argument")):
        message = f"{name} for islice() must be None or an integer: 0 <= x <= sys.maxsize."
        if bound is not None:
            raise_where(np.less(bound, 0), ValueError, message)
    raise_where(np.less(step, 1), ValueError, "Step for islice() must be a positive integer or None.")
    return start, stop, step


def _slice(items: Any, start: Any, stop: Any, step: Any, phase: Any) -> Iterator[Any]:
    if phase.count < stop:
        for item in items:
            place = phase.next_place()
            if place >= start and (place - start) % step == 0:
                yield item
            if place + 1 >= stop:
                break


def _starmap(function: Any, iterable: Any) -> Any:
    """`itertools.starmap`."""
    applied = functools.partial(operators().call, function)
    iterable = left_of(iterable)
    sequence = sequence_of(iterable)
    if sequence is None:
        return itertools.starmap(applied, iterable)
    return iterator_over(Mapped(lambda items: applied(*items), Zipped((sequence,))), itertools.starmap)


# What Python's documentation writes as generator functions


def _chain(iterable: Any, *rest: Any) -> Iterator[Any]:
    for item in iterable:
        yield item
    if rest:
        for item in itertools.chain(*rest):
            yield item


def _chain_from_iterable(iterables: Any) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def _pairwise(iterable: Any) -> Iterator[Any]:
    previous: Any = None
    is_first = True
    for item in iterable:
        if not is_first:
            yield previous, item
        previous = item
        is_first = False


def _takewhile(predicate: Any, items: Any, phase: Any) -> Iterator[Any]:
    if not phase.has_come:
        for item in items:
            if not predicate(item):
                phase.come()
                break
            yield item


def _dropwhile(predicate: Any, items: Any, phase: Any) -> Iterator[Any]:
    for item in items:
        if phase.has_come or not predicate(item):
            phase.come()
            yield item


def _filterfalse(predicate: Any, items: Any, _: Any) -> Iterator[Any]:
    for item in items:
        if not predicate(item):
            yield item


def filter_(function: Callable[..., Any] | None, iterable: Any) -> Any:
    """`filter`."""
    condition = bool if function is None else function
    if is_endless(iterable):
        asked = functools.partial(operators().call, condition)
        return ItemsInTurn(walked(iterable), lambda item: item, asked, flat=False)
    return _picked_by(filter, _filter, condition, iterable)


def _filter(condition: Any, items: Any, _: Any) -> Iterator[Any]:
    for item in items:
        if condition(item):
            yield item


def _picked_by(theirs: Any, function: Any, condition: Any, iterable: Any) -> Any:
    """What is picked of items by a condition; of a generator, whose code is left with its walk, of a list of all."""
    if current_trace() is None:
        return theirs(condition, iterable)
    items = iterable if isinstance(iterable, Walk) else iter_(iterable)
    if isinstance(items, (ItemsInTurn, Picked, SequenceIterator)):
        return Picked(function, _feeding(function), (condition, items, Phase()))
    if isinstance(items, Walk) or holds_traced(iterable, depth=3):
        return Listed(cast(FunctionType, function), _feeding(function), (condition, iterable, Phase()), {})
    return theirs(_converting(condition), items)


def _holds_data(iterable: Any) -> bool:
    """Whether there may be items that only the program knows."""
    if not isinstance(iterable, SequenceIterator):
        return isinstance(iterable, Walk) or _is_long(iterable) or holds_traced((iterable,), depth=3)
    sequence: Any = iterable.sequence
    is_plain = iterable.is_known and isinstance(sequence, (PythonItems, HashedItems))
    return not is_plain or holds_traced(sequence.inner, depth=3)


def _picking(theirs: Any, function: Any) -> Function:
    """What picks items by a condition in the place of a function of `itertools`."""

    def call(predicate: Any, iterable: Any) -> Any:
        condition = bool if predicate is None else predicate
        if is_endless(iterable) and function is not _takewhile:
            return Generator(function, _feeding(function), (condition, iterable, Phase()), {})
        return _picked_by(theirs, function, condition, iterable)

    call.__name__ = theirs.__name__
    return call


def _compress(data: Any, selectors: Any) -> Iterator[Any]:
    for item, selector in zip(data, selectors):  # noqa: B905
        if selector:
            yield item


def _accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    total = initial
    is_first = initial is None
    if not is_first:
        yield total
    for item in iterable:
        if is_first:
            total = item
            is_first = False
        else:
            total = total + item if func is None else func(total, item)
        yield total


def _groupby(iterable: Any, key: Any = None) -> Iterator[Any]:
    group: list[Any] = []
    common: Any = None
    is_first = True
    for item in iterable:
        one = item if key is None else key(item)
        if is_first:
            common = one
            is_first = False
        elif not (common is one or common == one):  # as Python asks, of which NaN is one with itself
            items: Any = iter(group)
            yield common, items
            items.end()  # where the next group is asked for
            group = []
            common = one
        group.append(item)
    if not is_first:
        items = iter(group)
        yield common, items
        items.end()


def _combinations(iterable: Any, r: Any) -> Iterator[Any]:
    items = list(iterable)
    count = len(items)
    for i in range(count):
        for j in range(i + 1, count):
            if r == 2:
                yield items[i], items[j]
            else:
                for k in range(j + 1, count):
                    yield items[i], items[j], items[k]


def _is_long(iterable: Any) -> bool:
    """Whether only the program knows how many items there are, or there are too many to record each."""
    if isinstance(iterable, Walk):
        return True
    inner = iterable.sequence if isinstance(iterable, SequenceIterator) else iterable
    sequence = sequence_of(inner)
    return sequence is not None and not (
        isinstance(sequence.length, int) and sequence.length <= settings.unroll_limit
    )


def _any_long(*args: Any) -> bool:
    return any(map(_is_long, args))


def _any_long_inside(iterables: Any) -> bool:
    """Whether only the program knows some items of an iterable of iterables; those of iterators are not looked at."""
    return not isinstance(iterables, (list, tuple)) or _any_long(*iterables)


def _of_values(*args: Any) -> bool:
    return any(map(_holds_data, args))


def _of_few(iterable: Any, r: Any) -> bool:
    return _is_long(iterable) and r in (2, 3)


def _generated(
    theirs: Any, function: Any, applies: Callable[..., bool], kind: type[Generator] = Generator
) -> Function:
    """What converts a generator function when it is called on what only the program knows."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if current_trace() is None or not applies(*args, *kwargs.values()):
            return theirs(*map(_converting, args), **{name: _converting(v) for name, v in kwargs.items()})
        return (Generator if any(map(is_endless, args)) else kind)(function, _feeding(function), args, kwargs)

    call.__name__ = theirs.__name__
    return call


@functools.cache
def _feeding(function: Any) -> Any:
    return convert_generator(function, operators())


def _converting(value: Any) -> Any:
    """A function that Python's own calls, with what it calls converted."""
    is_function = callable(value) and not isinstance(value, type) and not is_traced(value)
    return functools.partial(operators().call, value) if is_function else value


def chain_from_iterable(function: Any) -> Function | None:
    """What is called in the place of `itertools.chain.from_iterable`, which is another object each time."""
    if function != itertools.chain.from_iterable:
        return None
    return _generated(function, _chain_from_iterable, _any_long_inside)


def iterator_rows() -> Iterator[tuple[Any, Function]]:
    """Each function, and what is called in its place."""
    yield itertools.repeat, _repeat
    yield itertools.count, _count
    yield itertools.cycle, _cycle
    yield itertools.product, _product
    yield itertools.islice, _islice
    yield itertools.starmap, _starmap
    yield itertools.pairwise, _generated(itertools.pairwise, _pairwise, _any_long)
    yield itertools.chain, _generated(itertools.chain, _chain, _any_long)
    yield itertools.takewhile, _picking(itertools.takewhile, _takewhile)
    yield itertools.dropwhile, _picking(itertools.dropwhile, _dropwhile)
    yield itertools.filterfalse, _picking(itertools.filterfalse, _filterfalse)
    yield itertools.compress, _generated(itertools.compress, _compress, _of_values, Listed)
    yield itertools.accumulate, _generated(itertools.accumulate, _accumulate, _any_long)
    yield itertools.groupby, _generated(itertools.groupby, _groupby, lambda *_: True)
    yield itertools.combinations, _generated(itertools.combinations, _combinations, _of_few)
