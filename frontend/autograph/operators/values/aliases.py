"""Arrays that may be one of several at run time, and what may be done with them.

`y = a if c else b` gives a or b itself in NumPy, so that writing to y writes one of them. Compiled code has the
value; a write is refused when a or b can still be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ....runtime_values.results import RuntimeChoice, RuntimeContainer, RuntimeLength
from ....runtime_values.values import RuntimeValue
from ....signature.traced_value import ArrayHolder, held
from ....source.locations import user_frames
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ....tracing.joined_writes import note_ways
from ....tracing.may_alias import connect, usable_aliases
from ....tracing.recorder import ABSENT, Handed, Join, Storage
from ....tracing.several_types import SeveralTypes, TypeOfValue
from .abstract import kind_of, parts_of
from .kinds import are_alike
from .optional import MaybeUnbound, Optional
from .program_locations import Snapshot
from .resolve_grown_lists import resolve_grown_list


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same object, or the same view of the same array."""
    if one is other:
        return True
    if not isinstance(one, TracedArray) or not isinstance(other, TracedArray):
        return False
    return (
        one._storage is other._storage and _same_path(one, other) and one._python_type is other._python_type
    )


def with_all_assumptions(values: list[Any]) -> Any:
    """One of several values that are the same on all paths, with what each of them assumes of layouts."""
    first = values[0]
    if not isinstance(first, TracedArray):
        return first
    further = [a for value in values[1:] for a in value._assumptions if a not in first._assumptions]
    if not further:
        return first
    made = first._view_of_all()
    made._is_another, made._assumptions = first._is_another, (*first._assumptions, *further)
    return made


def is_another(value: Any) -> Any:
    """Whether a value is a view of all of an array, and not the array itself: a bool, or a traced one."""
    return value._is_another if isinstance(value, TracedArray) else False


def as_another(array: TracedArray, is_one: TracedArray) -> TracedArray:
    """An array that is a view of all of itself where a condition holds."""
    made = array._view_of_all()
    made._is_another = is_one
    return made


def is_available(value: Any) -> bool:
    """Whether all arrays in a value were made where they can be used now."""
    if isinstance(value, TracedArray):
        return value._storage.section.is_usable
    if isinstance(value, MaybeUnbound):
        return value.unbound._storage.section.is_usable and is_available(value.value)
    if isinstance(value, Optional):
        return value.is_none._storage.section.is_usable and is_available(value.value)
    if isinstance(value, RuntimeContainer):
        return all(map(is_available, value.state()))
    if isinstance(value, RuntimeValue) and value.is_made_text:
        return bool(value.is_usable)  # type: ignore[attr-defined]
    if isinstance(value, RuntimeChoice):
        return is_available(value.index) and all(is_available(value.options[number]) for number in value.held)
    parts = parts_of(value)
    return parts is None or all(map(is_available, parts[1]))


def _same_path(one: TracedArray, other: TracedArray) -> bool:
    if len(one._path) != len(other._path):
        return False
    for step, twin in zip(one._path, other._path, strict=True):
        if step.op_class is not twin.op_class or step.attributes != twin.attributes:
            return False
        if len(step.operands) != len(twin.operands) or any(
            a is not b for a, b in zip(step.operands, twin.operands, strict=True)
        ):
            return False
    return True


def beside_data(value: Any, others: Iterable[Any]) -> Any:
    """The array of a variable where another path has an array or number in its place; any other value as it is."""
    if not isinstance(value, ArrayHolder) or not any(
        isinstance(other, _DATA) for other in map(present, others)
    ):
        return value
    array, trace = held(value), current_trace()
    if trace is None or trace.python_state is None or isinstance(array, TracedArray):
        return array
    return trace.python_state.writable(array)  # data, as what is written to it is seen in what was chosen


_DATA = (TracedArray, np.ndarray, np.generic, int, float, complex)


def note_aliases(join: Join, result: Any, candidates: Iterable[Any]) -> None:
    """Remember which arrays the result of a branch or loop may be; there is a candidate for each path."""
    result, candidates = present(result), list(map(present, candidates))
    if isinstance(result, RuntimeChoice):
        for option, found in options_among(result, candidates):
            note_aliases(join, option, found)
    elif isinstance(result, TracedArray):
        if any(_storage_of(candidate) is result._storage for candidate in candidates):
            return  # no join has made it
        outside = any(isinstance(candidate, np.ndarray) for candidate in candidates)
        connect(result._storage, join, map(_storage_of, candidates), outside)
        if result._storage.aliases.join is join and not result._path:
            note_ways(result, join, [None if _storage_of(one) is None else one for one in candidates])
        if isinstance(result, SeveralTypes) and result.ndim:
            for number in range(len(result.types)):  # what is written to one of these is written to the array
                connect(result.option(number)._storage, join, [result._storage] * len(candidates))
    else:
        for item, entries in entries_beside(result, candidates):
            note_aliases(join, item, entries)


