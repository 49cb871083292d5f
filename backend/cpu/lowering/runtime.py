"""The functions of the backend's own that compiled code calls, in the LLVM dialect; each module gets what it calls.

A heap block is an entry of a table: the descriptor of a memref of bytes (see planning/heap.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from ....dialect.mlir import Module, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import symbols_of
from ...planning.names import ALLOCATE, CLEAR, FREE, POLL, RELEASE, RESERVE
from ...planning.plan import ENTRY_WORDS
from .interrupts import DECLARATIONS, FLAG_FUNCTION, POLL_FUNCTION

_ENTRY = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>"
_TABLE = "%table_base: !llvm.ptr, %table: !llvm.ptr, %table_offset: i64, %table_size: i64, %table_stride: i64"

_RESERVE = f"""
llvm.func @{RESERVE}({_TABLE}, %index: i64, %bytes: i64) -> i1 {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %yes = llvm.mlir.constant(true) : i1
  %null = llvm.mlir.zero : !llvm.ptr
  %entry = llvm.getelementptr %table[%index] : (!llvm.ptr, i64) -> !llvm.ptr, {_ENTRY}
  %aligned_at = llvm.getelementptr %entry[0, 1] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %offset_at = llvm.getelementptr %entry[0, 2] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %size_at = llvm.getelementptr %entry[0, 3, 0] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %stride_at = llvm.getelementptr %entry[0, 4, 0] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %size = llvm.load %size_at : !llvm.ptr -> i64
  %fits = llvm.icmp "ule" %bytes, %size : i64
  llvm.cond_br %fits, ^done(%yes : i1), ^grow
^grow:
  // What grows once grows again: half as much more makes the cost of all that follows a constant per byte.
  %half = llvm.lshr %size, %one : i64
  %ample = llvm.add %size, %half : i64
  %wanted = llvm.intr.umax(%ample, %bytes) : (i64, i64) -> i64
  %old = llvm.load %entry : !llvm.ptr -> !llvm.ptr
  llvm.call @{FREE}(%old) : (!llvm.ptr) -> ()
  %first = llvm.call @{ALLOCATE}(%wanted) : (i64) -> !llvm.ptr
  %made = llvm.icmp "ne" %first, %null : !llvm.ptr
  llvm.cond_br %made, ^store(%first, %wanted, %yes : !llvm.ptr, i64, i1), ^again
^again:
  %second = llvm.call @{ALLOCATE}(%bytes) : (i64) -> !llvm.ptr
  %remade = llvm.icmp "ne" %second, %null : !llvm.ptr
  %capacity_then = llvm.select %remade, %bytes, %zero : i1, i64
  llvm.br ^store(%second, %capacity_then, %remade : !llvm.ptr, i64, i1)
^store(%block: !llvm.ptr, %capacity: i64, %success: i1):
  llvm.store %block, %entry : !llvm.ptr, !llvm.ptr
  llvm.store %block, %aligned_at : !llvm.ptr, !llvm.ptr
  llvm.store %zero, %offset_at : i64, !llvm.ptr
  llvm.store %capacity, %size_at : i64, !llvm.ptr
  llvm.store %one, %stride_at : i64, !llvm.ptr
  llvm.br ^done(%success : i1)
^done(%result: i1):
  llvm.return %result : i1
}}
"""

_CLEAR = f"""
llvm.func @{CLEAR}({_TABLE}, %count: i64) {{
  %zero = llvm.mlir.constant(0 : i8) : i8
  %entry = llvm.mlir.constant({8 * ENTRY_WORDS} : i64) : i64
  %bytes = llvm.mul %count, %entry : i64
  "llvm.intr.memset"(%table, %zero, %bytes) <{{isVolatile = false}}> : (!llvm.ptr, i8, i64) -> ()
  llvm.return
}}
"""

_RELEASE = f"""
llvm.func @{RELEASE}({_TABLE}, %count: i64) {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^next(%zero : i64)
^next(%index: i64):
  %more = llvm.icmp "ult" %index, %count : i64
  llvm.cond_br %more, ^free, ^done
^free:
  %entry = llvm.getelementptr %table[%index] : (!llvm.ptr, i64) -> !llvm.ptr, {_ENTRY}
  %block = llvm.load %entry : !llvm.ptr -> !llvm.ptr
  llvm.call @{FREE}(%block) : (!llvm.ptr) -> ()
  %following = llvm.add %index, %one : i64
  llvm.br ^next(%following : i64)
^done:
  llvm.return
}}
"""

_MEMORY = f"""
llvm.func @{ALLOCATE}(i64) -> !llvm.ptr
llvm.func @{FREE}(!llvm.ptr)
"""

_FUNCTIONS = {RESERVE: _RESERVE, RELEASE: _RELEASE, CLEAR: _CLEAR}
_POLLS = {True: DECLARATIONS + POLL_FUNCTION, False: FLAG_FUNCTION}


@dataclass(frozen=True)
class LinkRuntime(Pass):
    """Define the functions of the backend's own that a module calls."""

    python: bool = True
    """Whether Python is asked for interrupts; if not, a flag of the caller is looked at."""

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["runtime functions"] += _link(module, {**_FUNCTIONS, POLL: _POLLS[self.python]})


def _link(module: Module, functions: Mapping[str, str]) -> int:
    found = symbols_of(module)
    called = [name for name in functions if name in found]
    if not called:
        return 0
    runtime = ir.Module.parse(_MEMORY + "".join(functions[name] for name in called))
    for name in called:
        found.pop(name).erase()
    with ir.InsertionPoint(module.body):
        for op in runtime.body.operations:
            if op.operation.attributes["sym_name"].value not in found:
                op.operation.clone()
    return len(called)
