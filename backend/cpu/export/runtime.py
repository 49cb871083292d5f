"""What the functions of a library call besides C's own: LLVM assembly over malloc and free."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from ...planning.names import ALLOCATE, ALLOCATE_SCRATCH, FREE, FREE_SCRATCH, PARALLEL_FOR, REFUSALS, THREADS
from ...planning.plan import ALIGNMENT, MAX_VALUES
from ...target import current
from ..lowering.interrupts import INTERRUPTED
from .interface import CODES, NO_MEMORY, STOPPED, Library, Place, code_of, number_of
from .messages import with_marks
from .planned_call import CANCEL, CONSTANT
from .state_bytes import initial_bytes, state_header

_MEMORY = f"""\
declare ptr @malloc({{size}})
declare void @free(ptr)
@weft.refused = global i64 0

define ptr @{ALLOCATE}(i64 %bytes) {{{{
  %p = call ptr @{ALLOCATE_SCRATCH}(i64 16, i64 %bytes)
  ret ptr %p
}}}}

define void @{FREE}(ptr %p) {{{{
  call void @{FREE_SCRATCH}(ptr %p)
  ret void
}}}}

define i64 @{REFUSALS}() {{{{
  %refused = load atomic i64, ptr @weft.refused monotonic, align 8
  ret i64 %refused
}}}}

; More memory than is asked for: in front of what is given is the address of the block.
define noalias ptr @{ALLOCATE_SCRATCH}(i64 %alignment, i64 %bytes) {{{{
  %more = add i64 %alignment, 16
  %all = add i64 %more, %bytes
  %is_large = icmp ugt i64 %bytes, {{largest}}
  br i1 %is_large, label %none, label %ask
ask:
  %size = {{as_size}}
  %block = call ptr @malloc({{size}} %size)
  %is_none = icmp eq ptr %block, null
  br i1 %is_none, label %none, label %some
none:
  %count = atomicrmw add ptr @weft.refused, i64 1 monotonic
  ret ptr null
some:
  %address = ptrtoint ptr %block to i64
  %behind = add i64 %address, %more
  %mask = sub i64 0, %alignment
  %aligned = and i64 %behind, %mask
  %given = inttoptr i64 %aligned to ptr
  %place = getelementptr i8, ptr %given, i64 -8
  store ptr %block, ptr %place
  ret ptr %given
}}}}

define void @{FREE_SCRATCH}(ptr %given) {{{{
  %is_none = icmp eq ptr %given, null
  br i1 %is_none, label %done, label %some
some:
  %place = getelementptr i8, ptr %given, i64 -8
  %block = load ptr, ptr %place
  call void @free(ptr %block)
  br label %done
done:
  ret void
}}}}

define ptr @weft_workspace(i64 %bytes) {{{{
  %p = call ptr @{ALLOCATE_SCRATCH}(i64 {ALIGNMENT}, i64 %bytes)
  ret ptr %p
}}}}

define void @weft_release_workspace(ptr %p) {{{{
  call void @{FREE_SCRATCH}(ptr %p)
  ret void
}}}}
"""

_SERIAL = f"""
define void @{PARALLEL_FOR}(ptr %body, i64 %trips, i64 %grain, ptr %context) {{
  call void %body(i64 0, i64 %trips, ptr %context)
  ret void
}}

define i64 @{THREADS}() {{
  ret i64 1
}}
"""
"""Loops are not shared."""

_FAILURES = f"""
define ptr @weft_cancel_flag(ptr %error) {{{{
  %is_none = icmp eq ptr %error, null
  br i1 %is_none, label %none, label %some
none:
  ret ptr null
some:
  %place = getelementptr i64, ptr %error, i64 {CANCEL}
  %flag = load ptr, ptr %place
  ret ptr %flag
}}}}

define i32 @weft_refused(ptr %error, i64 %number, i64 %first, i64 %second) noinline cold {{{{
  %is_none = icmp eq ptr %error, null
  br i1 %is_none, label %code, label %tell
tell:
  %at.first = getelementptr i64, ptr %error, i64 1
  %at.second = getelementptr i64, ptr %error, i64 2
  store i64 %number, ptr %error
  store i64 %first, ptr %at.first
  store i64 %second, ptr %at.second
  br label %code
code:
  %kind.at = getelementptr i32, ptr @weft.kinds, i64 %number
  %kind = load i32, ptr %kind.at
  ret i32 %kind
}}}}

define i32 @weft_failed(ptr %error, ptr %record, i64 %first) noinline cold {{{{
  %local = load i64, ptr %record
  %before = add i64 %first, %local
  %place = sub i64 %before, 1
  %is_stopped = icmp eq i64 %local, {INTERRUPTED}
  %is_outside = icmp slt i64 %local, 0
  %outside = select i1 %is_stopped, i64 {{stopped}}, i64 {{no_memory}}
  %number = select i1 %is_outside, i64 %outside, i64 %place
  %is_none = icmp eq ptr %error, null
  br i1 %is_none, label %code, label %tell
tell:
  %values = getelementptr i64, ptr %error, i64 1
  %found = getelementptr i64, ptr %record, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr %values, ptr %found, i64 {8 * MAX_VALUES}, i1 false)
  store i64 %number, ptr %error
  br label %code
code:
  %kind.at = getelementptr i32, ptr @weft.kinds, i64 %number
  %kind = load i32, ptr %kind.at
  ret i32 %kind
}}}}

