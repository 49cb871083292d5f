"""The pool of memory under load: threads, limits that change, forks, and a system that has no memory left.

The pools here are linked apart from that of the process, with functions that count and fail in place of the system's.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support import memory_stress
from support.native import STRESS, native_addresses, native_function, run_together
from weft.backend.cpu.memory.limit import POOLED_BYTES
from weft.backend.cpu.memory.pool_code import STATISTICS
from weft.backend.cpu.memory.result_pool import linked_pool

COUNTED = {
    "malloc": "counted_malloc",
    "posix_memalign": "counted_posix_memalign",
    "free": "counted_free",
    "madvise": "refused_madvise",
}


class StressedPool:
    """A pool, the native code that uses it, and what the two count."""

    def __init__(self) -> None:
        addresses = native_addresses(memory_stress)
        self._functions = {name: native_function(address) for name, address in addresses.items()}
        pool = linked_pool({name: addresses[counted] for name, counted in COUNTED.items()})
        self.allocate, self.reallocate, self.free, self.shrink = (
            native_function(pool[f"weft_{name}"])
            for name in ("allocate", "reallocate", "free", "memory_shrink")
        )
        self["use"](*(pool[f"weft_{name}"] for name in ("allocate", "reallocate", "free")))
        state = ctypes.CFUNCTYPE(ctypes.c_void_p)(pool["weft_memory_state"])()
        self._state = (ctypes.c_int64 * len(STATISTICS)).from_address(state)

    def __getitem__(self, name: str) -> Callable[..., int]:
        return self._functions[name]

    def set_limit(self, limit: int) -> None:
        self._state[0] = limit
        self.shrink(limit)

    def count(self, name: str) -> int:
        return self._state[STATISTICS.index(name)]

    def check_empty(self) -> None:
        """All memory was given back, and the pool knows: to it, and from it to the system."""
        assert self.count("live") == 0
        assert 0 <= self.count("kept") <= self.count("limit")
        assert self.count("made") + self.count("reused") == self["pooled"]()
        self.shrink(0)
        assert self.count("kept") == 0
        assert self["outstanding"]() == 0


@pytest.mark.parametrize("failing", [0, 3, 50])
def test_no_two_threads_have_the_same_block(failing: int) -> None:
    pool = StressedPool()
    pool["fail"](failing, 2)
    limits = itertools.cycle([1 << 28, 0, 1 << 20, 5 << 20, 100])
    wrong = run_together(
        [lambda owner=owner: pool["churn"](owner, 6000 * STRESS) for owner in range(1, 7)],
        lambda: pool.set_limit(next(limits)),
    )
    assert wrong == [0] * 6
    pool.set_limit(1 << 28)
    pool.check_empty()


def test_blocks_are_used_again_by_all_threads() -> None:
    pool = StressedPool()
    pool.set_limit(1 << 30)
    assert (
        run_together([lambda o=o: pool["churn"](o, 6000 * STRESS) for o in (1, 2, 3)], lambda: None)
        == [0] * 3
    )
    assert pool.count("reused") > 10 * pool.count("made")
    assert pool.count("peak") <= 3 * memory_stress.SLOTS * 3 << 20
    pool.check_empty()


@pytest.mark.parametrize("run", [1, 2])
def test_the_system_has_no_memory_at_any_one_time(run: int) -> None:
    """The first request to the system fails, or the second one, and so on; with a second try, or without."""
    pool = StressedPool()
    sizes = [100, POOLED_BYTES, POOLED_BYTES + 1, 3 << 20, 200_000, 3 << 20]
    failures, every = 0, 1
    while True:
        pool.set_limit(1 << 30)
        spare = pool.allocate(1 << 20)
        pool.free(spare)
        pool["fail"](every, run)
        blocks = [pool.allocate(size) for size in sizes]
        grown = [
            pool.reallocate(block, 2 * size) if block else 0
            for block, size in zip(blocks, sizes, strict=True)
        ]
        calls = pool["system_calls"]()
        pool["fail"](0, 0)
        held = [new or old for new, old in zip(grown, blocks, strict=True) if new or old]
        failures += grown.count(0)
        assert len({*held}) == len(held)
        assert all(block % 64 == 0 for block in held)
        for block in held:
            pool.free(block)
        assert pool.count("live") == 0
        pool.shrink(0)
        assert pool["outstanding"]() == 0
        every += 1
        if calls < every:
            break
    assert every > 2 * len(sizes)
    assert failures


def test_memory_is_tried_again_without_what_is_kept() -> None:
    pool = StressedPool()
    pool.set_limit(1 << 30)
    pool.free(pool.allocate(1 << 20))
    assert pool.count("kept") >= 1 << 20
    pool["fail"](2, 1)
    pool.free(pool.allocate(200_000))  # the first request
    block = pool.allocate(400_000)  # the second, which fails, and the third
    assert block
    assert (pool.count("kept"), pool["system_calls"](), pool["outstanding"]()) == (0, 3, 1)
    pool.free(block)


@pytest.mark.parametrize("size", [-1, -(1 << 63), (1 << 63) - 1, (1 << 47) + 1])
def test_absurd_sizes_are_refused(size: int) -> None:
    pool = StressedPool()
    assert pool.allocate(size) == 0
    block = pool.allocate(100)
    assert pool.reallocate(block, size) == 0
    pool.free(block)
    assert pool["system_calls"]() == 1
    assert pool.count("live") == 0
    pool.free(0)


def test_arrays_that_numpy_does_not_make_leave_no_memory_behind() -> None:
    addresses = native_addresses(memory_stress)
    outstanding = native_function(addresses["outstanding"])
    out_of_memory = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value or 0
    replaced = {name: addresses[counted] for name, counted in COUNTED.items()}
    pool = linked_pool({"PyArray_NewFromDescr": out_of_memory, **replaced})
    state = ctypes.CFUNCTYPE(ctypes.c_void_p)(pool["weft_memory_state"])()
    limit, _kept, live, *_ = (ctypes.c_int64 * len(STATISTICS)).from_address(state)
    assert (limit, live) == (0, 0)
    ctypes.c_int64.from_address(state).value = 1 << 28
    arguments = (ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments)(pool["weft_new_result"])
    for bytes in (100, 1 << 20):
        with pytest.raises(MemoryError):
            new(np.dtype("u1"), 1, (ctypes.c_ssize_t * 1)(bytes), bytes)
    native_function(pool["weft_memory_shrink"])(0)
    assert outstanding() == 0


def test_numpy_allocates_zeros_in_it() -> None:
    """Through the memory handler, which also gets more than one item at a time."""
    code = """
