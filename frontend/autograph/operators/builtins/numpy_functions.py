"""NumPy's functions in converted code: they take traced values also where NumPy's own dispatch does not look for them.

NumPy asks only some arguments, and not the items of lists, whether they answer for themselves; and some functions
ask nobody. So `np.max([a, b])` would try to make an array of traced ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.imports import is_loaded
from ....numpy_api import brackets
from ....numpy_api.dispatch import call_function, call_ufunc
from ....numpy_api.selection import is_python_number
from ....source.modules import module_of, told
from ....tracing.several_types import SeveralTypes
from ....tracing.staging import asarray, rank_0_array, trace_of
from ..lists import dynamic_lists
from ..values import ranges

SCIPY_SUMS = "scipy.special._logsumexp"
"""Functions in Python that are called instead of converted: they ask arrays for what is not known of traced ones."""

_MODULES = frozenset({"numpy", "numpy.linalg", "numpy.fft", SCIPY_SUMS})


def numpy_function(function: Any) -> Callable[..., Any] | None:
    """What to call instead of a function of NumPy, a ufunc or a method of one; None for another function."""
    owner = told(function, "__self__")
    if type(function).__hash__ is not None and function in _IN_BRACKETS:
        record = _IN_BRACKETS[function]
        return lambda maker, key: (
            function(maker, key) if trace_of(_entries(key)) is None else record(maker, key)
        )
    if isinstance(function, np.ufunc):
        return _asking_items(
            function, lambda args, kwargs: call_ufunc(function, "__call__", _strong(args), kwargs)
        )
    if isinstance(owner, np.ufunc):
        method = function.__name__
        return _asking_items(function, lambda args, kwargs: call_ufunc(owner, method, args, kwargs))
    module = module_of(function)
    if isinstance(function, type) or not hasattr(function, "__name__"):
        return None
    if module not in _MODULES and not module.startswith("numpy.lib."):
        return None
    return _asking_items(function, lambda args, kwargs: call_function(function, args, kwargs))


def _asking_items(function: Any, record: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A function of NumPy's that is recorded where an argument, or an item of one, is traced."""

    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(as_data, args))
        if trace_of((*args, *kwargs.values())) is None:
            return function(*args, **kwargs)
        return record(args, kwargs)

    call.__name__ = told(function, "__name__", "call")
    return call


def _brackets_of(maker: Any) -> Any:
    """The method that is called for `maker[...]`, which classes inherit."""
    return type(maker).__getitem__


_IN_BRACKETS: dict[Any, Callable[[Any, Any], Any]] = {
    _brackets_of(np.r_): brackets.in_brackets,
    _brackets_of(np.mgrid): brackets.grid,
}
"""What `np.r_[...]`, `np.c_[...]`, `np.mgrid[...]` and `np.ogrid[...]` call, and what records it."""


def _entries(key: Any) -> list[Any]:
    """What stands in brackets, with the bounds of ranges."""
    entries = key if isinstance(key, tuple) else (key,)
    bounds = [
        b for entry in entries if isinstance(entry, slice) for b in (entry.start, entry.stop, entry.step)
    ]
    return [*entries, *bounds]


def _strong(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of a ufunc; where all are numbers of Python's, NumPy takes them for scalars of its own."""
    if any(not is_python_number(value) for value in args):
        return args
    return tuple(rank_0_array(asarray(value)) for value in args)


def as_data(value: Any) -> Any:
    """A list or range whose length is known at run time as the array that NumPy makes of it."""
    if is_loaded(dynamic_lists) and isinstance(value, dynamic_lists.GrowingList):
        array = value.stacked()
        return array if isinstance(array, SeveralTypes) else array.copy()
    if is_loaded(ranges) and isinstance(value, ranges.Range):
        return value.stacked()
    return value
