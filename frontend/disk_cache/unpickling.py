"""Programs made again of bytes; what they find outside of themselves is looked up by the way to it."""

from __future__ import annotations

import importlib
import io
import pickle
import types
from typing import Any

from .stored_handles import Path, Paths


def unpickled(content: bytes, paths: Paths) -> Any:
    """What was written; raises NotPortable where something is not found, or something else."""
    return _Reader(io.BytesIO(content), paths).load()


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, paths: Paths) -> None:
        super().__init__(file)
        self._paths = paths

    def persistent_load(self, path: Path) -> Any:
        return self._paths.at(path)


def cell_of(*content: Any) -> types.CellType:
    """A variable of a function, which may hold nothing."""
    return types.CellType(*content)


def bound_method(function: Any, owner: Any) -> types.MethodType:
    """A method of an object."""
    return types.MethodType(function, owner)


def function_of(
    module: str,
    code: types.CodeType,
    name: str,
    defaults: Any,
    by_name: Any,
    closure: Any,
    marks: dict[str, bool | str],
) -> types.FunctionType:
    """A function of this package, of its code and what it encloses, with what it was marked as."""
    made = types.FunctionType(code, vars(importlib.import_module(module)), name, defaults, closure)
    made.__kwdefaults__ = by_name
    vars(made).update(marks)
    return made
