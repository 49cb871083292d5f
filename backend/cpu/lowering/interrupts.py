"""Interrupts of compiled code: `weft_poll` runs Python's signal handlers twenty times a second.

The handlers, that of Ctrl-C too, run as they would between two lines of Python: in the main thread, with the
interpreter's lock. What one of them raises ends the call; the error record keeps it until the call is over. Where a
program keeps the interpreter's lock, other threads run then, too.
"""

from __future__ import annotations

import ctypes

from ...planning.names import POLL
from ...planning.plan import CHECKED, POLLED

INTERRUPTED = -1
"""What the first word of the record is after a signal handler has raised; the next three are the exception."""

_SHORT, _LONG, _BETWEEN_CHECKS = 1_000_000, 10_000_000, 50_000_000
"""Nanoseconds: looks that come sooner or later than this become rarer or more frequent; and between two checks."""

_MOST_ITERATIONS = 1 << 24

_RECORD = "%base: !llvm.ptr, %record: !llvm.ptr, %offset: i64, %size: i64, %stride: i64"


def _word(index: int) -> str:
    return f"llvm.getelementptr %record[{index}] : (!llvm.ptr) -> !llvm.ptr, i64"


POLL_FUNCTION = f"""
llvm.func @{POLL}({_RECORD}, %period: i64) -> i64 attributes {{no_inline, passthrough = ["cold"]}} {{
  %0 = llvm.mlir.constant(0 : i64) : i64
  %1 = llvm.mlir.constant(1 : i64) : i64
  %utc = llvm.mlir.constant(1 : i32) : i32
  %2 = llvm.mlir.constant(2 : i64) : i64
  %one = llvm.mlir.constant(1 : i32) : i32
  %good = llvm.mlir.constant(0 : i32) : i32
  %billion = llvm.mlir.constant(1000000000 : i64) : i64
  %short = llvm.mlir.constant({_SHORT} : i64) : i64
  %long = llvm.mlir.constant({_LONG} : i64) : i64
  %wait = llvm.mlir.constant({_BETWEEN_CHECKS} : i64) : i64
  %most = llvm.mlir.constant({_MOST_ITERATIONS} : i64) : i64
  %interrupted = llvm.mlir.constant({INTERRUPTED} : i64) : i64
  %polled_at = {_word(POLLED)}
  %checked_at = {_word(CHECKED)}
  %time = llvm.alloca %one x !llvm.struct<(i64, i64)> : (i32) -> !llvm.ptr
  %ignored = llvm.call @timespec_get(%time, %utc) : (!llvm.ptr, i32) -> i32
  %nanoseconds_at = llvm.getelementptr %time[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %seconds = llvm.load %time : !llvm.ptr -> i64
  %nanoseconds = llvm.load %nanoseconds_at : !llvm.ptr -> i64
  %whole = llvm.mul %seconds, %billion : i64
  %now = llvm.add %whole, %nanoseconds : i64
  %polled = llvm.load %polled_at : !llvm.ptr -> i64
  llvm.store %now, %polled_at : i64, !llvm.ptr
  %elapsed = llvm.sub %now, %polled : i64
  %is_short = llvm.icmp "ult" %elapsed, %short : i64
  %is_long = llvm.icmp "ugt" %elapsed, %long : i64
  %twice = llvm.shl %period, %1 : i64
  %more = llvm.intr.umin(%twice, %most) : (i64, i64) -> i64
  %quarter = llvm.lshr %period, %2 : i64
  %less = llvm.intr.umax(%quarter, %1) : (i64, i64) -> i64
  %grown = llvm.select %is_short, %more, %period : i1, i64
  %first = llvm.icmp "eq" %polled, %0 : i64
  %shrunk = llvm.select %is_long, %less, %grown : i1, i64
  %next = llvm.select %first, %more, %shrunk : i1, i64
  %checked = llvm.load %checked_at : !llvm.ptr -> i64
  %since = llvm.sub %now, %checked : i64
  %due = llvm.icmp "ugt" %since, %wait : i64
  llvm.cond_br %due, ^check, ^done
^check:
  llvm.store %now, %checked_at : i64, !llvm.ptr
  // The first time only starts the clock: a call that is over by then never asks Python.
  %start = llvm.icmp "eq" %checked, %0 : i64
  llvm.cond_br %start, ^done, ^ask
^ask:
  %lock = llvm.call @PyGILState_Ensure() : () -> i32
  %status = llvm.call @PyErr_CheckSignals() : () -> i32
  %raised = llvm.icmp "ne" %status, %good : i32
  llvm.cond_br %raised, ^keep, ^release
^keep:
  %type_at = {_word(1)}
  %value_at = {_word(2)}
  %traceback_at = {_word(3)}
  llvm.call @PyErr_Fetch(%type_at, %value_at, %traceback_at) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  llvm.store %interrupted, %record : i64, !llvm.ptr
  llvm.br ^release
^release:
  llvm.call @PyGILState_Release(%lock) : (i32) -> ()
  // A program that keeps the interpreter's lock, as it draws of generators of Python's, lets other threads run.
  %is_kept = llvm.icmp "eq" %lock, %good : i32
  llvm.cond_br %is_kept, ^yield, ^done
^yield:
  %thread = llvm.call @PyEval_SaveThread() : () -> !llvm.ptr
  llvm.call @PyEval_RestoreThread(%thread) : (!llvm.ptr) -> ()
  llvm.br ^done
^done:
  llvm.return %next : i64
}}
"""

FLAG_FUNCTION = f"""
llvm.func @{POLL}({_RECORD}, %period: i64) -> i64 attributes {{no_inline, passthrough = ["cold"]}} {{
  %0 = llvm.mlir.constant(0 : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %interrupted = llvm.mlir.constant({INTERRUPTED} : i64) : i64
  %flag_at = {_word(CHECKED)}
  %flag = llvm.load %flag_at : !llvm.ptr -> !llvm.ptr
  %none = llvm.icmp "eq" %flag, %null : !llvm.ptr
  llvm.cond_br %none, ^done, ^look
^look:
  %value = llvm.load volatile %flag : !llvm.ptr -> i64
  %unset = llvm.icmp "eq" %value, %0 : i64
  llvm.cond_br %unset, ^done, ^cancel
^cancel:
  llvm.store %interrupted, %record : i64, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return %period : i64
}}
"""
"""Looks at a flag, whose address is in the record, instead of asking Python."""

DECLARATIONS = """
llvm.func @timespec_get(!llvm.ptr, i32) -> i32
llvm.func @PyGILState_Ensure() -> i32
llvm.func @PyErr_CheckSignals() -> i32
llvm.func @PyErr_Fetch(!llvm.ptr, !llvm.ptr, !llvm.ptr)
llvm.func @PyGILState_Release(i32)
llvm.func @PyEval_SaveThread() -> !llvm.ptr
llvm.func @PyEval_RestoreThread(!llvm.ptr)
"""


def take_exception(record: ctypes.Array[ctypes.c_int64]) -> BaseException:
    """The exception that a record keeps; it is taken out of it."""
    restore = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 3)(("PyErr_Restore", ctypes.pythonapi))
    try:
        restore(*(word or None for word in record[1:4]))
    except BaseException as error:
        return error
    return KeyboardInterrupt()
