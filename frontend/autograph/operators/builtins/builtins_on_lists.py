"""Builtins that take collections whole, where these are staged: `list`, `sorted`, `min`, `any` and others."""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequence_
from typing import Any

import numpy as np

from ....numpy_api import lookup
from ....reach.walks import attributes_of
from ....runtime_values.kept_texts import ranks_of_texts
from ....runtime_values.strings import string_of
from ....signature.traced_value import CompositeValue
from ....source.modules import is_users_object
from ....tracing.array import TracedArray
from ....tracing.number_types import number_type
from ....tracing.staging import asarray, raise_if, raise_where
from ..branches.conditions import is_staged, truth_of
from ..branches.exits import BREAK, Exit
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..lists.grown_tuples import GrownTuple
from ..lists.items_of_types import ranks_of_types
from ..lists.kept_items import keep_read
from ..lists.packed_lists import kind_of_numbers
from ..statements.comparisons import compare, holds_staged
from ..statements.comprehensions import comprehension
from ..statements.expressions import as_bool, if_exp, not_, or_
from ..statements.for_loops import for_
from ..statements.statements import if_
from ..values.abstract import as_arrays, kind_of
from ..values.array_kinds import as_array_kind
from ..values.iterables import OneByOne, Part, Sequence, sequence_of
from ..values.kinds import ArrayKind, Container, Kind, Partial, Text
from ..values.sequence_iterators import SequenceIterator, left_of
from . import comparison_sorts
from .builtins_on_arrays import bool_, fold

Key = Callable[[Any], Any]


def list_(iterable: Any = ()) -> Any:
    """`list`."""
    iterable = left_of(iterable)
    if isinstance(iterable, GrowingList):
        return iterable.copy()
    if not has_unknown_length(iterable) and not isinstance(iterable, (OneByOne, Sequence)):
        return builtins.list(iterable)
    return comprehension("list", iterable, lambda item: item)


def has_unknown_length(value: Any) -> bool:
    """Whether a value is an array of which only the program knows how many rows it has."""
    return isinstance(value, TracedArray) and value.ndim > 0 and value.type.shape[0] is None


def tuple_(iterable: Any) -> Any:
    """`tuple` of items that the program decides on."""
    items = iterable if isinstance(iterable, GrownTuple) else list_(iterable)
    if isinstance(items, GrowingList) and items.known_length is None:
        return GrownTuple(items)
    return items if isinstance(items, GrownTuple) else tuple(items)


def is_listed(iterable: Any) -> bool:
    """Whether a list of its items is what Python's functions get in the place of something."""
    return isinstance(iterable, (OneByOne, Sequence, SequenceIterator))


