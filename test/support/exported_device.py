"""Calls functions that were exported for a GPU as C would, with the emulator in the place of the driver.

A program in C finds the driver in a shared library; a small one stands for it, whose functions call those of the
emulator by pointers.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from support.exported_calls import Error, Failed, by_value
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.signatures import SIGNATURES
from weft.dialect.types import TensorType, parse_type
from weft_emulator.library import Emulator

MOST = max(map(len, SIGNATURES.values()))


def make_driver(folder: Path, without: Sequence[str] = ()) -> Path:
    """A shared library with the driver's functions, which call what is in its table."""
    parameters = ", ".join(f"long a{number}" for number in range(MOST))
    passed = ", ".join(f"a{number}" for number in range(MOST))
    lines = [f"int (*weft_table[{len(SIGNATURES)}])({', '.join(['long'] * MOST)});"]
    lines += [
        f"int {name}({parameters}) {{ return weft_table[{number}]({passed}); }}"
        for number, name in enumerate(SIGNATURES)
        if name not in without
    ]
    source, target = folder / "driver.c", folder / "libcuda.so.1"
    source.write_text("\n".join(lines))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(target), str(source)], check=True)
    return target


class FakeDriver:
    """The shared library, filled with the functions of an emulator, some of which may give other codes."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.emulator = Emulator(**options)
        self.driver = Library(self.emulator.functions, "the emulator")
        self.calls: list[str] = []
        """What is called from C."""
        self.codes: dict[str, int] = {}
        """Functions that give a code instead of what they do."""
        self._kept: list[Any] = []
        loaded = ctypes.CDLL(str(path))
        table = (ctypes.c_void_p * len(SIGNATURES)).in_dll(loaded, "weft_table")
        for number, (name, types) in enumerate(SIGNATURES.items()):
            kept = ctypes.CFUNCTYPE(ctypes.c_int, *types)(self._noted(name))
            self._kept.append(kept)
            table[number] = ctypes.cast(kept, ctypes.c_void_p).value
        self.driver.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.context = context

    def _noted(self, name: str) -> Any:
        function = self.emulator.functions[name]

        def call(*arguments: Any) -> int:
            self.calls.append(name)
            if name in self.codes:
                return self.codes[name]
            code: int = function(*arguments)
            return code

        return call

    # What a program in C does for itself

    def make_current(self, context: Any = None) -> None:
        """Make a context current, or none."""
        self.driver.call("cuCtxSetCurrent", context)

    def current(self) -> int:
        """The context that is current."""
        found = ctypes.c_void_p()
        self.driver.call("cuCtxGetCurrent", ctypes.byref(found))
        return found.value or 0

    def stream(self) -> ctypes.c_void_p:
        """A new stream."""
        with _Current(self):
            found = ctypes.c_void_p()
            self.driver.call("cuStreamCreate", ctypes.byref(found), 1)
        return found

    def put(self, array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
        """A copy of an array on the device."""
        with _Current(self):
            address = ctypes.c_void_p()
            self.driver.call("cuMemAlloc_v2", ctypes.byref(address), max(array.nbytes, 1))
            if array.nbytes:
                self.driver.call("cuMemcpyHtoDAsync_v2", address, array.ctypes.data, array.nbytes, None)
            self.driver.call("cuStreamSynchronize", None)
        return address

    def get(self, address: Any, type: TensorType, shape: Sequence[int], stream: Any = None) -> Any:
        """A copy of an array of the device."""
        array = np.empty(tuple(shape), type.dtype)
        with _Current(self):
            if array.nbytes:
                self.driver.call("cuMemcpyDtoHAsync_v2", array.ctypes.data, address, array.nbytes, stream)
            self.driver.call("cuStreamSynchronize", stream)
        return array

    def free(self, address: Any) -> None:
        """Free a block."""
        with _Current(self):
            self.driver.call("cuMemFree_v2", address)

    @property
    def used(self) -> int:
        """How many bytes of the device are taken."""
        with _Current(self):
            self.driver.call("cuCtxSynchronize")
        return self.emulator.memory.used


class _Current:
    """The driver's context is current for what a test does itself."""

    def __init__(self, driver: FakeDriver) -> None:
        self._driver = driver

    def __enter__(self) -> None:
        self._before = self._driver.current()
        self._driver.make_current(self._driver.context)

    def __exit__(self, *_: object) -> None:
        self._driver.make_current(self._before or None)


