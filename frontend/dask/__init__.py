"""Compiled functions on Dask: lazy arrays for lazy arrays, and compiled code for all workers.

`f(x)` of dask arrays is dask arrays. `weft.dask.install(client)` sends what this process has compiled to the workers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


def explain(array: Any) -> str:
    """How a lazy array is computed that a compiled function made: its pieces, what they read and what is combined.

    >>> import dask.array as da
    >>> print(weft.dask.explain(weft.function(lambda x: x + x.sum())(da.ones(6, chunks=3))))
    2 pieces, each of 1 block: sum (<doctest ...>:1), combined in 1 step
    2 pieces, each of 1 block: the result
    """
    from .explaining import explained

    return explained(array)


__all__ = ["explain", "install"]
