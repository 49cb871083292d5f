"""What lists and dicts hold, with plain numbers and texts seen at once: a long list of numbers is not walked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import Any

PLAIN_TYPES = frozenset({bool, bytes, complex, float, int, str, type(None)})
"""Classes of values that hold nothing, and that are known while tracing."""

_NUMBERS = frozenset({bool, complex, float, int})


def compound(items: Collection[Any]) -> Collection[Any]:
    """Those of some items that may hold others, or be known at run time only.

    >>> compound([1, [2], "text", None, {3: 4}])
    [[2], {3: 4}]
    """
    if PLAIN_TYPES.issuperset(map(type, items)):
        return ()
    return [item for item in items if type(item) not in PLAIN_TYPES]


def contents(value: Any) -> Iterable[Any]:
    """The values of a dict, or the items of something else; no method runs that a class derived from Python's has.

    >>> list(contents({"a": 1})), list(contents((2, 3)))
    ([1], [2, 3])
    """
    if isinstance(value, dict):
        values: Iterable[Any] = (OrderedDict if isinstance(value, OrderedDict) else dict).values(value)
        return values
    for kind in _CONTAINERS:
        if isinstance(value, kind):
            value = kind.__iter__(value)
            break
    items: Iterable[Any] = value
    return items


_CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset)


def examples(items: Collection[Any]) -> Collection[Any]:
    """Items that tell what types of values all are: of many plain numbers a few, the least and the greatest int.

    >>> examples([5, 1.5, 2, 7, 3.5, 4])
    [2, 7, 3.5]
    """
    kinds = dict.fromkeys(map(type, items))
    if len(items) <= 2 * len(kinds) or not kinds.keys() <= _NUMBERS:
        return items
    if int not in kinds:
        return list(dict(zip(map(type, items), items, strict=True)).values())
    found: list[Any] = []
    for kind in kinds:
        same: list[Any] = [item for item in items if type(item) is kind]
        found += [min(same), max(same)] if kind is int else same[-1:]
    return found


def kind_of_key(key: Any) -> Any:
    """What tells keys apart that Python takes for equal: 1 and True, 0.0 and -0.0.

    >>> kind_of_key(1) == kind_of_key(True), kind_of_key((0.0, "a")) == kind_of_key((-0.0, "a"))
    (False, False)
    """
    if type(key) is tuple:
        return tuple(map(kind_of_key, key))
    return (type(key), repr(key)) if isinstance(key, (float, complex)) else type(key)
