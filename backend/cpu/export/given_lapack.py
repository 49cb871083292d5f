"""What `lapack_code.py` calls besides itself: LAPACK, arithmetic of floats by their bits, memory.

It cannot be called from Python; it is here so that what calls it is checked as Python. The functions of LAPACK take
what Fortran has, but for `info`, which they return: 0, or what went wrong. `lapack.py` says which are addresses.
"""

from __future__ import annotations

from ..native_python.intrinsics import only_native


def are_complex() -> int:
    """1 if numbers are complex, else 0."""


def integer_bytes() -> int:
    """The size of an integer of LAPACK."""


def allocate(count: int) -> int:
    """The address of some bytes, or 0 where there is no memory."""


def give_back(address: int) -> int:
    """Give memory back."""


def add_floats(x: int, y: int) -> int:
    """The sum of two floats."""


def multiply_floats(x: int, y: int) -> int:
    """The product of two floats."""


def divide_floats(x: int, y: int) -> int:
    """The quotient of two floats."""


def hypot_floats(x: int, y: int) -> int:
    """The absolute value of a complex number."""


def exp_float(x: int) -> int:
    """The exponential of a float."""


def log_float(x: int) -> int:
    """The logarithm of a float."""


def whole_of_float(x: int) -> int:
    """The whole number that a float is."""


def gesv(*given: int) -> int:
    """Solve systems."""


def getrf(*given: int) -> int:
    """Factors L and U."""


def potrf(*given: int) -> int:
    """Cholesky's factor."""


def syevd(*given: int) -> int:
    """Eigenvalues and vectors."""


def gesdd(*given: int) -> int:
    """Singular values and vectors."""


def geqrf(*given: int) -> int:
    """Householder's factors."""


def orgqr(*given: int) -> int:
    """The orthonormal columns of Householder's factors."""


only_native(globals())
