"""What planned functions of a GPU call: native code around the functions of the driver.

All take the address of the error record first, behind which are the stream and the tables of the call. A code of the
driver other than 0 goes to the record, unless something has failed before; the caller looks there and exits.
"""

from __future__ import annotations

from typing import ClassVar

from ....dialect.mlir import Module, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import symbols_of
from .call_context import (
    CONSTANTS,
    COPY,
    CURRENT_GRAPH,
    DEVICE_RECORD,
    DEVICE_WORDS,
    DRIVER_FAILED,
    ENCODE,
    FREE,
    FUNCTIONS,
    LAUNCH,
    LAUNCHES,
    OUT_OF_MEMORY,
    POOL,
    READ,
    READS,
    RESERVE_DEVICE,
    SEEN,
    STREAM,
    TRIPS,
    WRITE,
)
from .graph_functions import DECLARATIONS as GRAPH_DECLARATIONS
from .graph_functions import GRAPH_NODE, MODE
from .graph_functions import TEXT as GRAPHS_TEXT

FAIL = "weft_device_fail"
"""Notes a code of the driver: record, code, what was asked, number."""
LAUNCH_KERNEL = "weft_device_launch"
"""Launches a kernel: record, its number, grid, block, bytes of shared memory, the addresses of its parameters."""
LAUNCH_IN_GRAPH = "weft_device_launch_in_graph"
"""The same, and behind the parameters how many words they are: a node where the call's launches are a graph."""
READ_MEMORY = "weft_device_read"
"""Copies to the host and waits: record, host address, device address, bytes, which may be none.

What a kernel has noted in the device's record comes along, and fails the call.
"""
WRITE_MEMORY = "weft_device_write"
"""Copies to the device: record, device address, host address, bytes."""
COPY_MEMORY = "weft_device_copy"
"""Copies on the device: record, to, from, bytes."""
RESERVE_BLOCK = "weft_device_reserve"
"""Makes a block large enough: record, address of the table, index, bytes; whether there is memory."""
RELEASE_BLOCKS = "weft_device_release"
"""Frees blocks: record, address of the table, how many."""
ENCODE_MAP = "weft_device_encode_map"
"""Writes a tensor map: record, its address, kind, rank, address of the array, of extents, strides, box and steps."""
DEVICE_ERRORS = "weft_device_errors"
"""The address of the device's record: record."""
COUNT_TRIP = "weft_device_trip"
"""Counts a run of a kernel of the host: record, where its two words are, how many bytes are copied for it."""
PLACE_CONSTANT = "weft_device_constant"
"""Makes an entry of a table that of a constant: record, address of the table, index, number, bytes."""

_WORD_OF = """
llvm.func internal @weft_device_word(%record: i64, %index: i64) -> i64 attributes {always_inline} {
  %start = llvm.inttoptr %record : i64 to !llvm.ptr
  %at = llvm.getelementptr %start[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %at : !llvm.ptr -> i64
  llvm.return %word : i64
}
llvm.func internal @weft_device_count(%record: i64, %index: i64) attributes {always_inline} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %start = llvm.inttoptr %record : i64 to !llvm.ptr
  %at = llvm.getelementptr %start[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %word = llvm.load %at : !llvm.ptr -> i64
  %more = llvm.add %word, %one : i64
  llvm.store %more, %at : i64, !llvm.ptr
  llvm.return
}
"""

_FAIL = f"""
llvm.func internal @{FAIL}(%record: i64, %code: i64, %what: i64, %number: i64) attributes {{no_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %failed = llvm.mlir.constant({DRIVER_FAILED} : i64) : i64
  %start = llvm.inttoptr %record : i64 to !llvm.ptr
  %before = llvm.load %start : !llvm.ptr -> i64
  %is_first = llvm.icmp "eq" %before, %zero : i64
  %is_error = llvm.icmp "ne" %code, %zero : i64
  %note = llvm.and %is_first, %is_error : i1
  llvm.cond_br %note, ^note, ^done
^note:
  %at1 = llvm.getelementptr %start[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %at2 = llvm.getelementptr %start[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %at3 = llvm.getelementptr %start[3] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %code, %at1 : i64, !llvm.ptr
  llvm.store %what, %at2 : i64, !llvm.ptr
  llvm.store %number, %at3 : i64, !llvm.ptr
  llvm.store %failed, %start : i64, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return
}}
"""


