"""Long loops over numbers and texts that tracing knows: as tables, of which a loop recorded once takes the items."""

from __future__ import annotations

from typing import Any, cast

from .....dialect.records import replace
from ....settings import settings
from ....tracing.recorder import Recorder
from ..values.control_flow_state import control_flow
from ..values.iterables import Counted, Derived, Enumerated, Part, Reversed, Sequence, Zipped
from ..values.resolve_grown_lists import resolve_grown_list
from ..values.sequence_iterators import HashedItems, PythonItems

_WORDS = 1 << 63
"""Beyond this integers are no items of a table."""

_NUMBERS = {int, float}


class Table:
    """Known items that have a loop recorded once, while nothing changes them."""

    def __init__(self, sequence: Sequence) -> None:
        self.sequence = _copied(sequence)
        self.length: int = sequence.length
        self._containers = [(inner, tuple(inner)) for inner in _containers(sequence)]

    @property
    def is_as_before(self) -> bool:
        """Whether the containers of the items still hold them."""
        return all(
            resolve_grown_list(inner) is inner
            and len(inner) == len(before)
            and all(map(lambda one, other: one is other, inner, before))
            for inner, before in self._containers
        )


def table_of(trace: Recorder, sequence: Sequence) -> Table | None:
    """Known items as a table; None for few of them, and for others than numbers and texts of one type."""
    length = sequence.length
    if not isinstance(length, int) or length < 2 or not _is_table(sequence):
        return None
    is_short = length * control_flow(trace).unrolled <= settings.unroll_limit
    return None if is_short and not _is_of_numbers(sequence) else Table(sequence)


def _is_of_numbers(sequence: Sequence) -> bool:
    """Whether the items of a table are pairs of numbers and the like, as the steps to neighbours in a grid are.

    What is done for each of a few texts, or sizes, is often of another kind for each.
    """
    if isinstance(sequence, Zipped):
        return all(
            isinstance(inner, PythonItems) and _types(inner.inner) <= _NUMBERS for inner in sequence.inner
        )
    if isinstance(sequence, PythonItems):
        return all(type(item) is tuple and _types(item) <= _NUMBERS for item in sequence.inner)
    return isinstance(sequence, (Enumerated, Reversed)) and _is_of_numbers(sequence.inner)


def _types(items: Any) -> set[type]:
    return set(map(type, items))


def _is_table(sequence: Sequence) -> bool:
    if isinstance(sequence, PythonItems):
        inner = resolve_grown_list(sequence.inner)
        return inner is sequence.inner and (type(inner) is str or _are_alike(inner))
    if isinstance(sequence, HashedItems):
        return _are_alike(sequence.items)
    if isinstance(sequence, Zipped):
        return all(map(_is_table, sequence.inner)) and not all(isinstance(s, Counted) for s in sequence.inner)
    if isinstance(sequence, (Enumerated, Reversed)):
        return _is_table(sequence.inner)
    if isinstance(sequence, Part):
        return all(isinstance(n, int) for n in (sequence.start, sequence.step)) and _is_table(sequence.inner)
    return isinstance(sequence, Counted)


def _are_alike(items: Any) -> bool:
    """Whether items are numbers or texts of one type, or tuples that have such at each place."""
    kinds = _types(items)
    if len(kinds) != 1:
        return False
    (kind,) = kinds
    if kind is int:
        return bool(min(items) >= -_WORDS and max(items) < _WORDS)
    if kind is tuple:
        lengths = set(map(len, items))
        return len(lengths) == 1 and lengths != {0} and all(map(_are_alike, zip(*items, strict=True)))
    return kind in (float, complex, bool, str)


def _containers(sequence: Sequence) -> list[Any]:
    """The lists, dicts and sets that items are taken of."""
    if isinstance(sequence, (PythonItems, HashedItems)):
        return [sequence.inner]
    return [container for source in sequence.sources for container in _containers(source)]


def _copied(sequence: Any) -> Any:
    """A sequence of the items as they are now."""
    if isinstance(sequence, HashedItems):
        return PythonItems(sequence.items)
    if isinstance(sequence, PythonItems):
        inner = sequence.inner
        return sequence if type(inner) in (str, tuple) else PythonItems(tuple(inner))
    if not isinstance(sequence, Derived):
        return sequence
    made, record = tuple(map(_copied, sequence.sources)), cast(Any, sequence)
    return replace(record, inner=made if isinstance(sequence.inner, tuple) else made[0])