class ExportedDevice:
    """A shared library with its manifest, opened in the emulator, and a state if it has one."""

    def __init__(self, files: Mapping[str, str], driver: FakeDriver, stream: Any = None) -> None:
        self.manifest = json.loads(Path(files["manifest"]).read_text())
        self.library = ctypes.CDLL(files["shared"])
        self.name = self.manifest["name"]
        self.driver = driver
        self.stream = stream
        self.device = ctypes.c_void_p()
        self.open(driver.context)
        self.state = None
        if self.manifest["state"]:
            self.state = ctypes.c_void_p()
            self.do("new", self.device, ctypes.byref(self.state))

    def do(self, what: str, *arguments: Any) -> None:
        """Call a function of the library itself; raises `Failed`."""
        self._call(f"{self.name}_{what}", *arguments)

    def open(self, context: Any, path: bytes | None = b"") -> None:
        """Open the library for a context, by the path of the driver or None."""
        path = str(self.driver.path).encode() if path == b"" else path
        self.do("open", context, path, ctypes.byref(self.device))

    def close(self) -> None:
        """Delete the state, and close the library."""
        if self.state:
            self.do("delete", self.state)
        self.do("close", self.device)

    def _call(self, name: str, *arguments: Any) -> None:
        error = Error()
        code = getattr(self.library, name)(*arguments, ctypes.byref(error))
        if code:
            raise Failed(code, self.describe(error), error.place)

    def describe(self, error: Error) -> str:
        """The message of an error."""
        text = ctypes.create_string_buffer(1000)
        getattr(self.library, f"{self.name}_describe")(ctypes.byref(error), text, ctypes.c_int64(1000))
        return text.value.decode()

    def __call__(self, *arrays: Any, name: str | None = None) -> Any:
        """The result, or a dict of several by their names; what is written is copied back."""
        function = next(f for f in self.manifest["functions"] if name in (None, f["name"]))
        given: list[Any] = []
        written: list[tuple[Any, Any, TensorType]] = []
        own: list[Any] = []
        for argument, array in zip(function["arguments"], arrays, strict=True):
            type = parse_type(argument["type"])
            made = np.ascontiguousarray(array, type.dtype)
            if argument["by"] == "value":
                given.append(by_value(made))
            elif argument["name"] in function["on_host"]:
                own.append(made)
                given.append(ctypes.c_void_p(made.ctypes.data))
            else:
                own.append(self.driver.put(made))
                given.append(own[-1])
                given += [ctypes.c_int64(made.shape[a]) for a, e in enumerate(type.shape) if e is None]
                written += [(own[-1], array, type)] if argument["written"] else []
        made_by_it, passed = self._results(function, given)
        first = [self.device, self.stream, *([self.state] if function["state"] else [])]
        try:
            self._call(function["name"], *first, *given, *passed)
            found = {name: self.driver.get(*placed, self.stream) for name, placed in made_by_it.items()}
            for address, array, type in written:
                array[...] = self.driver.get(address, type, array.shape, self.stream)
        finally:
            self._free(function, made_by_it, [block for block in own if isinstance(block, ctypes.c_void_p)])
        return next(iter(found.values())) if list(found) == ["result"] else found

    def _results(self, function: Any, given: Sequence[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Where results go, with their types and shapes, and what is passed for them."""
        sizes = (ctypes.c_int64 * max(1, len(function["sizes"])))()
        if function["sizes"]:
            getattr(self.library, f"{function['name']}_sizes")(*given, sizes)
        known = iter(sizes)
        results: dict[str, Any] = {}
        passed: list[Any] = []
        for result in function["results"]:
            type = parse_type(result["type"])
            if result["memory"] == "caller":
                shape = tuple(next(known) if e is None else e for e in type.shape)
                address = self.driver.put(np.zeros(shape, type.dtype))
                results[result["name"]] = (address, type, shape)
                passed.append(address)
            else:
                block, extents = ctypes.c_void_p(), (ctypes.c_int64 * type.rank)()
                results[result["name"]] = (block, type, extents)
                passed += [ctypes.byref(block), extents]
        return results, passed

    def _free(self, function: Any, results: Mapping[str, Any], blocks: Sequence[Any]) -> None:
        for block in blocks:
            self.driver.free(block)
        for result in function["results"]:
            address, *_ = results[result["name"]]
            if result["memory"] == "caller":
                self.driver.free(address)
            elif address.value:
                self.do("free", self.device, self.stream, address)

    def array(self, key: str) -> Any:
        """A copy of an array of the state."""
        entry = next(entry for entry in self.manifest["state"] if entry["key"] == key)
        type = parse_type(entry["type"])
        function = getattr(self.library, f"{self.name}_{entry['name']}")
        function.restype = ctypes.c_void_p
        return self.driver.get(ctypes.c_void_p(function(self.state)), type, type.shape, self.stream)  # type: ignore[arg-type]
