"""The native code of the result pool, as LLVM assembly: made once per process, with nothing of the process baked in.

A block is a header of 64 bytes and the memory of one array behind it. Blocks of 64 KiB and more that are given back are
kept in bins by capacity, 32 bins for each doubling, and in one list by age. Lists are circular and their heads are
links, so that to take a block out of its lists needs no cases.

Two rules bound what is kept. Free blocks hold `limit` bytes at most: the oldest go first. And a new block is made only
after so many free ones were given back that arrays and free blocks together hold no more than the arrays did at their
peak, or a quarter of the limit where that is more: the pool does not raise the peak of a program.

Everything is thread-safe by a lock that is held for a few instructions, and never while the system is asked for memory.
The functions of a NumPy memory handler (NEP 49) come with a `ctx` argument, which is not used.
"""

from __future__ import annotations

import sys

POOLED_BYTES = 1 << 16
"""Smaller results are NumPy's business: malloc gives the same memory again, without page faults."""

_HUGE_BYTES = 1 << 21
"""A huge page of x86-64 and AArch64: the first touch of 4 MiB costs 0.3 ms with huge pages, 1.2 ms without."""

_SMALLEST_EXPONENT = POOLED_BYTES.bit_length() - 2
_LARGEST_EXPONENT = 46
BINS = (_LARGEST_EXPONENT + 1 - _SMALLEST_EXPONENT) * 32

STATISTICS = ("limit", "kept", "live", "peak", "made", "reused")
"""The words of the state: the setting, bytes in free blocks, in blocks of arrays, the most of the latter so far, and
how many blocks were got from the system and used again."""

EXPORTS = (
    "weft_new_result",
    "weft_adopt",
    "weft_allocate",
    "weft_allocate_aligned",
    "weft_reallocate",
    "weft_free",
    "weft_memory_setup",
    "weft_memory_state",
    "weft_memory_shrink",
    "weft_memory_lock",
    "weft_memory_unlock",
)

SYMBOLS = (
    "malloc",
    "free",
    "memcpy",
    "memset",
    "Py_IncRef",
    "Py_DecRef",
    "PyCapsule_New",
    "PyTraceMalloc_Track",
    "PyArray_NewFromDescr",
    *(("posix_memalign", "madvise") if sys.platform == "linux" else ()),
)

