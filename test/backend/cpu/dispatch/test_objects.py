"""Classes whose instances native code calls and reads."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weft.backend.cpu.dispatch import library as library_module
from weft.backend.cpu.dispatch.library import Library, has_versions, library
from weft.backend.cpu.dispatch.objects import (
    FastCallable,
    NativeTable,
    is_supported,
    mark_callable,
    slot_offset,
)
from weft.backend.cpu.machine.libraries import library_function, numpy_function
from weft.backend.cpu.native_python import layout
from weft.dialect.errors import InternalError

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")

VECTORCALL = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.py_object, ctypes.POINTER(ctypes.py_object), ctypes.c_size_t, ctypes.c_void_p
)


class Callable(FastCallable):
    """Calls go to `_vectorcall`, or to `__call__` without one."""

    __slots__ = ("__dict__", "__weakref__", "first", "second")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return "slow", args, kwargs


mark_callable(Callable, is_method=True)


@VECTORCALL
def fast(function: Any, args: Any, count: int, keywords: Any) -> Any:
    return "fast", [args[i] for i in range(count & layout.COUNT_MASK)]


def test_calls_go_to_the_native_function():
    one, other = Callable(), Callable()
    one._vectorcall = ctypes.cast(fast, ctypes.c_void_p).value
    assert one(1, "a") == ("fast", [1, "a"])
    assert one(*[1, 2]) == ("fast", [1, 2])
    assert other(1, k=2) == ("slow", (1,), {"k": 2})
    assert Callable.__call__(one, 3) == ("slow", (3,), {})
    one._vectorcall = 0
    assert one(1) == ("slow", (1,), {})


def test_methods_are_called_without_binding():
    class Owner:
        method = Callable()

    owner = Owner()
    Owner.method._vectorcall = ctypes.cast(fast, ctypes.c_void_p).value
    result = owner.method(1)
    assert result == ("fast", [owner, 1])


def test_subclasses_with_a_call_of_their_own():
    class Own(Callable):
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return "own"

    own = Own()
    own._vectorcall = ctypes.cast(fast, ctypes.c_void_p).value
    assert own(1) == "own"


def test_attributes_weak_references_and_collection():
    value = Callable()
    value.first, value.anything = [value], 1
    reference = weakref.ref(value)
    assert vars(value) == {"anything": 1}
    del value
    gc.collect()
    assert reference() is None


def test_places_of_slots():
    value = Callable()
    value.first, value.second = object(), object()
    for name in ("first", "second"):
        place = id(value) + slot_offset(Callable, name)
        assert ctypes.c_size_t.from_address(place).value == id(getattr(value, name))
    del value.first
    assert ctypes.c_size_t.from_address(id(value) + slot_offset(Callable, "first")).value == 0


def test_tables_have_an_address():
    class Table(NativeTable):
        __slots__ = ("memory",)

    table = Table()
    table.address = 1 << 40
    assert ctypes.c_int64.from_address(id(table) + layout.WORDS).value == table.address == 1 << 40
    with pytest.raises(TypeError):
        table.address = "text"


def test_objects_of_this_python_are_as_native_code_expects():
    def word(value: Any, offset: int) -> int:
        return ctypes.c_int64.from_address(id(value) + offset).value

    entry = object()
    assert word((entry,), layout.TUPLE_ITEMS) == id(entry)
    items = [entry]
    assert ctypes.c_int64.from_address(word(items, layout.LIST_ITEMS)).value == id(entry)
    assert [word(value, layout.SIZE) for value in ((1, 2), [1, 2], {1: 1, 2: 2})] == [2, 2, 2]
    cell = (lambda: entry).__closure__[0]
    assert word(cell, layout.CELL_CONTENT) == id(entry)
    target = Callable()
    assert word(weakref.ref(target), layout.REFERENT) == id(target)
    gone = weakref.ref(Callable())
    gc.collect()
    assert word(gone, layout.REFERENT) == id(None)
    assert ctypes.c_double.from_address(id(1.25) + layout.VALUE).value == 1.25
    array = np.zeros((3, 5), np.int16)
    assert word(array, layout.ARRAY_DATA) == array.ctypes.data
    assert word(array, layout.ARRAY_TYPE) == id(array.dtype)
    assert ctypes.c_int.from_address(id(array) + layout.ARRAY_RANK).value == 2
    assert ctypes.c_int.from_address(id(array) + layout.ARRAY_FLAGS).value == array.flags.num
    shape = (ctypes.c_int64 * 2).from_address(word(array, layout.ARRAY_SHAPE))
    assert list(shape) == [3, 5]
    dtype = np.dtype(np.int16)
    assert ctypes.c_int.from_address(id(dtype) + layout.TYPE_NUMBER).value == dtype.num
    for order, expected in (("=", layout.NATIVE_ORDER), (">", ord(">"))):
        kind = np.dtype(np.int16).newbyteorder(order)
        assert ctypes.c_uint8.from_address(id(kind) + layout.TYPE_ORDER).value == expected
    assert ctypes.c_uint8.from_address(id(np.dtype("i1")) + layout.TYPE_ORDER).value == layout.NO_ORDER


def test_versions_of_dicts():
    assert has_versions() == (sys.version_info < (3, 14))


def test_types_of_another_layout_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("weft.backend.cpu.dispatch.objects.TYPE_FLAGS", layout.TYPE_FLAGS + 8)
    with pytest.raises(InternalError, match="unknown layout"):
        mark_callable(type("Other", (Callable,), {}))


def test_functions_that_are_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("weft.backend.cpu.dispatch.library.PYTHON_FUNCTIONS", ("PyNothing_OfThisName",))
    with pytest.raises(InternalError, match="the function PyNothing_OfThisName"):
        Library()


def test_functions_that_stand_for_missing_ones(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(library_module, "_INSTEAD", {"PyNothing_OfThisName": "PyObject_GenericGetAttr"})
    assert library_module._address("PyNothing_OfThisName") == library_function("PyObject_GenericGetAttr")


def test_attributes_that_are_absent_raise_nothing(tmp_path: Path):
    """Neither where the function for it is told not to raise, nor where another one stands for it."""
    program = """