def _launch(name: str, words: str, choice: str) -> str:
    """A launch; with a `choice` of what becomes of it, which `words` of parameters take part in."""
    return f"""
llvm.func internal @{name}(%record: i64, %number: i64, %gx: i64, %gy: i64, %gz: i64, %bx: i64, %by: i64,
    %bz: i64, %shared: i64, %parameters: i64{words}) attributes {{no_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %what = llvm.mlir.constant({LAUNCH} : i64) : i64
  %stream_at = llvm.mlir.constant({STREAM} : i64) : i64
  %functions_at = llvm.mlir.constant({FUNCTIONS} : i64) : i64
  %launches_at = llvm.mlir.constant({LAUNCHES} : i64) : i64
  %null = llvm.mlir.zero : !llvm.ptr
  %gxy = llvm.mul %gx, %gy : i64
  %blocks = llvm.mul %gxy, %gz : i64
  %is_empty = llvm.icmp "eq" %blocks, %zero : i64
  %failure = llvm.call @weft_device_word(%record, %zero) : (i64, i64) -> i64
  %has_failed = llvm.icmp "ne" %failure, %zero : i64
  %nothing = llvm.or %is_empty, %has_failed : i1
  llvm.cond_br %nothing, ^done, ^launch
^launch:
  llvm.call @weft_device_count(%record, %launches_at) : (i64, i64) -> ()
  %stream = llvm.call @weft_device_word(%record, %stream_at) : (i64, i64) -> i64
  %functions = llvm.call @weft_device_word(%record, %functions_at) : (i64, i64) -> i64
  %function = llvm.call @weft_device_word(%functions, %number) : (i64, i64) -> i64
  %function_ = llvm.inttoptr %function : i64 to !llvm.ptr
  %stream_ = llvm.inttoptr %stream : i64 to !llvm.ptr
  %parameters_ = llvm.inttoptr %parameters : i64 to !llvm.ptr
  %gx_ = llvm.trunc %gx : i64 to i32
  %gy_ = llvm.trunc %gy : i64 to i32
  %gz_ = llvm.trunc %gz : i64 to i32
  %bx_ = llvm.trunc %bx : i64 to i32
  %by_ = llvm.trunc %by : i64 to i32
  %bz_ = llvm.trunc %bz : i64 to i32
  %shared_ = llvm.trunc %shared : i64 to i32
{choice}  %code = llvm.call @cuLaunchKernel(%function_, %gx_, %gy_, %gz_, %bx_, %by_, %bz_, %shared_, %stream_,
    %parameters_, %null) : (!llvm.ptr, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @{FAIL}(%record, %code_, %what, %number) : (i64, i64, i64, i64) -> ()
  llvm.br ^done
^done:
  llvm.return
}}
"""


_CHOICE = f"""  %graph_at = llvm.mlir.constant({CURRENT_GRAPH} : i64) : i64
  %address = llvm.call @weft_device_word(%record, %graph_at) : (i64, i64) -> i64
  %has_graph = llvm.icmp "ne" %address, %zero : i64
  %graph = llvm.inttoptr %address : i64 to !llvm.ptr
  llvm.cond_br %has_graph, ^look, ^direct
^look:
  %mode_at = llvm.getelementptr %graph[{MODE}] : (!llvm.ptr) -> !llvm.ptr, i64
  %mode = llvm.load %mode_at : !llvm.ptr -> i64
  %is_node = llvm.icmp "ne" %mode, %zero : i64
  llvm.cond_br %is_node, ^node, ^direct
^node:
  llvm.call @{GRAPH_NODE}(%record, %graph, %number, %function_, %gx_, %gy_, %gz_, %bx_, %by_, %bz_, %shared_,
    %parameters_, %words) : (i64, !llvm.ptr, i64, !llvm.ptr, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr, i64) -> ()
  llvm.br ^done
^direct:
"""