_LISTS = f"""
%Link = type {{ ptr, ptr }} ; next and previous
; start: what free takes; capacity: for the array; bin: its number; two lists
%Block = type {{ ptr, i64, i64, %Link, %Link }}

@bins = internal global [{BINS} x %Link] zeroinitializer
@ages = internal global %Link zeroinitializer ; from the newest to the oldest
@mutex = internal global i32 0
@state = internal global [{len(STATISTICS)} x i64] zeroinitializer
@color = internal global i64 0
@limit = internal alias i64, ptr @state
@kept = internal alias i64, getelementptr (i64, ptr @state, i64 1)
@live = internal alias i64, getelementptr (i64, ptr @state, i64 2)
@peak = internal alias i64, getelementptr (i64, ptr @state, i64 3)
@made = internal alias i64, getelementptr (i64, ptr @state, i64 4)
@reused = internal alias i64, getelementptr (i64, ptr @state, i64 5)

declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyCapsule_New(ptr, ptr, ptr)
declare i32 @PyTraceMalloc_Track(i32, i64, i64)
declare ptr @PyArray_NewFromDescr(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)

define void @weft_memory_lock() {{
  br label %try
try:
  %pair = cmpxchg ptr @mutex, i32 0, i32 1 acquire monotonic
  %got = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %got, label %done, label %try
done:
  ret void
}}

define void @weft_memory_unlock() {{
  store atomic i32 0, ptr @mutex release, align 4
  ret void
}}

define internal void @clear(ptr %head) {{
  store ptr %head, ptr %head
  %back = getelementptr %Link, ptr %head, i64 0, i32 1
  store ptr %head, ptr %back
  ret void
}}

define internal void @push(ptr %head, ptr %link) {{
  %first = load ptr, ptr %head
  store ptr %first, ptr %link
  %back = getelementptr %Link, ptr %link, i64 0, i32 1
  store ptr %head, ptr %back
  %first.back = getelementptr %Link, ptr %first, i64 0, i32 1
  store ptr %link, ptr %first.back
  store ptr %link, ptr %head
  ret void
}}

define internal void @drop(ptr %link) {{
  %next = load ptr, ptr %link
  %back = getelementptr %Link, ptr %link, i64 0, i32 1
  %previous = load ptr, ptr %back
  store ptr %next, ptr %previous
  %next.back = getelementptr %Link, ptr %next, i64 0, i32 1
  store ptr %previous, ptr %next.back
  ret void
}}

define internal void @add(ptr %counter, i64 %amount) {{
  %old = load i64, ptr %counter
  %new = add i64 %old, %amount
  store i64 %new, ptr %counter
  ret void
}}

define internal void @raise_peak(i64 %live) {{
  %old = load i64, ptr @peak
  %new = call i64 @llvm.umax.i64(i64 %live, i64 %old)
  store i64 %new, ptr @peak
  ret void
}}

; Take a free block out of its lists; the lock is held.
define internal void @unlink(ptr %block) {{
  %in.bin = getelementptr %Block, ptr %block, i64 0, i32 3
  call void @drop(ptr %in.bin)
  %in.ages = getelementptr %Block, ptr %block, i64 0, i32 4
  call void @drop(ptr %in.ages)
  %capacity.at = getelementptr %Block, ptr %block, i64 0, i32 1
  %capacity = load i64, ptr %capacity.at
  %less = sub i64 0, %capacity
  call void @add(ptr @kept, i64 %less)
  ret void
}}

; Give the oldest free blocks back to the system until they hold no more bytes than may be kept.
define void @weft_memory_shrink(i64 %bytes) {{
  br label %next
next:
  call void @weft_memory_lock()
  %kept = load i64, ptr @kept
  %enough = icmp ule i64 %kept, %bytes
  br i1 %enough, label %done, label %release
release:
  %oldest.at = getelementptr %Link, ptr @ages, i64 0, i32 1
  %oldest = load ptr, ptr %oldest.at
  %block = getelementptr i8, ptr %oldest, i64 -40
  call void @unlink(ptr %block)
  call void @weft_memory_unlock()
  %start = load ptr, ptr %block
  call void @free(ptr %start)
  br label %next
done:
  call void @weft_memory_unlock()
  ret void
}}
"""

_FROM_SYSTEM = """
; A block from the system, or null. Blocks lie at different places in their first page: where arrays that one loop
; reads and writes began at the same, they would compete for the same sets of the caches.
define internal ptr @make(i64 %capacity, i64 %bin) {
  %pooled = icmp sge i64 %bin, 0
  %color.next = atomicrmw add ptr @color, i64 9 monotonic
  %color.cycle = urem i64 %color.next, 61
  %color.bytes = shl i64 %color.cycle, 6
  %color = select i1 %pooled, i64 %color.bytes, i64 0
  %slack = select i1 %pooled, i64 4096, i64 128
  %total = add i64 %capacity, %slack
  %start = call ptr @system(i64 %total)
  %failed = icmp eq ptr %start, null
  br i1 %failed, label %none, label %place
place:
  %address = ptrtoint ptr %start to i64
  %behind = add i64 %address, 127
  %aligned = and i64 %behind, -64
  %colored = add i64 %aligned, %color
  %first = sub i64 %colored, 64
  %block = inttoptr i64 %first to ptr
  store ptr %start, ptr %block
  %capacity.at = getelementptr %Block, ptr %block, i64 0, i32 1
  store i64 %capacity, ptr %capacity.at
  %bin.at = getelementptr %Block, ptr %block, i64 0, i32 2
  store i64 %bin, ptr %bin.at
  ret ptr %block
none:
  ret ptr null
}
"""

_SYSTEM = """
define internal ptr @system(i64 %bytes) {
  %start = call ptr @malloc(i64 %bytes)
  ret ptr %start
}
"""

_SYSTEM_WITH_HUGE_PAGES = f"""
declare i32 @posix_memalign(ptr, i64, i64)
declare i32 @madvise(ptr, i64, i32)

define internal ptr @system(i64 %bytes) {{
  %large = icmp uge i64 %bytes, {_HUGE_BYTES}
  br i1 %large, label %huge, label %small
small:
  %start = call ptr @malloc(i64 %bytes)
  ret ptr %start
huge:
  %place = alloca ptr
  %error = call i32 @posix_memalign(ptr %place, i64 {_HUGE_BYTES}, i64 %bytes)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %none, label %advise
advise:
  %aligned = load ptr, ptr %place
  %whole = and i64 %bytes, {-_HUGE_BYTES}
  %ignored = call i32 @madvise(ptr %aligned, i64 %whole, i32 14) ; MADV_HUGEPAGE
  ret ptr %aligned
none:
  ret ptr null
}}
"""

