"""Objects that NumPy can read as arrays: those that follow NumPy's rules, and those with rules of their own.

Compiled code sees dtype, shape and elements. That is all there is to a tensor that DLPack exchanges, and to a mere
carrier of elements (`__array__`, `__array_interface__`, memoryviews and arrays of ctypes). An object that answers
NumPy's calls itself (`__array_ufunc__`, `__array_function__`) or has arithmetic of its own may mean something else by
it: labels that are matched, values that are skipped, units.
"""

from __future__ import annotations

import ctypes
import functools
import reprlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import is_foreign_array_on_gpu
from ...dialect.errors import WeftTypeError
from ..source.modules import is_own_module, told
from .traced_value import ArrayHolder, TracedValue

_RULES = (
    "__array_ufunc__",
    "__array_function__",
    "__add__",
    "__radd__",
    "__mul__",
    "__rmul__",
    "__sub__",
    "__matmul__",
)
"""What only objects have that compute by themselves."""


_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__")
"""What NumPy reads elements by, besides DLPack and buffers."""

_BUFFERS = (memoryview, ctypes.Array)
"""The buffers that do nothing but hold numbers: `array.array` and `bytearray` are lists that `+` joins."""


def has_elements(value: Any) -> bool:
    """Whether `np.asarray` of a value is an array of its elements."""
    return isinstance(value, _BUFFERS) or any(hasattr(value, protocol) for protocol in _PROTOCOLS)


def read_elements(value: Any) -> Any:
    """The array of a carrier of elements, which shares its memory where the carrier lets it.

    Its own `__array__` may find arrays that are data of a trace in progress, which NumPy would not take.
    """
    if not has_elements(value):
        return np.from_dlpack(value)
    if isinstance(getattr(type(value), "__array__", None), types.FunctionType):
        value = value.__array__()
    return value if isinstance(value, TracedValue) else np.asarray(value)


def _is_own(value: Any) -> bool:
    """Whether a value is NumPy's or ours, or holds an array as our variables do."""
    if isinstance(value, (np.ndarray, np.generic, type, ArrayHolder)):
        return True
    return is_own_module(type(value).__module__)


def is_carrier(value: Any) -> bool:
    """Whether NumPy takes an object of another library as an array."""
    return not _is_own(value) and has_elements(value)


_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
"""The kinds of numbers: those of a higher rank have values that those of a lower one do not."""


def elements_as(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The array of a dtype of what is none, as an input signature wants it; a TypeError where values would be cut."""
    made = np.asarray(value, dtype)
    highest = _RANKS.get(dtype.kind, 3)
    if highest < 2 and made.size and _RANKS.get(np.asarray(value).dtype.kind, 0) > highest:
        raise TypeError(f"{dtype} does not hold such numbers")
    return made


def reader(value: Any, dtype: np.dtype[Any]) -> Callable[[Any], Any]:
    """What makes arrays of values of the class of one, as calls read them; None where that is not for them.

    Numbers and lists become arrays of a dtype, as an input signature wants them.
    """
    read: Callable[[Any], Any] = functools.partial(elements_as, dtype=dtype)
    on_devices = False
    if is_carrier(value) or hasattr(value, "__dlpack__"):
        read = read_elements
        on_devices = hasattr(value, "__dlpack_device__") or hasattr(type(value), "__cuda_array_interface__")

    def attempt(given: Any) -> Any:
        try:
            return None if on_devices and is_foreign_array_on_gpu(given) else read(given)
        except Exception:  # what carriers raise, they raise again the long way
            return None

    return attempt


def has_own_rules(value: Any) -> bool:
    """Whether an object that can be read as an array computes by rules which may not be NumPy's."""
    kind = type(value)
    if _is_own(value) or told(kind, "__dlpack__") is not None or not has_elements(value):
        return False
    own = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    return any(own.get(name) is not None for name in _RULES)  # those of its class are for classes


def require_numpy_rules(what: str, value: Any) -> None:
    """Raise unless an object that can be read as an array follows NumPy's rules, as far as is known."""
    if has_own_rules(value):
        kind = type(value)
        elements = "its to_numpy()" if hasattr(kind, "to_numpy") else "np.asarray(...) of it"
        raise WeftTypeError(
            f"{what} is a {kind.__module__}.{kind.__qualname__}, which computes by rules of its own (labels, missing "
            f"values, units) that compiled code does not know; pass its elements, {elements}, and make such an object "
            "of the result"
        )


def instead_of_elements(array: np.ndarray[Any, Any]) -> str:
    """What to do with an array of objects or texts, by what is in it."""
    if array.dtype.kind != "O":
        return "; convert it before the call, as with .astype('float64'), or pass it inside a Python object"
    for place in np.ndindex(array.shape):
        element = array[place]
        if not isinstance(element, (int, float, np.generic)):
            where = ", ".join(map(str, place))
            missing = " (numpy.nan stands for what is missing)" if element is None else ""
            return (
                f"; [{where}] is {reprlib.repr(element)}, of {type(element).__name__}{missing}: pass the "
                "numbers in an array of their own"
            )
    return "; convert it before the call: .astype('float64')"
