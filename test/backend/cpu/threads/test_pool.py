"""What happens to the pool of threads in a process; each case in a process of its own, with a time limit.

What the processes run is compiled by the first of them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

HAS_FORK = hasattr(os, "fork")
HAS_TASKS = os.path.isdir("/proc/self/task")

PRELUDE = """
import os, sys, threading, time
import numpy as np
import weft

weft.set_num_threads(4)

@weft.function
def product(a, b):
    return a @ b

@weft.function
def chain(x):
    return np.tanh(x) * np.exp(-x * x) + 1

rng = np.random.default_rng(0)
a, b = rng.standard_normal((2, 300, 300), np.float32)
x = rng.standard_normal(200_001, np.float32)
expected = product(a, b), chain(x)

def check():
    assert np.array_equal(product(a, b), expected[0])
    assert np.array_equal(chain(x), expected[1])

def tasks():
    return len(os.listdir("/proc/self/task"))
"""

IMPORTS = """
import os, sys, threading, time
from prelude import *
"""


@pytest.fixture(scope="module", autouse=True)
def _prelude(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A module with the prelude, and a disk cache for its functions."""
    folder: Path = tmp_path_factory.mktemp("pool")
    (folder / "prelude.py").write_text(PRELUDE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        patch.setenv("WEFT_CACHE", "1")
        patch.setenv("WEFT_CACHE_DIR", str(folder / "cache"))
        yield


def run(code: str, **environment: str) -> str:
    """Run a program; what it prints. Warnings are errors."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORTS + code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.skipif(not HAS_TASKS, reason="threads are counted in /proc")
def test_threads_start_with_the_first_large_work_and_end_before_a_fork() -> None:
    code = """
from weft.backend.cpu.threads.pool import pool
print(tasks())
check()
print(tasks(), pool().stop(), tasks())
check()
print(tasks())
"""
    assert run(code).split() == ["4", "4", "True", "1", "4"]


@pytest.mark.skipif(not HAS_TASKS, reason="threads are counted in /proc")
def test_small_work_and_one_thread_start_no_threads() -> None:
    code = """
from weft.backend.cpu.threads.pool import pool
pool().stop()
weft.set_num_threads(1)
check()
weft.set_num_threads(4)
small = np.ones((16, 16), np.float32)
assert product(small, small)[0, 0] == 16
print(tasks())
"""
    assert run(code) == "1\n"


@pytest.mark.skipif(not HAS_TASKS or not hasattr(os, "sched_setaffinity"), reason="needs affinity and /proc")
def test_a_pinned_process_computes_in_its_own_thread() -> None:
    code = """
from weft.backend.cpu.threads.pool import pool
pool().stop()
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
weft.set_num_threads(None)
check()
print(tasks(), weft.get_num_threads())
"""
    assert run(code, WEFT_NUM_THREADS="") == "1 1\n"


def test_the_number_changes_while_functions_run() -> None:
    code = """
done = False
def change():
    number = 0
    while not done:
        number += 1
        weft.set_num_threads(number % 9 + 1)
changer = threading.Thread(target=change)
changer.start()
for _ in range(200):
    check()
done = True
changer.join()
"""
    run(code)


def test_several_threads_of_python_call_at_once() -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(6) as executor:
    for future in [executor.submit(check) for _ in range(300)]:
        future.result()
"""
    run(code)


@pytest.mark.skipif(not HAS_FORK, reason="there is no fork on this system")
def test_a_child_computes_and_so_does_its_parent() -> None:
    code = """
check()
for _ in range(5):
    child = os.fork()
    check()
    if not child:
        grandchild = os.fork()
        check()
        if grandchild:
            assert os.waitpid(grandchild, 0)[1] == 0
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
    run(code)


@pytest.mark.skipif(not HAS_FORK, reason="there is no fork on this system")
def test_a_fork_while_another_thread_computes() -> None:
    code = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # this process has several threads, as it is told
done = False
def compute():
    while not done:
        check()
computing = threading.Thread(target=compute)
computing.start()
for _ in range(20):
    child = os.fork()
    if not child:
        check()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
done = True
computing.join()
"""
    run(code)


@pytest.mark.skipif(not HAS_FORK, reason="there is no fork on this system")
def test_a_child_that_c_forks_has_a_pool_of_its_own() -> None:
    code = """
import ctypes
libc = ctypes.PyDLL(None)  # keeps Python's lock, and runs none of Python's hooks
check()
child = libc.fork()
if not child:
    check()
    print(tasks() if os.path.isdir("/proc/self/task") else 4, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
check()
"""
    assert run(code) == "4\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str, tmp_path: os.PathLike[str]) -> None:
    import multiprocessing

    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {method} on this system")
    program = os.path.join(tmp_path, "program.py")
    code = f"""
def work(number):
    check()
    return number

if __name__ == "__main__":
    import multiprocessing
    with multiprocessing.get_context({method!r}).Pool(2) as workers:
        assert workers.map(work, range(4)) == [0, 1, 2, 3]
    check()
"""
    with open(program, "w") as file:
        file.write(IMPORTS + code)
    result = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("kind", ["daemon", "idle"])
def test_python_exits_while_threads_wait_or_work(kind: str) -> None:
    code = """
def compute():
    while True:
        check()
if KIND == "daemon":
    for _ in range(2):
        threading.Thread(target=compute, daemon=True).start()
    time.sleep(0.2)
else:
    check()
print("end")
"""
    for _ in range(3):
        assert run(code.replace("KIND", repr(kind))) == "end\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on POSIX")
