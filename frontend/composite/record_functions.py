"""NumPy's functions on whole records: what moves records moves each of their fields; they are sorted by these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError, WeftValueError
from ..signature.composite_arrays import parts_of
from ..tracing.array import TracedArray
from ..tracing.behaviour import behaviour
from .python_times import MOST_LISTED
from .records import TracedRecords
from .times import TracedTimes

_ASKING = frozenset({np.shape, np.size, np.ndim})
_JOINING = frozenset({np.append, np.concatenate, np.hstack, np.stack, np.vstack, np.where})
_MOVING = _JOINING | frozenset(
    {
        np.broadcast_to, np.compress, np.delete, np.expand_dims, np.extract, np.flip, np.ravel, np.repeat, np.reshape,
        np.roll, np.squeeze, np.take, np.tile, np.transpose,
    }
)  # fmt: skip
_MOVING_METHODS = (
    "compress",
    "flatten",
    "ravel",
    "repeat",
    "reshape",
    "squeeze",
    "swapaxes",
    "take",
    "transpose",
)


def record_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy gives of records; `UnsupportedError` for all that compute with them."""
    name = f"np.{function.__name__}"
    if function in _ASKING and not kwargs and len(args) == 1:
        return getattr(args[0], function.__name__)
    if function is np.copy and len(args) == 1 and not kwargs:
        return args[0].__copy__()
    if (
        function in (np.array, np.asarray)
        and len(args) == 1
        and isinstance(args[0], (list, tuple))
        and not kwargs
    ):
        return _stacked(args[0])
    if function in (np.sort, np.argsort):
        return (_sorted if function is np.sort else _places)(name, *args, **kwargs)
    if function in _MOVING and not (function is np.where and len(args) != 3):
        return _moved(name, function, args, kwargs, joins=function in _JOINING)
    raise _refusal(name)


def _stacked(items: Any) -> Any:
    """Nested lists and tuples of records as an array."""
    return np.stack([_stacked(item) if isinstance(item, (list, tuple)) else item for item in items])


def record_method(name: str, records: TracedRecords, *args: Any, **kwargs: Any) -> Any:
    """What a method gives of records."""
    if name == "copy" and not args and not kwargs:
        return records.__copy__()
    if name == "fill" and len(args) == 1 and not kwargs:
        records[...] = args[0]
        return None
    if name == "argsort":
        return _places(name, records, *args, **kwargs)
    if name == "sort":
        records[...] = _sorted(name, records, *args, **kwargs)
        return None
    if name in _MOVING_METHODS:
        return _moved(
            name, lambda part, *given, **named: getattr(part, name)(*given, **named), (records, *args), kwargs
        )
    if name in ("item", "tolist") and not args and not kwargs:
        return _listed(name, records)
    raise _refusal(name)


def _moved(
    name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], joins: bool = False
) -> Any:
    """The records whose fields a function gives of the fields of records; where it joins, packed as by NumPy."""
    dtypes = {value.dtype for value in _structured(args)}
    dtype = next(iter(dtypes))
    if len(dtypes) > 1 or issubclass(dtype.type, np.record) or any(part.shape for part in parts_of(dtype)):
        raise _refusal(name)
    parts = [
        function(
            *_with_part(args, number), **{key: _with_part(value, number) for key, value in kwargs.items()}
        )
        for number in range(len(parts_of(dtype)))
    ]
    if not all(isinstance(part, TracedArray) for part in parts):
        raise _refusal(name)
    return TracedRecords(np.promote_types(dtype, dtype) if joins else dtype, tuple(parts))


def _structured(value: Any) -> Iterator[Any]:
    """The arrays and scalars of records in arguments."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _structured(item)
    elif getattr(getattr(value, "dtype", None), "names", None) is not None:
        yield value


def _with_part(value: Any, number: int) -> Any:
    """An argument with one of the parts of records in their place."""
    if isinstance(value, (list, tuple)):
        return type(value)(_with_part(item, number) for item in value)
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.names is not None:
        value = behaviour().composite_constant(value)
    return value.parts[number] if isinstance(value, TracedRecords) else value


def _places(
    name: str, records: TracedRecords, axis: Any = -1, kind: Any = None, order: Any = None, **kwargs: Any
) -> Any:
    """The places that sort a row of records by the fields that `order` names, and then by the others."""
    if records.ndim != 1 or axis not in (-1, 0) or set(kwargs) - {"stable"}:
        raise _refusal(name)
    names = records.dtype.names or ()
    first = [order] if isinstance(order, str) else list(order or ())
    for field in first:
        if field not in names:
            raise WeftValueError(f"unknown field name: {field}")
    keys = [key for field in dict.fromkeys((*first, *names)) for key in _keys(name, records._field(field))]
    return behaviour().namespace_function("lexsort")(tuple(keys[::-1]))


def _keys(name: str, field: Any) -> list[Any]:
    """What sorts by a field, the most important first: NaT is behind all dates."""
    if isinstance(field, TracedRecords):
        return [key for inner in field.dtype.names or () for key in _keys(name, field._field(inner))]
    if field.ndim != 1:
        raise _refusal(name)
    return [np.isnat(field), field.ticks] if isinstance(field, TracedTimes) else [field]


def _sorted(name: str, records: TracedRecords, *args: Any, **kwargs: Any) -> Any:
    return records[_places(name, records, *args, **kwargs)]


def _listed(name: str, records: TracedRecords) -> Any:
    """Records as tuples, in nested lists."""
    if not records.shape:
        return tuple(_python_value(name, records._field(field)) for field in records.dtype.names or ())
    if name == "item" or not isinstance(len(records), int) or len(records) > MOST_LISTED:
        raise _refusal(name)
    return [_listed(name, records[place]) for place in range(len(records))]


def _python_value(name: str, field: Any) -> Any:
    """A field of one record: a Python number or date, a tuple, or an array."""
    if isinstance(field, TracedRecords):
        return _listed(name, field)
    return field.copy() if field.ndim else field.item()


def _refusal(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"{what} of whole records is not supported in compiled code like this, which has their fields: use these "
        "(r['x'])"
    )
