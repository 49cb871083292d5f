"""Texts that only the program knows, in parts: what `split` and its like make of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from ....runtime_values.kept_texts import numbers_of_texts, text_of_number
from ....tracing.current import required_trace
from ..values.kinds import Text
from .dynamic_lists import GrowingList, list_of_columns

_LISTING = ("rsplit", "split", "splitlines")
_IN_THREE = ("partition", "rpartition")
METHODS = (*_LISTING, *_IN_THREE)
"""The methods of strings that give parts of them."""


def parts_of_text(text: Any, name: str) -> Any:
    """The method with a name."""
    return partial(_in_three if name in _IN_THREE else _listed, text, name)


def _listed(text: Any, name: str, *args: Any, **named: Any) -> GrowingList:
    trace = required_trace()
    numbers = numbers_of_texts(trace, _asked(name), (text, args, named), None)
    return list_of_columns(Text(), [numbers, numbers.shape[0]])


def _in_three(text: Any, name: str, *args: Any) -> tuple[Any, ...]:
    trace = required_trace()
    numbers = numbers_of_texts(trace, _asked(name), (text, args, {}), 3)
    return tuple(text_of_number(trace, numbers[place]) for place in range(3))


def _asked(name: str) -> Any:
    return lambda text, args, named: getattr(text, name)(*args, **named)