def test_an_interrupt_reaches_python() -> None:
    code = """
print("ready", flush=True)
try:
    while True:
        check()
except KeyboardInterrupt:
    check()
    print("interrupted")
"""
    with subprocess.Popen(
        [sys.executable, "-c", IMPORTS + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("interrupted\n", 0), err


def test_other_threads_of_python_run_during_long_kernels() -> None:
    code = """
large = rng.standard_normal((2500, 2500), np.float32)
product(large, large)
product(large, large)
ticks, done = 0, False
def tick():
    global ticks
    while not done:
        time.sleep(0.001)
        ticks += 1
ticking = threading.Thread(target=tick)
ticking.start()
before = ticks
for _ in range(3):
    product(large, large)
during = ticks - before
done = True
ticking.join()
assert during > 6, during  # with Python's lock held it would be one or two for each call
"""
    run(code)


@pytest.mark.skipif(not HAS_TASKS, reason="threads are counted in /proc")
def test_functions_from_the_disk_cache_use_threads(tmp_path: os.PathLike[str]) -> None:
    program = os.path.join(tmp_path, "program.py")
    with open(program, "w") as file:
        file.write(PRELUDE + "check()\nprint(tasks(), 'torch_mlir' in sys.modules)\n")
    environment = {**os.environ, "WEFT_CACHE": "1", "WEFT_CACHE_DIR": os.path.join(tmp_path, "cache")}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "WEFT_VERIFY": "0"}
    found = [
        subprocess.run(
            [sys.executable, program],
            capture_output=True,
            text=True,
            timeout=120,
            env=environment,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert found == ["4 True\n", "4 False\n"]


def test_signals_are_left_to_the_threads_of_python() -> None:
    if not HAS_TASKS:
        pytest.skip("masks are read in /proc")
    code = """
check()
main = threading.get_native_id()
for task in os.listdir("/proc/self/task"):
    with open(f"/proc/self/task/{task}/status") as file:
        mask = next(line for line in file if line.startswith("SigBlk")).split()[1]
    interrupts_blocked = bool(int(mask, 16) & 1 << 1)
    assert interrupts_blocked == (int(task) != main), (task, mask)
"""
    run(code)


BODIES = """
import ctypes
from weft.backend.cpu.threads.pool import pool
BODY = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
share = ctypes.CFUNCTYPE(None, BODY, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(pool().parallel_for)
"""


def test_every_iteration_runs_once_in_pieces_of_the_grain() -> None:
    code = """
pieces = []
body = BODY(lambda begin, end, context: pieces.append((begin, end)))
for iterations in (0, 1, 2, 3, 7, 64, 1000, 12345):
    for grain in (1, 2, 10, 100_000):
        pieces.clear()
        share(body, iterations, grain, None)
        covered = sorted(pieces)
        assert covered[0][0] == 0 and covered[-1][1] == iterations
        assert all(left[1] == right[0] for left, right in zip(covered, covered[1:]))
        assert all(end - begin >= grain for begin, end in covered[:-1]) or len(covered) == 1
pieces.clear()
share(body, 100, -30, None)
assert sorted(pieces) == [(0, 34), (34, 68), (68, 100)]
pieces.clear()
share(body, 103, -1, None)
assert sorted(pieces) == [(0, 26), (26, 52), (52, 78), (78, 103)]
pieces.clear()
share(body, 10, -6, None)
assert pieces == [(0, 10)]
"""
    run(BODIES + code)


def test_a_body_may_share_work_itself() -> None:
    code = """
counts = np.zeros((8, 100), np.int64)
def inner(begin, end, context):
    counts[context, begin:end] += 1
inner_body = BODY(lambda begin, end, context: inner(begin, end, (context or 0)))
def outer(begin, end, context):
    for row in range(begin, end):
        check()
        share(inner_body, 100, 1, row)
share(BODY(outer), 8, 1, None)
assert (counts == 1).all()
"""
    run(BODIES + code)


def test_work_is_done_by_several_threads() -> None:
    code = """
barrier = threading.Barrier(4, timeout=60)
names = set()
def body(begin, end, context):
    barrier.wait()  # only passed by four threads at once
    names.add(threading.get_ident())
share(BODY(body), 4, 1, None)
print(len(names))
"""
    assert run(BODIES + code) == "4\n"


def test_threads_that_cannot_be_started_are_done_without() -> None:
    if not HAS_TASKS:
        pytest.skip("the limit is Linux's")
    code = """
import resource
from weft.backend.cpu.threads.pool import pool
pool().stop()
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
weft.set_num_threads(1024)
check()
assert 1 <= tasks() < 1024, tasks()
check()
"""
    run(code)
