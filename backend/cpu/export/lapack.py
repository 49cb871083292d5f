"""Loops of NumPy over matrices for other programs: native code around a LAPACK that these have."""

from __future__ import annotations

import inspect
from collections.abc import Collection

from ....dialect.errors import WeftValueError
from ....dialect.records import NamedTuple
from ...planning.names import loop_of_name
from ..native_python.translator import translate

_LOOPS = "numpy.linalg._umath_linalg."


class Lapack(NamedTuple):
    """A LAPACK: the library, and how it names its functions."""

    library: str
    prefix: str = ""
    suffix: str = "_"
    integer_bytes: int = 4

    def symbol(self, routine: str) -> str:
        """The name of a function."""
        return f"{self.prefix}{routine}{self.suffix}"

    def is_called(self, names: Collection[str]) -> bool:
        """Whether functions of it are among those of some names."""
        return any(
            self.symbol(name) in names for own in _ROUTINES.values() for name in (own.real, own.complex)
        )


_KNOWN = {
    "system": Lapack("lapack"),
    "openblas": Lapack("openblas"),
    "openblas64": Lapack("openblas64", suffix="_64_", integer_bytes=8),
    "mkl": Lapack("mkl_rt"),
    "scipy_openblas32": Lapack("scipy_openblas", prefix="scipy_"),
    "scipy_openblas64": Lapack("scipy_openblas64_", prefix="scipy_", suffix="_64_", integer_bytes=8),
}
"""What is named otherwise is a library with the usual names and integers of 32 bits."""


def lapack_of(name: str) -> Lapack:
    """The LAPACK of a name.

    >>> lapack_of("scipy_openblas64").symbol("dgesv"), lapack_of("flexiblas")
    ('scipy_dgesv_64_', Lapack(library='flexiblas', prefix='', suffix='_', integer_bytes=4))
    """
    if name not in _KNOWN and not name.replace("_", "").replace("-", "").replace(".", "").isalnum():
        raise WeftValueError(f"{name!r} is no name of a library with LAPACK, as {', '.join(_KNOWN)}")
    return _KNOWN.get(name) or Lapack(name)


class _Routine(NamedTuple):
    """A function of LAPACK, as `given_lapack` has it."""

    real: str
    complex: str
    parameters: str
    """A letter for each but `info`: a character `c`, an integer `i`, or the address of an array `a`.

    The one for real numbers does not have those of upper case. The lengths of characters are what Fortran passes last.
    """


_ROUTINES = {
    "gesv": _Routine("dgesv", "zgesv", "iiaiaai"),
    "getrf": _Routine("dgetrf", "zgetrf", "iiaia"),
    "potrf": _Routine("dpotrf", "zpotrf", "ciai"),
    "syevd": _Routine("dsyevd", "zheevd", "cciaiaaiAIai"),
    "gesdd": _Routine("dgesdd", "zgesdd", "ciiaiaaiaiaiAa"),
    "geqrf": _Routine("dgeqrf", "zgeqrf", "iiaiaai"),
    "orgqr": _Routine("dorgqr", "zungqr", "iiiaiaai"),
}

_GIVEN = """
declare ptr @weft_allocate(i64)
declare void @weft_free(ptr)

define internal i64 @are_complex() {{
  ret i64 {are_complex}
}}

define internal i64 @integer_bytes() {{
  ret i64 {integer_bytes}
}}

define internal i64 @allocate(i64 %count) {{
  %some = call i64 @llvm.umax.i64(i64 %count, i64 1)
  %p = call ptr @weft_allocate(i64 %some)
  %i = ptrtoint ptr %p to i64
  ret i64 %i
}}
declare i64 @llvm.umax.i64(i64, i64)

define internal i64 @give_back(i64 %address) {{
  %p = inttoptr i64 %address to ptr
  call void @weft_free(ptr %p)
  ret i64 0
}}
"""


def is_loop_of_lapack(name: str) -> bool:
    """Whether a function calls a loop of NumPy that is written for any LAPACK."""
    from . import lapack_code

    loop = loop_of_name(name)
    if loop is None or not loop[0].startswith(_LOOPS) or loop[1][0] not in "dD":
        return False
    function = getattr(lapack_code, loop[0].removeprefix(_LOOPS), None)
    return inspect.isfunction(function)


def lapack_assembly(name: str, lapack: Lapack) -> str:
    """The assembly of a loop."""
    from . import given_lapack, lapack_code

    loop = loop_of_name(name)
    assert loop is not None
    function, is_complex = loop[0].removeprefix(_LOOPS), loop[1][0] == "D"
    parts = [_GIVEN.format(are_complex=int(is_complex), integer_bytes=lapack.integer_bytes)]
    parts += [_call(own, routine, lapack, is_complex) for own, routine in _ROUTINES.items()]
    given = [own for own, _ in inspect.getmembers(given_lapack, inspect.isfunction)]
    parts.append(translate([lapack_code], [function], 0, given))
    return "".join(parts).replace(f"@{function}(", f'@"{name}"(')


def _call(name: str, routine: _Routine, lapack: Lapack, is_complex: bool) -> str:
    """A call of LAPACK, which takes the addresses of integers: words, which it may read as halves."""
    symbol = lapack.symbol(routine.complex if is_complex else routine.real)
    lines = ["  %info = alloca i64", "  store i64 0, ptr %info"]
    for n, kind in enumerate(routine.parameters.lower()):
        if kind == "a":
            lines.append(f"  %p{n} = inttoptr i64 %a{n} to ptr")
        else:
            lines += [f"  %p{n} = alloca i64", f"  store i64 %a{n}, ptr %p{n}"]
    passed = [f"ptr %p{n}" for n, kind in enumerate(routine.parameters) if is_complex or kind.islower()]
    passed += ["ptr %info", *["i64 1"] * routine.parameters.count("c")]
    lines += [f"  call void @{symbol}({', '.join(passed)})", "  %failed = load i32, ptr %info"]
    lines += ["  %r = sext i32 %failed to i64", "  ret i64 %r"]
    types = ", ".join(value.split()[0] for value in passed)
    parameters = ", ".join(f"i64 %a{n}" for n, _ in enumerate(routine.parameters))
    head = f"declare void @{symbol}({types})\ndefine internal i64 @{name}({parameters}) {{"
    return "\n".join([head, *lines, "}", ""])
