"""The assembly of weft's own functions that exported code calls: sorts, random numbers, messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType

from ....dialect.records import NamedTuple
from ...planning.names import PARALLEL_FOR, THREADS, is_random_name, is_sorting_name
from ..native_python.translator import translate
from ..threads.count import MOST_THREADS
from .interface import Library
from .lapack import Lapack, is_loop_of_lapack, lapack_assembly
from .messages import shows_floats

MOST_DIGITS = 8
"""All digits: sorting by them is faster than a heap, where it would not be faster than NumPy's sorts."""

MEMORY_ASSEMBLY = """
declare ptr @weft_allocate(i64)
declare void @weft_free(ptr)

define internal i64 @allocate(i64 %count) {
  %p = call ptr @weft_allocate(i64 %count)
  %i = ptrtoint ptr %p to i64
  ret i64 %i
}

define internal i64 @give_back(i64 %address) {
  %p = inttoptr i64 %address to ptr
  call void @weft_free(ptr %p)
  ret i64 0
}
"""
"""What translated code takes memory with."""

_OF_SORTS = """
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define internal i64 @copy_bytes(i64 %target, i64 %source, i64 %count) {
  %t = inttoptr i64 %target to ptr
  %s = inttoptr i64 %source to ptr
  call void @llvm.memmove.p0.p0.i64(ptr %t, ptr %s, i64 %count, i1 false)
  ret i64 0
}
"""

_OF_FLOATS = """
@weft.format = internal constant [5 x i8] c"%.*e\\00"
declare i32 @snprintf(ptr, {size}, ptr, ...)
declare double @strtod(ptr, ptr)

; Writes the fewest digits that make the same number again, as in 1.5e-07, with a zero behind them.
define internal i64 @shortest(i64 %bits, i64 %address) {{
  %number = bitcast i64 %bits to double
  %text = inttoptr i64 %address to ptr
  br label %try
try:
  %digits = phi i32 [ 0, %0 ], [ %more, %try ]
  %more = add i32 %digits, 1
  %format = getelementptr i8, ptr @weft.format, i64 0
  %n = call i32 (ptr, {size}, ptr, ...) @snprintf(ptr %text, {size} 40, ptr %format, i32 %digits, double %number)
  %read = call double @strtod(ptr %text, ptr null)
  %is_same = fcmp oeq double %read, %number
  %is_last = icmp eq i32 %more, 17
  %is_over = or i1 %is_same, %is_last
  br i1 %is_over, label %done, label %try
done:
  ret i64 0
}}

define internal i64 @double_of_single(i64 %bits) {{
  %low = trunc i64 %bits to i32
  %single = bitcast i32 %low to float
  %number = fpext float %single to double
  %wide = bitcast double %number to i64
  ret i64 %wide
}}
"""

_NO_OTHERS = """
define internal i64 @put_other(i64 %text, i64 %size, i64 %length, i64 %value, i64 %kind) {
  ret i64 %length
}
"""

_NO_FLOATS = """
define internal i64 @put_float(i64 %text, i64 %size, i64 %length, i64 %bits, i64 %kind) {
  ret i64 %length
}
"""


_POOL = f"""
%entry = type {{{{ i32, ptr, ptr }}}}
@llvm.global_ctors = appending global [1 x %entry] [%entry {{{{ i32 65535, ptr @weft_pool_begin, ptr null }}}}]
@llvm.global_dtors = appending global [1 x %entry] [%entry {{{{ i32 65535, ptr @weft_pool_stop, ptr null }}}}]

define void @{PARALLEL_FOR}(ptr %body, i64 %trips, i64 %grain, ptr %context) {{{{
  %b = ptrtoint ptr %body to i64
  %c = ptrtoint ptr %context to i64
  %r = call i64 @weft_share(i64 %b, i64 %trips, i64 %grain, i64 %c)
  ret void
}}}}

define void @"{{name}}_set_threads"(i64 %threads) {{{{
  %some = call i64 @llvm.smax.i64(i64 %threads, i64 1)
  %few = call i64 @llvm.smin.i64(i64 %some, i64 {MOST_THREADS})
  %r = call i64 @weft_pool_set_threads(i64 %few)
  ret void
}}}}
"""


def _pool(library: Library) -> str:
    """The pool of threads."""
    from ..threads import pool_code, posix
    from . import pool_start

    text = translate([pool_code, posix, pool_start], [PARALLEL_FOR, THREADS], 0)
    return text.replace(f"@{PARALLEL_FOR}(", "@weft_share(") + _POOL.format(name=library.name)


