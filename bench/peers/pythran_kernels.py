"""What Pythran compiles: each program in the form that it is best at; see `pythran_programs`.

Numbers of iterations are arguments: loops of constant length are unrolled, whatever is in them.
"""

import numpy as np


# pythran export mean_squared_error(float32[:], float32[:])
def mean_squared_error(a, b):
    total = np.float32(0)
    for i in range(a.size):
        difference = a[i] - b[i]
        total += difference * difference
    return total / np.float32(a.size)


# pythran export chain(float32[:], float32, float32)
def chain(x, a, b):
    return np.tanh(x * a + b) * np.exp(-x * x) + np.where(x > np.float32(0), x, np.float32(0.1) * x)


# pythran export column_sum(float32[:,:])
def column_sum(x):
    result = np.zeros(x.shape[1], x.dtype)
    for i in range(x.shape[0]):
        result += x[i]
    return result


# pythran export row_max(float32[:,:])
def row_max(x):
    return np.max(x, axis=1)


# pythran export matmul(float32[:,:], float32[:,:])
# pythran export matmul(int32[:,:], int32[:,:])
def matmul(a, b):
    return a @ b


# pythran export symmetric(float32[:,:])
def symmetric(x):
    return x.T @ x


# pythran export scaled(float32[:,:], float32[:,:], float32[:], float32, float32)
def scaled(a, b, x, alpha, beta):
    return (alpha * a) @ x + (beta * b) @ x


# pythran export paired(float32[:,:], float32[:], float32[:])
def paired(a, p, r):
    return a @ p, r @ a


def curvature(field):
    n, m, depth = field.shape
    result = np.empty((n - 2, m - 2, depth))
    for i in range(n - 2):
        for j in range(m - 2):
            for k in range(depth):
                around = field[i + 2, j + 1, k] + field[i, j + 1, k]
                around = around + field[i + 1, j + 2, k] + field[i + 1, j, k]
                result[i, j, k] = 4.0 * field[i + 1, j + 1, k] - around
    return result


def limited(flux, gradient):
    return 0.0 if flux * gradient > 0.0 else flux


# pythran export diffusion(float64[:,:,:], float64[:,:,:])
def diffusion(field, coefficient):
    n, m, depth = coefficient.shape
    c, f, out = curvature(field), field[1:-1, 1:-1], np.empty((n, m, depth))
    for i in range(n):
        for j in range(m):
            for k in range(depth):
                here, value = c[i + 1, j + 1, k], f[i + 1, j + 1, k]
                east = limited(c[i + 2, j + 1, k] - here, f[i + 2, j + 1, k] - value)
                west = limited(here - c[i, j + 1, k], value - f[i, j + 1, k])
                north = limited(c[i + 1, j + 2, k] - here, f[i + 1, j + 2, k] - value)
                south = limited(here - c[i + 1, j, k], value - f[i + 1, j, k])
                out[i, j, k] = value - coefficient[i, j, k] * (east - west + north - south)
    return out


def half_step(a, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


# pythran export jacobi(float64[:,:], int)
def jacobi(field, steps):
    a, b = np.empty(field.shape), np.empty(field.shape)
    a[:] = field
    b[:] = field
    for _ in range(steps):
        half_step(a, b)
        half_step(b, a)
    return a


# pythran export triangular_solve(float64[:,:], float64[:])
def triangular_solve(lower, right):
    x = np.zeros(right.size)
    for i in range(x.size):
        x[i] = (right[i] - np.dot(lower[i, :i], x[:i])) / lower[i, i]
    return x


# pythran export tridiagonal(float64[:,:], float64[:,:], float64[:,:], float64[:,:])
def tridiagonal(below, diagonal, above, right):
    rows, columns = right.shape
    factor, x = np.empty((rows, columns)), np.empty((rows, columns))
    for j in range(columns):
        factor[0, j] = above[0, j] / diagonal[0, j]
        x[0, j] = right[0, j] / diagonal[0, j]
    for i in range(1, rows):
        for j in range(columns):
            pivot = diagonal[i, j] - below[i, j] * factor[i - 1, j]
            factor[i, j] = above[i, j] / pivot
            x[i, j] = (right[i, j] - below[i, j] * x[i - 1, j]) / pivot
    for i in range(rows - 2, -1, -1):
        for j in range(columns):
            x[i, j] -= factor[i, j] * x[i + 1, j]
    return x


# pythran export gauss_seidel(float64[:,:], int)
def gauss_seidel(field, sweeps):
    a = np.empty(field.shape)
    a[:] = field
    for _ in range(sweeps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                above = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j + 1]
                below = a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                a[i, j] = (a[i, j] + above + below + a[i, j - 1]) / 9.0
    return a


# pythran export collatz(int)
def collatz(limit):
    best = 0
    start_of_best = 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > best:
            best = steps
            start_of_best = start
    return start_of_best


# pythran export mandelbrot(int, int)
def mandelbrot(size, iterations):
    counts = np.zeros((size, size), np.int64)
    for i in range(size):
        for j in range(size):
            real = -2.0 + 3.0 * j / size
            imaginary = -1.5 + 3.0 * i / size
            x = 0.0
            y = 0.0
            count = 0
            while count < iterations and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real, 2.0 * x * y + imaginary
                count += 1
            counts[i, j] = count
    return counts