_HANDLER = f"""
; The capacity and the bin for a size of at most 2^47.
define internal {{ i64, i64 }} @classify(i64 %size) {{
  %least = call i64 @llvm.umax.i64(i64 %size, i64 {POOLED_BYTES})
  %last = sub i64 %least, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 true)
  %exponent = sub i64 63, %zeros
  %shift = sub i64 %exponent, 5
  %steps = lshr i64 %last, %shift
  %more = add i64 %steps, 1
  %capacity = shl i64 %more, %shift
  %doubling = sub i64 %exponent, {_SMALLEST_EXPONENT}
  %first = shl i64 %doubling, 5
  %within = sub i64 %steps, 32
  %bin = add i64 %first, %within
  %pair = insertvalue {{ i64, i64 }} poison, i64 %capacity, 0
  %result = insertvalue {{ i64, i64 }} %pair, i64 %bin, 1
  ret {{ i64, i64 }} %result
}}

define internal ptr @allocate(ptr %ctx, i64 %size) {{
  %small = icmp ult i64 %size, {POOLED_BYTES}
  br i1 %small, label %unpooled, label %check
unpooled:
  %least = call i64 @llvm.umax.i64(i64 %size, i64 1)
  %plain = call ptr @make(i64 %least, i64 -1)
  br label %finish
check:
  %absurd = icmp ugt i64 %size, {1 << (_LARGEST_EXPONENT + 1)}
  br i1 %absurd, label %none, label %pooled
pooled:
  %class = call {{ i64, i64 }} @classify(i64 %size)
  %capacity = extractvalue {{ i64, i64 }} %class, 0
  %bin = extractvalue {{ i64, i64 }} %class, 1
  %head = getelementptr [{BINS} x %Link], ptr @bins, i64 0, i64 %bin
  call void @weft_memory_lock()
  call void @add(ptr @live, i64 %capacity)
  %live = load i64, ptr @live
  %newest = load ptr, ptr %head
  %empty = icmp eq ptr %newest, %head
  br i1 %empty, label %miss, label %hit
hit:
  %found = getelementptr i8, ptr %newest, i64 -24
  call void @unlink(ptr %found)
  call void @raise_peak(i64 %live)
  call void @add(ptr @reused, i64 1)
  call void @weft_memory_unlock()
  br label %finish
miss:
  %limit = load i64, ptr @limit
  %peak = load i64, ptr @peak
  call void @weft_memory_unlock()
  %quarter = lshr i64 %limit, 2
  %total = call i64 @llvm.umax.i64(i64 %peak, i64 %quarter)
  %rest = sub i64 %total, %live
  %over = icmp ugt i64 %live, %total
  %spare = select i1 %over, i64 0, i64 %rest
  call void @weft_memory_shrink(i64 %spare)
  %new = call ptr @make(i64 %capacity, i64 %bin)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %again, label %made
again:
  call void @weft_memory_shrink(i64 0)
  %second = call ptr @make(i64 %capacity, i64 %bin)
  %failed.again = icmp eq ptr %second, null
  br i1 %failed.again, label %undo, label %made
made:
  %got = phi ptr [ %new, %miss ], [ %second, %again ]
  call void @weft_memory_lock()
  call void @raise_peak(i64 %live)
  call void @add(ptr @made, i64 1)
  call void @weft_memory_unlock()
  br label %finish
undo:
  %less = sub i64 0, %capacity
  call void @weft_memory_lock()
  call void @add(ptr @live, i64 %less)
  call void @weft_memory_unlock()
  br label %none
finish:
  %block = phi ptr [ %plain, %unpooled ], [ %found, %hit ], [ %got, %made ]
  %missing = icmp eq ptr %block, null
  br i1 %missing, label %none, label %done
done:
  %data = getelementptr i8, ptr %block, i64 64
  ret ptr %data
none:
  ret ptr null
}}

define internal void @release(ptr %ctx, ptr %data, i64 %size) {{
  %nothing = icmp eq ptr %data, null
  br i1 %nothing, label %done, label %look
look:
  %block = getelementptr i8, ptr %data, i64 -64
  %bin.at = getelementptr %Block, ptr %block, i64 0, i32 2
  %bin = load i64, ptr %bin.at
  %pooled = icmp sge i64 %bin, 0
  br i1 %pooled, label %keep, label %plain
plain:
  %start = load ptr, ptr %block
  call void @free(ptr %start)
  br label %done
keep:
  %head = getelementptr [{BINS} x %Link], ptr @bins, i64 0, i64 %bin
  %in.bin = getelementptr %Block, ptr %block, i64 0, i32 3
  %in.ages = getelementptr %Block, ptr %block, i64 0, i32 4
  %capacity.at = getelementptr %Block, ptr %block, i64 0, i32 1
  %capacity = load i64, ptr %capacity.at
  %less = sub i64 0, %capacity
  call void @weft_memory_lock()
  call void @push(ptr %head, ptr %in.bin)
  call void @push(ptr @ages, ptr %in.ages)
  call void @add(ptr @live, i64 %less)
  call void @add(ptr @kept, i64 %capacity)
  %limit = load i64, ptr @limit
  %kept = load i64, ptr @kept
  call void @weft_memory_unlock()
  %full = icmp ugt i64 %kept, %limit
  br i1 %full, label %shrink, label %done
shrink:
  call void @weft_memory_shrink(i64 %limit)
  br label %done
done:
  ret void
}}

define internal ptr @allocate_zeros(ptr %ctx, i64 %count, i64 %width) {{
  %product = call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 %count, i64 %width)
  %size = extractvalue {{ i64, i1 }} %product, 0
  %overflow = extractvalue {{ i64, i1 }} %product, 1
  br i1 %overflow, label %none, label %get
get:
  %data = call ptr @allocate(ptr null, i64 %size)
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %none, label %zero
zero:
  %ignored = call ptr @memset(ptr %data, i32 0, i64 %size)
  ret ptr %data
none:
  ret ptr null
}}
declare {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64, i64)

define internal ptr @reallocate(ptr %ctx, ptr %data, i64 %size) {{
  %fresh = call ptr @allocate(ptr null, i64 %size)
  %failed = icmp eq ptr %fresh, null
  %nothing = icmp eq ptr %data, null
  %stop = or i1 %failed, %nothing
  br i1 %stop, label %done, label %move
move:
  %capacity.at = getelementptr i8, ptr %data, i64 -56
  %capacity = load i64, ptr %capacity.at
  %common = call i64 @llvm.umin.i64(i64 %capacity, i64 %size)
  %ignored = call ptr @memcpy(ptr %fresh, ptr %data, i64 %common)
  call void @release(ptr null, ptr %data, i64 0)
  br label %done
done:
  ret ptr %fresh
}}
"""

