"""NumPy's functions on dates and durations, in terms of the counts that these are.

What moves elements moves counts. What orders them takes NaT for the last one: counts that are one less, wrapped
around, have the order that NumPy sorts dates in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError
from ..signature.signature import flatten_with, unflatten
from ..tracing.array import TracedArray
from ..tracing.staging import cast
from . import makers, time_ufuncs
from .arrays import ELEMENTS, MOVING, filled_like, full_like_of, names, numpy
from .python_times import item, tolist
from .times import TracedTimes, as_times, is_times, ticks_for, write_times
from .units import INT64, NAT, convert

Function = Callable[..., Any]

_NONE = numpy._NoValue
"""What stands in NumPy's signatures for an argument that is not given."""


_ASKING = names("count_nonzero flatnonzero ndim nonzero shape size")
"""The functions that ask for what the counts tell as well."""


def call(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy gives of dates; `UnsupportedError` for functions and arguments that are not compiled."""
    name = function.__name__
    if name in makers.NAMES:
        return makers.make(name, args, kwargs)
    own = _FUNCTIONS.get(name)
    if own is not None:
        return own(*args, **kwargs)
    if name in MOVING:
        return _moved(function, args, kwargs)
    if name in _ASKING:
        return function(args[0].ticks, *args[1:], **kwargs)
    raise UnsupportedError(f"np.{name} of dates or durations is not compiled")


def _moved(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function that moves elements gives of operands that are converted to the unit that all of them have."""
    if "out" in kwargs or kwargs.get("dtype") is not None:
        raise UnsupportedError(f"np.{function.__name__} of dates is not compiled with out= or dtype=")
    leaves: list[Any] = []
    structure = flatten_with((args, kwargs), leaves, is_times)
    times = [as_times(leaf) for leaf in leaves]
    common = np.result_type(*(one.dtype for one in times))
    counts = [convert(one.ticks, one.dtype, common) for one in times]
    given, named = unflatten(structure, counts.__getitem__)
    _require_times(function.__name__, given, named)
    return _retyped(function(*given, **named), common)


def _require_times(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse numbers among dates: what they mean there is left to NumPy."""
    for place in ELEMENTS.get(name, (0,)):
        value = args[place] if place < len(args) else ()
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if not hasattr(one, "dtype") or one.dtype != INT64:
                raise UnsupportedError(f"np.{name} of dates and of other values is not compiled")


def _retyped(made: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(made, (list, tuple)):
        return type(made)(_retyped(one, dtype) for one in made)
    return TracedTimes(dtype, (made,))


# In order


def _key(ticks: Any) -> Any:
    """What is in NumPy's order of dates, where the counts themselves are not: NaT is last."""
    return ticks - np.int64(1)


def _of_key(key: Any) -> Any:
    return key + np.int64(1)


def _sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    return a.like(_of_key(np.sort(_key(a.ticks), axis, kind)))


def _argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    return np.argsort(_key(a.ticks), axis, kind)


def _max(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NONE, initial: Any = _NONE, where: Any = _NONE
) -> Any:
    given = _without_edges(keepdims=keepdims, initial=initial, where=where)
    return _delivered(a.like(_of_key(np.max(_key(a.ticks), axis, **given))), out)


def _min(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NONE, initial: Any = _NONE, where: Any = _NONE
) -> Any:
    given = _without_edges(keepdims=keepdims, initial=initial, where=where)
    return _delivered(a.like(np.min(a.ticks, axis, **given)), out)


def _argmax(a: Any, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
    return np.argmax(_key(a.ticks), axis, out, **kwargs)


def _argmin(a: Any, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
    return np.argmin(a.ticks, axis, out, **kwargs)


def _searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    one, other = as_times(a), as_times(v)
    if not is_times(one) or not is_times(other):
        raise UnsupportedError("np.searchsorted of dates and of other values is not compiled")
    common = np.result_type(one.dtype, other.dtype)
    keys = (_key(convert(each.ticks, each.dtype, common)) for each in (one, other))
    return numpy.searchsorted(*keys, side, sorter)


def _unique(ar: Any, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("equal_nan") is False or len(args) > 4:
        raise UnsupportedError("np.unique of dates is not compiled with equal_nan=False")
    made = np.unique(_key(ar.ticks), *args, **kwargs)
    first, *others = made if isinstance(made, tuple) else (made,)
    times = ar.like(_of_key(first))
    return (times, *others) if others else times


def _clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = _NONE, max: Any = _NONE
) -> Any:
    low, high = (bound if named is _NONE else named for bound, named in ((a_min, min), (a_max, max)))
    made = a if low is None or low is _NONE else time_ufuncs.call(np.maximum, (a, low))
    return _delivered(
        made if high is None or high is _NONE else time_ufuncs.call(np.minimum, (made, high)), out
    )


def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NONE) -> Any:
    return _delivered(_max(a, axis, None, keepdims) - _min(a, axis, None, keepdims), out)


def _without_edges(**kwargs: Any) -> dict[str, Any]:
    """The keywords that reductions of counts take with the same meaning."""
    given = {name: value for name, value in kwargs.items() if value is not _NONE}
    if set(given) - {"keepdims"}:
        raise UnsupportedError(f"a reduction of dates is not compiled with {', '.join(given)}")
    return given


# In sum


def _sum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NONE,
    initial: Any = _NONE,
    where: Any = _NONE,
) -> Any:
    _require_sums(a, dtype)
    given = _without_edges(keepdims=keepdims, initial=initial, where=where)
    lost = np.any(time_ufuncs.is_nat(a.ticks), axis, **given)
    total = np.sum(a.ticks, axis, **given)
    return _delivered(a.like(np.where(lost, NAT, total)[()]), out)


def _require_sums(a: Any, dtype: Any) -> None:
    if a.dtype.kind == "M":
        np.add.resolve_dtypes((a.dtype, a.dtype, None))  # raises as NumPy does
    if dtype is not None:
        raise UnsupportedError("sums of durations are not compiled with dtype=")


def _mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = _NONE,
    *,
    where: Any = _NONE,
) -> Any:
    total = _sum(a, axis, dtype, None, keepdims, where=where)
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count: Any = 1
    for each in axes:
        count = count * a.shape[each]
    return _delivered(time_ufuncs.call(np.true_divide, (total, count)), out)


def _cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    _require_sums(a, dtype)
    lost = np.cumsum(time_ufuncs.is_nat(a.ticks), axis) > 0
    return _delivered(a.like(np.where(lost, NAT, np.cumsum(a.ticks, axis))), out)


def _diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = _NONE, append: Any = _NONE) -> Any:
    if prepend is not _NONE or append is not _NONE or n < 0:
        raise UnsupportedError("np.diff of dates is not compiled with prepend= and append=")
    place = axis + a.ndim if axis < 0 else axis
    ahead: Any = (*(slice(None),) * place, slice(1, None))
    behind: Any = (*(slice(None),) * place, slice(None, -1))
    for _ in range(n):
        a = time_ufuncs.call(np.subtract, (a[ahead], a[behind]))
    return a


