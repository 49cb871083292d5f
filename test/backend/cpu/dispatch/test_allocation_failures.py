"""Each allocation of a native call fails once: the call raises MemoryError or succeeds, and the next one is right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("_testcapi", reason="only CPython's own tests can let allocations fail")

PROGRAM = """
import _testcapi
import numpy as np
import weft

@weft.function
def tree(x, n, scale=2.0):
    return x * scale + n, (x.sum(), [x[0], n])

@weft.function
def element(x, i):
    return x[i] + 1

@weft.function
def written(x):
    x += 1
    return x

@weft.function
def selected(x):
    return x[x > 1], np.nonzero(x > 100), x[::-1]

large, small = np.ones(300_000), np.arange(8.0)
calls = {
    "nested": lambda: tree(small, 3, scale=np.float64(1.5)),
    "strided": lambda: tree(np.ones(16)[::2], 3),
    "large": lambda: tree(large, 3),
    "selected": lambda: selected(small),
    "many selected": lambda: selected(large * 2),
    "raises": lambda: element(small, np.int64(99)),
    "written": lambda: written(np.zeros(3)),
}

def outcome(call):
    try:
        return repr(call())
    except IndexError as error:
        return str(error).splitlines()[0]

for name, call in calls.items():
    for _ in range(20):
        expected = outcome(call)
    failures = 0
    for position in range(1, 120):
        try:
            _testcapi.set_nomemory(position, position + 1)
            try:
                call()
            finally:
                _testcapi.remove_mem_hooks()
        except IndexError:
            pass
        except (MemoryError, SystemError):  # CPython's exec forgets to set one, where a traceback is made
            failures += 1
        assert outcome(call) == expected, (name, position)
    print(name.replace(' ', '_'), failures)
"""


def test_native_calls() -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=Path(__file__).parent,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    counts = dict(line.split() for line in result.stdout.splitlines())
    assert len(counts) == 7
    assert int(counts["nested"]) > 0
    assert int(counts["raises"]) > 0
