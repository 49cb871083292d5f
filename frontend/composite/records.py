"""Records in a trace: the arrays of their fields, which are read and written by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...dialect.errors import ConcreteValueError, UnsupportedError, WeftTypeError, WeftValueError
from ..signature.composite_arrays import array_of, parts_of
from ..signature.traced_value import CompositeValue
from ..tracing.behaviour import behaviour


class TracedRecords(CompositeValue):
    """An array or scalar of records in a trace; `parts` are the arrays of its fields, in the order of `parts_of`."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        """The fields, and what makes NumPy's array of them."""
        return self.parts, partial(_records_of, self.dtype)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of the records."""
        first = parts_of(self.dtype)[0]
        shape: tuple[Any, ...] = self.parts[0].shape
        return shape[: len(shape) - len(first.shape)]

    ndim = property(lambda self: len(self.shape), doc="The number of dimensions.")
    size = property(
        lambda self: self.parts[0].size if not parts_of(self.dtype)[0].shape else np.prod(self.shape)
    )
    itemsize = property(lambda self: self.dtype.itemsize, doc="Bytes per record.")

    def example(self) -> Any:
        if not self.shape:
            return np.zeros((), self.dtype)[()]
        made = np.zeros(0, self.dtype)
        return made.view(np.recarray) if issubclass(self.dtype.type, np.record) else made

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError("len() of unsized object")
        return shape[0]  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            return iter([self._field(name) for name in self.dtype.names or ()])
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self._field(index)
        if _names_fields(index):
            return self._fields(index)
        if not self.shape and isinstance(index, (int, np.integer)):
            return self._field((self.dtype.names or ())[index])
        return TracedRecords(self.dtype, tuple(self._indexed(index)))

    def _indexed(self, index: Any) -> Iterator[Any]:
        """All fields at an index of the records."""
        for part, array in zip(parts_of(self.dtype), self.parts, strict=True):
            yield array[_index_of_part(index, len(part.shape))]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._require_memory()
        if not self.shape and isinstance(index, (int, np.integer)):
            index = (self.dtype.names or ())[index]
        if isinstance(index, str):
            self._field(index, to_write=True)[...] = value
        elif _names_fields(index):
            self._fields(index)[...] = value
        elif isinstance(value, TracedRecords) and value.dtype == self.dtype:
            for part, array, source in zip(parts_of(self.dtype), self.parts, value.parts, strict=True):
                array[_index_of_part(index, len(part.shape))] = source
        else:
            names = self.dtype.names or ()
            for name, column in zip(names, columns_of(self.dtype, value), strict=True):
                self._field(name, to_write=True)[_index_of_part(index, self.dtype[name].ndim)] = column

    def _require_memory(self) -> None:
        """Refuse to write to a record that is a scalar of NumPy's: its fields are numbers in compiled code."""
        if any(getattr(part, "_is_scalar", False) for part in self.parts):
            raise UnsupportedError(
                "a record that is no entry of an array is not written in compiled code, where its fields are numbers: "
                "pass an array of one record, and write r['x'][0]"
            )

    def _fields(self, names: list[str]) -> TracedRecords:
        """The records with some of their fields, in the same memory."""
        dtype: np.dtype[Any] = self.dtype[names]
        found = tuple(
            array
            for name in names
            for part, array in zip(parts_of(self.dtype), self.parts, strict=True)
            if part.path[0] == name
        )
        if not found:
            raise UnsupportedError(
                f"the fields {names} are not supported in compiled code, which has numbers and dates"
            )
        return TracedRecords(dtype, found)

    def _field(self, name: str, to_write: bool = False) -> Any:
        """The array of one field, or of the fields inside of it; of one record the number, unless it is written."""
        fields: Any = self.dtype.fields or {}
        if name not in fields:
            raise WeftValueError(f"no field of name {name}")
        dtype = fields[name][0].base
        found = [
            array
            for part, array in zip(parts_of(self.dtype), self.parts, strict=True)
            if part.path[0] == name
        ]
        if not found:
            raise UnsupportedError(
                f"the field {name!r} of dtype {dtype} is not supported in compiled code, which has numbers and dates"
            )
        if dtype.names is not None:
            return behaviour().composite(dtype, tuple(found))
        value = found[0] if to_write or found[0].ndim else found[0][()]
        return behaviour().composite(dtype.newbyteorder("="), (value,)) if dtype.kind in "mM" else value

    def __getattr__(self, name: str) -> Any:
        if issubclass(self.dtype.type, np.record) and name in (self.dtype.names or ()):
            return self._field(name)
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return partial(behaviour().composite_method, name, self)

    def __repr__(self) -> str:
        return f"TracedRecords({self.dtype})"

    def __copy__(self) -> TracedRecords:
        return TracedRecords(self.dtype, tuple(part.copy() for part in self.parts))

    def __deepcopy__(self, memo: Any) -> TracedRecords:
        return self.__copy__()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return behaviour().composite_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return behaviour().composite_function(function, args, kwargs)

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise ConcreteValueError(
            f"the value of traced records ({self.dtype}) is known only when the compiled function runs: compute with "
            "their fields (r['x'])"
        )

    __array__ = __bool__ = __int__ = __float__ = __index__ = __format__ = __complex__ = _refuse
    __eq__ = __ne__ = _refuse


