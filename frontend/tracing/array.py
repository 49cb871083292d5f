"""Traced arrays: what a user's function sees in place of NumPy arrays while it is recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...dialect.errors import ConcreteValueError, UnsupportedAttributeError, UnsupportedError, WeftTypeError
from ...dialect.ops.shape import Dim, Reshape
from ...dialect.ops.state import ReadRef, WriteRef
from ...dialect.types import TensorType
from ..signature.foreign_arrays import has_elements
from ..signature.traced_value import TracedValue
from .array_api import require_array_api
from .array_members import COMPARISONS, IN_PLACE_METHODS, METHODS, OPERATORS, PROPERTIES, UNARY
from .behaviour import behaviour
from .exact_numbers import refuse_exact_number
from .joined_writes import hand_on, is_handed_on
from .known_elements import elements_of
from .layouts import Layout, layout_of_copy, layout_of_view, row_major
from .may_alias import (
    MayBeAnother,
    is_seen_elsewhere,
    make_unique,
    place_of_source,
    usable_aliases,
)
from .needed_numbers import need_number
from .number_types import number_type, said_of
from .recorder import Assumption, Recorder, Storage
from .remembered import given_away, shown
from .unhashable import refuse_hash
from .view_steps import ViewStep, require_writable

if TYPE_CHECKING:
    from ...dialect.mlir import Value
    from ..source.locations import SourceRange
    from .regions import Section

USE_WEFT_ARRAYS = (
    "to index a NumPy array by a traced one, write weft.take(array, index, axis=0); to copy a traced array or stack "
    "several, weft.asarray(array, copy=True) or weft.stack(arrays); "
    "to write traced values into an array made in the function, make that array with weft (weft.zeros, weft.full, "
    "weft.empty) instead of numpy"
)


class TracedArray(TracedValue):
    """An array that is known by dtype and shape only: a storage seen through a path of views.

    It answers NumPy's operators, methods and protocols by recording ops, and explains itself where Python needs
    a value that exists only at run time.
    """

    __slots__ = (
        "__weakref__",
        "_assumptions",
        "_cached",
        "_cached_epoch",
        "_cached_section",
        "_cached_version",
        "_is_another",
        "_path",
        "_python_type",
        "_storage",
        "_type",
    )

    items_are_copies = False
    """Whether what an index selects is never a view."""
    __array_priority__ = 1000

    def __init__(
        self, storage: Storage, path: tuple[ViewStep, ...] = (), view_type: TensorType | None = None
    ) -> None:
        self._storage = storage
        self._path = path
        self._type = storage.type if view_type is None else view_type
        self._assumptions: tuple[Assumption, ...] = ()
        """That it is a view in NumPy, where layouts of arguments decide."""
        self._cached: Any = None
        self._cached_version = self._cached_epoch = -1
        self._cached_section: Section | None = None
        self._python_type: Callable[..., Any] | None = None
        """int or float where NumPy would have a Python number here, an extent for example: weak in promotion."""
        self._is_another: bool | TracedArray = False
        """Whether it is a view of all of an array, another object than the array itself."""

    if TYPE_CHECKING:  # made by _install

        def __eq__(self, other: object) -> Any: ...

        def __ne__(self, other: object) -> Any: ...

        def __lt__(self, other: Any) -> Any: ...

        def __gt__(self, other: Any) -> Any: ...

        def __invert__(self) -> Any: ...

    # What is known while tracing

    @property
    def type(self) -> TensorType:
        """The tensor type: shape with None for run-time extents, and dtype."""
        return self._type

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype."""
        return self._type.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._type.rank

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape: an int for every known extent, a traced scalar for a run-time one."""
        return tuple(self._extent(axis) for axis in range(self.ndim))

    @property
    def size(self) -> Any:
        """The number of elements: an int, or a traced scalar when an extent is known only at run time."""
        count: Any = 1
        for extent in self.shape:
            count = count * extent
        return count

    itemsize = property(lambda self: self.dtype.itemsize, doc="Bytes per element.")
    nbytes = property(lambda self: self.size * self.itemsize, doc="Bytes in all.")
    device = "cpu"
    """Where the data will be (Array API)."""

    @property
    def _is_scalar(self) -> bool:
        """Whether NumPy would have a scalar here, which it has for what is computed with rank 0, or Python a number."""
        storage = self._storage
        is_computed = self._type.rank == 0 and storage.type.rank == 0 and not storage.is_array
        return is_computed or self._python_type is not None

    @property
    def _is_number(self) -> bool:
        """Whether this is surely no array in NumPy, so that nothing can write it."""
        return self._python_type is not None or (self._is_scalar and not usable_aliases(self._storage))

    @property
    def _class_name(self) -> str:
        """How Python names the class of what NumPy or Python would have here."""
        if self._python_type is not None:
            return self._python_type.__name__
        return f"numpy.{self.dtype.name if self._is_scalar else 'ndarray'}"

    def _extent(self, axis: int) -> Any:
        known = self._type.shape[axis]
        if known is not None:
            return known
        trace = self._storage.trace
        (extent,) = trace.create(Dim, [self._value()], {"axis": axis})
        return wrap(trace, extent, made_at=trace.place)._like_python(int)

    def _like_python(self, number: Callable[..., Any] | None) -> TracedArray:
        """This array, which was just made, as what NumPy would have as a Python number."""
        self._python_type = number
        return self

    def _as_array(self, is_array: bool = True) -> TracedArray:
        """This array, which was just made, as what NumPy would have as an array even of rank 0."""
        self._storage.is_array = is_array
        return self

    def _base(self) -> TracedArray:
        """The whole array that this is a view of, or itself."""
        return TracedArray(self._storage) if self._path else self

    def _layout(self) -> Layout:
        """How it lies in memory in NumPy."""
        storage = self._storage
        layout = storage.layout or row_major(storage.type.rank)
        return layout_of_view(layout, storage.type, self._path) if self._path else layout

    # Reading and writing

    def _value(self) -> Any:
        """The SSA value of what the array holds now; replays the view path over the storage."""
        storage = self._storage
        storage.trace.require_active(storage, self._type)
        if storage.assumption is not None:
            storage.assumption.look()
        for assumption in self._assumptions:
            assumption.look()
        if not self._is_cached():
            self._cached = self._values_along_path()[-1]
            self._cached_version, self._cached_epoch = storage.version, storage.trace.watch_epoch
            self._cached_section = storage.trace.region.section
        return self._cached

    def _is_cached(self) -> bool:
        """Whether the value that was read last is still right, and defined where it can be used.

        What a loop may write is read again inside of it: the next iteration sees the writes of this one.
        """
        section, storage = self._cached_section, self._storage
        if section is None or not section.is_usable or self._cached_version != storage.version:
            return False
        if storage.aliases.is_stale or self._cached_epoch != storage.trace.watch_epoch:
            return False
        return storage.ref is None or section.region.loop is storage.trace.region.loop

    def _values_along_path(self) -> list[Any]:
        """The SSA values of the storage and of every view on the way to this one."""
        storage = self._storage
        trace = storage.trace
        self._require_present_elements()
        values = [trace.value_of(storage)]
        for step in self._path:
            operands = [values[-1], *(operand._value() for operand in step.operands)]
            values.append(trace.create(step.op_class, operands, step.attributes)[0])
        return values

    def _view(self, step: ViewStep) -> TracedArray:
        """A view of this array by one more step."""
        types = [self._type, *(operand.type for operand in step.operands)]
        (view_type,) = step.op_class.result_types(types, step.attributes)
        if not isinstance(view_type, TensorType):
            raise WeftTypeError(f"{step.op_class.mlir_name()} does not make a view")
        shown = self._memory()
        view = TracedArray(shown._storage, (*shown._path, step), view_type)
        view._assumptions = shown._assumptions
        return view

    def _memory(self) -> TracedArray:
        """What a view of this shows: a scalar has no memory, so NumPy makes an array of it first."""
        if not self._is_number:
            return self
        return wrap(self._storage.trace, self._value(), self._type)._as_array()

    def _view_of_all(self) -> TracedArray:
        """Another object that shows the same elements, as `x[:]` does."""
        shown = self._memory()
        view = TracedArray(shown._storage, shown._path, self._type)
        view._assumptions, view._is_another = shown._assumptions, True
        return view

    def _write(self, new: TracedArray, what: str = "assignment destination") -> None:
        """Replace all elements by those of an array of the same shape and dtype, in the storage.

        Errors say what it is that is written.
        """
        storage = self._storage
        trace = storage.trace
        trace.require_active(storage, self._type)
        if self._is_number:
            raise WeftTypeError(f"the {what} is a {self._class_name}: only arrays can be changed in place")
        if self._path and self._path[0].write is not None:
            self._require_present_elements()
            return self._path[0].write(self, new)
        self._require_own_memory()
        require_writable(self._path, what)
        if storage.assumption is not None:
            storage.assumption.hold()
        for assumption in self._assumptions:
            assumption.hold()
        trace.make_cell(storage)
        value = new._value()
        if value == storage.ref:  # an array from outside that is this argument, and was a value until now
            (value,) = trace.create(ReadRef, [storage.ref], {})
        self._store(value)
        hand_on(storage)

    def _store(self, value: Any) -> None:
        """Record that the elements in the cell of the storage become others."""
        storage = self._storage
        along = self._values_along_path()
        for step, before in zip(reversed(self._path), reversed(along[:-1]), strict=True):
            value = behaviour().write_back(storage.trace, step, before, value)
        storage.trace.create(WriteRef, [storage.ref, value], {})

    def _require_present_elements(self) -> None:
        """Refuse to use an array that may be another one, which was written since, at run time."""
        storage = self._storage
        if storage.aliases.is_stale:
            if storage.aliases.refuse is not None:
                storage.aliases.refuse()
            raise MayBeAnother(
                f"this reads an array ({storage.type}) that may, depending on a condition or on how often a loop ran, "
                f"be one that was written since, made at {place_of_source(storage)}; make "
                "a copy before the condition or loop (x = x.copy())"
            )

    def _require_own_memory(self) -> None:
        """Refuse to write an array that may be another one, which the program can see, at run time."""
        self._require_present_elements()
        storage = self._storage
        if is_seen_elsewhere(storage):
            if is_handed_on(storage):
                return
            raise MayBeAnother(
                f"this writes to an array ({storage.type}) that is, depending on a condition or on how often a loop "
                f"ran, another array of the program, made at {place_of_source(storage)}, or a new one; "
                "make a copy before the condition or loop (x = x.copy()) and write to that"
            )
        make_unique(storage)

    def __getitem__(self, index: Any) -> TracedArray:
        item: TracedArray = behaviour().get_item(self, index)
        return item

    def __setitem__(self, index: Any, value: Any) -> None:
        self._storage.trace.require_active(self._storage, self._type)
        behaviour().set_item(self, index, value)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise said_of(self, "object of type '{}' has no len()", "len() of unsized object")
        extent = self._type.shape[0]
        if extent is None:
            raise self._needs_value("len()", "use x.shape[0], which is a traced scalar")
        return extent

    def __iter__(self) -> Iterator[TracedArray]:
        if self.ndim == 0:
            raise said_of(self, "'{}' object is not iterable", "iteration over a 0-d array")
        return (self[position] for position in range(len(self)))

    # Python needs a value

    def _known(self) -> np.ndarray[Any, Any] | None:
        """The elements, where they are known while tracing: of small arrays made of constants."""
        return elements_of(self)

    def _needs_value(self, what: str, instead: str) -> ConcreteValueError:
        trace = self._storage.trace
        trace.require_active(self._storage, self._type)
        need_number(self, what)
        error = ConcreteValueError(
            f"{what} needs the value of a traced array ({self._type}), which is known only when the compiled "
            f"function runs; {instead}"
        )
        error.what, error.instead = what, instead
        if trace.python_state is not None:
            from .sources import sources_of  # which loads MLIR

            # Now, as what a branch or loop has recorded is erased on the way to whoever asks.
            error.sources = sources_of([self._value()], through_stops=True)
        return error

    def __bool__(self) -> bool:
        if (known := self._known()) is not None:
            return bool(known)
        raise self._needs_value(
            "the truth of an array (if, while, and, or, not, assert)",
            "use np.where(condition, a, b) for a choice, & | ~ for logic, or pass the value as a Python bool",
        )

    def __int__(self) -> int:
        if (known := self._known()) is not None:
            return int(known)
        raise self._needs_value("int()", 'use x.astype("int64") to convert in compiled code')

    def __float__(self) -> float:
        if (known := given_away(self, "float()")) is not None:
            return float(known)
        raise self._needs_value(
            "float()",
            'use x.astype("float64") to convert in compiled code, and np.sin(x) instead of math.sin(x)',
        )

    def __complex__(self) -> complex:
        if (known := given_away(self, "complex()")) is not None:
            return complex(known)
        raise self._needs_value("complex()", 'use x.astype("complex128") to convert in compiled code')

    def __hash__(self) -> int:
        need_number(self, "a key")
        refuse_hash(self)

    def __index__(self) -> int:
        if (known := self._known()) is not None:
            return known[()].__index__()
        raise self._needs_value(
            "an index or size in Python (a list index, range(), a shape)",
            "index an array instead of a list (np.stack(list)[i]), or pass the number as a Python int",
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if (known := given_away(self, "a conversion to a NumPy array")) is not None:
            return np.array(known, dtype)
        raise self._needs_value(
            "a conversion to a NumPy array",
            f"NumPy functions on it are recorded when it is passed to them directly; {USE_WEFT_ARRAYS}",
        )

    def _repeats(self, value: Any) -> bool:
        """Whether a text is repeated so often; `[0] * n` is refused, as tracing has to know the length of a list."""
        counts = self._is_scalar and self.dtype.kind in "iub"
        if counts and isinstance(value, (list, tuple, bytes)) and self._known() is None:
            instead = "make an array (np.zeros(n)), or pass the number as a Python int"
            raise self._needs_value("the length of a repeated list", instead)
        return counts and isinstance(value, str)

    def tobytes(self, order: str = "C") -> NoReturn:
        """Not available: the values are known only at run time."""
        raise self._needs_value("tobytes()", "return the array and convert it outside")

    def __format__(self, spec: str) -> str:
        if self._storage.trace.is_eager:
            return format(shown(self), spec)
        if spec:
            raise self._needs_value("formatting", "return the array and format it outside")
        return repr(self)

    def __repr__(self) -> str:
        if self._storage.trace.is_eager:
            return repr(shown(self))
        name = None if self._path else self._storage.trace.argument_name(self._storage)
        return f"TracedArray({self._type})" if name is None else f"TracedArray({name}: {self._type})"

    def __str__(self) -> str:
        return str(shown(self)) if self._storage.trace.is_eager else repr(self)

    def __getattr__(self, name: str) -> Any:
        if hasattr(self._python_type, name):
            need_number(self, name)
        if not name.startswith("__") and hasattr(np.ndarray, name):
            raise UnsupportedAttributeError(
                f"{name} of an array is not available in compiled code, where an array is known by its dtype and shape "
                "only; use it outside of the compiled function"
            )
        return behaviour().number_attribute(self, name)

    def __delitem__(self, index: Any) -> NoReturn:
        if self._is_number:
            raise WeftTypeError(f"'{self._class_name}' object does not support item deletion")
        raise ValueError("cannot delete array elements")

    def __copy__(self) -> TracedArray:
        return self.copy() if self._python_type is None else self  # a number of Python's stays one

    def __deepcopy__(self, memo: Any) -> TracedArray:
        return self.__copy__()

    def copy(self, order: str = "C") -> TracedArray:
        """A new array with the same elements."""
        copied = self._copied()
        if self.ndim > 1 and order != "C":
            copied._storage.layout = layout_of_copy(self._layout(), self._type, order)
        return copied

    def _copied(self) -> TracedArray:
        storage = self._storage
        is_array = not self._is_scalar
        if storage.argument is None or storage.ref is not None or self._path:
            return wrap(storage.trace, self._value(), self._type)._as_array(is_array)
        # The value is a parameter, which becomes a cell once the argument is written: name what it holds now.
        extents = [self._extent(axis) for axis, extent in enumerate(self._type.shape) if extent is None]
        shape = tuple(-1 if extent is None else extent for extent in self._type.shape)
        trace = storage.trace
        operands = [self._value(), *(extent._value() for extent in extents)]
        (copied,) = trace.create(Reshape, operands, {"shape": shape})
        return wrap(trace, copied, made_at=trace.place)._as_array(is_array)

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return behaviour().call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return behaviour().call_function(function, args, kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        require_array_api(api_version)
        return sys.modules[__name__.partition(".")[0]]

    def to_device(self, device: Any, /, *, stream: Any = None) -> TracedArray:
        """The array itself: there is one device (Array API)."""
        if device != "cpu":
            raise UnsupportedError(
                f"device {device!r} is not available in compiled code; the device there is: 'cpu'"
            )
        return self

    def __dlpack__(self, **kwargs: Any) -> NoReturn:
        raise self._needs_value("an exchange through DLPack", "return the array and exchange it outside")


def wrap(
    trace: Recorder, value: Value, tensor_type: TensorType | None = None, made_at: SourceRange | None = None
) -> TracedArray:
    """A traced array, with a storage of its own, for an SSA value."""
    return TracedArray(Storage(trace, value, tensor_type or trace.type_of(value), made_at=made_at))


def _namespace_method(name: str) -> Callable[..., Any]:
    """A method that is the namespace function of the same name with the array as its first argument."""

    def method(self: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return behaviour().namespace_function(name)(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"`numpy.ndarray.{name}`, recorded."
    return method


def _binary(
    ufunc: np.ufunc, symbol: str, reflected: bool = False, in_place: bool = False
) -> Callable[..., Any]:
    def forward(self: TracedArray, other: Any) -> Any:
        if ufunc is np.multiply and self._repeats(other):
            return behaviour().repeated_text(other, self)
        if _is_operand(other):
            return _operate(ufunc, self, other)
        if other is None and symbol in ("==", "!=") and not self._is_scalar:
            return behaviour().namespace_function("full_like")(self, symbol == "!=", bool)
        return _refuse(symbol, self, other)

    def backward(self: TracedArray, other: Any) -> Any:
        if ufunc is np.multiply and self._repeats(other):
            return behaviour().repeated_text(other, self)
        return _operate(ufunc, other, self) if _is_operand(other) else _refuse(symbol, other, self)

    def update(self: TracedArray, other: Any) -> Any:
        if not _is_operand(other):
            return _refuse(f"{symbol}=", self, other)
        # A scalar cannot be written: `s += 1` names a new one, and other names of the old one keep it.
        return _operate(ufunc, self, other) if self._is_number else ufunc(self, other, out=(self,))

    return update if in_place else backward if reflected else forward


def _operate(ufunc: np.ufunc, *operands: Any) -> Any:
    """What an operator gives: Python's numbers have Python's operators, all else those of NumPy."""
    if all(number_type(operand) is not None for operand in operands):
        return behaviour().python_operator(ufunc, *operands)
    return ufunc(*operands)


def _refuse(symbol: str, left: Any, right: Any) -> Any:
    """NumPy's error for an operand that is no number; other objects may have an operator of their own."""
    other = right if isinstance(left, TracedArray) else left
    refuse_exact_number(symbol, other)
    if symbol in ("==", "!=") or not isinstance(other, _NEVER_OPERANDS):
        return NotImplemented
    names = " and ".join(
        f"'{value.type}'" if isinstance(value, TracedArray) else f"'{type(value).__name__}'"
        for value in (left, right)
    )
    raise WeftTypeError(f"unsupported operand type(s) for {symbol}: {names}")