def join_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of the method `join` of a string, whose pieces the program may make; None for others."""
    is_method = isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, str)
    if not is_method or function.__name__ != "join":
        return None

    def join(*pieces: Any) -> Any:
        return string_of(function, *(list_(p) if is_listed(p) else p for p in pieces))

    return join


def any_(iterable: Any) -> Any:
    """`any`."""
    iterable = left_of(iterable, "any")
    if isinstance(iterable, TracedArray):
        return as_bool(np.any(truth_of_items(iterable)))
    if is_open(iterable):
        return _finds(iterable, bool_)
    if not _is_walkable(iterable):
        return builtins.any(iterable)
    found: Any = False
    for item in iterable:
        found = or_(found, functools.partial(bool_, item))
        if found is True:
            break
    return found


def all_(iterable: Any) -> Any:
    """`all`."""
    iterable = left_of(iterable, "all")
    if isinstance(iterable, TracedArray):
        return as_bool(np.all(truth_of_items(iterable)))
    if is_open(iterable):
        return not_(_finds(iterable, lambda item: not_(bool_(item))))
    if not _is_walkable(iterable):
        return builtins.all(iterable)
    return not_(any_([not_(item) for item in iterable]))


def _finds(iterable: Any, holds: Callable[[Any], Any]) -> Any:
    """Whether something holds for an item; the items behind the first such one are not looked at."""
    found: Any = False

    def note() -> Exit:
        nonlocal found
        found = True
        return BREAK

    for_(iterable, lambda item: if_(holds(item), note))
    return found


def is_open(iterable: Any) -> bool:
    """Whether only the program knows how many items there are."""
    if isinstance(iterable, Sequence):
        return not isinstance(iterable.length, int)
    return isinstance(iterable, (OneByOne, GrowingList))


def truth_of_items(array: TracedArray) -> Any:
    """The truth of each entry of an array of one axis; rows have none."""
    if array.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    if array.ndim > 1:
        truth_of(array[0])
    return array


def extreme(
    builtin: Callable[..., Any], symbol: str, *args: Any, key: Key | None = None, **default: Any
) -> Any:
    """`min` or `max`: the first of the smallest or largest, as an operator says which one is better."""
    is_better: Callable[[Any, Any], Any] = functools.partial(compare, symbol)
    items = left_of(args[0]) if len(args) == 1 else args
    key = key or _key_of_pairs(items)
    if (comes_before := comparison_sorts.comparing(key, symbol)) is not None:
        key, is_better = None, comes_before
    rank: Key = (lambda item: item) if key is None else functools.partial(operators().call, key)
    if isinstance(items, OneByOne):
        items = list_(items)
        args = (items,)  # what was walked has no items any more
    if not isinstance(items, (*ARRAYS, Sequence, GrowingList)) and not _is_walkable(items):
        known = builtins.list(items)
        ranks = [rank(item) for item in known]
        is_known = comes_before is None and not any(map(holds_staged, ranks)) and not _are_of_data(ranks)
        return _best_of(known, ranks, None if is_known else is_better, builtin, default)
    first, rest, length = _first_and_rest(items)
    if isinstance(length, int):
        return builtin([], **default) if length == 0 else _best(first, rest, rank, is_better, key)
    if default:
        found = if_exp(
            length > 0, lambda: _best(first, rest, rank, is_better, key), lambda: default["default"]
        )
    else:
        raise_if(np.equal(length, 0), "ValueError", _complaint(builtin))
        found = _best(first, rest, rank, is_better, key)
    if isinstance(items, GrowingList):
        keep_read(found)
    return found


def _best_of(
    items: Sequence_[Any],
    ranks: Sequence_[Any],
    is_better: Callable[[Any, Any], Any] | None,
    builtin: Callable[..., Any],
    default: Any,
) -> Any:
    """The best of items that are known while tracing, by ranks which are, too, where there is nothing to tell."""
    if not items:
        return builtin(items, **default)
    if is_better is None:
        return items[builtin(range(len(items)), key=ranks.__getitem__)]
    best, best_rank = items[0], ranks[0]
    for item, rank in zip(items[1:], ranks[1:], strict=True):
        better = is_better(rank, best_rank)
        new, old = functools.partial(_pair, item, rank), functools.partial(_pair, best, best_rank)
        best, best_rank = if_exp(better, new, old)
    return best


ARRAYS: tuple[Any, ...] = (TracedArray, CompositeValue)


def _pair(item: Any, rank: Any) -> tuple[Any, Any]:
    return item, rank


def _first_and_rest(items: Any) -> tuple[Callable[[], Any], Any, Any]:
    """The first item, the others, and the number of all."""
    if isinstance(items, ARRAYS):
        return lambda: items[0], items[1:] if items.ndim else items, items.shape[0] if items.ndim else 1
    sequence = items.__weft_items__() if isinstance(items, GrowingList) else items
    if isinstance(sequence, Sequence) and not isinstance(sequence.length, int):
        return lambda: sequence.item(0), Part(sequence, 1), sequence.length
    known = builtins.list(items)
    return lambda: known[0], known[1:], len(known)


def reduce_(function: Key, iterable: Any, *initial: Any) -> Any:
    """`functools.reduce`."""
    combine, items = functools.partial(operators().call, function), left_of(iterable)
    if isinstance(items, OneByOne) and not initial:
        items = list_(items)
    if sequence_of(items) is None and not isinstance(items, OneByOne):
        return functools.reduce(combine, items, *initial)
    if initial:
        return fold(combine, items, initial[0])
    first, rest, length = _first_and_rest(items)
    if isinstance(length, int):
        return fold(combine, rest, first()) if length else functools.reduce(combine, ())
    raise_if(np.equal(length, 0), "TypeError", "reduce() of empty iterable with no initial value")
    return fold(combine, rest, first())


def _complaint(builtin: Callable[..., Any]) -> str:
    """What Python says of no items."""
    try:
        builtin([])
    except ValueError as error:
        return str(error)
    raise AssertionError("there is no best of no items")


def _best(
    first: Callable[[], Any], rest: Any, rank: Key, is_better: Callable[[Any, Any], Any], key: Key | None
) -> Any:
    best = first()
    best_rank = rank(best)

    def body(item: Any) -> None:
        nonlocal best, best_rank
        item_rank = rank(item)
        better = is_better(item_rank, best_rank)
        old, old_rank = best, best_rank
        best = if_exp(better, lambda: item, lambda: old)
        best_rank = best if key is None else if_exp(better, lambda: item_rank, lambda: old_rank)

    for_(rest, body)
    return best


def sorted_(iterable: Any, /, *, key: Key | None = None, reverse: Any = False) -> Any:
    """`sorted`, of arrays and lists: at once where items or their keys are numbers, else by comparing each two."""
    if is_staged(reverse):
        if reverse.dtype.kind != "b" or number_type(reverse) is None:
            builtins.sorted((), reverse=reverse.dtype.type(0))  # raises what Python does for bools of NumPy's
        return if_exp(
            reverse, *(functools.partial(sorted_, iterable, key=key, reverse=r) for r in (True, False))
        )
    iterable = left_of(iterable)
    key = key or _key_of_pairs(iterable)
    items = list_(iterable) if isinstance(iterable, (OneByOne, Sequence)) else iterable
    if (comes_before := comparison_sorts.comparing(key)) is not None:
        listed = list_(items)
        return _in_order_by_comparing(listed, listed, comes_before, reverse)
    if isinstance(items, GrowingList):
        return sorted_list(items, key, reverse)
    if not isinstance(items, ARRAYS) and not _is_walkable(items) and key is None and not _are_of_data(items):
        return builtins.sorted(items, reverse=reverse)
    if not isinstance(items, ARRAYS):
        return _sorted_values(builtins.list(items), key, reverse)
    if key is None and items.ndim == 1:
        ordered = np.sort(items)
        return list_(ordered[::-1] if reverse else ordered)
    if key is None:
        rows = list_(items)  # which have no order, but those of one element
        return (
            sorted_list(rows, key, reverse)
            if isinstance(rows, GrowingList)
            else _in_order(rows, rows, reverse)
        )
    ranks: Any = [operators().call(key, item) for item in items]
    if any(isinstance(rank, CompositeValue) for rank in ranks):
        return _at(items, _order(np.stack(ranks), reverse))
    if all(map(_is_number, ranks)):
        return _at(items, _order(asarray(ranks), reverse))
    return _in_order(builtins.list(items), ranks, reverse)


def _key_of_pairs(items: Any) -> Key | None:
    """What puts `d.items()` in order: its keys, no two of which are equal; None for other values."""
    return _first_of if isinstance(items, GrowingList) and items.is_told_by_first else None


def _first_of(pair: Any) -> Any:
    return pair[0]


def _at(items: Any, places: TracedArray) -> Any:
    """The items of an array at places: its rows are views of it, as those that a walk gives."""
    return comprehension("list", places, items.__getitem__) if items.ndim > 1 else list_(items[places])


def _sorted_values(items: builtins.list[Any], key: Key | None, reverse: bool) -> Any:
    """A sorted list of values of which some are known at run time only."""
    ranks = items if key is None else [operators().call(key, item) for item in items]
    return _in_order(items, ranks, reverse)


def _in_order(items: builtins.list[Any], ranks: builtins.list[Any], reverse: bool) -> Any:
    """Items in the order of their ranks."""
    if not any(map(holds_staged, ranks)) and not _are_of_data(ranks):
        places = builtins.sorted(range(len(items)), key=ranks.__getitem__, reverse=reverse)
        return [items[place] for place in places]
    if not _are_alike(items) or not _are_alike(ranks):
        if len(items) > _MOST_COMPARED and _are_tuples_alike(items):
            places = _order_of_known(ranks, reverse)
            if places is not None:
                return GrowingList(items).taken(places)
        if not _is_of_real_numbers(items) or not _is_of_real_numbers(ranks):
            return _in_order_by_comparing(items, ranks, comparison_sorts.is_less, reverse)
        ordered = GrowingList(items).taken(_order_of_all(GrowingList(ranks).ranks(), reverse))
        return [ordered.item(place) for place in range(len(items))]
    kind = kind_of(items[0])
    ordered = lookup("take")(asarray(items), _order(asarray(ranks), reverse), axis=0)
    number = kind.number if isinstance(kind, ArrayKind) else type(items[0])
    return [ordered[place].copy()._like_python(number) for place in range(len(items))]


_MOST_COMPARED = 12
"""So many tuples are compared with each other; each is recorded as a choice among all, and more are put into a list."""


def _are_tuples_alike(items: Sequence_[Any]) -> bool:
    """Whether items are tuples of numbers, of one type."""
    kinds = {as_arrays(kind_of(item)) for item in items}
    return len(kinds) == 1 and are_tuples(*kinds)


def _order_of_known(ranks: builtins.list[Any], reverse: bool) -> Any:
    """The positions in order of ranks that are numbers, or tuples of numbers; None for others."""
    if _are_alike(ranks):
        return _order(asarray(ranks), reverse)
    return _order_of_tuples(GrowingList(ranks), reverse) if _are_tuples_alike(ranks) else None


def _in_order_by_comparing(
    items: Any, ranks: Any, comes_before: Callable[[Any, Any], Any], reverse: bool
) -> Any:
    """Items in the order of ranks of which only comparing tells which one comes first."""
    places = comparison_sorts.places_by_comparing(ranks, comes_before, reverse)
    if isinstance(items, GrowingList):
        return items.taken(places)
    return [comparison_sorts.item_at(items, place) for place in builtins.list(places)]


def _are_of_data(items: Any) -> bool:
    """Whether some items are objects of the user's that hold what only the program knows, as comparing them may ask."""
    left, seen = builtins.list(items) if isinstance(items, (list, tuple)) else [], set()
    while left:
        one = left.pop()
        if not is_users_object(one) or id(one) in seen:
            continue
        seen.add(id(one))
        attributes = [*(attributes_of(one) or {}).values()]
        if any(map(holds_staged, attributes)):
            return True
        left += attributes
    return False


