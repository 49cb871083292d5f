"""Records in a trace: the arrays of their fields, which are read and written by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...dialect.errors import ConcreteValueError, UnsupportedError, WeftValueError
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
        if isinstance(index, list) and index and all(isinstance(name, str) for name in index):
            raise UnsupportedError(
                "several fields of records at once are not supported in compiled code: read them one by one (r['x'])"
            )
        if not self.shape and isinstance(index, (int, np.integer)):
            return self._field((self.dtype.names or ())[index])
        return TracedRecords(self.dtype, tuple(self._indexed(index)))

    def _indexed(self, index: Any) -> Iterator[Any]:
        """All fields at an index of the records."""
        for part, array in zip(parts_of(self.dtype), self.parts, strict=True):
            inner = (slice(None),) * len(part.shape)
            given = index if isinstance(index, tuple) else (index,)
            # With `...` a record is a view of the array, as in NumPy, and not a number.
            yield array[(*given, *inner) if any(i is Ellipsis for i in given) else (*given, ...)]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, str):
            self._require_memory()
            field = self._field(index, to_write=True)
            field[...] = value
        elif isinstance(value, TracedRecords) and value.dtype == self.dtype:
            for target, source in zip(self[index].parts, value.parts, strict=True):
                target[...] = source
        else:
            raise UnsupportedError(
                "whole records are written by records of the same dtype alone in compiled code: write field by field "
                "(r['x'][i] = ...)"
            )

    def _require_memory(self) -> None:
        """Refuse to write to a record that is a scalar of NumPy's: its fields are numbers in compiled code."""
        if any(getattr(part, "_is_scalar", False) for part in self.parts):
            raise UnsupportedError(
                "a record that is no entry of an array is not written in compiled code, where its fields are numbers: "
                "pass an array of one record, and write r['x'][0]"
            )

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


_ASKING = frozenset({"shape", "size", "ndim"})


def record_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy gives of records; `UnsupportedError` for all that look at more than their shape."""
    if function.__name__ in _ASKING and not kwargs and len(args) == 1:
        return getattr(args[0], function.__name__)
    if function is np.copy and len(args) == 1 and not kwargs:
        return args[0].__copy__()
    raise _refusal(f"np.{function.__name__}")


def record_method(name: str, records: TracedRecords, *args: Any, **kwargs: Any) -> Any:
    """What a method gives of records."""
    if name == "copy" and not args and not kwargs:
        return records.__copy__()
    raise _refusal(name)


def _refusal(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"{what} of whole records is not supported in compiled code, which has their fields: use these (r['x'])"
    )


__all__ = ["TracedRecords", "record_function", "record_method"]