_NEVER_OPERANDS = (type(None), str, bytes, dict, set, type)


def _is_operand(value: object) -> bool:
    """Whether an operator applies: the other operand is an array, a number or a list of these."""
    return isinstance(value, (bool, int, float, complex, list, tuple)) or has_elements(value)


def _set_part(self: TracedArray, name: str, value: Any) -> None:
    """`x.real = value`, `x.imag = value`, `x.flat = value`."""
    if self._is_number:
        raise AttributeError(f"attribute '{name}' of '{self._class_name}' objects is not writable")
    if name == "imag" and self.dtype.kind != "c":
        raise WeftTypeError("array does not have imaginary part to set")
    if name == "flat":
        self.flat[...] = value
    else:
        made = behaviour().namespace_function("asarray")(value)
        behaviour().namespace_function("copyto")(getattr(self, name), made, "unsafe")


def _define(name: str, method: Callable[..., Any]) -> None:
    method.__name__ = name
    setattr(TracedArray, name, method)


def _install() -> None:
    for name, (ufunc, symbol) in {**OPERATORS, **COMPARISONS}.items():
        _define(f"__{name}__", _binary(ufunc, symbol))
        if name in OPERATORS:
            _define(f"__r{name}__", _binary(ufunc, symbol, reflected=True))
            _define(f"__i{name}__", _binary(ufunc, symbol, in_place=True))
    del TracedArray.__idivmod__  # type: ignore[attr-defined]
    for name, ufunc in UNARY.items():
        _define(f"__{name}__", lambda self, ufunc=ufunc: _operate(ufunc, self))
    for name in (*METHODS, *IN_PLACE_METHODS):
        setattr(TracedArray, name, _namespace_method(name))
    for name in PROPERTIES:
        settable = name in ("real", "imag", "flat")
        setter = (lambda self, value, name=name: _set_part(self, name, value)) if settable else None
        setattr(TracedArray, name, property(_namespace_method(f"array_{name}"), setter))
    _define("__round__", lambda self, ndigits=None: np.round(self, ndigits or 0))


_install()