def _is_number(rank: Any) -> bool:
    kind = as_array_kind(kind_of(rank))
    return kind is not None and kind.type.rank == 0 and kind.type.dtype.kind in "biuf"


def _is_of_real_numbers(items: Sequence_[Any]) -> bool:
    """Whether items are numbers that have an order, perhaps of several types."""
    kind = kind_of_numbers(items)
    return kind is not None and kind.type.dtype.kind in "biuf"


def _are_alike(items: Sequence_[Any]) -> bool:
    """Whether items are numbers of one type, which one array holds."""
    kinds = {as_arrays(kind_of(item)) for item in items}
    (kind,) = kinds if len(kinds) == 1 else (None,)
    return (
        isinstance(kind, ArrayKind)
        and not kind.types
        and kind.type.rank == 0
        and kind.type.dtype.kind in "biuf"
    )


def sorted_list(items: GrowingList, key: Key | None, reverse: bool) -> Any:
    """A sorted copy of a list that grows."""
    ranks = items if key is None else comprehension("list", items, lambda item: operators().call(key, item))
    kind = ranks.kind
    if isinstance(kind, Partial) and isinstance(kind.inner, ArrayKind):
        ranks = _present_ranks(ranks)
        kind = ranks.kind
    if kind is None:
        return items.copy()
    order = ranks.numbered(_places_in_order)
    if isinstance(kind, Text):
        (numbers,) = ranks.stacked_columns()
        order = ranks_of_texts(numbers._storage.trace, numbers)
    if order is None and are_tuples(kind):
        return items.taken(_order_of_tuples(ranks, reverse))
    if order is None:
        if not isinstance(kind, ArrayKind) or kind.type.rank:
            return _in_order_by_comparing(items, ranks, comparison_sorts.is_less, reverse)
        return items.taken(_order_of_all(ranks.ranks(), reverse))
    return items.taken(_order(order, reverse))


