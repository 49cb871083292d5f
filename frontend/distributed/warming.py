"""`weft.distributed.warm`: one rank compiles a function, the others get its code."""

from __future__ import annotations

from typing import Any

from ...backend.cache import memory
from ...dialect.errors import RemoteError, WeftTypeError
from ..calls.shipped_code import entries_of
from ..function import BoundFunction, Function
from . import mpi


def warm(function: Any, /, *args: Any, comm: Any = None, **kwargs: Any) -> Any:
    """Compile a function for example arguments, or `weft.TensorSpec`s, on rank 0; the others get the code from it.

    All ranks of the communicator of `mpi4py` call it, without one those of `COMM_WORLD`. Returns what
    `get_concrete_function` does. A rank with another processor, or with the cache turned off, compiles for itself.
    Raises on all ranks what is raised on rank 0.

    >>> @weft.function
    ... def doubled(x):
    ...     return x * 2
    >>> weft.distributed.warm(doubled, weft.TensorSpec((3,)))(np.ones(3))
    array([2., 2., 2.])
    """
    if not isinstance(function, (Function, BoundFunction)):
        raise WeftTypeError(f"warm takes a weft.function, not {type(function).__name__}")
    if comm is None and (mpi.is_loaded() or mpi.launched() > 1):
        comm = mpi.load().COMM_WORLD
    if comm is None or comm.Get_size() == 1:
        return function.get_concrete_function(*args, **kwargs)
    if comm.Get_rank() == 0:
        try:
            made = function.get_concrete_function(*args, **kwargs)
        except BaseException as error:
            comm.bcast(f"{type(error).__name__}: {error}", root=0)
            raise
        comm.bcast(entries_of([made]), root=0)
        return made
    came = comm.bcast(None, root=0)
    if isinstance(came, str):
        raise RemoteError(f"{function.name} was not compiled on rank 0: {came}")
    memory.put(came)
    return function.get_concrete_function(*args, **kwargs)
