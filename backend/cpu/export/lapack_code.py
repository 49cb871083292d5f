"""What NumPy's loops over matrices do, with any LAPACK: native code, translated for numbers of one type.

A loop takes the addresses of its arrays, how many matrices there are and their extents, and the bytes from matrix to
matrix of each array. Matrices are turned for LAPACK, whose columns are contiguous, and results turned back. It returns
whether LAPACK failed for one of them; what it would have given is then NaN, as NumPy has it.
"""

from __future__ import annotations

import math

from ..native_python.intrinsics import FloatFunction, bits, from_bits, half, set_word, stack, word
from .given_lapack import (
    allocate,
    are_complex,
    geqrf,
    gesdd,
    gesv,
    getrf,
    give_back,
    integer_bytes,
    orgqr,
    potrf,
    syevd,
)

exp, log, hypot = FloatFunction("exp"), FloatFunction("log"), FloatFunction("hypot", 2)

ALL, LOWER, NONE, SOME, UPPER, VECTORS = (ord(letter) for letter in "ALNSUV")
NAN, ONE = 0x7FF8 << 48, 0x3FF0 << 48
LOWEST = -math.inf
QUERY = -1


def solve(arguments: int, extents: int, steps: int) -> int:
    """Solve systems."""
    return solutions(arguments, extents, steps, word(extents + 16), 2)


def inv(arguments: int, extents: int, steps: int) -> int:
    """Invert matrices."""
    return solutions(arguments, extents, steps, word(extents + 8), 1)


def solutions(arguments: int, extents: int, steps: int, n: int, result: int) -> int:
    """Solve systems, or those with the unit matrix where the result is the second argument."""
    m = word(extents + 8)
    size = number_bytes()
    a = allocate((m * m + m * n) * size + 8 * m)
    if a == 0:
        return 1
    b = a + m * m * size
    failed = 0
    for matrix in range(word(extents)):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        if result == 1:
            fill(b, m * m, 0)
            for row in range(m):
                set_word(b + row * (m + 1) * size, ONE)
        else:
            turn(b, at(arguments, steps, 1, matrix), m, n)
        wrong = gesv(m, n, a, max(m, 1), b + m * n * size, b, max(m, 1))
        failed = failed | give(at(arguments, steps, result, matrix), b, n, m, wrong)
    give_back(a)
    return failed


def det(arguments: int, extents: int, steps: int) -> int:
    """Determinants."""
    return determinants(arguments, extents, steps, 0)


def slogdet(arguments: int, extents: int, steps: int) -> int:
    """Signs and logarithms of determinants."""
    return determinants(arguments, extents, steps, 1)


def determinants(arguments: int, extents: int, steps: int, as_logarithms: int) -> int:
    """Determinants by their signs and logarithms, as NumPy computes them."""
    m = word(extents + 8)
    a = allocate(m * m * number_bytes() + 8 * m)
    if a == 0:
        return 1
    pivots = a + m * m * number_bytes()
    sign = stack(2)
    for matrix in range(word(extents)):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        wrong = getrf(m, m, a, max(m, 1), pivots)
        fill(sign, 1, 0)
        logarithm = LOWEST if wrong else signed_logarithm(a, pivots, m, sign)
        target = at(arguments, steps, 1, matrix)
        if as_logarithms:
            copy(target, sign)
            set_word(at(arguments, steps, 2, matrix), bits(logarithm))
        else:
            scale = exp(logarithm)
            set_word(target, bits(from_bits(word(sign)) * scale))
            if are_complex():
                set_word(target + 8, bits(from_bits(word(sign + 8)) * scale))
    give_back(a)
    return 0


def signed_logarithm(a: int, pivots: int, m: int, sign: int) -> float:
    """The logarithm of the product of a diagonal; where its sign goes begins as zero."""
    size = number_bytes()
    exchanges = 0
    for row in range(m):
        exchanges += half(pivots + row * integer_bytes()) != row + 1
    real = -1.0 if exchanges & 1 else 1.0
    imaginary = 0.0
    total = 0.0
    for row in range(m):
        entry = a + row * (m + 1) * size
        length = from_bits(word(entry) & ((1 << 63) - 1))
        if are_complex():
            length = hypot(from_bits(word(entry)), from_bits(word(entry + 8)))
            x = from_bits(word(entry)) / length
            y = from_bits(word(entry + 8)) / length
            product = real * x - imaginary * y
            imaginary = real * y + imaginary * x
            real = product
        elif word(entry) < 0:
            real = -real
        total += log(length)
    set_word(sign, bits(real))
    if are_complex():
        set_word(sign + 8, bits(imaginary))
    return total


def cholesky_lo(arguments: int, extents: int, steps: int) -> int:
    """Lower triangular factors."""
    return factors(arguments, extents, steps, LOWER)


def cholesky_up(arguments: int, extents: int, steps: int) -> int:
    """Upper triangular factors."""
    return factors(arguments, extents, steps, UPPER)


