"""Ctrl-C stops compiled loops, each in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.linalg_programs import compile_text, stage_text

TESTS = Path(__file__).parents[3]

PRELUDE = """
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%k = tensor.extract %n[] : tensor<i64>
%trips = arith.index_cast %k : i64 to index
"""

# u[0] counts; nothing can be computed in advance, as the numbers are mixed.
SCALAR_WHILE = """
func.func @f(%u: memref<1xi64>, %n: tensor<i64>) {
  PRELUDE
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%i = %zero, %x = %one) : (i64, i64) -> (i64, i64) {
    %go = arith.cmpi slt, %i, %k : i64
    scf.condition(%go) %i, %x : i64, i64
  } do {
  ^bb0(%j: i64, %y: i64):
    %j1 = arith.addi %j, %one : i64
    %z = arith.muli %y, %j1 : i64
    %m = arith.xori %z, %j : i64
    %old = bufferization.to_tensor %u restrict writable : memref<1xi64> to tensor<1xi64>
    %mixed = arith.ori %m, %one : i64
    %new = tensor.insert %mixed into %old[%c0] : tensor<1xi64>
    bufferization.materialize_in_destination %new in restrict writable %u : (tensor<1xi64>, memref<1xi64>) -> ()
    scf.yield %j1, %m : i64, i64
  } attributes {weft.interruptible}
  return
}
"""

RANGE = """
func.func @f(%u: memref<1xi64>, %n: tensor<i64>) {
  PRELUDE
  %one = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%x = %one) -> (i64) {
    %j = arith.index_cast %i : index to i64
    %z = arith.muli %x, %j : i64
    %m = arith.xori %z, %j : i64
    scf.yield %m : i64
  } {weft.interruptible}
  %old = bufferization.to_tensor %u restrict writable : memref<1xi64> to tensor<1xi64>
  %new = tensor.insert %r into %old[%c0] : tensor<1xi64>
  bufferization.materialize_in_destination %new in restrict writable %u : (tensor<1xi64>, memref<1xi64>) -> ()
  return
}
"""

ARRAYS = """
#id = affine_map<(i) -> (i)>
func.func @f(%u: memref<SIZExi64>, %n: tensor<i64>) {
  PRELUDE
  scf.for %i = %c0 to %trips step %c1 {
    %old = bufferization.to_tensor %u restrict writable : memref<SIZExi64> to tensor<SIZExi64>
    %e = tensor.empty() : tensor<SIZExi64>
    %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%old : tensor<SIZExi64>) outs(%e : tensor<SIZExi64>) {
    ^bb0(%a: i64, %out: i64):
      %one = arith.constant 1 : i64
      %s = arith.addi %a, %one : i64
      linalg.yield %s : i64
    } -> tensor<SIZExi64>
    bufferization.materialize_in_destination %new in restrict writable %u
        : (tensor<SIZExi64>, memref<SIZExi64>) -> ()
  } {weft.interruptible}
  return
}
"""

PROGRAMS = {
    "while": SCALAR_WHILE,
    "range": RANGE,
    "small arrays": ARRAYS.replace("SIZE", "4"),
    "large arrays": ARRAYS.replace("SIZE", "3000000"),
}

INTERRUPT = """
import os, signal, sys, threading, time
import numpy as np
from support.linalg_programs import compile_text
from weft.backend.cpu.execution.executable import RuntimeFailure
f = compile_text(sys.argv[1])
u = np.zeros(f.plan.inputs[0].shape, np.int64)
f(u, np.array(3))
u[:] = 0
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
handled = []
if sys.argv[2] == "own handler":
    def handle(*_):
        handled.append(time.perf_counter())
        if len(handled) == 2:
            raise ZeroDivisionError("from the handler")
        threading.Thread(target=interrupt).start()
    signal.signal(signal.SIGINT, handle)
threading.Thread(target=interrupt).start()
start = time.perf_counter()
try:
    f(u, np.array(10**15))
except RuntimeFailure as failure:
    raised = failure.exception
seconds = time.perf_counter() - start
if sys.argv[2] == "own handler":
    assert isinstance(raised, ZeroDivisionError) and str(raised) == "from the handler", raised
    assert len(handled) == 2
else:
    assert type(raised) is KeyboardInterrupt, raised
assert seconds < 1.5, seconds
print(int(u.reshape(-1)[0]))
f(u, np.array(3))
"""


def run(program: str, mode: str) -> int:
    command = [sys.executable, "-c", INTERRUPT, program.replace("PRELUDE", PRELUDE), mode]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=TESTS, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process there")
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_interrupt(name):
    written = run(PROGRAMS[name], "default")
    assert (written != 0) is (name != "range")


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process there")
def test_handler_that_lets_the_loop_go_on_and_then_raises():
    assert run(PROGRAMS["while"], "own handler") != 0


def test_only_loops_of_the_program_look():
    text = PROGRAMS["while"].replace("PRELUDE", PRELUDE)
    assert compile_text(text).plan.polls
    assert "weft_poll" not in stage_text(text.replace("attributes {weft.interruptible}", ""), "buffers")


def test_short_loops_do_not_look():
    text = PROGRAMS["range"].replace("PRELUDE", PRELUDE).replace("%c0 to %trips", "%c0 to %c100")
    text = text.replace("%c1 = arith", "%c100 = arith.constant 100 : index\n%c1 = arith")
    assert not compile_text(text).plan.polls


def test_signals_are_as_before_after_a_call():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
