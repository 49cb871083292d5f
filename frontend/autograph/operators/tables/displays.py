"""`{a: b, **c}` and `{a, *b}`, whose keys may be known only at run time."""

from __future__ import annotations

from typing import Any

from ..interface import operators
from ..values.resolve_grown_lists import resolve_grown_list
from .becoming import become_table, becomes, is_open, put


def dict_display(*parts: tuple[Any, ...]) -> Any:
    """A dict of pairs, and of what is unpacked, tuples of one.

    >>> dict_display((1, 2), ({3: 4},))
    {1: 2, 3: 4}
    """
    made: Any = {}
    for part in parts:
        if len(part) == 2:
            _put(made, *part)
            continue
        other = resolve_grown_list(part[0])
        if is_open(other):
            become_table(made).update(other)
        elif (now := resolve_grown_list(made)) is not made:
            now.update(other)
        else:
            made.update(other)
    return resolve_grown_list(made)


def _put(made: Any, key: Any, *value: Any) -> None:
    now = resolve_grown_list(made)
    if now is not made:
        now.put(key, *value)
    elif becomes(made, key):
        put(made, key, *value)
    elif value:
        made[key] = value[0]
    else:
        made.add(key)


def set_display(*parts: Any) -> Any:
    """A set of items, and of those of what is unpacked.

    >>> set_display(1, 2, 1)
    {1, 2}
    """
    made: Any = set()
    for part in parts:
        if operators().is_spread(part):
            operators().for_(part.items, lambda item: _put(made, item))
        else:
            _put(made, part)
    return resolve_grown_list(made)