import ctypes, numpy as np
from weft.backend.cpu.memory.result_pool import result_pool
from weft.backend.cpu.machine.libraries import numpy_function
array = result_pool().new((1000, 1000), np.dtype("f8"))
array[...] = 7
capsule = ctypes.py_object.from_address(id(array) + object.__basicsize__ + 72).value
ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(numpy_function(304))(capsule)
del array
for shape in [(1000, 1000), (10,), (0,), (3, 100_000)]:
    zeros = np.zeros(shape)
    assert np._core.multiarray.get_handler_name(zeros) == "weft result pool"
    assert not zeros.any() and zeros.ctypes.data % 64 == 0
    zeros[...] = 3
"""
    run(code)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_forks_in_the_middle() -> None:
    code = """
import ctypes, os, sys, warnings
from support import memory_stress
from support.native import STRESS, native_addresses, native_function, run_together
from weft.backend.cpu.memory.result_pool import result_pool

warnings.simplefilter("ignore", DeprecationWarning)  # this process has several threads
native = native_addresses(memory_stress)
churn = native_function(native["churn"])
pool = result_pool()
reallocate = ctypes.cast(pool.reallocate, ctypes.c_void_p).value
native_function(native["use"])(pool.allocate_address, reallocate, pool.free_address)
children = []

def fork():
    child = os.fork()
    if not child:
        live = pool.statistics()["live"]
        wrong = churn(len(children) + 100, 300)
        pool.set_limit(1 << 20)
        found = pool.statistics()
        os._exit(bool(wrong or found["live"] != live or found["kept"] > 1 << 20))
    children.append(os.waitpid(child, 0)[1])

def work(owner):
    wrong = 0
    while len(children) < 15 * STRESS:
        wrong += churn(owner, 200)
    return wrong

assert run_together([lambda owner=owner: work(owner) for owner in range(1, 5)], fork) == [0] * 4
assert pool.statistics()["live"] == 0 and not any(children), children
"""
    run(code)


def run(code: str) -> None:
    """Run a program, within a time."""
    path = str(Path(__file__).parents[3])
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=120 * STRESS,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert result.returncode == 0, result.stderr