def _copy(name: str, function: str, what: int) -> str:
    """A copy to the device of so many bytes, which may be none; from the device, or from the host."""
    from_host = what == WRITE
    source, kind = ("%source_", "!llvm.ptr") if from_host else ("%source", "i64")
    cast = "  %source_ = llvm.inttoptr %source : i64 to !llvm.ptr\n" if from_host else ""
    return f"""
llvm.func internal @{name}(%record: i64, %to: i64, %source: i64, %bytes: i64) attributes {{no_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %what = llvm.mlir.constant({what} : i64) : i64
  %stream_at = llvm.mlir.constant({STREAM} : i64) : i64
  %is_empty = llvm.icmp "eq" %bytes, %zero : i64
  llvm.cond_br %is_empty, ^done, ^copy
^copy:
  %stream = llvm.call @weft_device_word(%record, %stream_at) : (i64, i64) -> i64
  %stream_ = llvm.inttoptr %stream : i64 to !llvm.ptr
{cast}  %code = llvm.call @{function}(%to, {source}, %bytes, %stream_) : (i64, {kind}, i64, !llvm.ptr) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @{FAIL}(%record, %code_, %what, %bytes) : (i64, i64, i64, i64) -> ()
  llvm.br ^done
^done:
  llvm.return
}}
"""


_READ = f"""
llvm.func internal @{READ_MEMORY}(%record: i64, %to: i64, %source: i64, %bytes: i64) attributes {{no_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %what = llvm.mlir.constant({READ} : i64) : i64
  %stream_at = llvm.mlir.constant({STREAM} : i64) : i64
  %reads_at = llvm.mlir.constant({READS} : i64) : i64
  %errors_at = llvm.mlir.constant({DEVICE_RECORD} : i64) : i64
  %seen_at = llvm.mlir.constant({SEEN} : i64) : i64
  %seen_bytes = llvm.mlir.constant({8 * DEVICE_WORDS} : i64) : i64
  %start = llvm.inttoptr %record : i64 to !llvm.ptr
  %seen = llvm.getelementptr %start[%seen_at] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %stream = llvm.call @weft_device_word(%record, %stream_at) : (i64, i64) -> i64
  %stream_ = llvm.inttoptr %stream : i64 to !llvm.ptr
  %errors = llvm.call @weft_device_word(%record, %errors_at) : (i64, i64) -> i64
  %has_errors = llvm.icmp "ne" %errors, %zero : i64
  %has_bytes = llvm.icmp "ne" %bytes, %zero : i64
  %waits = llvm.or %has_errors, %has_bytes : i1
  llvm.cond_br %has_bytes, ^copy, ^look
^copy:
  %to_ = llvm.inttoptr %to : i64 to !llvm.ptr
  %code = llvm.call @cuMemcpyDtoHAsync_v2(%to_, %source, %bytes, %stream_) : (!llvm.ptr, i64, i64, !llvm.ptr) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @{FAIL}(%record, %code_, %what, %bytes) : (i64, i64, i64, i64) -> ()
  llvm.br ^look
^look:
  llvm.cond_br %has_errors, ^copy_errors, ^wait
^copy_errors:
  %looked = llvm.call @cuMemcpyDtoHAsync_v2(%seen, %errors, %seen_bytes, %stream_)
    : (!llvm.ptr, i64, i64, !llvm.ptr) -> i32
  %looked_ = llvm.sext %looked : i32 to i64
  llvm.call @{FAIL}(%record, %looked_, %what, %seen_bytes) : (i64, i64, i64, i64) -> ()
  llvm.br ^wait
^wait:
  llvm.cond_br %waits, ^synchronise, ^done
^synchronise:
  llvm.call @weft_device_count(%record, %reads_at) : (i64, i64) -> ()
  %waited = llvm.call @cuStreamSynchronize(%stream_) : (!llvm.ptr) -> i32
  %waited_ = llvm.sext %waited : i32 to i64
  llvm.call @{FAIL}(%record, %waited_, %what, %bytes) : (i64, i64, i64, i64) -> ()
  llvm.cond_br %has_errors, ^compare, ^done
^compare:
  %failure = llvm.call @weft_device_word(%record, %zero) : (i64, i64) -> i64
  %site = llvm.load %seen : !llvm.ptr -> i64
  %has_failed = llvm.icmp "ne" %site, %zero : i64
  %is_first = llvm.icmp "eq" %failure, %zero : i64
  %fails = llvm.and %has_failed, %is_first : i1
  llvm.cond_br %fails, ^fail, ^done
^fail:
  "llvm.intr.memcpy"(%start, %seen, %seen_bytes) <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.br ^done
^done:
  llvm.return
}}
"""

