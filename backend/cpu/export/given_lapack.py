"""What `lapack_code.py` calls besides itself: LAPACK, memory.

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
