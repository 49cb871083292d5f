"""NumPy's functions that call one for elements, rows or parts of arrays: `np.vectorize`, `reduceat` and others.

They are written here as programs are, and converted, with the functions of programs that they call: so that what is
long becomes a loop.

As in NumPy, the dtypes of what `np.vectorize` makes are those of the first call unless `otypes` tells them, and that
call is made once more in the loop unless the object has `cache=True`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.types import normalize_axis
from ....numpy_api.dispatch import call_ufunc
from ....tracing.staging import asarray, trace_of
from .converted_functions import Function, convert_once, converted


def vectorized(made: Any) -> Function:
    """What to call instead of an object of `np.vectorize`."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not callable(made.pyfunc):
            return made(*args, **kwargs)  # as a decorator with arguments, which gets its function
        if any(dtype.kind not in "biufc" for dtype in map(np.dtype, made.otypes or ())):
            raise UnsupportedError(
                "np.vectorize with otypes that are no numbers is not supported in compiled code: call it outside"
            )
        excluded = made.excluded
        places = [place for place in range(len(args)) if place not in excluded]
        names = [name for name in kwargs if name not in excluded]
        values = [args[place] for place in places] + [kwargs[name] for name in names]
        apply = _call_of_rows if made.signature is not None else _call_of_elements
        return apply(made, args, kwargs, places, names, values)

    return call


@converted
def _call_of_elements(
    made: Any, args: Any, kwargs: Any, places: list[int], names: list[str], values: list[Any]
) -> Any:
    """The results for the elements of arrays that are broadcast together."""
    if not values:
        return made.pyfunc(*args, **kwargs)

    def function(*elements: Any) -> Any:
        return _call_one(made.pyfunc, args, kwargs, places, names, elements)

    arrays = np.broadcast_arrays(*values)
    shape = arrays[0].shape
    size = arrays[0].size
    flat = [array.reshape(-1) for array in arrays]
    begin = 0
    if made.otypes is not None:
        count = len(made.otypes)
        outputs = [np.zeros(size, otype) for otype in made.otypes]
    else:
        if size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        results = function(*[array[0] for array in flat])
        count = len(results) if isinstance(results, tuple) else 1
        first = results if isinstance(results, tuple) else (results,)
        outputs = [np.zeros(size, np.asarray(result).dtype) for result in first]
        if made.cache:
            begin = 1
            for output, result in zip(outputs, first):  # noqa: B905 - they are as many
                output[0] = result
    for i in range(begin, size):
        results = function(*[array[i].item() for array in flat])
        _store(outputs, i, results, count)
    shaped = tuple([output.reshape(shape) for output in outputs])
    return shaped[0] if count == 1 else shaped


@converted
def _call_of_rows(
    made: Any, args: Any, kwargs: Any, places: list[int], names: list[str], values: list[Any]
) -> Any:
    """The results for the parts of arrays that the signature names; the axes in front of these are broadcast."""
    input_dims, output_dims = made._in_and_out_core_dims
    if len(values) != len(input_dims):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(input_dims)}, got {len(values)}"
        )

    def function(*parts: Any) -> Any:
        return _call_one(made.pyfunc, args, kwargs, places, names, parts)

    arrays = [np.asarray(value) for value in values]
    sizes: dict[str, Any] = {}
    for array, dims in zip(arrays, input_dims):  # noqa: B905 - they are as many
        _note_sizes(sizes, array, dims)
    around = np.broadcast_shapes(
        *[array.shape[: array.ndim - len(dims)] for array, dims in zip(arrays, input_dims)]  # noqa: B905
    )
    count = len(output_dims)
    if len(around) == 0:
        results = function(*[array[()] for array in arrays])
        outputs = _outputs_like(_separate(results, count), around, sizes, output_dims, made.otypes)
        _store(outputs, (), results, count)
        return outputs[0] if count == 1 else tuple(outputs)

    size = 1
    for extent in around:
        size = size * extent
    rows = [_rows(array, dims, around, size) for array, dims in zip(arrays, input_dims)]  # noqa: B905
    if made.otypes is not None and all(dim in sizes for dims in output_dims for dim in dims):
        outputs = [
            np.zeros((size, *[sizes[dim] for dim in dims]), otype)
            for dims, otype in zip(output_dims, made.otypes)  # noqa: B905
        ]
        begin = 0
    else:
        if size == 0:
            if made.otypes is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            raise ValueError(
                "cannot call `vectorize` with a signature including new output dimensions on size 0 inputs"
            )
        results = function(*[row[0] for row in rows])
        outputs = _outputs_like(_separate(results, count), (size,), sizes, output_dims, made.otypes)
        _store(outputs, 0, results, count)
        begin = 1
    for i in range(begin, size):
        results = function(*[row[i] for row in rows])
        if begin == 0:
            for result, dims in zip(_separate(results, count), output_dims):  # noqa: B905
                _note_sizes(sizes, result, dims)
        _store(outputs, i, results, count)
    shaped = tuple([output.reshape((*around, *output.shape[1:])) for output in outputs])
    return shaped[0] if count == 1 else shaped