_ERRORS = f"""
llvm.func internal @{DEVICE_ERRORS}(%record: i64) -> i64 attributes {{always_inline}} {{
  %errors_at = llvm.mlir.constant({DEVICE_RECORD} : i64) : i64
  %errors = llvm.call @weft_device_word(%record, %errors_at) : (i64, i64) -> i64
  llvm.return %errors : i64
}}
"""

_TRIP = f"""
llvm.func internal @{COUNT_TRIP}(%record: i64, %index: i64, %bytes: i64) attributes {{no_inline}} {{
  %trips_at = llvm.mlir.constant({TRIPS} : i64) : i64
  %trips = llvm.call @weft_device_word(%record, %trips_at) : (i64, i64) -> i64
  llvm.call @weft_device_count(%trips, %index) : (i64, i64) -> ()
  %start = llvm.inttoptr %trips : i64 to !llvm.ptr
  %count_at = llvm.getelementptr %start[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %bytes_at = llvm.getelementptr %count_at[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %before = llvm.load %bytes_at : !llvm.ptr -> i64
  %all = llvm.add %before, %bytes : i64
  llvm.store %all, %bytes_at : i64, !llvm.ptr
  llvm.return
}}
"""

_ENTRY = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>"

_SET_ENTRY = f"""
llvm.func internal @weft_device_set(%entry: !llvm.ptr, %block: i64, %bytes: i64) attributes {{always_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %aligned_at = llvm.getelementptr %entry[0, 1] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %offset_at = llvm.getelementptr %entry[0, 2] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %size_at = llvm.getelementptr %entry[0, 3, 0] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %stride_at = llvm.getelementptr %entry[0, 4, 0] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  llvm.store %block, %entry : i64, !llvm.ptr
  llvm.store %block, %aligned_at : i64, !llvm.ptr
  llvm.store %zero, %offset_at : i64, !llvm.ptr
  llvm.store %bytes, %size_at : i64, !llvm.ptr
  llvm.store %one, %stride_at : i64, !llvm.ptr
  llvm.return
}}
"""

_FREE_ENTRY = f"""
llvm.func internal @weft_device_free(%record: i64, %entry: !llvm.ptr) attributes {{no_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %what = llvm.mlir.constant({FREE} : i64) : i64
  %stream_at = llvm.mlir.constant({STREAM} : i64) : i64
  %block = llvm.load %entry : !llvm.ptr -> i64
  %is_empty = llvm.icmp "eq" %block, %zero : i64
  llvm.cond_br %is_empty, ^done, ^free
^free:
  %stream = llvm.call @weft_device_word(%record, %stream_at) : (i64, i64) -> i64
  %stream_ = llvm.inttoptr %stream : i64 to !llvm.ptr
  %code = llvm.call @cuMemFreeAsync(%block, %stream_) : (i64, !llvm.ptr) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @{FAIL}(%record, %code_, %what, %zero) : (i64, i64, i64, i64) -> ()
  llvm.br ^done
^done:
  llvm.call @weft_device_set(%entry, %zero, %zero) : (!llvm.ptr, i64, i64) -> ()
  llvm.return
}}
"""

