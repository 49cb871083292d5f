"""`keras.ops.core`: what arrays, variables and traces are to Keras, control flow, slices, gradients."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import KerasVariable, standardize_dtype
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.stateless_scope import StatelessScope
from keras.src.backend.common.symbolic_scope import SymbolicScope

import weft

from ..control_flow import (
    associative_scan,
    cond,
    fori_loop,
    map,
    scan,
    switch,
    vectorized_map,
    while_loop,
)
from ..conversion import cast, convert_to_numpy, convert_to_tensor, is_tensor, shape
from ..scopes import Assignments
from ..variable import Variable

SUPPORTS_SPARSE_TENSORS = False
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = True


# Shapes without values


def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The shapes and dtypes of what a function returns, as symbolic arrays.

    It is traced with a number in the place of the extents that are not known, and with another one to see which
    extents of the result these are.
    """
    with SymbolicScope(), np.errstate(all="ignore"):
        made = _types_of_result(fn, args, kwargs, 83)
        if not any(isinstance(x, KerasTensor) and None in x.shape for x in tree.flatten((args, kwargs))):
            return tree.map_structure(lambda x: _symbolic(x, x), made)
        return tree.map_structure(_symbolic, made, _types_of_result(fn, args, kwargs, 89))


def _types_of_result(fn: Callable[..., Any], args: Any, kwargs: Any, extent: int) -> Any:
    """What a function returns for symbolic arrays, with specs in the places of arrays; an extent where none is known.

    What cannot be traced runs on zeros.
    """

    def filled(of: Callable[[Any, Any], Any]) -> Any:
        def fill(x: Any) -> Any:
            if not isinstance(x, KerasTensor):
                return x
            return of([extent if known is None else known for known in x.shape], x.dtype)

        return tree.map_structure(fill, (args, kwargs))

    specs = filled(weft.TensorSpec)
    leaves = tree.flatten(specs)
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, weft.TensorSpec)]

    def called(*arrays: Any) -> Any:
        given = list(leaves)
        for place, array in zip(places, arrays, strict=True):
            given[place] = array
        found, named = tree.pack_sequence_as(specs, given)
        with StatelessScope():
            return fn(*found, **named)

    try:
        return weft.eval_shape(called, *[leaves[place] for place in places])
    except (weft.WeftError, NotImplementedError):
        found, named = filled(np.zeros)
        with StatelessScope():
            return fn(*found, **named)


def _symbolic(x: Any, other: Any) -> Any:
    if not is_tensor(x) and not isinstance(x, weft.TensorSpec):
        return x
    extents = [a if a == b else None for a, b in zip(x.shape, other.shape, strict=True)]
    return KerasTensor(extents, standardize_dtype(x.dtype))


# Slices


def scatter(indices: Any, values: Any, shape: Sequence[int]) -> Any:
    """Zeros to which values are added at indices."""
    indices, values = convert_to_tensor(indices), convert_to_tensor(values)
    depth = indices.shape[-1]
    result = weft.zeros(tuple(shape), values.dtype) if weft.is_recording() else np.zeros(shape, values.dtype)
    rows = np.reshape(indices, (-1, depth))
    where = tuple(rows[:, axis] for axis in range(depth))
    np.add.at(result, where, np.reshape(values, (-1, *shape[depth:])))
    return result


_REDUCTIONS = {"add": np.add, "max": np.maximum, "min": np.minimum, "mul": np.multiply}


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Any:
    """A copy, in which what lies at indices is replaced by updates, or combined with them."""
    if reduction is not None and reduction not in _REDUCTIONS:
        raise ValueError(f"Unsupported reduction: {reduction}")
    result = np.copy(convert_to_tensor(inputs))
    indices = convert_to_tensor(indices)
    updates = convert_to_tensor(updates, result.dtype)
    where = tuple(indices[..., axis] for axis in range(indices.shape[-1]))
    if reduction is None:
        result[where] = updates
    else:
        _REDUCTIONS[reduction].at(result, where, updates)
    return result


