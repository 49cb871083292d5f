"""Devices and the arrays on them: what computes with such arrays is compiled, a function for each of NumPy's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

import numpy as np

from ..backend.gpu.arrays.array import DeviceArray, install_operations
from ..backend.gpu.arrays.foreign import device_put
from ..backend.gpu.devices.names import CPU
from ..backend.gpu.devices.on_device import OnDevice, memory_of
from ..backend.gpu.devices.open_devices import using_stream
from ..backend.gpu.driver.streams import stream_handle
from ..dialect.errors import OverlapError, UnsupportedError
from .calls.eager_calls import always_compiled, is_eager
from .calls.written_arguments import overlap
from .function import Function
from .numpy_api.device_namespace import device_namespace
from .numpy_api.dispatch import has_counterpart
from .settings import settings
from .signature.signature import flatten_with, unflatten
from .source.modules import told
from .tracing.array import wrap
from .tracing.array_api import require_array_api
from .tracing.current import current_trace
from .tracing.recorder import Recorder
from .tracing.staging import value_of


def devices() -> list[str]:
    """The names of the devices that functions can run on: "cpu", and the GPUs that the driver has.

    Raises `weft.DeviceError` in a forked child of a process that has used them: the driver does not work there.

    >>> weft.devices()[0]
    'cpu'
    """
    from ..backend.gpu.devices.open_devices import device_names

    return [CPU, *device_names()]


def synchronize(device: str | None = None) -> None:
    """Wait until a GPU, or all that were used, have done what was asked of them.

    Raises `weft.DeviceError` if some of it has gone wrong, and `ValueError` for what is no name of a device.

    >>> weft.synchronize()
    """
    from ..backend.gpu.devices.open_devices import synchronize

    if device != CPU:
        synchronize(device)


def stream(stream: Any) -> AbstractContextManager[None]:
    """Queue what functions do on a GPU on a stream, within a `with` statement.

    The stream may be another library's: an object with `__cuda_stream__`, as cuda.core's, `cuda_stream`, as PyTorch's,
    or `ptr`, as CuPy's, or a handle as an int; None is the legacy default stream, which is used outside of such
    statements. Arrays that other streams worked on are waited for. Raises `TypeError` for what is no stream.

    >>> with weft.stream(None):
    ...     weft.synchronize()
    """
    stream_handle(stream)
    return using_stream(stream)


class _Operation(Function[..., Any]):
    """A function of NumPy on arrays on devices, which a program calls in many places with arrays of many types."""

    _warns_of_retracing = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(_applied(function), None, _name_of(function))


class _CompiledOperations:
    """Computes with arrays on devices by functions that are compiled, once for each kind of arguments."""

    def __init__(self) -> None:
        self._functions: dict[Any, _Operation] = {}

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a function of NumPy on the device, or record it in the function that is being traced."""
        trace = current_trace()
        if trace is not None:
            return _record(trace, function, args, kwargs)
        known = self._functions.get(function)
        if known is None:
            if function in _ADDRESSING or (
                hasattr(function, "_implementation") and not has_counterpart(function)
            ):
                return _on_copies(function, args, kwargs)
            known = self._functions[function] = _Operation(function)
        if is_eager():  # Python has nothing else to compute with such arrays
            with always_compiled():
                return _run(known, args, kwargs)
        return _run(known, args, kwargs)

    def namespace(self, version: str | None) -> ModuleType:
        """The array namespace of such arrays, in a version of the Array API."""
        require_array_api(version)
        return device_namespace(self.call)


def _run(operation: _Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operation; where what it writes shares memory with what it reads, it reads copies, as NumPy does."""
    try:
        return operation(args, kwargs)
    except OverlapError:  # before anything was done
        return operation(*_without_overlaps(args, kwargs))


def _without_overlaps(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with copies of the arrays that share memory with those that are written: `out`, or the first."""
    out = kwargs.get("out")
    written = (*args, *kwargs.values())[:1] if out is None else out if isinstance(out, tuple) else (out,)
    arrays: list[Any] = []
    structure = flatten_with((args, kwargs), arrays, lambda value: isinstance(value, OnDevice))
    given = [
        array.copy()
        if not any(array is other for other in written) and any(overlap(array, other) for other in written)
        else array
        for array in arrays
    ]
    args, kwargs = unflatten(structure, given.__getitem__)
    return args, kwargs


_READING = ("array2string", "array_repr", "array_str", "save", "savetxt", "savez", "savez_compressed")
_ADDRESSING = (np.may_share_memory, np.shares_memory)


def _on_copies(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What NumPy does with copies of arrays, where it only writes them to files, or as text."""
    name = _name_of(function)
    if name not in _READING and function not in _ADDRESSING:
        raise UnsupportedError(
            f"{function.__module__}.{name} does not take arrays on a GPU; give it copies on the processor: "
            "np.asarray(x), or x.to_device('cpu')"
        )
    arrays: list[Any] = []
    structure = flatten_with((args, kwargs), arrays, lambda value: isinstance(value, OnDevice))
    given = [memory_of(array) if function in _ADDRESSING else np.asarray(array) for array in arrays]
    args, kwargs = unflatten(structure, given.__getitem__)
    return function(*args, **kwargs)


def _record(
    trace: Recorder, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function on traced arrays in the places of those on devices, which the trace finds outside of itself."""
    arrays: list[Any] = []
    structure = flatten_with((args, kwargs), arrays, lambda value: isinstance(value, OnDevice))
    is_written = function in (operator.setitem, operator.delitem) or kwargs.get("out") is not None
    if is_written:
        raise UnsupportedError(
            "an array on a device is written while it is traced, at a place that compiled code does not follow; pass "
            "it as an argument, or keep it under a name or in an attribute"
        )
    traced = [wrap(trace, value_of(trace, array)) for array in arrays]
    args, kwargs = unflatten(structure, traced.__getitem__)
    return function(*args, **kwargs)


def _applied(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(args: Any, kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return apply


def _name_of(function: Callable[..., Any]) -> str:
    found: str = told(function, "__name__", type(function).__name__)
    return found


settings.cuda  # noqa: B018  (which driver is used is a setting, read when settings are imported)
install_operations(_CompiledOperations())

__all__ = ["DeviceArray", "device_put", "devices", "stream", "synchronize"]