# Where there is no room, what was freed is given back, and asked for again.
# What grows once grows again: half as much more makes the cost of all that follows a constant per byte.
_RESERVE = f"""
llvm.func internal @weft_device_allocate(%record: i64, %bytes: i64) -> i64 attributes {{no_inline}} {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %oom = llvm.mlir.constant({OUT_OF_MEMORY} : i64) : i64
  %what = llvm.mlir.constant({RESERVE_DEVICE} : i64) : i64
  %stream_at = llvm.mlir.constant({STREAM} : i64) : i64
  %place = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  llvm.store %zero, %place : i64, !llvm.ptr
  %stream = llvm.call @weft_device_word(%record, %stream_at) : (i64, i64) -> i64
  %stream_ = llvm.inttoptr %stream : i64 to !llvm.ptr
  %wanted = llvm.intr.umax(%bytes, %one) : (i64, i64) -> i64
  %pool_at = llvm.mlir.constant({POOL} : i64) : i64
  %pool = llvm.call @weft_device_word(%record, %pool_at) : (i64, i64) -> i64
  %pool_ = llvm.inttoptr %pool : i64 to !llvm.ptr
  %first = llvm.call @cuMemAllocFromPoolAsync(%place, %wanted, %pool_, %stream_)
    : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
  %first_ = llvm.sext %first : i32 to i64
  %is_full = llvm.icmp "eq" %first_, %oom : i64
  llvm.cond_br %is_full, ^again, ^done(%first_ : i64)
^again:
  %waited = llvm.call @cuStreamSynchronize(%stream_) : (!llvm.ptr) -> i32
  %trimmed = llvm.call @cuMemPoolTrimTo(%pool_, %zero) : (!llvm.ptr, i64) -> i32
  %second = llvm.call @cuMemAllocFromPoolAsync(%place, %wanted, %pool_, %stream_)
    : (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
  %second_ = llvm.sext %second : i32 to i64
  llvm.br ^done(%second_ : i64)
^done(%code_: i64):
  %is_oom = llvm.icmp "eq" %code_, %oom : i64
  %told = llvm.select %is_oom, %zero, %code_ : i1, i64
  llvm.call @{FAIL}(%record, %told, %what, %bytes) : (i64, i64, i64, i64) -> ()
  %ok = llvm.icmp "eq" %code_, %zero : i64
  %block = llvm.load %place : !llvm.ptr -> i64
  %result = llvm.select %ok, %block, %zero : i1, i64
  llvm.return %result : i64
}}
llvm.func internal @{RESERVE_BLOCK}(%record: i64, %table: i64, %index: i64, %bytes: i64) -> i1
    attributes {{no_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %yes = llvm.mlir.constant(true) : i1
  %start = llvm.inttoptr %table : i64 to !llvm.ptr
  %entry = llvm.getelementptr %start[%index] : (!llvm.ptr, i64) -> !llvm.ptr, {_ENTRY}
  %size_at = llvm.getelementptr %entry[0, 3, 0] : (!llvm.ptr) -> !llvm.ptr, {_ENTRY}
  %old = llvm.load %entry : !llvm.ptr -> i64
  %size = llvm.load %size_at : !llvm.ptr -> i64
  %is_there = llvm.icmp "ne" %old, %zero : i64
  %is_large = llvm.icmp "ule" %bytes, %size : i64
  %fits = llvm.and %is_there, %is_large : i1
  llvm.cond_br %fits, ^done(%yes : i1), ^grow
^grow:
  %half = llvm.lshr %size, %one : i64
  %ample = llvm.add %size, %half : i64
  %wanted = llvm.intr.umax(%ample, %bytes) : (i64, i64) -> i64
  llvm.call @weft_device_free(%record, %entry) : (i64, !llvm.ptr) -> ()
  %first = llvm.call @weft_device_allocate(%record, %wanted) : (i64, i64) -> i64
  %made = llvm.icmp "ne" %first, %zero : i64
  llvm.cond_br %made, ^store(%first, %wanted : i64, i64), ^again
^again:
  %second = llvm.call @weft_device_allocate(%record, %bytes) : (i64, i64) -> i64
  llvm.br ^store(%second, %bytes : i64, i64)
^store(%block: i64, %capacity: i64):
  %success = llvm.icmp "ne" %block, %zero : i64
  %kept = llvm.select %success, %capacity, %zero : i1, i64
  llvm.call @weft_device_set(%entry, %block, %kept) : (!llvm.ptr, i64, i64) -> ()
  llvm.br ^done(%success : i1)
^done(%result: i1):
  llvm.return %result : i1
}}
"""