@converted
def _call_one(
    function: Any, args: Any, kwargs: Any, places: list[int], names: list[str], elements: Any
) -> Any:
    """The function called with elements in the places of the arrays; what is excluded is passed as it is."""
    given = list(args)
    for place, element in zip(places, elements):  # noqa: B905 - keywords come behind
        given[place] = element
    named = dict(kwargs)
    for name, element in zip(names, elements[len(places) :]):  # noqa: B905 - they are as many
        named[name] = element
    return function(*given, **named)


def _separate(results: Any, count: int) -> Any:
    """The results of a call, of which there must be so many."""
    made = len(results) if isinstance(results, tuple) else 1
    if made != count:
        raise ValueError(f"wrong number of outputs from pyfunc: expected {count}, got {made}")
    return (results,) if count == 1 else results


@converted
def _store(outputs: Any, place: Any, results: Any, count: int) -> None:
    for output, result in zip(outputs, _separate(results, count)):  # noqa: B905 - they are as many
        output[place] = result


@converted
def _note_sizes(sizes: dict[str, Any], array: Any, dims: Sequence[str]) -> None:
    """Note the extents that the names of a signature stand for, and compare them with those that are known."""
    if not dims:
        return
    if array.ndim < len(dims):
        raise ValueError(
            f"{array.ndim}-dimensional argument does not have enough dimensions for all core dimensions {dims!r}"
        )
    for dim, size in zip(dims, array.shape[-len(dims) :]):  # noqa: B905 - they are as many
        if dim in sizes:
            if size != sizes[dim]:
                raise ValueError(f"inconsistent size for core dimension {dim!r}: {size} vs {sizes[dim]}")
        else:
            sizes[dim] = size


@converted
def _outputs_like(results: Any, around: Any, sizes: dict[str, Any], output_dims: Any, otypes: Any) -> Any:
    """Arrays for results of which these are the first."""
    for result, dims in zip(results, output_dims):  # noqa: B905 - they are as many
        _note_sizes(sizes, result, dims)
    dtypes = [np.asarray(result).dtype for result in results] if otypes is None else otypes
    return [
        np.zeros((*around, *[sizes[dim] for dim in dims]), dtype)
        for dims, dtype in zip(output_dims, dtypes)  # noqa: B905 - they are as many
    ]


def _rows(array: Any, dims: Sequence[str], around: Any, size: Any) -> Any:
    """An array as one row of the parts that the function gets, which may be empty: of so many parts."""
    core = array.shape[array.ndim - len(dims) :]
    return np.broadcast_to(array, (*around, *core)).reshape((size, *core))


def _apply_along_axis(function: Function, axis: Any, arr: Any, args: Any, kwargs: Any) -> Any:
    array: Any = np.asarray(arr)
    place = range(array.ndim)[axis]
    moved = np.moveaxis(array, place, -1)
    around = moved.shape[:-1]
    if 0 in around:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    count = 1
    for extent in around:
        count = count * extent
    rows = moved.reshape((count, moved.shape[-1]))  # rows may be empty, and then -1 says nothing
    first = np.asarray(function(rows[0], *args, **kwargs))
    made = np.zeros((count, *first.shape), first.dtype)
    made[0] = first
    for i in range(1, count):
        made[i] = function(rows[i], *args, **kwargs)
    result = made.reshape((*around, *made.shape[1:]))
    axes = list(range(len(around), result.ndim))
    return np.moveaxis(result, axes, list(range(place, place + len(axes))))