def factors(arguments: int, extents: int, steps: int, triangle: int) -> int:
    """Triangular factors of positive definite matrices."""
    m = word(extents + 8)
    size = number_bytes()
    a = allocate(m * m * size)
    if a == 0:
        return 1
    failed = 0
    for matrix in range(word(extents)):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        wrong = potrf(triangle, m, a, max(m, 1))
        for column in range(m):
            for row in range(m):
                if row < column if triangle == LOWER else row > column:
                    fill(a + (column * m + row) * size, 1, 0)
        failed = failed | give(at(arguments, steps, 1, matrix), a, m, m, wrong)
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
    m = word(extents + 8)
    size = number_bytes()
    rows = max(m, 1)
    asked = stack(4)
    fill(asked, 1, 0)
    set_word(asked + 16, 0)
    set_word(asked + 24, 0)
    syevd(job, triangle, m, asked, rows, asked, asked, QUERY, asked + 16, QUERY, asked + 24, QUERY)
    numbers = int(from_bits(word(asked)))
    floats = int(from_bits(word(asked + 16)))
    integers = half(asked + 24)
    a = allocate((m * m + numbers) * size + 8 * (m + floats + integers))
    if a == 0:
        return 1
    work = a + m * m * size
    values = work + numbers * size
    more = values + 8 * m
    places = more + 8 * floats
    failed = 0
    for matrix in range(word(extents)):
        turn(a, at(arguments, steps, 0, matrix), m, m)
        wrong = syevd(job, triangle, m, a, rows, values, work, numbers, more, floats, places, integers)
        failed = failed | give_floats(at(arguments, steps, 1, matrix), values, m, wrong)
        if job == VECTORS:
            give(at(arguments, steps, 2, matrix), a, m, m, wrong)
    give_back(a)
    return failed


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
    m = word(extents + 8)
    n = word(extents + 16)
    size = number_bytes()
    least = min(m, n)
    left = 0 if job == NONE else m if job == ALL else least
    right = 0 if job == NONE else n if job == ALL else least
    rows = max(m, 1)
    asked = stack(2)
    fill(asked, 1, 0)
    gesdd(job, m, n, asked, rows, asked, asked, rows, asked, max(right, 1), asked, QUERY, asked, asked)
    numbers = int(from_bits(word(asked)))
    floats = 5 * least * least + 2 * max(m, n) * least + 7 * least + 1 if are_complex() else 0
    a = allocate((m * n + m * left + right * n + numbers) * size + 8 * (least + floats + 8 * least))
    if a == 0:
        return 1
    u = a + m * n * size
    v = u + m * left * size
    work = v + right * n * size
    values = work + numbers * size
    more = values + 8 * least
    places = more + 8 * floats
    failed = 0
    for matrix in range(word(extents)):
        turn(a, at(arguments, steps, 0, matrix), m, n)
        wrong = gesdd(job, m, n, a, rows, values, u, rows, v, max(right, 1), work, numbers, more, places)
        target = at(arguments, steps, 1 if job == NONE else 2, matrix)
        failed = failed | give_floats(target, values, least, wrong)
        if job != NONE:
            give(at(arguments, steps, 1, matrix), u, left, m, wrong)
            give(at(arguments, steps, 3, matrix), v, n, right, wrong)
    give_back(a)
    return failed


def qr_r_raw(arguments: int, extents: int, steps: int) -> int:
    """Householder's factors, in place."""
    m = word(extents + 8)
    n = word(extents + 16)
    size = number_bytes()
    least = min(m, n)
    asked = stack(2)
    fill(asked, 1, 0)
    geqrf(m, n, asked, max(m, 1), asked, asked, QUERY)
    numbers = int(from_bits(word(asked)))
    a = allocate((m * n + least + numbers) * size)
    if a == 0:
        return 1
    scales = a + m * n * size
    failed = 0
    for matrix in range(word(extents)):
        given = at(arguments, steps, 0, matrix)
        turn(a, given, m, n)
        wrong = geqrf(m, n, a, max(m, 1), scales, scales + least * size, numbers)
        if wrong == 0:
            turn(given, a, n, m)
        failed = failed | give(at(arguments, steps, 1, matrix), scales, 1, least, wrong)
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
    m = word(extents + 8)
    n = word(extents + 16)
    size = number_bytes()
    asked = stack(2)
    fill(asked, 1, 0)
    orgqr(m, columns, scales, asked, max(m, 1), asked, asked, QUERY)
    numbers = int(from_bits(word(asked)))
    q = allocate((m * columns + scales + numbers) * size)
    if q == 0:
        return 1
    taken = q + m * columns * size
    failed = 0
    for matrix in range(word(extents)):
        given = at(arguments, steps, 0, matrix)
        fill(q, m * columns, 0)
        for column in range(min(n, columns)):
            for row in range(m):
                copy(q + (column * m + row) * size, given + (row * n + column) * size)
        turn(taken, at(arguments, steps, 1, matrix), 1, scales)
        wrong = orgqr(m, columns, scales, q, max(m, 1), taken, taken + scales * size, numbers)
        failed = failed | give(at(arguments, steps, 2, matrix), q, columns, m, wrong)
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


def give(target: int, source: int, rows: int, columns: int, wrong: int) -> int:
    """Store the transpose of a matrix of contiguous rows, or NaN where LAPACK failed; whether it did."""
    if wrong:
        fill(target, rows * columns, NAN)
        return 1
    turn(target, source, rows, columns)
    return 0


def give_floats(target: int, source: int, count: int, wrong: int) -> int:
    """Store real numbers, or NaN where LAPACK failed; whether it did."""
    for place in range(count):
        set_word(target + 8 * place, NAN if wrong else word(source + 8 * place))
    return wrong != 0
