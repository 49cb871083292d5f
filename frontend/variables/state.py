"""`weft.state`, `weft.save_state` and `weft.load_state`: the arrays of a program by name, and in files."""

from __future__ import annotations

import dataclasses
import os
from collections import deque
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.types import format_shape
from ..signature.traced_value import ArrayHolder, held
from ..source.modules import is_library, is_own_module
from ..source.own_attributes import own_attributes
from ..tracing.current import current_trace
from .generator_states import SavedGenerator, generator_of
from .state_files import read_arrays, write_arrays

File: TypeAlias = "str | os.PathLike[str]"


def state(obj: Any) -> dict[str, Any]:
    """The arrays and variables of an object by their names, `layers.0.w`: the arrays themselves, no copies.

    Those that lie on a GPU are there, too, and files hold copies of them.

    They are found in attributes, lists, tuples and dicts, and in the objects in these; each once, under the first name.
    A random generator, NumPy's or Python's, is there as an array of words, `noise.PCG64`, a copy of its state.
    Numbers of Python's and NumPy's scalars, which cannot be written, are none: keep counters in a `weft.Variable`.
    Raises `ValueError` where two arrays have one name, `weft.UnsupportedError` in compiled functions.

    >>> model = {"w": np.ones(2), "layers": [weft.Variable(3.0)]}
    >>> weft.state(model)
    {'w': array([1., 1.]), 'layers.0': array(3.)}
    """
    _require_no_trace()
    return _state_of(obj, [])


def _require_no_trace() -> None:
    if current_trace() is not None:
        raise UnsupportedError(
            "weft.state, save_state and load_state look at objects of Python, which compiled code would do once, while "
            "it is traced: call them outside of the compiled function"
        )


def _state_of(obj: Any, told: list[Any]) -> dict[str, Any]:
    """The arrays of an object by name; `told` gets the objects in it that are told when these are written."""
    found: dict[str, Any] = {}
    for name, array in _arrays(obj, "", set(), told):
        if name in found:
            raise WeftValueError(f"two arrays have the name {name!r}: rename a key or attribute")
        found[name] = array
    return found


def save_state(obj: Any, file: File) -> None:
    """Write the arrays of an object, as `weft.state` finds them, to a file that ends in `.npz` or `.safetensors`.

    A file that was there is replaced when all is written. Raises `ValueError` for another ending and for dtypes that
    the format has not, and what `weft.state` raises.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> weft.save_state({"w": np.arange(3)}, path)
    >>> restored = {"w": np.zeros(3, int)}
    >>> weft.load_state(restored, path)
    >>> restored
    {'w': array([0, 1, 2])}
    """
    write_arrays({name: np.asarray(array) for name, array in state(obj).items()}, os.fspath(file))


def load_state(obj: Any, source: File | Mapping[str, Any]) -> None:
    """Write into the arrays of an object what a file holds, or a mapping such as `weft.state` gives.

    Nothing is replaced: compiled functions, and whoever else has the arrays, see the new elements. All is looked at
    before anything is written. Raises `ValueError` for names that are missing or too many, for another shape and for a
    file that is damaged, `TypeError` for another dtype, and what `weft.state` raises.

    >>> model = {"w": np.ones(2)}
    >>> weft.load_state(model, {"w": np.array([3.0, 4.0])})
    >>> model["w"]
    array([3., 4.])
    """
    told: list[Any] = []
    _require_no_trace()
    own = _state_of(obj, told)
    given = source if isinstance(source, Mapping) else read_arrays(os.fspath(source))
    where = "the mapping" if isinstance(source, Mapping) else os.fspath(source)
    missing, surplus = [n for n in own if n not in given], [n for n in given if n not in own]
    if missing or surplus:
        lacks = f"lacks {_listed(missing)}" if missing else ""
        more = f"holds {_listed(surplus)}, which the object has not" if surplus else ""
        raise WeftValueError(f"{where} does not fit: it {' and '.join(filter(None, (lacks, more)))}")
    new = {name: _fitting(name, array, held(given[name]), where) for name, array in own.items()}
    for name, array in own.items():
        array[...] = _placed(new[name], array)
    for loaded in told:
        loaded.__weft_loaded__()


def _placed(new: np.ndarray[Any, Any], array: Any) -> Any:
    """The elements where an array lies, to which they are then copied."""
    if not isinstance(array, OnDevice):
        return new
    from ...backend.gpu.arrays.foreign import device_put  # most programs need no driver

    return device_put(new, array.device)


def _fitting(name: str, array: Any, given: Any, where: str) -> np.ndarray[Any, Any]:
    """What is given for an array, which it can hold."""
    new = np.asarray(given)
    if new.dtype.kind == "V" and new.dtype.itemsize == array.dtype.itemsize and array.dtype.kind == "V":
        new = new.view(array.dtype)  # as .npz files hold bfloat16
    if new.shape != array.shape:
        raise WeftValueError(
            f"{name} has shape {format_shape(array.shape)}, but {where} holds one of shape {format_shape(new.shape)}"
        )
    if new.dtype != array.dtype:
        raise WeftTypeError(f"{name} has dtype {array.dtype}, but {where} holds one of {new.dtype}")
    if not array.flags.writeable:
        raise WeftValueError(f"{name} is read-only: keep it in an array that can be written")
    return new


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _arrays(value: Any, name: str, seen: set[int], told: list[Any]) -> Iterator[tuple[str, Any]]:
    """The arrays in a nested value, each once."""
    if isinstance(value, ArrayHolder):
        if id(value) not in seen:
            seen.add(id(value))
            yield from _arrays(value.value, name, seen, told)
        return
    if isinstance(value, OnDevice) or (isinstance(value, np.ndarray) and value.dtype != object):
        if id(value) not in seen:
            seen.add(id(value))
            yield name, value
        return
    if (generator := generator_of(value)) is not None:
        if id(generator) not in seen:
            seen.add(id(generator))
            saved = SavedGenerator(generator)
            told.append(saved)
            yield f"{name}.{saved.kind}" if name else saved.kind, saved.words
        return
    inside = _inside(value)
    if inside is None or id(value) in seen:
        return
    seen.add(id(value))
    if hasattr(type(value), "__weft_loaded__"):
        told.append(value)
    for key, item in inside:
        yield from _arrays(item, f"{name}.{key}" if name else str(key), seen, told)


def _inside(value: Any) -> list[tuple[Any, Any]] | None:
    """The named parts of a container or of an object of a user's class; None for other values."""
    if (saved := getattr(type(value), "__weft_saved__", None)) is not None:
        return list(saved(value).items())
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value, strict=True))
    if isinstance(value, (list, tuple, deque)):
        return list(enumerate(value))
    if isinstance(value, np.ndarray):  # of objects
        return [(".".join(map(str, place)), item) for place, item in np.ndenumerate(value)]
    if isinstance(value, SimpleNamespace):
        return list(vars(value).items())
    kind = type(value)
    if isinstance(value, type) or callable(getattr(value, "__get__", None)):  # classes, functions, methods
        return None
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    if is_library(kind.__module__) or is_own_module(kind.__module__):
        return None
    slots = [slot for base in kind.__mro__ for slot in _slots(base) if hasattr(value, slot)]
    return [*((slot, getattr(value, slot)) for slot in slots), *own_attributes(value).items()]


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (
        (slots,)
        if isinstance(slots, str)
        else tuple(s for s in slots if s not in ("__dict__", "__weakref__"))
    )