def _present_ranks(ranks: GrowingList) -> GrowingList:
    """Ranks of which none may be None, as `d.get` gives them; raises what Python does for one."""
    is_none, numbers = ranks.stacked_columns()
    several = np.greater(ranks.length, 1)
    message = "'<' not supported between instances of 'NoneType' and 'int'"
    raise_where(np.logical_and(np.any(is_none), several), TypeError, message)
    made = GrowingList()
    assert isinstance(ranks.kind, Partial)
    made.hold(ranks.kind.inner, (numbers,), ranks.length)
    return made


def are_tuples(kind: Kind) -> bool:
    """Whether items are tuples of real numbers, in which a number decides where those before it are equal."""
    if not isinstance(kind, Container) or not issubclass(kind.kind, tuple):
        return False
    return all(
        are_tuples(child)
        or (isinstance(child, ArrayKind) and not child.type.rank and child.type.dtype.kind in "biuf")
        for child in kind.children
    )


def _order_of_tuples(ranks: GrowingList, reverse: bool) -> Any:
    """The positions in order: sorted by the last number first, as equal ones keep their places."""
    assert ranks.kind is not None
    columns = list(_ranks_of_entries(ranks.kind, iter(ranks.stacked_columns())))
    return _order_of_all(columns, reverse) if columns else lookup("arange")(ranks.length)


