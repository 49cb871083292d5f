"""The pool of threads under load: all iterations are done once, and nobody waits for ever.

Loops are shared by native code, from several threads at once. Each case has a process and a time of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.native import STRESS

PRELUDE = """
import ctypes, itertools, os, random, sys, threading, time, warnings
from support import thread_stress
from support.native import STRESS, native_addresses, native_function, run_together
from weft.backend.cpu.threads.pool import linked_pool

addresses = native_addresses(thread_stress)
native = {name: native_function(address) for name, address in addresses.items()}

def make_pool(threads, replaced={}):
    found = linked_pool(replaced)
    native["use"](found["weft_parallel_for"])
    set_threads, stop = (native_function(found[f"weft_pool_{name}"]) for name in ("set_threads", "stop"))
    set_threads(threads)
    return set_threads, stop

def drive(seed, rounds, most=200):
    board = (ctypes.c_int64 * (1 + 2 * most))()
    return native["drive"](ctypes.addressof(board), most, rounds, seed)

def drive_nested(seed, rounds, rows=12):
    boards = (ctypes.c_int64 * (rows * (1 + 2 * thread_stress.INNER)))()
    return native["drive_nested"](ctypes.addressof(boards), rows, rounds, seed)

def tasks():
    return len(os.listdir("/proc/self/task"))
"""


def run(code: str) -> str:
    """Run a program; what it prints. The time is what tells that threads wait for each other."""
    path = str(Path(__file__).parents[3])
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE + code],
        capture_output=True,
        text=True,
        timeout=100 * STRESS,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_loops_of_one_thread(threads: int) -> None:
    run(f"""
make_pool({threads})
assert drive(1, 5000 * STRESS) == 0
""")


def test_loops_of_many_threads_at_once() -> None:
    run("""
make_pool(4)
work = [lambda seed=seed: drive(seed, 4000 * STRESS) for seed in range(1, 6)]
assert run_together(work, lambda: time.sleep(0.01)) == [0] * 5
""")


def test_loops_in_loops() -> None:
    run("""
make_pool(4)
assert drive_nested(1, 1000 * STRESS) == 0
work = [lambda seed=seed: drive_nested(seed, 700 * STRESS) for seed in range(1, 4)]
assert run_together(work, lambda: time.sleep(0.01)) == [0] * 3
""")


def test_threads_sleep_and_wake() -> None:
    """Breaks of about the time after which workers sleep."""
    run("""
make_pool(4)
for round in range(1500 * STRESS):
    assert drive(round + 1, 2) == 0
    end = time.perf_counter() + random.uniform(0, 150e-6)
    while time.perf_counter() < end:
        pass
""")


def test_the_number_changes_and_threads_end_meanwhile() -> None:
    run("""
set_threads, stop = make_pool(4)
numbers, stopped = itertools.cycle([1, 9, 2, 5, 3]), []
def change():
    set_threads(next(numbers))
    stopped.append(stop())
    time.sleep(0.001)
work = [lambda seed=seed: drive(seed, 3000 * STRESS) for seed in range(1, 4)]
assert run_together(work, change) == [0] * 3
assert 1 in stopped and stop() == 1
set_threads(4)
assert drive(9, 500) == 0
""")


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_threads_that_do_not_start() -> None:
    """Each one of four in turn, or all from one on; those that are there do the work, and others are tried later."""
    run("""
set_threads, stop = make_pool(5, {"pthread_create": addresses["counted_create"]})
before = tasks()
for first in range(5):
    for count in (1, 1000):
        native["refuse"](first, count)
        assert drive(first + 1, 300) == 0
        assert native["starts"]() > first or first == 4
        expected = 4 if count == 1 else first
        assert tasks() - before == expected, (first, count, tasks())
        assert stop() == 1 and tasks() == before
native["refuse"](0, 1 << 60)
assert drive(1, 100) == 0 and tasks() == before
native["refuse"](0, 0)
assert drive(1, 100) == 0 and tasks() - before == 4
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_forks_while_loops_are_shared() -> None:
    """The pool of the process, which is told of forks; children share loops and fork as well."""
    run("""
import weft
from weft.backend.cpu.threads.pool import pool

warnings.simplefilter("ignore", DeprecationWarning)  # this process has several threads
weft.set_num_threads(4)
native["use"](pool().parallel_for)
children = []

def fork():
    child = os.fork()
    if not child:
        wrong = drive(len(children) + 7, 50)
        grandchild = os.fork()
        wrong += drive(len(children) + 8, 50)
        if grandchild:
            wrong += os.waitpid(grandchild, 0)[1]
        os._exit(bool(wrong))
    children.append(os.waitpid(child, 0)[1])

def work(seed):
    wrong = 0
    while len(children) < 25 * STRESS:
        wrong += drive(seed, 100)
    return wrong

assert run_together([lambda seed=seed: work(seed) for seed in range(1, 4)], fork) == [0] * 3
assert not any(children), children
""")