def _records_of(dtype: np.dtype[Any], parts: Any) -> Any:
    return array_of(dtype, parts)


def _names_fields(index: Any) -> bool:
    """Whether an index names several fields."""
    return isinstance(index, list) and bool(index) and all(isinstance(name, str) for name in index)


def _index_of_part(index: Any, inner: int) -> Any:
    """An index of records as one of an array of a field that has some axes more."""
    given = index if isinstance(index, tuple) else (index,)
    # With `...` a record is a view of the array, as in NumPy, and not a number.
    return (*given, *(slice(None),) * inner) if any(i is Ellipsis for i in given) else (*given, ...)


def columns_of(dtype: np.dtype[Any], value: Any) -> list[Any]:
    """What is written to each field of records where a value is assigned to them, as NumPy takes it apart."""
    names = dtype.names or ()
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.names is not None:
        value = behaviour().composite_constant(value)
    if isinstance(value, TracedRecords):
        theirs = value.dtype.names or ()
        if len(theirs) != len(names):
            raise WeftTypeError(
                f"Cannot cast array data from {value.dtype!r} to {dtype!r} according to the rule 'unsafe'"
            )
        fields = [value._field(name, to_write=True) for name in theirs]
        # As they were before the first field is written; one record is read field by field, as in NumPy.
        return [field.copy() for field in fields] if value.shape else fields
    if isinstance(value, tuple):
        if len(value) != len(names):
            raise WeftValueError(
                f"could not assign tuple of length {len(value)} to structure with {len(names)} fields."
            )
        columns = [_entry(dtype[name], item) for name, item in zip(names, value, strict=True)]
        for name, column in zip(names, columns, strict=True):
            if dtype[name].base.names is None and np.ndim(column) > dtype[name].ndim:
                raise WeftValueError("setting an array element with a sequence.")
        return columns
    if isinstance(value, list):
        rows = [columns_of(dtype, item) for item in value]
        return [_column(dtype[name], [row[place] for row in rows]) for place, name in enumerate(names)]
    rank = np.ndim(value)
    inner = [dtype[name].ndim if rank else 0 for name in names]
    return [np.expand_dims(value, tuple(range(-added, 0))) if added else value for added in inner]


def _entry(dtype: np.dtype[Any], item: Any) -> Any:
    """What one record holds in one field, of which a list or tuple may be the entries."""
    is_listed = isinstance(item, (list, tuple)) and dtype.base.names is None
    return _column(dtype, list(item)) if is_listed else item


def _column(dtype: np.dtype[Any], items: list[Any]) -> Any:
    """What a list of records holds in one field."""
    if dtype.base.names is not None:
        return items
    if any(isinstance(item, CompositeValue) for item in items):
        return np.stack(items)
    if all(isinstance(item, str) for item in items):
        return np.array(items, dtype.base)
    return behaviour().namespace_function("asarray")(items)
