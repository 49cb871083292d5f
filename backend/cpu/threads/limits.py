"""`threadpoolctl` counts and limits the threads of compiled code, as it does those of BLAS and of OpenMP.

It knows libraries by the files that are loaded. The pool has none, as it is compiled at run time; so it stands for the
one library that is always there with it, NumPy's own.
"""

from __future__ import annotations

from types import ModuleType

from ....dialect.imports import when_imported
from .count import get_num_threads, set_num_threads


def _register(threadpoolctl: ModuleType) -> None:
    """Make the pool known, under the API "weft"."""
    register = getattr(threadpoolctl, "register", None)
    if register is None:
        return  # versions before 3.2 know their own libraries alone

    class WeftController(threadpoolctl.LibController):  # type: ignore[name-defined, misc]
        """Asks and tells the pool of this process."""

        user_api = "weft"
        internal_api = "weft"
        filename_prefixes = ("_multiarray_umath",)

        def get_num_threads(self) -> int:
            return get_num_threads()

        def set_num_threads(self, num_threads: int) -> None:
            set_num_threads(num_threads)

        def get_version(self) -> None:
            return None

    register(WeftController)


def heed_threadpoolctl() -> None:
    """Let `threadpoolctl` know the pool, now or when it is imported."""
    when_imported("threadpoolctl", _register)
