"""What NumPy's loops over matrices do, with any LAPACK: native code, translated for numbers of one type.

A loop takes the addresses of its arrays, how many matrices there are and their extents, and the bytes from matrix to
matrix of each array. Matrices are turned for LAPACK, whose columns are contiguous, and results turned back. It returns
whether LAPACK failed for one of them; what it would have given is then NaN, as NumPy has it.

Integers for LAPACK are words that are read as halves, or whole; so are those it gives back, which are small.
"""

from __future__ import annotations

from ..native_python.intrinsics import half, set_word, stack, word
from .given_lapack import (
    add_floats,
    allocate,
    are_complex,
    divide_floats,
    exp_float,
    geqrf,
    gesdd,
    gesv,
    getrf,
    give_back,
    hypot_floats,
    integer_bytes,
    log_float,
    multiply_floats,
    orgqr,
    potrf,
    syevd,
    whole_of_float,
)

ALL, LOWER, NONE, SOME, UPPER, VECTORS = (ord(letter) for letter in "ALNSUV")
NAN, INFINITY, ONE = 0x7FF8 << 48, 0x7FF0 << 48, 0x3FF0 << 48
SIGN = -(1 << 63)
QUERY = -1


def solve(arguments: int, extents: int, steps: int) -> int:
    """Solve systems."""
    count = word(extents)
    m = word(extents + 8)
    n = word(extents + 16)
    size = number_bytes()
    a = allocate((m * m + m * n) * size + 8 * m)
    if a == 0:
        return 1
    b = a + m * m * size
    failed = 0
    for matrix in range(count):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        turn(b, at(arguments, steps, 1, matrix), m, n)
        target = at(arguments, steps, 2, matrix)
        if eliminate(a, b, b + m * n * size, m, n) == 0:
            turn(target, b, n, m)
        else:
            failed = fail(target, m * n)
    give_back(a)
    return failed


def inv(arguments: int, extents: int, steps: int) -> int:
    """Invert matrices."""
    count = word(extents)
    m = word(extents + 8)
    size = number_bytes()
    a = allocate(2 * m * m * size + 8 * m)
    if a == 0:
        return 1
    b = a + m * m * size
    failed = 0
    for matrix in range(count):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        fill(b, m * m, 0)
        for row in range(m):
            set_word(b + row * (m + 1) * size, ONE)
        target = at(arguments, steps, 1, matrix)
        if eliminate(a, b, b + m * m * size, m, m) == 0:
            turn(target, b, m, m)
        else:
            failed = fail(target, m * m)
    give_back(a)
    return failed


def eliminate(a: int, b: int, pivots: int, m: int, n: int) -> int:
    """Solve a system; not 0 where it is singular."""
    known = stack(4)
    set_word(known, m)
    set_word(known + 8, n)
    set_word(known + 16, max(m, 1))
    set_word(known + 24, 0)
    gesv(known, known + 8, a, known + 16, pivots, b, known + 16, known + 24)
    return half(known + 24)


def det(arguments: int, extents: int, steps: int) -> int:
    """Determinants."""
    return determinants(arguments, extents, steps, 0)


def slogdet(arguments: int, extents: int, steps: int) -> int:
    """Signs and logarithms of determinants."""
    return determinants(arguments, extents, steps, 1)


def determinants(arguments: int, extents: int, steps: int, as_logarithms: int) -> int:
    """Determinants by their signs and logarithms, as NumPy computes them."""
    count = word(extents)
    m = word(extents + 8)
    size = number_bytes()
    a = allocate(m * m * size + 8 * m)
    if a == 0:
        return 1
    pivots = a + m * m * size
    known = stack(6)
    sign = known + 32
    for matrix in range(count):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        set_word(known, m)
        set_word(known + 8, max(m, 1))
        set_word(known + 16, 0)
        getrf(known, known, a, known + 8, pivots, known + 16)
        logarithm = INFINITY | SIGN
        fill(sign, 1, 0)
        if half(known + 16) == 0:
            logarithm = signed_logarithm(a, pivots, m, sign)
        target = at(arguments, steps, 1, matrix)
        if as_logarithms:
            copy(target, sign)
            set_word(at(arguments, steps, 2, matrix), logarithm)
        else:
            scale = exp_float(logarithm)
            set_word(target, multiply_floats(word(sign), scale))
            if are_complex():
                set_word(target + 8, multiply_floats(word(sign + 8), scale))
    give_back(a)
    return 0