def _delivered(made: Any, out: Any) -> Any:
    return made if out is None else write_times(out, made)


# In another type


def astype(
    a: Any, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """Dates or durations in another unit, or as numbers; `TypeError` where `casting` does not allow it."""
    wanted = np.dtype(dtype)
    if not np.can_cast(a.dtype, wanted, casting):
        raise WeftTypeError(
            f"Cannot cast array data from {a.dtype!r} to {wanted!r} according to the rule {casting!r}"
        )
    if wanted.kind in "mM":
        if wanted.kind != a.dtype.kind:
            raise UnsupportedError(f"astype of {a.dtype} to {wanted} is not compiled")
        wanted = a.dtype if np.datetime_data(wanted)[0] == "generic" else wanted.newbyteorder("=")
        if wanted == a.dtype and not copy:
            return a
        return TracedTimes(wanted, (convert(a.ticks, a.dtype, wanted).copy(),))
    return a.ticks.astype(wanted, order)


def times_of_numbers(numbers: Any, dtype: Any) -> Any:
    """Integers in compiled code as dates or durations: `x.astype("M8[s]")`."""
    if numbers.dtype.kind not in "biu":
        raise UnsupportedError(
            f"astype of {numbers.dtype} to {np.dtype(dtype)} is not compiled; round to integers first"
        )
    return TracedTimes(np.dtype(dtype).newbyteorder("="), (cast(numbers, INT64).copy(),))


def view(a: Any, dtype: Any = None, type: Any = None) -> Any:
    """A view of the counts, as integers or of another unit."""
    wanted = a.dtype if dtype is None else np.dtype(dtype)
    if wanted.kind in "mM" and type is None:
        return TracedTimes(wanted.newbyteorder("="), (a.ticks[...],))
    return a.ticks.view(wanted)


def times_view(numbers: Any, dtype: Any) -> Any:
    """A view of integers as dates or durations: `x.view("M8[s]")`."""
    return TracedTimes(np.dtype(dtype).newbyteorder("="), (numbers.view(INT64),))


_full_like = full_like_of("mM", lambda value, dtype: TracedTimes(dtype, (ticks_for(value, dtype),)))


def _where(condition: Any, *choices: Any) -> Any:
    if is_times(condition):
        raise UnsupportedError("np.where of dates as a condition is not compiled")
    return _moved(np.where, (condition, *choices), {})


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if not is_times(dst) or casting != "same_kind":
        raise UnsupportedError("np.copyto of dates is not compiled like this")
    write_times(dst, src if where is True else numpy.where(where, src, dst))


_FUNCTIONS: dict[str, Function] = {
    "amax": _max, "amin": _min, "argmax": _argmax, "argmin": _argmin, "argsort": _argsort, "astype": astype,
    "clip": _clip, "copyto": _copyto, "cumsum": _cumsum, "diff": _diff, "empty_like": filled_like(_full_like, 0),
    "full_like": _full_like, "max": _max, "mean": _mean, "min": _min, "ones_like": filled_like(_full_like, 1),
    "ptp": _ptp, "searchsorted": _searchsorted, "sort": _sort, "sum": _sum, "unique": _unique, "where": _where,
    "zeros_like": filled_like(_full_like, 0),
}  # fmt: skip
"""The functions that are more than those of the counts."""

_REDUCTIONS: dict[np.ufunc, Function] = {np.add: _sum, np.maximum: _max, np.minimum: _min}


def reduce(
    ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, **kwargs: Any
) -> Any:
    """`ufunc.reduce`; `UnsupportedError` for ufuncs that are not compiled so."""
    function = _REDUCTIONS.get(ufunc)
    if function is None or dtype is not None:
        raise UnsupportedError(f"np.{ufunc.__name__}.reduce of dates or durations is not compiled")
    return function(array, axis, out=out, **kwargs)


# Methods

OF_FUNCTIONS = names("argmax argmin argsort clip cumsum max mean min nonzero ptp searchsorted sum")
"""The methods that are what the functions of their names are."""


def _sort_in_place(a: TracedTimes, *args: Any, **kwargs: Any) -> None:
    a.ticks[...] = _sort(a, *args, **kwargs).ticks


def _fill(a: TracedTimes, value: Any) -> None:
    a.ticks.fill(ticks_for(value, a.dtype))


METHODS: dict[str, Function] = {
    "astype": astype, "fill": _fill, "item": item, "sort": _sort_in_place, "tolist": tolist, "view": view,
}  # fmt: skip


def is_traced(value: Any) -> bool:
    """Whether a value is computed when the program runs."""
    return isinstance(value, (TracedArray, TracedTimes))