import types
import numpy as np
from weft.backend.cpu.dispatch import library
if {is_missing}:
    find = library.library_function
    library.library_function = lambda name: None if name in library._INSTEAD else find(name)
import weft
deep = types.SimpleNamespace(value=2.0)
for _ in range(5):
    deep = types.SimpleNamespace(inner=deep)
def f(x, d):
    found = HELD[0]
    for _ in range(5):
        found = found.inner
    return x * found.value + (1.0 if getattr(d, "other", None) is None else 2.0)
HELD, d = [deep], types.SimpleNamespace()
compiled = weft.function(f)
for _ in range(4):
    assert compiled(np.ones(2), d).tolist() == [3.0, 3.0]
d.other = 1
assert compiled(np.ones(2), d).tolist() == [4.0, 4.0]
found = deep
for _ in range(5):
    found = found.inner
found.value = 3.0
assert compiled(np.ones(2), d).tolist() == [5.0, 5.0]
"""
    for is_missing in (False, True):
        file = tmp_path / "program.py"
        file.write_text(program.replace("{is_missing}", str(is_missing)))
        environment = os.environ | {"WEFT_CACHE": "0"}
        subprocess.run([sys.executable, "-W", "ignore", str(file)], check=True, env=environment, timeout=120)


def test_there_is_one_library():
    assert library() is library()
    assert numpy_function(2) == id(np.ndarray)


def test_python_ends_while_functions_are_alive():
    program = (
        "import atexit, weft, numpy as np\n"
        "f = weft.function(lambda x: x + 1)\n"
        "class Late:\n"
        "    def __del__(self, f=f, x=np.ones(2)): print(f(x))\n"
        "late = Late()\n"
        "for _ in range(4): f(np.ones(2))\n"
        "atexit.register(lambda: print(f(np.ones(2))))\n"
        "cycle = [f, late]; cycle.append(cycle)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("[2. 2.]")