def signed_logarithm(a: int, pivots: int, m: int, sign: int) -> int:
    """The logarithm of the product of a diagonal; where its sign goes begins as zero."""
    size = number_bytes()
    exchanges = 0
    for row in range(m):
        exchanges += half(pivots + row * integer_bytes()) != row + 1
    real = ONE | (exchanges & 1) << 63
    imaginary = 0
    total = 0
    for row in range(m):
        entry = a + row * (m + 1) * size
        length = word(entry) & ((1 << 63) - 1)
        if are_complex():
            length = hypot_floats(word(entry), word(entry + 8))
            x = divide_floats(word(entry), length)
            y = divide_floats(word(entry + 8), length)
            product = add_floats(multiply_floats(real, x), multiply_floats(imaginary, y) ^ SIGN)
            imaginary = add_floats(multiply_floats(real, y), multiply_floats(imaginary, x))
            real = product
        else:
            real = real ^ (word(entry) & SIGN)
        total = add_floats(total, log_float(length))
    set_word(sign, real)
    if are_complex():
        set_word(sign + 8, imaginary)
    return total


def cholesky_lo(arguments: int, extents: int, steps: int) -> int:
    """Lower triangular factors."""
    return factors(arguments, extents, steps, LOWER)


def cholesky_up(arguments: int, extents: int, steps: int) -> int:
    """Upper triangular factors."""
    return factors(arguments, extents, steps, UPPER)


def factors(arguments: int, extents: int, steps: int, triangle: int) -> int:
    """Triangular factors of positive definite matrices."""
    count = word(extents)
    m = word(extents + 8)
    size = number_bytes()
    a = allocate(m * m * size)
    if a == 0:
        return 1
    known = stack(4)
    failed = 0
    for matrix in range(count):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        set_word(known, m)
        set_word(known + 8, max(m, 1))
        set_word(known + 16, 0)
        set_word(known + 24, triangle)
        potrf(known + 24, known, a, known + 8, known + 16)
        target = at(arguments, steps, 1, matrix)
        if half(known + 16) == 0:
            for column in range(m):
                for row in range(m):
                    outside = row < column if triangle == LOWER else row > column
                    if outside:
                        fill(a + (column * m + row) * size, 1, 0)
            turn(target, a, m, m)
        else:
            failed = fail(target, m * m)
    give_back(a)
    return failed


def eigh_lo(arguments: int, extents: int, steps: int) -> int:
    """Eigenvalues and vectors, by lower triangles."""
    return eigen(arguments, extents, steps, LOWER, VECTORS)


def eigh_up(arguments: int, extents: int, steps: int) -> int:
    """Eigenvalues and vectors, by upper triangles."""
    return eigen(arguments, extents, steps, UPPER, VECTORS)


def eigvalsh_lo(arguments: int, extents: int, steps: int) -> int:
    """Eigenvalues, by lower triangles."""
    return eigen(arguments, extents, steps, LOWER, NONE)


def eigvalsh_up(arguments: int, extents: int, steps: int) -> int:
    """Eigenvalues, by upper triangles."""
    return eigen(arguments, extents, steps, UPPER, NONE)


def eigen(arguments: int, extents: int, steps: int, triangle: int, job: int) -> int:
    """Eigenvalues of Hermitian matrices, and their vectors."""
    count = word(extents)
    m = word(extents + 8)
    size = number_bytes()
    asked = stack(4)
    fill(asked, 1, 0)
    set_word(asked + 16, 0)
    set_word(asked + 24, 0)
    eigen_of(job, triangle, m, asked, asked, asked, QUERY, asked + 16, QUERY, asked + 24, QUERY)
    numbers = whole_of_float(word(asked))
    floats = whole_of_float(word(asked + 16))
    integers = half(asked + 24)
    a = allocate((m * m + numbers) * size + 8 * (m + floats + integers))
    if a == 0:
        return 1
    work = a + m * m * size
    values = work + numbers * size
    more = values + 8 * m
    failed = 0
    for matrix in range(count):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        wrong = eigen_of(
            job, triangle, m, a, values, work, numbers, more, floats, more + 8 * floats, integers
        )
        target = at(arguments, steps, 1, matrix)
        for place in range(m):
            set_word(target + 8 * place, NAN if wrong else word(values + 8 * place))
        if wrong:
            failed = 1
        if job == VECTORS:
            if wrong:
                fail(at(arguments, steps, 2, matrix), m * m)
            else:
                turn(at(arguments, steps, 2, matrix), a, m, m)
    give_back(a)
    return failed


