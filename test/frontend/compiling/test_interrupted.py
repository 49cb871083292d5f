"""Ctrl-C while a function is compiled: it is never lost, never another error, and the function works afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.native import STRESS

PROGRAM = """
import random, signal, sys, threading, time
import numpy as np, weft

def program(x, n):
    y = x * 2 + 1
    for i in range(n):
        if y.sum() > 3:
            y = np.sin(y) + x[i % 3]
        else:
            y = y * 0.5
    return y, np.sort(y), y @ y

x, n, generator = np.arange(5.0), np.int64(4), random.Random(int(sys.argv[1]))
expected, took = program(x, n), 0.4
for round in range(int(sys.argv[2])):
    function, sent, raised = weft.function(program), [], False
    def press(delay):
        time.sleep(delay)
        sent.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)
    thread = threading.Thread(target=press, args=(generator.random() * took,))
    start = time.perf_counter()
    end = start + 1e9
    try:
        thread.start()
        function(x, n)
        end = time.perf_counter()
        thread.join()
        time.sleep(0.001)
    except KeyboardInterrupt:
        raised = True
    thread.join()
    if end < start + 1e9:
        took = end - start
    for found, wanted in zip(function(x, n), expected, strict=True):
        np.testing.assert_allclose(found, wanted)
    assert raised, "lost"
print("all raised")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals as POSIX does")
@pytest.mark.parametrize("seed", range(STRESS))
def test_interrupts_are_raised(tmp_path: Path, seed: int) -> None:
    """The first compilation of a process loads what compiles; the later ones find it."""
    script = tmp_path / "interrupted.py"
    script.write_text(PROGRAM)
    for rounds in (1, 10):
        done = subprocess.run(
            [sys.executable, str(script), str(seed), str(rounds)], capture_output=True, text=True, timeout=300
        )
        assert done.stdout == "all raised\n", done.stdout + done.stderr[-3000:]


HANDLERS = """
import signal, numpy as np, weft
from weft.dialect.held_interrupts import interrupts_held, raise_held

def pressed():
    try:
        signal.raise_signal(signal.SIGINT)
        return "waits"
    except KeyboardInterrupt:
        return "raised"

exec(compile("def inside(call): return call()", weft.__path__[0] + "/passes/inside.py", "exec"))
before = signal.getsignal(signal.SIGINT)
try:
    with interrupts_held():
        print(pressed(), inside(pressed), inside(lambda: pressed()))
except KeyboardInterrupt:
    print("at the end")

text = "import signal\\ndef own(): signal.raise_signal(signal.SIGINT)"
exec(compile(text, weft.__path__[0] + "/passes/own.py", "exec"))
for step in ("end", "step", "twice", "error"):
    try:
        with interrupts_held():
            with interrupts_held():
                own()
            print("still waits")
            if step == "step": raise_held()
            if step == "twice": own()
            if step == "error": raise ValueError
            print("no step")
    except KeyboardInterrupt as error:
        print(step, type(error.__context__).__name__)
print(signal.getsignal(signal.SIGINT) is before)

signal.signal(signal.SIGINT, lambda *_: print("of the user"))
with interrupts_held():
    own()
    print("before")
signal.signal(signal.SIGINT, signal.SIG_IGN)
with interrupts_held():
    own()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals as POSIX does")
def test_what_waits(tmp_path: Path) -> None:
    script = tmp_path / "handlers.py"
    script.write_text(HANDLERS)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [
        "raised raised raised",
        *("still waits", "no step", "end NoneType"),
        *("still waits", "step NoneType"),
        *("still waits", "twice NoneType"),
        *("still waits", "error ValueError"),
        "True",
        *("before", "of the user"),
    ], done.stdout + done.stderr[-2000:]