_RELEASE = f"""
llvm.func internal @{RELEASE_BLOCKS}(%record: i64, %table: i64, %count: i64) attributes {{no_inline}} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %start = llvm.inttoptr %table : i64 to !llvm.ptr
  llvm.br ^next(%zero : i64)
^next(%index: i64):
  %more = llvm.icmp "ult" %index, %count : i64
  llvm.cond_br %more, ^free, ^done
^free:
  %entry = llvm.getelementptr %start[%index] : (!llvm.ptr, i64) -> !llvm.ptr, {_ENTRY}
  llvm.call @weft_device_free(%record, %entry) : (i64, !llvm.ptr) -> ()
  %following = llvm.add %index, %one : i64
  llvm.br ^next(%following : i64)
^done:
  llvm.return
}}
"""

_CONSTANT = f"""
llvm.func internal @{PLACE_CONSTANT}(%record: i64, %table: i64, %index: i64, %number: i64, %bytes: i64) {{
  %constants_at = llvm.mlir.constant({CONSTANTS} : i64) : i64
  %constants = llvm.call @weft_device_word(%record, %constants_at) : (i64, i64) -> i64
  %block = llvm.call @weft_device_word(%constants, %number) : (i64, i64) -> i64
  %start = llvm.inttoptr %table : i64 to !llvm.ptr
  %entry = llvm.getelementptr %start[%index] : (!llvm.ptr, i64) -> !llvm.ptr, {_ENTRY}
  llvm.call @weft_device_set(%entry, %block, %bytes) : (!llvm.ptr, i64, i64) -> ()
  llvm.return
}}
"""

_ENCODE = f"""
llvm.func internal @{ENCODE_MAP}(%record: i64, %map: i64, %kind: i64, %rank: i64, %array: i64, %extents: i64,
    %strides: i64, %box: i64, %steps: i64) attributes {{no_inline}} {{
  %what = llvm.mlir.constant({ENCODE} : i64) : i64
  %none = llvm.mlir.constant(0 : i32) : i32
  %swizzle_128 = llvm.mlir.constant(3 : i32) : i32
  %promote_128 = llvm.mlir.constant(2 : i32) : i32
  %map_ = llvm.inttoptr %map : i64 to !llvm.ptr
  %kind_ = llvm.trunc %kind : i64 to i32
  %rank_ = llvm.trunc %rank : i64 to i32
  %extents_ = llvm.inttoptr %extents : i64 to !llvm.ptr
  %strides_ = llvm.inttoptr %strides : i64 to !llvm.ptr
  %box_ = llvm.inttoptr %box : i64 to !llvm.ptr
  %steps_ = llvm.inttoptr %steps : i64 to !llvm.ptr
  %code = llvm.call @cuTensorMapEncodeTiled(%map_, %kind_, %rank_, %array, %extents_, %strides_, %box_, %steps_, %none,
    %swizzle_128, %promote_128, %none)
    : (!llvm.ptr, i32, i32, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> i32
  %code_ = llvm.sext %code : i32 to i64
  llvm.call @{FAIL}(%record, %code_, %what, %array) : (i64, i64, i64, i64) -> ()
  llvm.return
}}
"""

