"""Functions that call a loop of a ufunc of NumPy or SciPy: its C function, with the data that belongs to it.

    weft_loop.F.L(arguments, extents, steps)

calls `L(arguments, extents, steps, data)`, which needs no interpreter, and returns whether it raised the flag
"invalid".
"""

from __future__ import annotations

import ctypes
from functools import cache

from ....dialect.ufunc_loops import find_ufunc
from ..machine.libraries import library_function
from ..machine.native_code import kept_library
from ..machine.ufuncs import c_loop

_NAME = "weft_call_loop"

_ASSEMBLY = f"""
@loop_data = external global ptr
declare void @loop(ptr, ptr, ptr, ptr)
declare i32 @feclearexcept(i32)
declare i32 @fetestexcept(i32)

define i64 @{_NAME}(i64 %arguments, i64 %extents, i64 %steps) {{
  %a = inttoptr i64 %arguments to ptr
  %e = inttoptr i64 %extents to ptr
  %s = inttoptr i64 %steps to ptr
  %cleared = call i32 @feclearexcept(i32 1)
  %data = load ptr, ptr @loop_data
  call void @loop(ptr %a, ptr %e, ptr %s, ptr %data)
  %raised = call i32 @fetestexcept(i32 1)
  %found = zext i32 %raised to i64
  ret i64 %found
}}
"""
"""1 is the flag "invalid" on x86-64 and on AArch64."""


_kept: list[ctypes.c_void_p] = []
"""What is read as long as the process lives."""


@cache
def loop_address(function: str, loop: str) -> int:
    """The address of the function that calls a loop of a ufunc."""
    address, of_loop = c_loop(find_ufunc(function), loop)
    data = ctypes.c_void_p(of_loop)  # no symbol may be null
    _kept.append(data)
    known = {
        "loop": address,
        "loop_data": ctypes.addressof(data),
        **{name: library_function(name) or 0 for name in ("feclearexcept", "fetestexcept")},
    }
    return kept_library(_NAME, lambda: _ASSEMBLY, [_NAME], known, known)[_NAME]