def _fromiter(iterable: Any, dtype: Any, count: Any) -> Any:
    items = [item for item in iterable]  # noqa: C416 - a list of what only the program walks
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return np.array(items if count < 0 else items[:count], dtype)


def apply_along_axis(func1d: Function, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.apply_along_axis`."""
    normalize_axis(operator.index(axis), np.ndim(arr))
    return convert_once(_apply_along_axis)(func1d, axis, arr, args, kwargs)


def fromiter(iter: Any, dtype: Any, count: Any = -1, *, like: Any = None) -> Any:
    """`np.fromiter`."""
    return convert_once(_fromiter)(iter, dtype, count)


def _of_numpy(function: Any) -> Function:
    """A function of NumPy's that is written in Python, converted."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return convert_once(function._implementation)(*args, **kwargs)

    call.__name__ = function.__name__
    return call


def applying_rows() -> Iterator[tuple[Any, Function]]:
    """For each such function of NumPy's what is called in its place."""
    yield np.apply_along_axis, apply_along_axis
    yield np.fromiter, fromiter
    yield np.piecewise, _of_numpy(np.piecewise)
    yield np.apply_over_axes, _of_numpy(np.apply_over_axes)


_FEW = {np.add: 16, np.multiply: 16, np.maximum: 8, np.minimum: 8, np.logical_and: 8, np.logical_or: 8}
"""Those whose `reduce` takes many elements at a time, and of how many that takes less time than one after the other."""

_REDUCING = (
    *_FEW, np.fmax, np.fmin, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.logical_xor,
)  # fmt: skip
"""The ufuncs whose `reduceat` is compiled: NumPy computes all elements in the dtype of the result."""


def reduceat_of(function: Any) -> Callable[..., Any] | None:
    """What is called in place of `reduceat` of a ufunc; None for another function."""
    ufunc = function.__self__
    if function.__name__ != "reduceat" or ufunc not in _REDUCING:
        return None

    def reduceat(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        if trace_of((array, indices)) is None:
            return function(array, indices, axis, dtype, out)
        x, starts = asarray(array), asarray(indices)
        if out is not None or starts.ndim != 1 or starts.dtype.kind not in "iu" or not _is_axis(axis, x.ndim):
            return call_ufunc(ufunc, "reduceat", (array, indices, axis, dtype, out), {})
        found = ufunc.reduceat(np.zeros(1, x.dtype), [0], 0, dtype).dtype
        return _reduceat(ufunc, x.astype(found), starts.astype(np.int64), range(x.ndim)[axis])

    return reduceat


def _is_axis(axis: Any, rank: int) -> bool:
    return type(axis) is int and -rank <= axis < rank


@converted
def _reduceat(ufunc: Any, x: Any, starts: Any, axis: int) -> Any:
    size = x.shape[axis]
    outside = (starts < 0) | (starts >= size)
    if outside.any():
        index = starts[np.argmax(outside)]
        raise IndexError(f"index {index} out-of-bounds in {ufunc.__name__}.reduceat [0, {size})")
    is_last = axis == x.ndim - 1
    moved = x if is_last else np.moveaxis(x, axis, 0)
    flat = moved.reshape((moved.size,)) if is_last else moved
    rows = 1
    for extent in moved.shape[:-1] if is_last else ():
        rows = rows * extent
    count = starts.shape[0]
    made = np.empty((rows * count,) if is_last else (count, *moved.shape[1:]), x.dtype)
    for row in range(rows):
        for place in range(count):
            # Where an index is not below the next one, the element there is the result.
            start = row * size + starts[place]
            end = row * size + (starts[place + 1] if place + 1 < count else size)
            if ufunc in _FEW and end - start > _FEW[ufunc]:
                made[row * count + place] = ufunc.reduce(flat[start:end], axis=0, dtype=x.dtype)
            else:
                total = flat[start]
                for following in range(start + 1, end):
                    total = ufunc(total, flat[following])
                made[row * count + place] = total
    return made.reshape((*x.shape[:-1], count)) if is_last else np.moveaxis(made, 0, axis)
