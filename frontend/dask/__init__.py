"""Compiled functions on Dask: lazy arrays for lazy arrays, and compiled code for all workers.

`f(x)` of dask arrays is dask arrays. `weft.dask.install(client)` sends what this process has compiled to the workers.

>>> import dask.array as da
>>> shifted = weft.function(lambda x: x - x.mean())
>>> shifted(da.from_array(np.arange(4.0), chunks=2)).compute(scheduler="sync")
array([-1.5, -0.5,  0.5,  1.5])
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..calls.lazy_arguments import take

if TYPE_CHECKING:
    from distributed import Client


def install(client: Client) -> None:
    """Send what this process has compiled, now and for workers that join later, so that these need not compile it.

    Functions that are called afterwards take their own code along. Raises `weft.MissingPackageError` without
    `distributed`.

    >>> weft.dask.install(client)  # doctest: +SKIP
    """
    from .plugin import install_plugin

    install_plugin(client)


def _call_on_blocks(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from .arrays import call  # which loads the compiler

    return call(function, args, kwargs)


def _call_on_labels(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from .labels import call

    return call(function, args, kwargs)


def take_arrays_of(module: ModuleType) -> None:
    """Let functions take the arrays of `dask.array` or `xarray`, from now on."""
    if module.__name__ == "xarray":
        take(module.DataArray, _call_on_labels)
    else:
        take(module.Array, _call_on_blocks)


__all__ = ["install"]
