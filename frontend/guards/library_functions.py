"""Public functions of SciPy that compute arrays of arrays: called whole where their Python cannot be converted."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from typing import Any

from ..source.modules import told

_ROOMS = frozenset({
    "cluster", "constants", "differentiate", "fft", "fftpack", "integrate", "interpolate", "linalg", "ndimage",
    "optimize", "signal", "sparse", "spatial", "special", "stats",
})  # fmt: skip
"""The packages of SciPy whose functions compute; others read files, or fetch data."""

_RANDOM = frozenset({"random_state", "rng", "seed"})
"""Parameters of functions that draw random numbers."""

_ACTING = ("load_", "register_", "save_", "set_", "show_", "skip_")
"""How the names of those begin that deal with files, with settings of the process, or print."""

_METHODS = {
    "interpolate": frozenset({"__call__", "ev", "integral", "integrate", "roots", "solve"}),
    "sparse": frozenset({
        "__add__", "__matmul__", "__mul__", "__radd__", "__rmatmul__", "__rmul__", "__rsub__", "__sub__", "diagonal",
        "dot", "matmat", "matvec", "max", "mean", "min", "multiply", "rmatmat", "rmatvec", "solve", "sum", "toarray",
        "trace",
    }),
    "spatial": frozenset({
        "apply", "as_euler", "as_matrix", "as_mrp", "as_quat", "as_rotvec", "count_neighbors", "find_simplex",
        "magnitude", "query",
    }),
    "stats": frozenset({
        "__call__", "cdf", "entropy", "evaluate", "integrate_box_1d", "interval", "isf", "logcdf", "logpdf", "logpmf",
        "logsf", "mean", "median", "moment", "pdf", "pmf", "ppf", "sf", "stats", "std", "var",
    }),
}  # fmt: skip
"""Methods by which objects of a package's classes compute numbers and arrays, and change nothing."""

_OF_VALUES = frozenset({"interpolate", "spatial", "stats"})
"""The packages whose classes make objects that are what they were made of."""

_DISPATCHING = ("uarray", "scipy._lib._uarray._backend", "scipy._lib._uarray")
"""Where the classes of functions are that choose among implementations, as those of `scipy.fft` do."""


def is_library_function(function: Any) -> bool:
    """Whether something is a public function of SciPy, or a method of an object of SciPy's, that only computes."""
    if is_library_method(function):
        return True
    module = getattr(function, "__module__", None)
    is_compiled = isinstance(function, types.BuiltinFunctionType)
    is_function = (
        is_compiled or isinstance(function, types.FunctionType) or type(function).__module__ in _DISPATCHING
    )
    return (
        is_function
        and isinstance(module, str)
        and module.startswith("scipy.")
        and _is_public(function, module)
    )


def is_library_class(kind: Any) -> bool:
    """Whether something is a public class of SciPy's whose objects compute, and are what they were made of."""
    module = getattr(kind, "__module__", None)
    if not isinstance(kind, type) or not isinstance(module, str) or not module.startswith("scipy."):
        return False
    if issubclass(kind, tuple):  # which is its items, and what functions give
        return False
    parts = module.split(".")
    packages = (sys.modules.get(".".join(parts[:number])) for number in range(2, len(parts) + 1))
    return parts[1] in _OF_VALUES and any(
        package is not None and getattr(package, kind.__name__, None) is kind for package in packages
    )


def is_library_method(function: Any) -> bool:
    """Whether something is a method, bound or taken from its class, or an object that is called, of SciPy's."""
    name, owner = _method(function)
    if owner is None:
        is_in_class = isinstance(function, types.FunctionType) and "." in function.__qualname__
        modules = [function.__module__] if is_in_class else []
    else:
        modules = [base.__module__ for base in type(owner).__mro__]
    rooms = (module.split(".")[1] for module in modules if module and module.startswith("scipy."))
    return any(name in _METHODS.get(room, ()) for room in rooms)


def _method(function: Any) -> tuple[str, Any]:
    """The name of a method and its object; of an object that is called it is `__call__`, of functions None."""
    name, owner = told(function, "__name__"), told(function, "__self__")
    if not isinstance(name, str):
        return "__call__", function
    return name, None if isinstance(owner, types.ModuleType) else owner


def public_name(function: Any) -> str:
    """What programs call a function: by the outermost module that shows it, a method by its class."""
    name, owner = _method(function)
    if is_library_method(function):
        return str(function.__qualname__) if owner is None else f"{type(owner).__name__}.{name}"
    parts = function.__module__.split(".")
    packages = (".".join(parts[: count + 1]) for count in range(len(parts)))
    shown = (package for package in packages if getattr(sys.modules.get(package), name, None) is function)
    return f"{next(shown, function.__module__)}.{name}"


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
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # of C, where it does not tell
        return True
    return not any(parameters[name].default is None for name in _RANDOM & set(parameters))