class Native(NamedTuple):
    """Native code of a kind of library, translated with what writes messages: it has `put_other`."""

    modules: tuple[ModuleType, ...]
    exported: tuple[str, ...]
    given: tuple[str, ...]
    """What it calls that the assembly has."""
    assembly: str


_OF_PROCESSORS = Native((), (), ("put_other",), _NO_OTHERS)


def needed_assembly(library: Library, narrow: bool, native: Native = _OF_PROCESSORS) -> Iterator[str]:
    """The assembly of what a library needs, where addresses are narrow or not."""
    from . import describe, float_text

    exported = ["weft_describe", *native.exported]
    if any(shows_floats(failure.message) for failure in library.failures):
        modules = [describe, float_text, *native.modules]
        given = ["shortest", "double_of_single", *native.given]
        own = _OF_FLOATS.format(size="i32" if narrow else "i64")
    else:
        modules, given, own = [describe, *native.modules], ["put_float", *native.given], _NO_FLOATS
    yield own + native.assembly + translate(modules, exported, 0, given)
    if library.has_threads:
        yield _pool(library)


def called_assembly(called: Sequence[str], lapack: Lapack | None) -> Iterator[str]:
    """The assembly of sorts, of what draws random numbers and of linear algebra, among functions that are called."""
    for name in called:
        if is_random_name(name):
            yield _random_numbers(name)
        elif is_sorting_name(name):
            yield _sort(name)
        elif lapack is not None and is_loop_of_lapack(name):
            yield lapack_assembly(name, lapack)


WIDE_PRODUCT = "__multi3"
"""What LLVM calls to multiply 128-bit integers."""

_OF_ALLOCATOR = """
define void @__multi3(ptr %result, i64 %a, i64 %a.high, i64 %b, i64 %b.high) {
  %a0 = and i64 %a, 4294967295
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, 4294967295
  %b1 = lshr i64 %b, 32
  %p = mul i64 %a0, %b0
  %q = mul i64 %a1, %b0
  %r = mul i64 %a0, %b1
  %t = mul i64 %a1, %b1
  %p1 = lshr i64 %p, 32
  %q0 = and i64 %q, 4294967295
  %r0 = and i64 %r, 4294967295
  %m0 = add i64 %p1, %q0
  %m = add i64 %m0, %r0
  %low = mul i64 %a, %b
  %q1 = lshr i64 %q, 32
  %r1 = lshr i64 %r, 32
  %m1 = lshr i64 %m, 32
  %h0 = add i64 %t, %q1
  %h1 = add i64 %h0, %r1
  %h2 = add i64 %h1, %m1
  %x = mul i64 %a.high, %b
  %y = mul i64 %a, %b.high
  %h3 = add i64 %h2, %x
  %high = add i64 %h3, %y
  store i64 %low, ptr %result
  %place = getelementptr i8, ptr %result, i64 8
  store i64 %high, ptr %place
  ret void
}

declare i32 @llvm.wasm.memory.grow.i32(i32, i32)

define internal i64 @memory_grow(i64 %pages) {
  %more = trunc i64 %pages to i32
  %first = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %wide = sext i32 %first to i64
  ret i64 %wide
}

define ptr @malloc(i32 %count) {
  %wide = zext i32 %count to i64
  %address = call i64 @weft_give(i64 %wide)
  %given = inttoptr i64 %address to ptr
  ret ptr %given
}

define void @free(ptr %given) {
  %address = ptrtoint ptr %given to i64
  %r = call i64 @weft_take_back(i64 %address)
  ret void
}
"""


def allocator_assembly() -> str:
    """`malloc` and `free` for WebAssembly, and products of 128 bits."""
    from . import allocator

    return _OF_ALLOCATOR + translate([allocator], ["weft_give", "weft_take_back"], 0, ("memory_grow",))


def _random_numbers(name: str) -> str:
    from ..random_numbers.library import assembly

    function, algorithm, dtype = name.rsplit("_", 2)
    return assembly(function, algorithm, dtype).replace(f"@{function}(", f"@{name}(")


def _sort(name: str) -> str:
    from ..sorting import digits, rows
    from ..sorting.given import GIVEN, LINKED, given_assembly
    from . import sorts

    function, _, keys = name.rpartition("_by_")[0].rpartition("_")
    given = given_assembly(keys, MOST_DIGITS)
    own = "".join(f"{line}\n" for line in given.splitlines() if not line.startswith("declare"))
    names = [name for name in GIVEN if name not in LINKED or not name.startswith("numpy")]
    text = own + MEMORY_ASSEMBLY + _OF_SORTS + translate([rows, digits, sorts], [function], 0, names)
    return text.replace(f"@{function}(", f"@{name}(").replace("@free(", "@give_back(")