def note_handed(result: Any, handed: Handed) -> None:
    """Remember what a branch or loop hands on as its result, for the arrays in it that are returned."""
    result = present(result)
    values = [(region, present(value)) for region, value in handed.values]
    if not isinstance(result, TracedArray):
        regions, ends = zip(*values, strict=True)
        beside = options_among if isinstance(result, RuntimeChoice) else entries_beside
        for one, found in beside(result, ends):
            note_handed(one, handed._replace(values=tuple(zip(regions, found, strict=True))))
    elif not any(_storage_of(value) is result._storage for _, value in values):  # a join has made it
        result._storage.handed = handed._replace(values=tuple(values))
        if isinstance(result, SeveralTypes) and result.ndim:
            _note_handed_types(result, handed._replace(values=tuple(values)))


def _note_handed_types(result: SeveralTypes, handed: Handed) -> None:
    """Remember for each type what is handed on where an array is of that type."""
    for number, type_ in enumerate(result.types):
        values = [(region, _of_type(value, type_)) for region, value in handed.values]
        result.option(number)._storage.handed = handed._replace(values=tuple(values))


def _of_type(value: Any, type_: TypeOfValue) -> Any:
    """A value where it is of a type; ABSENT if it never is."""
    if isinstance(value, SeveralTypes):
        keys = [known.key for known in value.types]
        return value.option(keys.index(type_.key)) if type_.key in keys else ABSENT
    is_one = isinstance(value, (TracedArray, np.ndarray)) and value.dtype == type_.type.dtype
    return value if is_one else ABSENT


def _storage_of(candidate: Any) -> Storage | None:
    """What a candidate is stored in, unless NumPy has a number there."""
    is_array = isinstance(candidate, TracedArray) and not candidate._is_scalar
    return candidate._storage if is_array else None


def present(value: Any) -> Any:
    """A value where it is there."""
    while isinstance(value, (MaybeUnbound, Optional)):
        value = value.value
    return value


def _named(parts: tuple[tuple[Any, ...], list[Any]]) -> tuple[tuple[Any, ...], list[Any]]:
    """The entries of a container with their keys; those of lists and tuples have None."""
    keys, children = parts
    return keys or (None,) * len(children), children


def entry_of(container: Any, position: int, key: Any) -> Any:
    """An entry of a container of the same structure, whose keys may be in another order."""
    parts = parts_of(container)
    if parts is None:
        return None
    keys, children = _named(parts)
    index = keys.index(key) if key is not None and key in keys else position
    return children[index] if index < len(children) else None


def entries_beside(container: Any, others: Sequence[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Each entry of a container, with those of others in its place; of what is `ABSENT` there is none."""
    parts = parts_of(container)
    for position, (key, item) in enumerate(() if parts is None else zip(*_named(parts), strict=True)):
        yield item, [one if one is ABSENT else entry_of(one, position, key) for one in others]


def options_among(chosen: RuntimeChoice, values: Sequence[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Each object that a value may be, with what like it each of some values may be; `ABSENT` where that is nothing."""
    for number in chosen.held:
        option = chosen.options[number]
        yield option, [_like(option, value) for value in values]


_CONTAINERS = (list, dict, set, RuntimeContainer)


def _like(option: Any, value: Any) -> Any:
    """The one of several objects that has the class and the attributes of an option; of containers one of several."""
    options = list(map(resolve_grown_list, value.options if isinstance(value, RuntimeChoice) else (value,)))
    places = [place for place, one in enumerate(options) if _are_alike(one, option)]
    if len(places) > 1 and all(isinstance(options[place], _CONTAINERS) for place in places):
        return value.among(places) if value.index._storage.section.is_usable else value
    return options[places[0]] if places else ABSENT


def _are_alike(one: Any, option: Any) -> bool:
    is_array = isinstance(one, np.ndarray) and isinstance(option, TracedArray)  # one from outside
    are_lists = all(isinstance(items, (list, RuntimeLength)) for items in (one, option))
    return (is_array or are_lists or type(one) is type(option)) and are_alike(kind_of(one), kind_of(option))


def is_visible(storage: Storage) -> bool:
    """Whether the program can still see an array: it is the caller's, or a variable or container holds it.

    An array that may be one of several others is seen where one of these is.
    """
    return sees_any([storage, *usable_aliases(storage)])


def sees_any(storages: Iterable[Storage]) -> bool:
    """Whether the program can see one of some arrays by itself."""
    wanted = list(storages)
    if not wanted or any(storage.argument is not None for storage in wanted):
        return bool(wanted)
    identities = set(map(id, wanted))
    return any(_holds_one_of(value, identities) for value in reachable())


def reachable() -> Iterable[Any]:
    for frame in user_frames():
        snapshot = Snapshot()
        for name, value in frame.f_locals.items():
            yield value
            snapshot.follow(value, name)
        yield from snapshot.values()


def _holds_one_of(value: Any, storages: set[int]) -> bool:
    array = present(value)
    return isinstance(array, TracedArray) and id(array._storage) in storages