def slice(inputs: Any, start_indices: Any, shape: Sequence[int]) -> Any:
    """A block of an array, from an index on; an extent of -1 takes all that is left."""
    if len(start_indices) != len(shape):
        raise ValueError(
            "Length of `start_indices` must match length of `shape`. "
            f"Received: start_indices={start_indices}, shape={shape}"
        )
    inputs = convert_to_tensor(inputs)
    return inputs[_block(inputs, start_indices, shape)]


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """A copy, in which the block of an index is replaced by updates."""
    result = np.copy(convert_to_tensor(inputs))
    updates = convert_to_tensor(updates, result.dtype)
    result[_block(result, start_indices, updates.shape)] = updates
    return result


def _block(array: Any, starts: Any, extents: Sequence[int]) -> Any:
    index = []
    for axis, extent in enumerate(extents):
        start = starts[axis]
        start = start.value if isinstance(start, KerasVariable) else start
        length = array.shape[axis] - start if isinstance(extent, int) and extent == -1 else extent
        index.append(np.s_[start : start + length])
    return tuple(index)


def unstack(x: Any, num: int | None = None, axis: int = 0) -> list[Any]:
    """The slices of an array along an axis."""
    x = np.moveaxis(convert_to_tensor(x), axis, 0)
    return [x[index] for index in range(x.shape[0] if num is None else num)]


# Gradients


def stop_gradient(variable: Any) -> Any:
    """An array that derivatives take for a constant."""
    x = convert_to_tensor(variable)
    return weft.stop_gradient(x) if weft.is_recording() else x


def custom_gradient(fun: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a gradient of its own: `fun` returns its result, and a function of the upstream gradient."""
    with_gradient = weft.custom_gradient(fun)

    def called(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree.map_structure(_array_of, (args, kwargs))
        return with_gradient(*args, **kwargs) if weft.is_recording() else fun(*args, **kwargs)[0]

    return called


def _array_of(x: Any) -> Any:
    return x.value if isinstance(x, KerasVariable) else x


def remat(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, of which nothing but its arguments is kept for the gradient: for the reverse it runs again.

    What it assigns to variables (seeds, moving averages) is assigned once, behind it.
    """

    def called(*args: Any, **kwargs: Any) -> Any:
        if not weft.is_tracing():
            return f(*args, **kwargs)
        scope = Assignments()

        def run(*given: Any) -> Any:
            with scope:
                result = f(*given, **kwargs)
            return result, [scope.get_current_value(variable) for variable in scope.assigned]

        result, values = weft.checkpoint(run)(*args)
        for variable, value in zip(scope.assigned, values, strict=True):
            variable.assign(value)
        return result

    return called


# Scopes and seeds


def random_seed_dtype() -> str:
    """The dtype of the state of `keras.random.SeedGenerator`."""
    return "uint32"


@contextlib.contextmanager
def device_scope(device_name: Any) -> Iterator[None]:
    """The device of what is computed in the block, which is the processor. Raises ValueError for another one."""
    if str(device_name).lower().partition(":")[0] != "cpu":
        raise ValueError(
            f"Keras on weft computes on the processor, and not on {device_name!r}: leave out keras.device, or compile "
            "a function that calls the model for a GPU, weft.function(device='cuda')"
        )
    yield


__all__ = [
    "IS_THREAD_SAFE",
    "SUPPORTS_COMPLEX_DTYPES",
    "SUPPORTS_RAGGED_TENSORS",
    "SUPPORTS_SPARSE_TENSORS",
    "Variable",
    "associative_scan",
    "cast",
    "compute_output_spec",
    "cond",
    "convert_to_numpy",
    "convert_to_tensor",
    "custom_gradient",
    "device_scope",
    "fori_loop",
    "is_tensor",
    "map",
    "random_seed_dtype",
    "remat",
    "scan",
    "scatter",
    "scatter_update",
    "shape",
    "slice",
    "slice_update",
    "stop_gradient",
    "switch",
    "unstack",
    "vectorized_map",
    "while_loop",
]