define i64 @"{{name}}_describe"(ptr %error, ptr %text, i64 %size) {{{{
  %number = load i64, ptr %error
  %is_inside = icmp ult i64 %number, {{count}}
  %known = select i1 %is_inside, i64 %number, i64 0
  %at = getelementptr i32, ptr @weft.offsets, i64 %known
  %offset = load i32, ptr %at
  %message = getelementptr i8, ptr @weft.messages, i32 %offset
  %values = getelementptr i64, ptr %error, i64 1
  %m = ptrtoint ptr %message to i64
  %v = ptrtoint ptr %values to i64
  %t = ptrtoint ptr %text to i64
  %length = call i64 @weft_describe(i64 %m, i64 %v, i64 %t, i64 %size)
  ret i64 %length
}}}}
declare i64 @weft_describe(i64, i64, i64, i64)
"""

_STATE = """
define noalias ptr @"{name}_new"() {{
  %state = call ptr @weft_workspace(i64 {bytes})
  %is_none = icmp eq ptr %state, null
  br i1 %is_none, label %done, label %fill
fill:
  call void @llvm.memcpy.p0.p0.i64(ptr %state, ptr @weft.initial, i64 {bytes}, i1 false)
  br label %done
done:
  ret ptr %state
}}

define void @"{name}_delete"(ptr %state) {{
  call void @weft_release_workspace(ptr %state)
  ret void
}}

define i64 @"{name}_size"() {{
  ret i64 {all}
}}

define void @"{name}_save"(ptr %state, ptr %buffer) {{
  call void @llvm.memcpy.p0.p0.i64(ptr %buffer, ptr @weft.header, i64 {header}, i1 false)
  %data = getelementptr i8, ptr %buffer, i64 {header}
  call void @llvm.memcpy.p0.p0.i64(ptr %data, ptr %state, i64 {bytes}, i1 false)
  ret void
}}

define i32 @"{name}_load"(ptr %state, ptr %buffer, i64 %size) {{
  %is_whole = icmp eq i64 %size, {all}
  br i1 %is_whole, label %head, label %bad
head:
  %at = phi i64 [ 0, %0 ], [ %next, %same ]
  %is_over = icmp eq i64 %at, {header}
  br i1 %is_over, label %fill, label %compare
compare:
  %here.at = getelementptr i8, ptr %buffer, i64 %at
  %there.at = getelementptr i8, ptr @weft.header, i64 %at
  %here = load i8, ptr %here.at
  %there = load i8, ptr %there.at
  %is_same = icmp eq i8 %here, %there
  br i1 %is_same, label %same, label %bad
same:
  %next = add i64 %at, 1
  br label %head
fill:
  %data = getelementptr i8, ptr %buffer, i64 {header}
  call void @llvm.memcpy.p0.p0.i64(ptr %state, ptr %data, i64 {bytes}, i1 false)
  ret i32 0
bad:
  ret i32 {value_error}
}}
"""


def runtime_assembly(library: Library) -> str:
    """All of it, for the current target."""
    return common_assembly(library) + "".join(_memory_of_host(library))


def common_assembly(library: Library) -> str:
    """What does not depend on where arrays are."""
    narrow = current().triple.startswith("wasm32")
    parts = [
        _MEMORY.format(
            size="i32" if narrow else "i64",
            as_size="trunc i64 %all to i32" if narrow else "add i64 %all, 0",
            largest=(1 << 31) - 1 if narrow else (1 << 62) - 1,
        ),
        "" if library.has_threads else _SERIAL,
        *_failures(library),
    ]
    return "".join(parts)


def _memory_of_host(library: Library) -> Iterator[str]:
    """What frees results, and the state."""
    if any(output.place is Place.BLOCK for function in library.functions for output in function.outputs):
        yield (
            f'\ndefine void @"{library.name}_free"(ptr %p) {{\n  call void @{FREE}(ptr %p)\n  ret void\n}}\n'
        )
    if library.state:
        yield from _state(library)


def constant_assembly(number: int, content: bytes) -> str:
    """The memory of a constant, which functions know by its number."""
    return bytes_assembly(f"{CONSTANT}.{number}", content)


def _failures(library: Library) -> Iterator[str]:
    """The texts of failures, what exceptions they are, and what looks at them."""
    failures = library.failures
    kinds = [CODES["OK"], *(code_of(failure.error) for failure in failures)]
    yield f"@weft.kinds = constant [{len(kinds)} x i32] [{', '.join(f'i32 {k}' for k in kinds)}]\n"
    texts = [with_marks(text) + b"\0" for text in ("", *(failure.message for failure in failures))]
    yield bytes_assembly("weft.messages", b"".join(texts), alignment=1)
    offsets = accumulate(map(len, texts[:-1]), initial=0)
    yield f"@weft.offsets = constant [{len(texts)} x i32] [{', '.join(f'i32 {o}' for o in offsets)}]\n"
    yield _FAILURES.format(
        name=library.name,
        count=len(texts),
        stopped=number_of(STOPPED),
        no_memory=number_of(NO_MEMORY),
    )


def _state(library: Library) -> Iterator[str]:
    header = state_header(library)
    yield state_assembly(library)
    yield _STATE.format(
        name=library.name,
        bytes=library.state_bytes,
        header=len(header),
        all=len(header) + library.state_bytes,
        value_error=CODES["ValueError"],
    )
    for array in library.state:
        yield (
            f'\ndefine ptr @"{library.name}_{array.name}"(ptr %state) {{\n'
            f"  %p = getelementptr i8, ptr %state, i64 {array.offset}\n  ret ptr %p\n}}\n"
        )


def state_assembly(library: Library) -> str:
    """What a state is at first, and what is in front of it where it is saved."""
    return bytes_assembly("weft.initial", initial_bytes(library)) + bytes_assembly(
        "weft.header", state_header(library)
    )


def bytes_assembly(name: str, content: bytes, alignment: int = ALIGNMENT) -> str:
    """A constant of bytes."""
    text = f"\\{content.hex(chr(92))}" if content else ""
    return f'@"{name}" = constant [{len(content)} x i8] c"{text}", align {alignment}\n'
