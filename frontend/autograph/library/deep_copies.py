"""Deep copies of lists and dicts of objects: there is one copy of each object, in however many places it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def copied_items(items: Any, number_of: Callable[[Any], Any], copied: Callable[[Any], Any]) -> Any:
    """A list of copies of the items of another one.

    >>> copied_items([[1], [1]], lambda item: item[0], list)
    [[1], [1]]
    """
    copies: Any = {}
    made: Any = []
    for item in items:
        number = number_of(item)
        if number not in copies:
            copies[number] = copied(item)
        made.append(copies[number])
    return made


def copied_values(
    table: Any, number_of: Callable[[Any], Any], copied: Callable[[Any], Any], made: Any
) -> Any:
    """An empty dict that gets the keys of another one, with copies of its values.

    >>> copied_values({"a": [1]}, lambda item: item[0], list, {})
    {'a': [1]}
    """
    copies: Any = {}
    for key, value in table.items():
        number = number_of(value)
        if number not in copies:
            copies[number] = copied(value)
        made[key] = copies[number]
    return made
