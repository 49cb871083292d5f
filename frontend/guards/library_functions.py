"""Public functions of SciPy that compute arrays of arrays: called whole where their Python cannot be converted."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from typing import Any

_ROOMS = frozenset({
    "cluster", "constants", "differentiate", "fft", "fftpack", "integrate", "interpolate", "linalg", "ndimage",
    "optimize", "signal", "sparse", "spatial", "special", "stats",
})  # fmt: skip
"""The packages of SciPy whose functions compute; others read files, or fetch data."""

_RANDOM = frozenset({"random_state", "rng", "seed"})
"""Parameters of functions that draw random numbers."""

_ACTING = ("load_", "register_", "save_", "set_", "show_", "skip_")
"""How the names of those begin that deal with files, with settings of the process, or print."""

_OF_DISTRIBUTIONS = frozenset({
    "cdf", "entropy", "interval", "isf", "logcdf", "logpdf", "logpmf", "logsf", "mean", "median", "moment", "pdf",
    "pmf", "ppf", "sf", "stats", "std", "var",
})  # fmt: skip
"""Methods of SciPy's distributions that compute."""

_DISPATCHING = ("uarray", "scipy._lib._uarray._backend", "scipy._lib._uarray")
"""Where the classes of functions are that choose among implementations, as those of `scipy.fft` do."""


def is_library_function(function: Any) -> bool:
    """Whether something is a public function of SciPy, or a method of a distribution, that only computes."""
    if isinstance(function, types.MethodType):
        kind = type(function.__self__)
        return function.__name__ in _OF_DISTRIBUTIONS and any(
            base.__module__ == "scipy.stats._distn_infrastructure" for base in kind.__mro__
        )
    module = getattr(function, "__module__", None)
    is_function = isinstance(function, types.FunctionType) or type(function).__module__ in _DISPATCHING
    return (
        is_function
        and isinstance(module, str)
        and module.startswith("scipy.")
        and _is_public(function, module)
    )


@functools.cache
def _is_public(function: Any, module: str) -> bool:
    """Whether a package of SciPy has a function under its name, which draws no random numbers."""
    parts = module.split(".")
    if parts[1] not in _ROOMS or function.__name__.startswith(_ACTING):
        return False
    packages = (sys.modules.get(".".join(parts[:number])) for number in range(2, len(parts) + 1))
    name = function.__name__
    if not any(
        package is not None and name in getattr(package, "__all__", ()) and getattr(package, name) is function
        for package in packages
    ):
        return False
    parameters = inspect.signature(function).parameters
    return not any(parameters[name].default is None for name in _RANDOM & set(parameters))


__all__ = ["is_library_function"]
