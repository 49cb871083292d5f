"""NumPy's functions that make arrays, in converted code: they make arrays of the trace, which it can write to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....numpy_api import creation, functions_of, lookup, requirements
from ....signature.composite_arrays import holds_composite, is_composite_dtype
from ....tracing.array import TracedArray
from ....tracing.behaviour import behaviour
from ....tracing.current import current_trace
from ....tracing.several_types import by_type, first_of_several
from ....tracing.staging import raise_where, trace_of
from ..values.known_arrays import KNOWN_ELEMENTS, compute
from .numpy_functions import as_data


def array_makers() -> dict[Any, Callable[..., Any]]:
    """What to call instead of NumPy's functions that make arrays."""
    makers = {
        getattr(np, name, None): name for module in (creation, requirements) for name in functions_of(module)
    }
    found = {theirs: _maker(name, theirs) for theirs, name in makers.items() if theirs is not None}
    return {**found, np.ndarray: _ndarray}


def _maker(name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array of the trace, which compiled code can write to."""

    def make(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(_with_rows, args))
        given = (*args, *kwargs.values())
        if first_of_several(given) is not None:
            return by_type(make, *args, **kwargs)
        if any(map(_is_of_composites, given)) or _is_of_texts(args[1:] if name == "full" else args):
            if current_trace() is None:
                return theirs(*args, **kwargs)
            return behaviour().composite_function(theirs, args, kwargs)
        made = lookup(name)(*args, **kwargs)
        if isinstance(made, np.ndarray):
            trace = current_trace()
            if trace is None or any(made is value for value in given):
                return made
            return compute(trace, lookup(name), args, kwargs)
        if isinstance(made, TracedArray) and trace_of(given) is None and not made._path:
            static = made.type.size is not None and made.type.size <= KNOWN_ELEMENTS
            if static and made._storage.ref is None and made._storage.argument is None:
                made._storage.known = (
                    np.zeros(made.shape, made.dtype) if name.startswith("empty") else theirs(*args, **kwargs)
                )
        return made

    make.__name__ = name
    return make


def _with_rows(value: Any) -> Any:
    """A list of run-time length as an array, which must not be one of rows without any.

    Of that NumPy makes an array of shape (0,): another rank, which compiled code cannot choose when it runs.
    """
    array = as_data(value)
    if array is not value and array.ndim > 1:
        raise_where(np.equal(array.shape[0], 0), UnsupportedError, _NO_ROWS.format(array.ndim))
    return array


_NO_ROWS = (
    "this makes an array of an empty list: compiled code knows it as one of rows, which has {} axes, and NumPy, which "
    "sees no row, makes one of shape (0,); ask before whether there are any (if len(rows) == 0)"
)

_empty = _maker("empty", np.empty)


def _ndarray(
    shape: Any,
    dtype: Any = float,
    buffer: Any = None,
    offset: Any = 0,
    strides: Any = None,
    order: Any = None,
) -> Any:
    """What `np.ndarray` makes: without memory that it is a view of, an array of which nothing is known."""
    if buffer is None and strides is None and offset == 0:
        return _empty(shape, dtype, "C" if order is None else order)
    return np.ndarray(shape, dtype, buffer, offset, strides, order)


def _is_of_composites(value: Any) -> bool:
    """Whether an argument holds dates, records or texts, or says that they are wanted."""
    names_dtype = (
        isinstance(value, np.dtype)
        or (isinstance(value, str) and value.upper() not in _ORDERS)
        or (
            isinstance(value, list)
            and bool(value)
            and isinstance(value[0], tuple)
            and bool(value[0])
            and isinstance(value[0][0], str)
        )
    )
    return is_composite_dtype(value) if names_dtype else holds_composite(value)


def _is_of_texts(given: tuple[Any, ...]) -> bool:
    """Whether elements are Python's texts, in lists of these."""
    first = given[0] if given else None
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    return isinstance(first, (str, bytes))


_ORDERS = ("C", "F", "A", "K")
"""What orders of elements are called, some of them as dtypes are."""
