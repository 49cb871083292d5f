"""What `lapack_code.py` calls besides itself: LAPACK, arithmetic of floats by their bits, memory.

It cannot be called from Python; it is here so that what calls it is checked as Python. The functions of LAPACK take
addresses, as in Fortran.
"""

from __future__ import annotations

from ....dialect.errors import InternalError


def are_complex() -> int:
    """1 if numbers are complex, else 0."""
    raise _only_native()


def integer_bytes() -> int:
    """The size of an integer of LAPACK."""
    raise _only_native()


def allocate(count: int) -> int:
    """The address of some bytes, or 0 where there is no memory."""
    raise _only_native()


def give_back(address: int) -> int:
    """Give memory back."""
    raise _only_native()


def add_floats(x: int, y: int) -> int:
    """The sum of two floats."""
    raise _only_native()


def multiply_floats(x: int, y: int) -> int:
    """The product of two floats."""
    raise _only_native()


def divide_floats(x: int, y: int) -> int:
    """The quotient of two floats."""
    raise _only_native()


def hypot_floats(x: int, y: int) -> int:
    """The absolute value of a complex number."""
    raise _only_native()


def exp_float(x: int) -> int:
    """The exponential of a float."""
    raise _only_native()


def log_float(x: int) -> int:
    """The logarithm of a float."""
    raise _only_native()


def whole_of_float(x: int) -> int:
    """The whole number that a float is."""
    raise _only_native()


def gesv(n: int, columns: int, a: int, rows_of_a: int, pivots: int, b: int, rows_of_b: int, info: int) -> int:
    """Solve systems."""
    raise _only_native()


def getrf(m: int, n: int, a: int, rows_of_a: int, pivots: int, info: int) -> int:
    """Factors L and U."""
    raise _only_native()


def potrf(triangle: int, n: int, a: int, rows_of_a: int, info: int) -> int:
    """Cholesky's factor."""
    raise _only_native()


def syevd(
    job: int,
    triangle: int,
    n: int,
    a: int,
    rows_of_a: int,
    values: int,
    work: int,
    numbers: int,
    floats: int,
    number_of_floats: int,
    places: int,
    number_of_places: int,
    info: int,
) -> int:
    """Eigenvalues and vectors."""
    raise _only_native()


def gesdd(
    job: int,
    m: int,
    n: int,
    a: int,
    rows_of_a: int,
    values: int,
    u: int,
    rows_of_u: int,
    v: int,
    rows_of_v: int,
    work: int,
    numbers: int,
    floats: int,
    places: int,
    info: int,
) -> int:
    """Singular values and vectors."""
    raise _only_native()


def geqrf(m: int, n: int, a: int, rows_of_a: int, scales: int, work: int, numbers: int, info: int) -> int:
    """Householder's factors."""
    raise _only_native()


def orgqr(
    m: int,
    columns: int,
    reflections: int,
    a: int,
    rows_of_a: int,
    scales: int,
    work: int,
    numbers: int,
    info: int,
) -> int:
    """The orthonormal columns of Householder's factors."""
    raise _only_native()


def _only_native() -> InternalError:
    return InternalError("native code was called as Python")
