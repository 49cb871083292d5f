"""Whole programs as people write them, each compared with NumPy on several dtypes."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.differential import check
from support.random_data import FLOATS, check_close, data

F32, F64, C64, C128 = np.float32, np.float64, np.complex64, np.complex128


# Statistics


@pytest.mark.parametrize("dtype", FLOATS)
def test_standardised_columns(dtype):
    def standardise(x):
        return (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-6)

    check_close(standardise, data(dtype, 20, 5))


@pytest.mark.parametrize("dtype", [F32, F64, np.int32])
def test_moments(dtype):
    def moments(x):
        centred = x - x.mean()
        variance = (centred**2).mean()
        skew = (centred**3).mean() / variance**1.5
        kurtosis = (centred**4).mean() / variance**2 - 3
        return {"mean": x.mean(), "variance": variance, "skew": skew, "kurtosis": kurtosis}

    x = data(dtype, 101)
    check(moments, x, rtol=1e-4 if dtype is F32 else 1e-12, atol=1e-5 if dtype is F32 else 1e-12)


@pytest.mark.parametrize("dtype", FLOATS)
def test_correlation_matrix(dtype):
    def correlation(x):
        centred = x - x.mean(axis=0, keepdims=True)
        covariance = centred.T @ centred / (x.shape[0] - 1)
        deviation = np.sqrt(np.diagonal(covariance))
        return covariance / np.outer(deviation, deviation)

    check_close(correlation, data(dtype, 30, 4))


def test_weighted_average_and_quantile_by_sorting():
    def summary(x, w):
        order = np.argsort(x, kind="stable")
        cumulative = np.cumsum(w[order])
        half = np.searchsorted(cumulative, 0.5 * cumulative[-1])
        return np.average(x, weights=w), x[order][half], np.sort(x)[[0, -1]]

    check_close(summary, data(F64, 25), np.abs(data(F64, 25, seed=1)))


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64])
def test_histogram_by_adding_at(dtype):
    def histogram(x, bins):
        counts = weft.zeros(bins, dtype=np.int64)
        np.add.at(counts, x.astype(np.int64) % bins, 1)
        return counts

    check(histogram, data(dtype, 200), 16)


def test_running_statistics_in_place():
    def update(count, mean, m2, x):
        count += 1
        delta = x - mean
        mean += delta / count
        m2 += delta * (x - mean)
        return m2 / count

    check_close(update, np.ones(3), data(F64, 3), np.abs(data(F64, 3)), data(F64, 3, seed=4))


# Images


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, F32])
def test_box_filter_by_slices(dtype):
    def box(image):
        wide = image.astype(np.int32 if image.dtype.kind in "iu" else image.dtype)
        total = sum(
            wide[1 + i : wide.shape[0] - 1 + i, 1 + j : wide.shape[1] - 1 + j]
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
        )
        return (total // 9).astype(image.dtype) if image.dtype.kind in "iu" else total / 9

    check_close(box, data(dtype, 12, 15))


def test_sobel_magnitude():
    def sobel(image):
        padded = np.pad(image, 1, mode="edge")
        gx = padded[:, 2:] - padded[:, :-2]
        gx = gx[:-2] + 2 * gx[1:-1] + gx[2:]
        gy = padded[2:] - padded[:-2]
        gy = gy[:, :-2] + 2 * gy[:, 1:-1] + gy[:, 2:]
        return np.hypot(gx, gy)

    check_close(sobel, data(F32, 9, 11), scale=4)


def test_grey_and_threshold():
    def binarise(rgb):
        grey = rgb @ np.array([0.299, 0.587, 0.114], np.float32)
        grey = np.clip(np.rint(grey), 0, 255).astype(np.uint8)
        return grey, (grey > 100).astype(np.uint8) * np.uint8(255), np.where(grey > 100, grey, 0)

    check(binarise, data(np.uint8, 7, 8, 3))


def test_saturating_brightness():
    def brighten(image, by):
        return np.minimum(image.astype(np.uint16) + by, 255).astype(np.uint8), image + by

    check(brighten, data(np.uint8, 33), np.uint8(200))


def test_max_pool_by_reshape():
    def pool(x):
        n, h, w = x.shape
        return x.reshape(n, h // 2, 2, w // 2, 2).max(axis=(2, 4)), x[:, ::-1, ::2].mean(axis=-1)

    for dtype in (F32, np.int64):
        check_close(pool, data(dtype, 2, 6, 8))


def test_convolution_by_slices():
    def convolve(x, kernel):
        out = None
        for i in range(kernel.shape[0]):
            for j in range(kernel.shape[1]):
                term = (
                    x[i : x.shape[0] - kernel.shape[0] + 1 + i, j : x.shape[1] - kernel.shape[1] + 1 + j]
                    * kernel[i, j]
                )
                out = term if out is None else out + term
        return out

    for dtype in (F64, np.int32, C128):
        check_close(convolve, data(dtype, 9, 10), data(dtype, 3, 2, seed=1))


# Numerics


@pytest.mark.parametrize("dtype", [F32, F64, C128])
def test_heat_equation_steps(dtype):
    def heat(u, alpha):
        for _ in range(3):
            u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0], u[-1] = u[1], u[-2]
        return u.sum()

    check_close(heat, data(dtype, 40), 0.1)


def test_laplacian_by_roll_and_gradient():
    def laplacian(u):
        rolled = sum(np.roll(u, s, axis) for s in (1, -1) for axis in (0, 1)) - 4 * u
        return rolled, np.diff(u, axis=1), np.diff(u, n=2, axis=0)

    for dtype in (F64, np.int32):
        check_close(laplacian, data(dtype, 6, 7))


def test_polynomial_by_horner():
    def horner(x, coefficients):
        result = coefficients[-1] * np.ones_like(x)
        for i in range(2, len(coefficients) + 1):
            result = result * x + coefficients[-i]
        return result

    for dtype in (F32, F64, C64, np.int32, np.uint8):
        check_close(horner, data(dtype, 17), data(dtype, 5, seed=2), scale=50)


def test_polynomial_by_power_matrix():
    def evaluate(x, coefficients):
        powers = x[:, np.newaxis] ** np.arange(len(coefficients))
        return powers @ coefficients

    for dtype in (F64, np.int64):
        check_close(evaluate, data(dtype, 9), data(dtype, 4, seed=1))


def test_linear_interpolation():
    def interpolate(x, xs, ys):
        right = np.clip(np.searchsorted(xs, x), 1, len(xs) - 1)
        left = right - 1
        t = (x - xs[left]) / (xs[right] - xs[left])
        return np.take(ys, left) * (1 - t) + np.take(ys, right) * t

    for dtype in FLOATS:
        xs = np.sort(data(dtype, 12))
        check_close(interpolate, data(dtype, 30, seed=1), xs, data(dtype, 12, seed=2), scale=20)


def test_trapezoid_and_cumulative_integral():
    def integrate(y, x):
        areas = 0.5 * (y[1:] + y[:-1]) * np.diff(x)
        return areas.sum(), np.concatenate([np.zeros(1), np.cumsum(areas)])

    check_close(integrate, data(F64, 21), np.sort(data(F64, 21, seed=3)))


def test_newton_square_root():
    def root(x):
        guess = np.maximum(x, 1)
        for _ in range(6):
            guess = 0.5 * (guess + x / guess)
        return guess

    for dtype in (F32, F64, np.int32):
        check_close(root, np.abs(data(dtype, 8, 9)))


def test_fft_butterflies():
    def fft(x):
        n = x.shape[0]
        if n == 1:
            return x
        even, odd = fft(x[::2]), fft(x[1::2])
        twiddled = np.exp(-2j * np.pi * np.arange(n // 2) / n).astype(x.dtype) * odd
        return np.concatenate([even + twiddled, even - twiddled])

    for dtype in (C64, C128):
        check_close(fft, data(dtype, 16), scale=10)


def test_mandelbrot_steps():
    def escape(c):
        z = np.zeros_like(c)
        count = np.zeros(c.shape, np.int32)
        for _ in range(8):
            inside = np.abs(z) <= 2
            z = np.where(inside, z * z + c, z)
            count = count + inside
        return count

    check(escape, data(C128, 12, 13))


def test_quaternion_product():
    def multiply(p, q):
        a, u = p[..., :1], p[..., 1:]
        b, v = q[..., :1], q[..., 1:]
        scalar = a * b - np.sum(u * v, axis=-1, keepdims=True)
        return np.concatenate([scalar, a * v + b * u + np.cross(u, v)], axis=-1)

    check_close(multiply, data(F64, 6, 4), data(F64, 6, 4, seed=1))


# Linear algebra and machine learning


@pytest.mark.parametrize("dtype", [F32, F64, np.int32])
def test_pairwise_distances(dtype):
    def distances(a, b):
        direct = ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1)
        expanded = (a * a).sum(1)[:, None] - 2 * a @ b.T + (b * b).sum(1)
        return direct, expanded, direct.argmin(axis=1)

    check_close(distances, data(dtype, 6, 3), data(dtype, 5, 3, seed=1), scale=20)


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_cross_entropy(dtype):
    def loss(logits, labels):
        shifted = logits - logits.max(axis=-1, keepdims=True)
        log_probability = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        return -np.take_along_axis(log_probability, labels[:, None], axis=-1).mean(), np.exp(log_probability)

    check_close(loss, data(dtype, 8, 10), np.arange(8) % 10)


@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm(dtype):
    def layer_norm(x, gamma, beta):
        mean = x.mean(-1, keepdims=True)
        variance = x.var(-1, keepdims=True)
        return gamma * (x - mean) / np.sqrt(variance + 1e-5) + beta

    check_close(layer_norm, data(dtype, 4, 6, 16), data(dtype, 16), data(dtype, 16), scale=2)


@pytest.mark.parametrize("dtype", FLOATS)
def test_causal_attention(dtype):
    def attention(q, k, v):
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return (weights / weights.sum(-1, keepdims=True)) @ v

    q, k, v = (data(dtype, 2, 3, 7, 4, seed=s) for s in range(3))
    check(attention, q, k, v, rtol=1e-5, atol=1e-5)


def test_one_hot():
    def one_hot(labels, classes):
        compared = (labels[:, None] == np.arange(classes)).astype(np.float32)
        return compared, weft.take(np.eye(classes), labels, axis=0), compared.sum(0)

    for dtype in (np.int64, np.uint8):
        check(one_hot, data(np.uint8, 20).astype(dtype) % 7, 7)


def test_lstm_cell():
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def cell(x, h, c, w, u, b):
        gates = x @ w + h @ u + b
        i, f, g, o = np.split(gates, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    for dtype in FLOATS:
        args = [
            data(dtype, *s, seed=i) for i, s in enumerate([(3, 4), (3, 5), (3, 5), (4, 20), (5, 20), (20,)])
        ]
        check_close(cell, *args, scale=2)


def test_k_means_step():
    def step(points, centres):
        nearest = ((points[:, None] - centres) ** 2).sum(-1).argmin(-1)
        member = (nearest[:, None] == np.arange(centres.shape[0])).astype(points.dtype)
        counts = member.sum(0)
        return nearest, member.T @ points / np.maximum(counts, 1)[:, None]

    for dtype in FLOATS:
        check_close(step, data(dtype, 30, 2), data(dtype, 3, 2, seed=1))


def test_least_squares_in_two_unknowns():
    def fit(x, y):
        a = np.stack([x, np.ones_like(x)], axis=1)
        (p, q), (_, s) = a.T @ a
        b0, b1 = a.T @ y
        determinant = p * s - q * q
        slope, offset = (s * b0 - q * b1) / determinant, (p * b1 - q * b0) / determinant
        return slope, offset, np.sum((y - (slope * x + offset)) ** 2)

    check_close(fit, data(F64, 30), data(F64, 30, seed=1), scale=10)


def test_power_iteration():
    def iterate(a, v):
        for _ in range(5):
            v = a @ v
            v = v / np.linalg.norm(v)
        return v, v @ a @ v

    check_close(iterate, data(F64, 5, 5), data(F64, 5), scale=10)


def test_gram_schmidt():
    def orthogonalise(a):
        q = np.zeros_like(a)
        for i in range(a.shape[1]):
            v = a[:, i]
            for j in range(i):
                v = v - (q[:, j] @ a[:, i]) * q[:, j]
            q[:, i] = v / np.sqrt(v @ v)
        return q

    check_close(orthogonalise, data(F64, 6, 4), scale=10)


def test_einsum_and_batches():
    def contract(a, b):
        return (
            np.einsum("bij,bjk->bik", a, b),
            np.einsum("bij->b", a),
            np.einsum("bii->bi", a @ a),
            np.tensordot(a, b, 2),
        )

    for dtype in (F32, F64, np.int32, C128):
        check_close(contract, data(dtype, 3, 3, 3), data(dtype, 3, 3, 3, seed=1), scale=10)