def eigen_of(
    job: int,
    triangle: int,
    m: int,
    a: int,
    values: int,
    work: int,
    numbers: int,
    more: int,
    floats: int,
    places: int,
    integers: int,
) -> int:
    """One matrix; not 0 where it did not converge."""
    known = stack(8)
    set_word(known, job)
    set_word(known + 8, triangle)
    set_word(known + 16, m)
    set_word(known + 24, max(m, 1))
    set_word(known + 32, numbers)
    set_word(known + 40, floats)
    set_word(known + 48, integers)
    set_word(known + 56, 0)
    syevd(
        known, known + 8, known + 16, a, known + 24, values,
        work, known + 32, more, known + 40, places, known + 48, known + 56,
    )  # fmt: skip
    return half(known + 56)


def svd(arguments: int, extents: int, steps: int) -> int:
    """Singular values."""
    return singular(arguments, extents, steps, NONE)


def svd_s(arguments: int, extents: int, steps: int) -> int:
    """Reduced decompositions."""
    return singular(arguments, extents, steps, SOME)


def svd_f(arguments: int, extents: int, steps: int) -> int:
    """Full decompositions."""
    return singular(arguments, extents, steps, ALL)


def singular(arguments: int, extents: int, steps: int, job: int) -> int:
    """Singular values, and vectors of both sides."""
    count = word(extents)
    m = word(extents + 8)
    n = word(extents + 16)
    size = number_bytes()
    least = min(m, n)
    left = 0 if job == NONE else m if job == ALL else least
    right = 0 if job == NONE else n if job == ALL else least
    asked = stack(2)
    fill(asked, 1, 0)
    singular_of(job, m, n, right, asked, asked, asked, asked, asked, QUERY, asked, asked)
    numbers = whole_of_float(word(asked))
    floats = 5 * least * least + 2 * max(m, n) * least + 7 * least + 1 if are_complex() else 0
    a = allocate((m * n + m * left + right * n + numbers) * size + 8 * (least + floats + 8 * least))
    if a == 0:
        return 1
    u = a + m * n * size
    v = u + m * left * size
    work = v + right * n * size
    values = work + numbers * size
    more = values + 8 * least
    place_of_values = 1 if job == NONE else 2
    failed = 0
    for matrix in range(count):
        turn(a, at(arguments, steps, 0, matrix), m, n)
        wrong = singular_of(job, m, n, right, a, values, u, v, work, numbers, more, more + 8 * floats)
        target = at(arguments, steps, place_of_values, matrix)
        for place in range(least):
            set_word(target + 8 * place, NAN if wrong else word(values + 8 * place))
        if job != NONE:
            if wrong:
                fail(at(arguments, steps, 1, matrix), m * left)
                fail(at(arguments, steps, 3, matrix), right * n)
            else:
                turn(at(arguments, steps, 1, matrix), u, left, m)
                turn(at(arguments, steps, 3, matrix), v, n, right)
        if wrong:
            failed = 1
    give_back(a)
    return failed


def singular_of(
    job: int,
    m: int,
    n: int,
    right: int,
    a: int,
    values: int,
    u: int,
    v: int,
    work: int,
    numbers: int,
    more: int,
    places: int,
) -> int:
    """One matrix; not 0 where it did not converge."""
    known = stack(7)
    set_word(known, job)
    set_word(known + 8, m)
    set_word(known + 16, n)
    set_word(known + 24, max(m, 1))
    set_word(known + 32, max(right, 1))
    set_word(known + 40, numbers)
    set_word(known + 48, 0)
    gesdd(
        known, known + 8, known + 16, a, known + 24, values, u, known + 24, v, known + 32,
        work, known + 40, more, places, known + 48,
    )  # fmt: skip
    return half(known + 48)


