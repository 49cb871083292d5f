"""Calls exported functions by their manifests, with NumPy's arrays: what C would do."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from weft.dialect.types import parse_type

VALUES = 15


class Error(ctypes.Structure):
    """`weft_error`."""

    _fields_ = (("place", ctypes.c_int64), ("values", ctypes.c_int64 * VALUES), ("cancel", ctypes.c_void_p))


class Failed(Exception):
    """A call returned another code than 0."""

    def __init__(self, code: int, message: str, place: int) -> None:
        super().__init__(message)
        self.code = code
        self.place = place


class Exported:
    """A shared library with its manifest, and a state if it has one."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.manifest = json.loads(Path(files["manifest"]).read_text())
        self.library = ctypes.CDLL(files["shared"])
        self.name = self.manifest["name"]
        self.state = None
        if self.manifest["state"]:
            new = getattr(self.library, f"{self.name}_new")
            new.restype = ctypes.c_void_p
            self.state = ctypes.c_void_p(new())

    def __call__(self, *arrays: Any, name: str | None = None) -> Any:
        """The result, or a dict of several by their names."""
        function = next(f for f in self.manifest["functions"] if name in (None, f["name"]))
        given, kept = self._given(function, arrays)
        sizes = (ctypes.c_int64 * max(1, len(function["sizes"])))()
        if function["sizes"]:
            getattr(self.library, f"{function['name']}_sizes")(*given, sizes)
        known = iter(sizes)
        results: dict[str, Any] = {}
        passed: list[Any] = []
        for result in function["results"]:
            type = parse_type(result["type"])
            if result["memory"] == "caller":
                array = np.empty([next(known) if e is None else e for e in type.shape], type.dtype)
                results[result["name"]] = array
                passed.append(ctypes.c_void_p(array.ctypes.data))
            else:
                block, shape = ctypes.c_void_p(), (ctypes.c_int64 * type.rank)()
                results[result["name"]] = (block, shape, type.dtype)
                passed += [ctypes.byref(block), shape]
        error = Error()
        code = getattr(self.library, function["name"])(*given, *passed, ctypes.byref(error))
        del kept
        if code:
            raise Failed(code, self.describe(error), error.place)
        found = {key: self._taken(value) for key, value in results.items()}
        return next(iter(found.values())) if list(found) == ["result"] else found

    def describe(self, error: Error) -> str:
        """The message of an error."""
        text = ctypes.create_string_buffer(1000)
        getattr(self.library, f"{self.name}_describe")(ctypes.byref(error), text, ctypes.c_int64(1000))
        return text.value.decode()

    def array(self, name: str) -> Any:
        """An array of the state."""
        entry = next(entry for entry in self.manifest["state"] if entry["key"] == name)
        type = parse_type(entry["type"])
        function = getattr(self.library, f"{self.name}_{entry['name']}")
        function.restype = ctypes.c_void_p
        memory = (ctypes.c_byte * (int(np.prod(type.shape)) * type.dtype.itemsize)).from_address(
            function(self.state)
        )
        return np.frombuffer(memory, type.dtype).reshape(type.shape)  # type: ignore[arg-type]

    def _given(self, function: Any, arrays: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
        given: list[Any] = [self.state] if function["state"] else []
        kept: list[Any] = []
        for argument, array in zip(function["arguments"], arrays, strict=True):
            type = parse_type(argument["type"])
            made = np.ascontiguousarray(array, type.dtype)
            kept.append(made)
            if argument["by"] == "value":
                given.append(by_value(made))
                continue
            assert not argument["written"] or made is array
            given.append(ctypes.c_void_p(made.ctypes.data))
            given += [ctypes.c_int64(made.shape[a]) for a, e in enumerate(type.shape) if e is None]
        return given, kept

    def _taken(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value
        block, shape, dtype = value
        count = int(np.prod(list(shape)))
        if not count:
            array = np.empty(list(shape), dtype)
        else:
            memory = (ctypes.c_byte * (count * dtype.itemsize)).from_address(block.value)
            array = np.frombuffer(memory, dtype).reshape(list(shape)).copy()
        getattr(self.library, f"{self.name}_free")(block)
        return array


def by_value(number: Any) -> Any:
    """A number as C takes it."""
    kind = {"f4": ctypes.c_float, "f8": ctypes.c_double, "b1": ctypes.c_bool}
    code = f"{number.dtype.kind}{number.dtype.itemsize}"
    if code in kind:
        return kind[code](number.item())
    sign = "u" if number.dtype.kind != "i" else ""
    word = (
        number.item() if number.dtype.kind in "iu" else int(np.asarray(number).reshape(1).view(np.uint16)[0])
    )
    return getattr(ctypes, f"c_{sign}int{8 * number.dtype.itemsize}")(word)
