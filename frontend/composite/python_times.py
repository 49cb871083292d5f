"""Dates and durations as objects of Python's, of `item` and `tolist`: made when the program runs, and handed out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ...dialect.errors import UnsupportedError
from ..runtime_values.values import RuntimeValue
from .times import TracedTimes

MOST_LISTED = 64
"""How many elements `tolist` takes out of an array one by one."""


class PythonTimes(RuntimeValue):
    """A `datetime.date`, `datetime` or `timedelta`, or None for NaT; or nested lists of these."""

    __slots__ = ("_times",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, times: TracedTimes) -> None:
        self._times = times.like(times.ticks.copy())

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The counts, and what makes Python's objects of them."""
        return self._times.ticks, partial(_python_times, self._times.dtype)

    def joined_parts(self) -> list[Any]:
        """The dates or durations of NumPy's."""
        return [self._times]

    @classmethod
    def of_joined_parts(cls, parts: list[Any]) -> PythonTimes:
        """Python's objects of those of NumPy's."""
        (times,) = parts
        return cls(times)

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    def _refuse(self, *operands: Any) -> NoReturn:
        raise UnsupportedError(
            "Python's dates and durations, which item() and tolist() give, can be returned, stored and shown in "
            "compiled code, and nothing else: compute with those of NumPy (d.astype('M8[Y]'), d - d[0]), and loop over "
            "the array"
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __mod__ = (
        _refuse
    )
    __neg__ = __abs__ = __bool__ = __iter__ = __len__ = __getitem__ = __contains__ = _refuse


def _python_times(dtype: np.dtype[Any], ticks: Any) -> Any:
    return np.asarray(ticks).view(dtype).tolist()


def _require_objects(times: TracedTimes, name: str) -> None:
    """Leave units that Python's objects do not have to a call of NumPy: it gives ints."""
    if isinstance(np.zeros((), times.dtype).item(), int):
        raise UnsupportedError(f"{name} of dates or durations of dtype {times.dtype} is not compiled")


def item(times: TracedTimes, *index: Any) -> Any:
    """An element as an object of Python's, by a flat index, by one for each axis, or the only one."""
    _require_objects(times, "item")
    if not index and times.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    place = index if len(index) != 1 or isinstance(index[0], tuple) else (index[0],)
    place = place[0] if len(place) == 1 and isinstance(place[0], tuple) else place
    chosen = times.like(times.ticks.reshape(-1)) if len(place) < max(times.ndim, 1) else times
    return PythonTimes(chosen[place if place else 0])


def tolist(times: TracedTimes) -> Any:
    """The elements as objects of Python's, in nested lists."""
    _require_objects(times, "tolist")
    is_long = None in times.ticks.type.shape or times.size > MOST_LISTED
    if is_long or not times.ndim:
        return PythonTimes(times)
    return [tolist(times[place]) for place in range(len(times))]
