"""NumPy's protocols on dates, records and texts: what a ufunc, a function or a method means on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..signature.composite_arrays import chooses_texts
from ..signature.traced_value import CompositeValue
from ..tracing.array import TracedArray
from . import makers, text_functions, time_functions, time_ufuncs
from .arrays import MOVING_METHODS
from .record_functions import record_function, record_method
from .records import TracedRecords
from .run_time_calls import natively_or_at_run_time
from .texts import TracedTexts, is_texts
from .times import TracedTimes


def make_composite(dtype: np.dtype[Any], parts: tuple[Any, ...]) -> CompositeValue:
    """What stands in a trace for an array of a dtype that has some parts."""
    kind: type[CompositeValue] = TracedTexts if dtype.kind in "SU" else TracedTimes
    return kind(dtype, parts) if dtype.names is None else TracedRecords(dtype, parts)


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `ufunc.method(*inputs, **kwargs)` means where an operand is dates, records or texts."""
    _refuse_records(f"np.{ufunc.__name__}", inputs)

    def native() -> Any:
        if method == "__call__" and not set(kwargs) - {"out"} and any(map(is_texts, inputs)):
            return text_functions.call_ufunc(ufunc, inputs, kwargs.get("out"))
        if method == "reduce":
            return time_functions.reduce(ufunc, *inputs, **kwargs)
        if method != "__call__" or set(kwargs) - {"out"}:
            raise UnsupportedError(
                f"np.{ufunc.__name__} of dates, durations or texts is not compiled like this"
            )
        return time_ufuncs.call(ufunc, inputs, kwargs.get("out"))

    name = f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    theirs = ufunc if method == "__call__" else getattr(ufunc, method)
    return natively_or_at_run_time(name, native, theirs, inputs, kwargs)


def call_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy means where an argument, or an item of one, is dates, records or texts."""
    if makers.is_known((args, tuple(kwargs.values()))):
        return makers.made_of_known(function, args, kwargs)
    found = _records_in((args, tuple(kwargs.values())))
    if found is not None:
        return record_function(function, args, kwargs)
    name = f"np.{function.__name__}"
    if chooses_texts(function, args) or _holds_texts((args, tuple(kwargs.values()))):
        return natively_or_at_run_time(
            name, lambda: text_functions.call(function, args, kwargs), function, args, kwargs
        )
    if function is np.arange:
        raise UnsupportedError(
            "np.arange of dates is not supported in compiled code where run time tells its bounds: write "
            "start + step * np.arange(n)"
        )
    return natively_or_at_run_time(
        name, lambda: time_functions.call(function, args, kwargs), function, args, kwargs
    )


def call_method(name: str, array: CompositeValue | TracedArray, *args: Any, **kwargs: Any) -> Any:
    """What a method of arrays means on dates, records or texts."""
    if isinstance(array, TracedArray):
        return _of_numbers(name, array, *args)
    if isinstance(array, TracedRecords):
        return record_method(name, array, *args, **kwargs)
    assert isinstance(array, (TracedTexts, TracedTimes))
    is_text = isinstance(array, TracedTexts)
    functions: Any = text_functions if is_text else time_functions

    def ours() -> Any:
        if name in MOVING_METHODS:
            return array.with_parts(lambda part: getattr(part, name)(*args, **kwargs))
        if name in functions.OF_FUNCTIONS and hasattr(np, name):
            return functions.call(getattr(np, name), (array, *args), kwargs)
        if (own := functions.METHODS.get(name)) is not None:
            return own(array, *args, **kwargs)
        raise UnsupportedError(f"{name} of {'texts' if is_text else 'dates or durations'} is not compiled")

    def theirs(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, name)(*args, **kwargs)

    return natively_or_at_run_time(f"ndarray.{name}", ours, theirs, (array, *args), kwargs)


def _of_numbers(name: str, numbers: TracedArray, dtype: Any) -> Any:
    """`astype` and `view` of numbers as dates or durations, and `view` as texts."""
    if np.dtype(dtype).kind in "SU" and name == "view":
        return text_functions.texts_view(numbers, dtype)
    if np.dtype(dtype).kind in "SU":
        raise UnsupportedError(
            f"astype of numbers as texts ({np.dtype(dtype)}) is not supported in compiled code"
        )
    if np.dtype(dtype).kind not in "mM":
        raise UnsupportedError(f"{name} of numbers as records ({dtype}) is not supported in compiled code")
    make = time_functions.times_of_numbers if name == "astype" else time_functions.times_view
    return make(numbers, dtype)


def _records_in(values: Any) -> TracedRecords | None:
    for value in values:
        if isinstance(value, TracedRecords):
            return value
        if isinstance(value, (list, tuple)) and (found := _records_in(value)) is not None:
            return found
    return None


def _holds_texts(values: Any) -> bool:
    """Whether texts, or the dtype of such, are among arguments or in lists of these."""
    if isinstance(values, (list, tuple)):
        return any(map(_holds_texts, values))
    return is_texts(values) or (isinstance(values, np.dtype) and values.kind in "SU")


def _refuse_records(name: str, values: Any) -> None:
    found = _records_in(values)
    if found is not None:
        raise UnsupportedError(
            f"{name} of whole records ({found.dtype}) is not supported in compiled code, which has their fields: "
            "compute with these (r['x'])"
        )