def _ranks_of_entries(kind: Kind, columns: Iterator[Any]) -> Iterator[Any]:
    if isinstance(kind, Container):
        for child in kind.children:
            yield from _ranks_of_entries(child, columns)
    elif isinstance(kind, ArrayKind):
        yield from ranks_of_types(kind, columns) if kind.types else (next(columns),)


def _order_of_all(ranks: Sequence_[Any], reverse: bool) -> Any:
    """The positions in order of several ranks for each item, of which the first ones decide first."""
    *first, last = ranks
    order = _order(last, reverse)
    for rank in reversed(first):
        order = order[_order(rank[order], reverse)]
    return order


def _places_in_order(constants: tuple[Any, ...]) -> list[int]:
    """For each constant how many of the others are smaller."""
    return [sum(bool(other < one) for other in constants) for one in constants]


def _order(ranks: Any, reverse: bool) -> Any:
    """The positions in order; equal ranks keep theirs, also in reverse."""
    if not reverse:
        return np.argsort(ranks, kind="stable")
    return (ranks.shape[0] - 1 - np.argsort(ranks[::-1], kind="stable"))[::-1]


def _is_walkable(iterable: Any) -> bool:
    """Whether Python walks an iterable that may hold traced values."""
    if isinstance(iterable, Sequence):
        return True
    return isinstance(iterable, (list, tuple)) and holds_staged(iterable)