def qr_r_raw(arguments: int, extents: int, steps: int) -> int:
    """Householder's factors, in place."""
    count = word(extents)
    m = word(extents + 8)
    n = word(extents + 16)
    size = number_bytes()
    least = min(m, n)
    known = stack(7)
    set_word(known, m)
    set_word(known + 8, n)
    set_word(known + 16, max(m, 1))
    set_word(known + 24, QUERY)
    set_word(known + 32, 0)
    fill(known + 40, 1, 0)
    geqrf(known, known + 8, known + 40, known + 16, known + 40, known + 40, known + 24, known + 32)
    numbers = whole_of_float(word(known + 40))
    a = allocate((m * n + least + numbers) * size)
    if a == 0:
        return 1
    scales = a + m * n * size
    failed = 0
    for matrix in range(count):
        given = at(arguments, steps, 0, matrix)
        target = at(arguments, steps, 1, matrix)
        turn(a, given, m, n)
        set_word(known + 24, numbers)
        set_word(known + 32, 0)
        geqrf(known, known + 8, a, known + 16, scales, scales + least * size, known + 24, known + 32)
        if half(known + 32) == 0:
            turn(given, a, n, m)
            turn(target, scales, 1, least)
        else:
            failed = fail(target, least)
    give_back(a)
    return failed


def qr_reduced(arguments: int, extents: int, steps: int) -> int:
    """As many orthonormal columns as scales."""
    return basis(arguments, extents, steps, word(extents + 24), word(extents + 24))


def qr_complete(arguments: int, extents: int, steps: int) -> int:
    """As many orthonormal columns as rows."""
    return basis(arguments, extents, steps, min(word(extents + 8), word(extents + 16)), word(extents + 8))


def basis(arguments: int, extents: int, steps: int, scales: int, columns: int) -> int:
    """The orthonormal columns of Householder's factors."""
    count = word(extents)
    m = word(extents + 8)
    n = word(extents + 16)
    size = number_bytes()
    known = stack(8)
    set_word(known, m)
    set_word(known + 8, columns)
    set_word(known + 16, scales)
    set_word(known + 24, max(m, 1))
    set_word(known + 32, QUERY)
    set_word(known + 40, 0)
    asked = known + 48
    fill(asked, 1, 0)
    orgqr(known, known + 8, known + 16, asked, known + 24, asked, asked, known + 32, known + 40)
    numbers = whole_of_float(word(asked))
    q = allocate((m * columns + scales + numbers) * size)
    if q == 0:
        return 1
    taken = q + m * columns * size
    failed = 0
    for matrix in range(count):
        given = at(arguments, steps, 0, matrix)
        target = at(arguments, steps, 2, matrix)
        fill(q, m * columns, 0)
        for column in range(min(n, columns)):
            for row in range(m):
                copy(q + (column * m + row) * size, given + (row * n + column) * size)
        turn(taken, at(arguments, steps, 1, matrix), 1, scales)
        set_word(known + 32, numbers)
        set_word(known + 40, 0)
        work = taken + scales * size
        orgqr(known, known + 8, known + 16, q, known + 24, taken, work, known + 32, known + 40)
        if half(known + 40) == 0:
            turn(target, q, columns, m)
        else:
            failed = fail(target, m * columns)
    give_back(q)
    return failed


# Numbers and matrices


def number_bytes() -> int:
    """The size of a number."""
    return 16 if are_complex() else 8


def at(arguments: int, steps: int, argument: int, matrix: int) -> int:
    """The address of a matrix of an argument."""
    return word(arguments + 8 * argument) + matrix * word(steps + 8 * argument)


def turn(target: int, source: int, rows: int, columns: int) -> None:
    """Store the transpose of a matrix of contiguous rows."""
    size = number_bytes()
    for column in range(columns):
        for row in range(rows):
            copy(target + (column * rows + row) * size, source + (row * columns + column) * size)


def copy(target: int, source: int) -> None:
    """Copy a number."""
    set_word(target, word(source))
    if are_complex():
        set_word(target + 8, word(source + 8))


def fill(target: int, count: int, bits: int) -> None:
    """Store a number many times; its bits are those of its parts."""
    for place in range(count * number_bytes() // 8):
        set_word(target + 8 * place, bits)


def fail(target: int, count: int) -> int:
    """Store NaN; 1."""
    fill(target, count, NAN)
    return 1
