"""Requests for memory and threads fail while compiled code runs: MemoryError or fewer threads, and right results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import gc, sys
import numpy as np
from support import memory_stress, thread_stress
from support.native import native_addresses, native_function
from weft.backend.cpu.memory import result_pool
from weft.backend.cpu.threads import pool

memory, threads = native_addresses(memory_stress), native_addresses(thread_stress)
fail, outstanding, system_calls, refuse = (
    native_function(found[name])
    for found, name in (
        (memory, "fail"), (memory, "outstanding"), (memory, "system_calls"), (threads, "refuse")
    )
)
of_memory = {name: memory[f"counted_{name}"] for name in ("malloc", "free", "posix_memalign")}
for module, replaced in ((result_pool, of_memory), (pool, {"pthread_create": threads["counted_create"]})):
    module.linked_pool = lambda link=module.linked_pool, replaced=replaced: link(replaced)

import weft

weft.set_num_threads(4)

@weft.function
def product(a, b, x):
    return a @ b + 1

@weft.function
def chain(a, b, x):
    for _ in range(2):
        a = np.tanh(a @ b) + a.mean(axis=0)
    return a[np.argsort(a[:, 0])]

@weft.function
def masked(a, b, x):
    return x[x > 0.5] * 2, np.sort(a, axis=1)

def same(one, other):
    return all(map(np.array_equal, one, other)) if isinstance(one, tuple) else np.array_equal(one, other)

generator = np.random.default_rng(1)
first, second = ([generator.random(shape) for shape in ((300, 310), (310, 310), 50_000)] for _ in range(2))
second[0] = second[0][:, ::-1].copy()
for function in (product, chain, masked):
    if function is chain:
        first[0], second[0] = generator.random((2, 310, 310))
    function(*second)
    expected = function(*first)
    failures, position, requests = 0, 0, 1
    while position < requests:
        for count in (1, 1 << 40):
            function(*second)  # old results are not those that are expected
            pool.pool().stop()
            result_pool.result_pool().release()
            before = outstanding()
            fail(position + count, count)
            refuse(position % 4, count)
            result = None
            try:
                result = function(*first)
            except MemoryError:
                failures += 1
            requests = max(requests, min(system_calls(), 8))
            fail(0, 0)
            refuse(0, 0)
            assert result is None or same(result, expected), (function.name, position, count)
            del result
            gc.collect()
            result_pool.result_pool().release()
            assert outstanding() == before, (function.name, position, count, outstanding(), before)
            assert same(function(*first), expected)
        position += 1
    print(function.name, requests, failures)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system's functions are those of POSIX")
def test_programs_on_several_threads() -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3]), "WEFT_CACHE": "0"},
    )
    assert result.returncode == 0, result.stderr[-2000:]
    counts = {
        name: (int(requests), int(failures))
        for name, requests, failures in map(str.split, result.stdout.splitlines())
    }
    assert counts.keys() == {"product", "chain", "masked"}
    assert all(requests > 1 and failures > 0 for requests, failures in counts.values())