_TRACE_DOMAIN = 389047  # NPY_TRACE_DOMAIN of numpy/ndarraytypes.h
_BEHAVED = 0x0501  # NPY_ARRAY_CARRAY
_OWN_DATA = 0x0004  # NPY_ARRAY_OWNDATA


def pool_assembly(flags: int, handler: int) -> str:
    """The module, for arrays with their flags and their memory handler at these offsets in bytes."""
    system = _SYSTEM_WITH_HUGE_PAGES if sys.platform == "linux" else _SYSTEM
    return _LISTS + system + _FROM_SYSTEM + _HANDLER + _results(flags, handler)


def _results(flags: int, handler: int) -> str:
    name = "weft result pool"
    padding = 127 - len(name)
    return f"""
@handler.name = internal constant [12 x i8] c"mem_handler\\00"
@handler = internal global {{ [{len(name)} x i8], [{padding} x i8], i8, ptr, ptr, ptr, ptr, ptr }} {{
  [{len(name)} x i8] c"{name}", [{padding} x i8] zeroinitializer, i8 1,
  ptr null, ptr @allocate, ptr @allocate_zeros, ptr @reallocate, ptr @release
}}
@array_type = internal global ptr null
@capsule = internal global ptr null

; For compiled code, which may grow arrays before somebody adopts them: any thread, with or without the interpreter.
define ptr @weft_allocate(i64 %bytes) {{
  %data = call ptr @allocate(ptr null, i64 %bytes)
  ret ptr %data
}}

; As aligned_alloc, for alignments up to 64: what kernels need while they run.
define ptr @weft_allocate_aligned(i64 %alignment, i64 %bytes) {{
  %data = call ptr @allocate(ptr null, i64 %bytes)
  ret ptr %data
}}

define ptr @weft_reallocate(ptr %data, i64 %bytes) {{
  %new = call ptr @reallocate(ptr null, ptr %data, i64 %bytes)
  ret ptr %new
}}

define void @weft_free(ptr %data) {{
  call void @release(ptr null, ptr %data, i64 0)
  ret void
}}

define ptr @weft_memory_state() {{
  ret ptr @state
}}

; Call this once; returns the capsule of the handler, or null with an exception. A reference is kept.
define ptr @weft_memory_setup(ptr %array_type) {{
  store ptr %array_type, ptr @array_type
  call void @clear(ptr @ages)
  br label %next
next:
  %bin = phi i64 [ 0, %0 ], [ %following, %next ]
  %head = getelementptr [{BINS} x %Link], ptr @bins, i64 0, i64 %bin
  call void @clear(ptr %head)
  %following = add i64 %bin, 1
  %more = icmp ult i64 %following, {BINS}
  br i1 %more, label %next, label %wrap
wrap:
  %capsule = call ptr @PyCapsule_New(ptr @handler, ptr @handler.name, ptr null)
  store ptr %capsule, ptr @capsule
  call void @Py_IncRef(ptr %capsule)
  ret ptr %capsule
}}

; PyObject *weft_new_result(PyArray_Descr *descr, int nd, const npy_intp *dims, size_t bytes)
define ptr @weft_new_result(ptr %descr, i32 %nd, ptr %dims, i64 %bytes) {{
  call void @Py_IncRef(ptr %descr)
  %type = load ptr, ptr @array_type
  %limit = load i64, ptr @limit
  %large = icmp uge i64 %bytes, {POOLED_BYTES}
  %on = icmp ne i64 %limit, 0
  %pooled = and i1 %large, %on
  br i1 %pooled, label %get, label %plain
get:
  %data = call ptr @allocate(ptr null, i64 %bytes)
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %plain, label %wrap
plain: ; where there is no memory, NumPy says so
  %own = call ptr @PyArray_NewFromDescr(
    ptr %type, ptr %descr, i32 %nd, ptr %dims, ptr null, ptr null, i32 0, ptr null)
  ret ptr %own
wrap:
  %array = call ptr @own(ptr %descr, i32 %nd, ptr %dims, ptr %data, i64 %bytes)
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %undo, label %done
undo:
  call void @release(ptr null, ptr %data, i64 %bytes)
  ret ptr null
done:
  ret ptr %array
}}

; PyObject *weft_adopt(PyArray_Descr *descr, int nd, const npy_intp *dims, size_t bytes, void *data)
define ptr @weft_adopt(ptr %descr, i32 %nd, ptr %dims, i64 %bytes, ptr %data) {{
  call void @Py_IncRef(ptr %descr)
  %array = call ptr @own(ptr %descr, i32 %nd, ptr %dims, ptr %data, i64 %bytes)
  ret ptr %array
}}

; An array that owns memory of the pool, or null; a reference to the type is stolen.
define internal ptr @own(ptr %descr, i32 %nd, ptr %dims, ptr %data, i64 %bytes) {{
  %type = load ptr, ptr @array_type
  %array = call ptr @PyArray_NewFromDescr(
    ptr %type, ptr %descr, i32 %nd, ptr %dims, ptr null, ptr %data, i32 {_BEHAVED}, ptr null)
  %refused = icmp eq ptr %array, null
  br i1 %refused, label %none, label %take
none:
  ret ptr null
take:
  %capsule = load ptr, ptr @capsule
  call void @Py_IncRef(ptr %capsule)
  %handler.at = getelementptr i8, ptr %array, i64 {handler}
  store ptr %capsule, ptr %handler.at
  %flags.at = getelementptr i8, ptr %array, i64 {flags}
  %flags = load i32, ptr %flags.at
  %owning = or i32 %flags, {_OWN_DATA}
  store i32 %owning, ptr %flags.at
  %address = ptrtoint ptr %data to i64
  %ignored = call i32 @PyTraceMalloc_Track(i32 {_TRACE_DOMAIN}, i64 %address, i64 %bytes)
  ret ptr %array
}}
"""


__all__ = ["BINS", "EXPORTS", "POOLED_BYTES", "STATISTICS", "SYMBOLS", "pool_assembly"]
