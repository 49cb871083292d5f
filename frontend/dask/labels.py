"""`f(x)` of arrays of xarray: what has the shape of what was given gets its dimensions, coordinates and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...dialect.errors import WeftValueError
from ..signature.signature import flatten_with, unflatten

if TYPE_CHECKING:
    from xarray import DataArray


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives for the arrays in labelled ones, be they NumPy's or Dask's, with the labels again.

    Raises WeftValueError where the labels of one dimension differ: `xarray.align` makes them equal.
    """
    import xarray

    found: list[DataArray] = []
    structure = flatten_with((args, kwargs), found, lambda value: isinstance(value, xarray.DataArray))
    _require_aligned(function.name, found)
    args, kwargs = unflatten(structure, lambda place: found[place].data)
    result = function(*args, **kwargs)
    leaves: list[Any] = []
    made = flatten_with(result, leaves, lambda value: hasattr(value, "shape") and hasattr(value, "dtype"))
    return unflatten(made, lambda place: _labelled(leaves[place], found))


def _require_aligned(name: str, arrays: list[DataArray]) -> None:
    known: dict[Any, Any] = {}
    for array in arrays:
        for dimension, index in array.indexes.items():
            if not known.setdefault(dimension, index).equals(index):
                raise WeftValueError(
                    f"{name} got arrays of xarray with different labels along {dimension!r}; compiled code counts "
                    "elements, and matches no labels: xarray.align(a, b) makes them equal"
                )
        extents = zip(array.dims, array.shape, strict=True)
        order = [dimension for dimension, _ in extents]
        first = [dimension for dimension in arrays[0].dims if dimension in order]
        if [dimension for dimension in order if dimension in first] != first:
            raise WeftValueError(
                f"{name} got arrays of xarray with dimensions in the orders {arrays[0].dims} and {array.dims}; "
                "compiled code knows axes by their places: transpose one of them"
            )


def _labelled(value: Any, given: list[DataArray]) -> Any:
    """The result with the labels of the first argument of its shape; as it is where there is none."""
    like = next((array for array in given if array.shape == value.shape), None)
    return value if like is None or not like.dims else like.copy(data=value)
