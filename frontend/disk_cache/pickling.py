"""Programs as bytes: what they are made of, but what they find outside of themselves only as the way to it.

What Python does at each call is done by functions of this package, and what these enclose tells them apart. They are
written with their code, as all source files of the package are part of a program's key.
"""

from __future__ import annotations

import functools
import io
import marshal
import pickle
import types
from typing import Any

import numpy as np

from ...dialect.callbacks import OfThread
from ..guards.captures import Capture
from ..guards.guards import Guard
from ..guards.handles import Handle
from ..guards.inputs import Input
from ..guards.packed_inputs import PackedInput
from ..guards.unbound import UNBOUND
from ..runtime_values.values import Text
from ..signature.signature import TensorSpec
from ..source.modules import is_own_module
from .fingerprints import is_found
from .portable import NotPortable
from .stored_handles import Path, Paths
from .unpickling import bound_method, cell_of, function_of

ARRAY_BYTES = 1 << 20
"""Larger arrays that a function makes while it is traced, or gives to Python, are not stored."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple)
_PARTS = (Capture, Guard, Handle, Input, OfThread, PackedInput, Text, TensorSpec, type(UNBOUND))
"""What programs are made of, besides tuples and records of this package."""

_BY_VALUE = (np.dtype, np.generic, complex, slice, range, type(Ellipsis), functools.partial)


def pickled(value: Any, paths: Paths) -> bytes:
    """A program, or parts of one; raises NotPortable for what means nothing to another process."""
    file = io.BytesIO()
    try:
        _Writer(file, paths).dump(value)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise NotPortable(f"what Python gets at run time: {error}") from error
    return file.getvalue()


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, paths: Paths) -> None:
        super().__init__(file, protocol=5)
        self._paths = paths

    def persistent_id(self, value: Any) -> Path | None:
        return None if type(value) in _PLAIN else self._paths.path_of(value)

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, types.FunctionType) and not is_found(value):
            module, name = value.__globals__["__name__"], value.__name__
            return function_of, (
                module,
                value.__code__,
                name,
                value.__defaults__,
                value.__kwdefaults__,
                value.__closure__,
                {name: mark for name, mark in vars(value).items() if type(mark) in (bool, str)},
            )
        if isinstance(value, np.dtype) and np.dtype(value.type) == value:
            return np.dtype, (value.type,)  # the one that there is, where NumPy would make a new one
        if isinstance(value, types.CodeType):
            return marshal.loads, (marshal.dumps(value),)
        if isinstance(value, types.CellType):
            return cell_of, _content(value)
        if isinstance(value, types.MethodType):
            return bound_method, (value.__func__, value.__self__)
        if isinstance(value, types.BuiltinFunctionType):
            self._require_found(value.__self__)
        elif isinstance(value, functools.partial):
            for part in (*value.args, *value.keywords.values()):
                self._require_found(part)
        elif isinstance(value, np.ndarray):
            if type(value) is not np.ndarray or value.dtype.hasobject or value.nbytes > ARRAY_BYTES:
                raise NotPortable(f"an array of {value.nbytes} bytes that it made while it was traced")
        elif not isinstance(value, (type, types.FunctionType, np.ufunc)) and not self._is_part(value):
            raise NotPortable(f"a {type(value).__qualname__} that Python gets at run time")
        return NotImplemented

    def _require_found(self, value: Any) -> None:
        """Refuse a list, dict or set that would be another one in each process, though it is changed or read later."""
        if isinstance(value, (list, dict, set, np.ndarray)) and self._paths.known_path(value) is None:
            raise NotPortable(f"a {type(value).__name__}, which only this process can find")

    @staticmethod
    def _is_part(value: Any) -> bool:
        if isinstance(value, (*_BY_VALUE, *_PARTS)):
            return True
        kind = type(value)
        is_record = isinstance(value, tuple) or hasattr(kind, "_record_fields")
        return is_record and is_own_module(kind.__module__)


def _content(cell: types.CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()