_DRIVER = """
llvm.func @cuTensorMapEncodeTiled(!llvm.ptr, i32, i32, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32,
  i32) -> i32
llvm.func @cuLaunchKernel(!llvm.ptr, i32, i32, i32, i32, i32, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @cuMemAllocFromPoolAsync(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @cuMemPoolTrimTo(!llvm.ptr, i64) -> i32
llvm.func @cuMemFreeAsync(i64, !llvm.ptr) -> i32
llvm.func @cuMemcpyDtoDAsync_v2(i64, i64, i64, !llvm.ptr) -> i32
llvm.func @cuMemcpyDtoHAsync_v2(!llvm.ptr, i64, i64, !llvm.ptr) -> i32
llvm.func @cuMemcpyHtoDAsync_v2(i64, !llvm.ptr, i64, !llvm.ptr) -> i32
llvm.func @cuStreamSynchronize(!llvm.ptr) -> i32
"""

DECLARATIONS = {
    FAIL: (4, None),
    LAUNCH_KERNEL: (10, None),
    LAUNCH_IN_GRAPH: (11, None),
    **GRAPH_DECLARATIONS,
    READ_MEMORY: (4, None),
    WRITE_MEMORY: (4, None),
    COPY_MEMORY: (4, None),
    RESERVE_BLOCK: (4, 1),
    RELEASE_BLOCKS: (3, None),
    ENCODE_MAP: (9, None),
    DEVICE_ERRORS: (1, 64),
    COUNT_TRIP: (3, None),
    PLACE_CONSTANT: (5, None),
}
"""How many numbers the functions take, and the bits of the one that they return."""

_TEXT = (
    _DRIVER
    + _WORD_OF
    + _FAIL
    + _launch(LAUNCH_KERNEL, "", "")
    + _launch(LAUNCH_IN_GRAPH, ", %words: i64", _CHOICE)
    + GRAPHS_TEXT
    + _READ
    + _copy(WRITE_MEMORY, "cuMemcpyHtoDAsync_v2", WRITE)
    + _copy(COPY_MEMORY, "cuMemcpyDtoDAsync_v2", COPY)
    + _ENCODE
    + _ERRORS
    + _TRIP
    + _SET_ENTRY
    + _FREE_ENTRY
    + _RESERVE
    + _RELEASE
    + _CONSTANT
)


@dataclass(frozen=True)
class LinkDriverFunctions(Pass):
    """Define the functions that a module in the LLVM dialect calls to talk to the driver."""

    name: ClassVar[str] = "link-driver-functions"
    summary: ClassVar[str] = "define the functions that talk to the driver, where a module calls them"

    def run(self, module: Module, statistics: Statistics) -> None:
        found = symbols_of(module)
        called = [name for name in DECLARATIONS if name in found]
        if not called:
            return
        for name in called:
            found.pop(name).erase()
        text = ir.Module.parse(_TEXT)
        with ir.InsertionPoint(module.body):
            for name, op in _needed(symbols_of(text), called):
                if name not in found:
                    op.clone()
                    statistics["driver functions"] += 1


def _needed(defined: dict[str, ir.Operation], called: list[str]) -> list[tuple[str, ir.Operation]]:
    """The functions of some names and those that they call, in the order of the text."""
    needed, pending = set[str](), list(called)
    while pending:
        name = pending.pop()
        if name in needed:
            continue
        needed.add(name)

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == "llvm.call":
                pending.append(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
            return ir.WalkResult.ADVANCE

        defined[name].walk(visit)
    return [(name, op) for name, op in defined.items() if name in needed]


__all__ = ["DECLARATIONS", "LinkDriverFunctions"]
