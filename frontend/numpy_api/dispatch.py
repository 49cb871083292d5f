"""NumPy's protocols: which namespace function a call of a NumPy function or ufunc on traced arrays means."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..signature.composite_arrays import chooses_texts, holds_composite
from ..source.modules import told
from ..tracing.behaviour import behaviour
from ..tracing.staging import ArrayResult
from . import EXTENSIONS, lookup, names
from .keywords import called
from .run_time_calls import call_at_run_time, call_natively_or_at_run_time
from .ufuncs import apply_ufunc

# Universal functions


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> ArrayResult:
    """What `ufunc.method(*inputs, **kwargs)` means on traced arrays (`__array_ufunc__`)."""
    if holds_composite((inputs, kwargs)):
        return behaviour().composite_ufunc(ufunc, method, inputs, kwargs)
    suffix = "" if method == "__call__" else f".{method}"
    name = f"{'np.' if getattr(np, ufunc.__name__, None) is ufunc else ''}{ufunc.__name__}{suffix}"

    def native() -> Any:
        handler = _call if method == "__call__" else _method(ufunc, method)
        return called(name, handler, (ufunc, *inputs), kwargs)

    theirs = getattr(ufunc, method) if suffix else ufunc
    return call_natively_or_at_run_time(name, native, theirs, inputs, kwargs, f"ufunc{suffix}")


def _method(ufunc: np.ufunc, method: str) -> Callable[..., Any]:
    from .ufunc_methods import METHODS  # which need much of the namespace

    if method not in METHODS:
        there = ", ".join(f"ufunc.{name}" for name in METHODS)
        raise UnsupportedError(
            f"{ufunc.__name__}.{method} is not supported in compiled code; supported are {there}"
        )
    return METHODS[method]


def _call(ufunc: np.ufunc, *inputs: Any, **kwargs: Any) -> ArrayResult:
    if ufunc in _PRODUCTS:
        from . import contraction  # few programs multiply matrices by these

        product = getattr(contraction, ufunc.__name__)
        return called(f"np.{ufunc.__name__}", product, inputs, kwargs, ufunc)
    return apply_ufunc(ufunc, *inputs, **kwargs)


_PRODUCTS = frozenset(
    getattr(np, name)
    for name in ("matmul", "vecdot", "matvec", "vecmat")
    if hasattr(np, name)  # the last two came with NumPy 2.2
)


# Functions


def call_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a NumPy function means on traced arrays (`__array_function__`): the namespace function of its name."""
    if holds_composite((args, kwargs)) or chooses_texts(function, args):
        return behaviour().composite_function(function, args, kwargs)
    module = getattr(function, "__module__", None) or "numpy"
    ours = _counterpart(function)
    name = f"{_shown(module)}.{function.__name__}"
    if ours is None:
        return call_at_run_time(name, function, args, kwargs, _unsupported_message(module, function.__name__))

    def native() -> Any:
        return called(name, ours, args, kwargs, function)

    return call_natively_or_at_run_time(name, native, function, args, kwargs, function.__name__)


def has_counterpart(function: Any) -> bool:
    """Whether the namespace has a function in the place of one of NumPy's."""
    return _counterpart(function) is not None


def _names_of(module: str) -> list[str]:
    """The supported functions of a module of NumPy, or of SciPy."""
    if module.startswith("scipy.special"):
        from . import special  # few programs call these

        return special.__all__
    if (extension := _extension_of(module)) is not None:
        return list(lookup(extension).__all__)
    is_main = module == "numpy" or module.startswith(("numpy._core", "numpy.lib"))
    return sorted(name for name in names() if isinstance(lookup(name), FunctionType)) if is_main else []


@cache
def _function_of(module: str, name: str) -> Callable[..., Any] | None:
    if name not in _names_of(module):
        return None
    extension = _extension_of(module)
    if module.startswith("scipy.special"):
        from . import special

        return getattr(special, name)  # type: ignore[no-any-return]
    found: Callable[..., Any] = lookup(name) if extension is None else getattr(lookup(extension), name)
    return found


def _counterpart(function: Any) -> Callable[..., Any] | None:
    """The namespace function that stands for one of NumPy's; another module may have another one of its name."""
    module, name = getattr(function, "__module__", None) or "numpy", told(function, "__name__", "")
    if _extension_of(module) is None and getattr(np, name, function) is not function:
        return None
    return _function_of(module, name)


def _extension_of(module: str) -> str | None:
    """The extension that has the functions of a NumPy module."""
    return next((each for each in EXTENSIONS if module.startswith(f"numpy.{each}")), None)


def _shown(module: str) -> str:
    """The module of a function, as programs name it."""
    extension = _extension_of(module)
    return module.replace("numpy", "np", 1) if extension is None else f"np.{extension}"


def _unsupported_message(module: str, name: str) -> str:
    there = _names_of(module)
    hint = f"dir(weft) lists the {len(there)} functions there are" if there else f"no function of {module} is"
    return (
        f"{module}.{name} is not supported in compiled code; {hint}. Call it outside of the "
        "compiled function and pass the result as an argument"
    )


# Methods


@cache
def namespace_function(name: str) -> Callable[..., Any]:
    """The function behind a method or property of traced arrays."""
    from .methods import METHODS  # which need much of the namespace, too

    function: Callable[..., Any] = METHODS[name] if name in METHODS else lookup(name)
    theirs = getattr(np.ndarray, name, None)

    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, name)(*args, **kwargs)

    def method(*args: Any, **kwargs: Any) -> Any:
        def native() -> Any:
            return called(f"ndarray.{name}", function, args, kwargs, theirs)

        return call_natively_or_at_run_time(f"ndarray.{name}", native, call, args, kwargs, f"ndarray.{name}")

    return method
