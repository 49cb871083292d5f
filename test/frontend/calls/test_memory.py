"""What is compiled and dropped leaves nothing behind, nor do exceptions of compiled code."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest

import weft

COMPILING = """
import ctypes, gc, os
os.environ["WEFT_CACHE"] = "0"
import numpy as np, weft

class Info(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

try:
    mallinfo = ctypes.CDLL(None).mallinfo2
except AttributeError:
    print(0)
    raise SystemExit
mallinfo.restype = Info

def use(number):
    def f(x):
        return x * number + 1
    compiled = weft.function(f)
    for _ in range(3):
        compiled(np.ones(3))

def used():
    gc.collect()
    info = mallinfo()
    return info.uordblks + info.hblkhd

for n in range(32):
    use(n + 0.5)
before = used()
for n in range(32):
    use(n + 1000.5)
print((used() - before) / 32)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the allocator of GNU")
@pytest.mark.processor
def test_a_function_that_is_dropped_leaves_nothing() -> None:
    run = subprocess.run([sys.executable, "-c", COMPILING], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    # MLIR and LLVM keep each constant and each name that there ever was, once.
    assert float(run.stdout) < 6 * 1024


@pytest.mark.parametrize("way", ["native", "python"])
def test_exceptions_hold_nothing_that_holds_them(way: str) -> None:
    compiled = weft.function(lambda x, i: x[i])
    x, place = np.ones(3), np.int64(9)
    call = compiled if way == "native" else compiled.get_concrete_function(x, place)
    for _ in range(4):
        with pytest.raises(IndexError):
            call(x, place)

    def fail() -> bool:
        try:
            call(x, place)
        except IndexError:
            return True
        return False

    def garbage() -> int:
        gc.collect()
        for _ in range(16):
            fail()
        return gc.collect()

    assert fail()
    gc.disable()
    try:
        # Not even one for each; threads that other tests left behind may make some in one of the turns.
        assert min(garbage() for _ in range(3)) < 16
    finally:
        gc.enable()
