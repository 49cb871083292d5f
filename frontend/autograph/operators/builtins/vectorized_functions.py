"""Objects of `np.vectorize`: their function is converted, and called for all elements or parts of arrays in a loop.

As in NumPy, the dtypes of the results are those of the first call unless `otypes` tells them, and that call is made
once more in the loop unless the object has `cache=True`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ...convert import convert
from ..interface import operators

Function = Callable[..., Any]


def _converted(function: Function) -> Function:
    """A function of this module, as it is in programs."""

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        return _convert(function)(*args)

    return call


@functools.cache
def _convert(function: Any) -> Function:
    return convert(function, operators())


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


@_converted
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


@_converted
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


@_converted
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


@_converted
def _store(outputs: Any, place: Any, results: Any, count: int) -> None:
    for output, result in zip(outputs, _separate(results, count)):  # noqa: B905 - they are as many
        output[place] = result


@_converted
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


@_converted
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
