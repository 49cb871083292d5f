"""`weft.Variable`: a name for an array that stays the same array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ...dialect.dtypes import DTypeLike, as_dtype
from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.types import format_shape, type_of
from ..signature.traced_value import ArrayHolder, held
from ..tracing.array import TracedArray
from ..tracing.current import current_trace, remembering
from ..tracing.number_types import number_type
from ..tracing.staging import asarray, raise_where
from .creation import created


class Variable(ArrayHolder, NDArrayOperatorsMixin):
    """An array that is written, and never replaced: weights, counters, sums.

    It computes as its array does, in NumPy's functions, too, and has its methods and attributes. Compiled functions
    read and write it as they do arrays in attributes; it is told from others by its identity. `initial` is an array or
    number, or nested lists, of which a copy is made. One that is not `trainable` is a constant for tapes that do not
    watch it; `name` is for the program to look at. Made inside of a compiled function, it is made once: later calls
    find the variable that was made at that place of the program, for that function, or for the object whose method it
    is. Its initial value is then computed by the first call.
    Raises `TypeError` for a dtype that weft does not have.

    >>> counter = weft.Variable(0)
    >>> @weft.function
    ... def count(by):
    ...     return counter.assign_add(by)
    >>> count(2), count(3)
    (Variable(array(5)), Variable(array(5)))
    >>> counter * 2
    np.int64(10)
    """

    __slots__ = ("__weakref__", "_array", "_is_set", "name", "trainable")
    __weft_state__ = ("_array", "_is_set")

    _array: np.ndarray[Any, Any]
    _is_set: bool
    """Whether a call has computed the initial value."""
    name: str | None
    """What the program calls it."""
    trainable: bool
    """Whether the program wants it to be trained."""

    def __new__(
        cls, initial: Any, *, dtype: DTypeLike | None = None, name: str | None = None, trainable: bool = True
    ) -> Variable:
        """Make a variable; while a trace is recorded, find the one of this place."""

        def make(array: np.ndarray[Any, Any], is_set: bool) -> Variable:
            made: Variable = object.__new__(cls)
            made._array, made._is_set = array, is_set
            made.name, made.trainable = name, bool(trainable)
            return made

        wanted = None if dtype is None else as_dtype(dtype)
        trace = current_trace()
        if trace is None or trace.python_state is None:
            array = np.array(held(initial), wanted)
            type_of(array)
            return make(array, True)
        start = asarray(initial, wanted)
        variable: Variable
        variable, is_set = created(trace, make, start)
        if not is_set:
            variable.assign(start)
            variable._is_set = True
        return variable

    if TYPE_CHECKING:  # made by NDArrayOperatorsMixin

        def __iadd__(self, other: Any) -> Variable: ...

        def __isub__(self, other: Any) -> Variable: ...

    # The array

    @property
    def value(self) -> Any:
        """The array: writing to it writes to the variable."""
        trace = current_trace()
        if trace is None:
            recorder = remembering()  # of an open tape in plain Python
            return self._array if recorder is None else recorder.data(self._array, self)
        if trace.python_state is None:
            return self._array
        trace.python_state.hold(self, self.name)
        found = trace.python_state.attribute(self, "_array", self._array)
        if isinstance(found, TracedArray):
            found._storage.variable = self
        if type(found) is np.ndarray:  # tracing needs the elements, so that they are no data
            found = found.view()
            found.flags.writeable = False
        return found

    @property
    def _target(self) -> Any:
        """The array to write to."""
        target, trace = self.value, current_trace()
        if isinstance(target, np.ndarray) and trace is not None and trace.python_state is not None:
            target = trace.python_state.writable(target)
        return target

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return tuple(self._array.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype."""
        dtype: np.dtype[Any] = self._array.dtype
        return dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._array.size

    def numpy(self) -> Any:
        """A copy of the array, as it is now.

        >>> weight = weft.Variable([1.0, 2.0])
        >>> before = weight.numpy()
        >>> weight.assign_add(1.0), before
        (Variable(array([2., 3.])), array([1., 2.]))
        """
        return self.value.copy()

    def assign(self, value: Any) -> Variable:
        """Write all elements; returns the variable.

        Raises `ValueError` for another shape, and `TypeError` for a dtype of another kind, as of floats in a
        variable of integers; the variable is as it was then.

        >>> weft.Variable([1.0, 2.0]).assign([3, 4])
        Variable(array([3., 4.]))
        """
        new = held(value)
        if not isinstance(new, (TracedArray, np.ndarray, np.generic, *_NUMBERS)):
            new = asarray(new)
        self._require_fits(new)
        self._target[...] = new
        return self

    def assign_add(self, value: Any) -> Variable:
        """Add to all elements, as `+=`; returns the variable. Raises what `+=` raises for an array.

        >>> weft.Variable([1.0, 2.0]).assign_add(1)
        Variable(array([2., 3.]))
        """
        self += value
        return self

    def assign_sub(self, value: Any) -> Variable:
        """Subtract from all elements, as `-=`; returns the variable. Raises what `-=` raises for an array.

        >>> weft.Variable([1.0, 2.0]).assign_sub([1, 2])
        Variable(array([0., 0.]))
        """
        self -= value
        return self

    def _require_fits(self, new: Any) -> None:
        """Raise unless an array or number can be assigned."""
        name = "a Variable" if self.name is None else f"the Variable {self.name!r}"
        number = number_type(new)
        kind = np.dtype(number if number is not None else new.dtype)
        casting: Any = "same_kind" if number is None else "unsafe"
        if not np.can_cast(kind, self.dtype, casting) or (
            number and _KINDS[kind.kind] > _KINDS[self.dtype.kind]
        ):
            raise WeftTypeError(
                f"{name} of {self.dtype} is assigned {kind}, which it cannot hold; convert it, "
                f"value.astype({self.dtype.name!r})"
            )
        extents = new.type.shape if isinstance(new, TracedArray) else np.shape(new)
        message = f"{name} of shape {format_shape(self.shape)} is assigned an array of shape "
        if len(extents) != self.ndim or any(
            known not in (None, extent) for known, extent in zip(extents, self.shape, strict=True)
        ):
            raise WeftValueError(message + format_shape(extents))
        for axis, known in enumerate(extents):
            if known is None:
                shown = ", ".join("{}" for _ in extents) + "," * (len(extents) == 1)
                raise_where(
                    new.shape[axis] != self.shape[axis], ValueError, f"{message}({shown})", *new.shape
                )

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = np.array(self.value, dtype, copy=copy)
        return array

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        written = {} if out is None else {"out": tuple(map(_written, out))}
        result = getattr(ufunc, method)(*map(held, inputs), **written, **_all_held(kwargs))
        return out[0] if out is not None and len(out) == 1 else result

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return function(*_all_held(args), **_all_held(kwargs))

    # Python's protocols

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.value, name)

    def __getitem__(self, index: Any) -> Any:
        return self.value[held(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._target[held(index)] = held(value)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __complex__(self) -> complex:
        return complex(self.value)

    def __index__(self) -> int:
        index: int = self.value.__index__()
        return index

    __hash__ = object.__hash__

    def fingerprint_parts(self) -> tuple[Any, ...]:
        """What a trace knows of it: not its elements, which are data."""
        return (self.name, self.trainable, self._is_set, self._array.dtype.name, self._array.shape)

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        """What is shown of it when the program runs: the array of that moment, under its name."""
        kind, name, trainable = type(self), self.name, self.trainable
        return self.value, lambda array: _copied(kind, array, name, trainable)

    def __reduce__(self) -> tuple[Any, ...]:
        return _copied, (type(self), self.value, self.name, self.trainable)

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __repr__(self) -> str:
        named = "" if self.name is None else f", name={self.name!r}"
        return f"Variable({self.value!r}{named})"


_NUMBERS = (bool, int, float, complex)

_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}
"""The kinds of dtypes: a number of Python's can be assigned where its kind is none above; "V" is bfloat16."""


def _copied(kind: type[Variable], array: Any, name: str | None, trainable: bool) -> Variable:
    """A copy of a variable, for `copy` and `pickle`."""
    return kind(array, name=name, trainable=trainable)


def _written(value: Any) -> Any:
    """The array to write to, of what may be a variable."""
    return value._target if isinstance(value, Variable) else held(value)


def _all_held(value: Any) -> Any:
    """Nested arguments with arrays in the places of what holds them."""
    if isinstance(value, dict):
        return {key: _all_held(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_all_held, value))
    return held(value)
