"""Whole programs on integers, bits and places, each compared with NumPy on several dtypes."""

from __future__ import annotations

import numpy as np

import weft
from support.differential import check
from support.random_data import FLOATS, check_close, data

F32, F64, C64, C128 = np.float32, np.float64, np.complex64, np.complex128


# Integers and bits


def test_hash_wraps_around():
    def hashed(x):
        h = x * np.uint32(2654435761)
        h ^= h >> 15
        h = h * np.uint32(2246822519)
        h ^= h >> 13
        return h, h % np.uint32(97), (h >> np.uint32(31)).astype(bool)

    check(hashed, data(np.uint32, 50))


def test_xorshift_and_signed_shifts():
    def step(s):
        s = s ^ (s << 13)
        s = s ^ (s >> 7)
        s = s ^ (s << 17)
        return s, s >> 63, s << 64, s >> 100, -s // 7, s % -5

    for dtype in (np.int64, np.uint64):
        check(
            step if dtype is np.int64 else (lambda s: (s ^ (s << np.uint64(13)), s >> np.uint64(70))),
            data(dtype, 40),
        )


def test_population_count():
    def popcount(x):
        x = x - ((x >> 1) & 0x55)
        x = (x & 0x33) + ((x >> 2) & 0x33)
        x = (x + (x >> 4)) & 0x0F
        return x

    check(popcount, np.arange(256, dtype=np.uint8))


def test_bits_of_bytes():
    def bits(x):
        planes = (x[:, None] >> np.arange(8, dtype=np.uint8)) & 1
        weights = np.uint8(1) << np.arange(8, dtype=np.uint8)
        return planes.astype(bool), (planes * weights).sum(-1), (planes * weights).sum(-1, dtype=np.uint8)

    check(bits, data(np.uint8, 64))


def test_gray_code_and_parity():
    def gray(x):
        code = x ^ (x >> 1)
        parity = code
        for shift in (16, 8, 4, 2, 1):
            parity = parity ^ (parity >> shift)
        return code, parity & 1, ~code

    for dtype in (np.int32, np.uint32):
        check(gray, data(dtype, 64))


def test_days_to_dates():
    def civil(days):
        z = days + 719468
        era = z // 146097
        day_of_era = z - era * 146097
        year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
        day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
        month = (5 * day_of_year + 2) // 153
        day = day_of_year - (153 * month + 2) // 5 + 1
        month = np.where(month < 10, month + 3, month - 9)
        return year_of_era + era * 400 + (month <= 2), month, day

    check(civil, np.arange(-1000, 20000, 321))
    year, month, day = civil(np.array([0, 19000]))
    assert (year[1], month[1], day[1]) == (2022, 1, 8)


def test_sieve():
    def sieve(n):
        prime = weft.ones(n, dtype=bool)
        prime[:2] = False
        for i in range(2, int(n**0.5) + 1):
            prime[i * i :: i] = False
        return prime, prime.sum()

    check(sieve, 60)


def test_game_of_life():
    def step(board):
        padded = np.pad(board.astype(np.uint8), 1)
        neighbours = sum(
            padded[1 + i : 1 + i + board.shape[0], 1 + j : 1 + j + board.shape[1]]
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if i or j
        )
        return (neighbours == 3) | (board & (neighbours == 2))

    check(step, data(bool, 9, 14))


def test_boolean_logic():
    def logic(a, b):
        return (
            a & ~b | (a ^ b),
            a + b,
            a * b,
            a.sum(),
            (a > b).argmax(),
            a == b,
            np.logical_xor(a, b).all(axis=0),
        )

    check(logic, data(bool, 5, 6), data(bool, 5, 6, seed=1))


# Rearranging


def test_sort_and_gather():
    def arrange(keys, values):
        order = keys.argsort(kind="stable")
        inverse = np.zeros_like(order)
        inverse[order] = np.arange(len(order))
        return keys[order], values[order], inverse, values[order][inverse]

    for dtype in (F32, np.int32, np.uint8):
        check(arrange, data(dtype, 40), data(F64, 40, 2))


def test_top_k_rows():
    def top(x):
        best = np.argsort(-x, axis=1, kind="stable")[:, :3]
        return best, np.take_along_axis(x, best, 1), x[np.arange(x.shape[0])[:, None], best]

    for dtype in (F64, np.int32):
        check(top, data(dtype, 6, 9))


def test_rolling_mean_by_slices_and_cumsum():
    def rolling(x, w):
        direct = sum(x[i : x.shape[0] - w + 1 + i] for i in range(w)) / w
        total = np.concatenate([np.zeros(1, x.dtype), np.cumsum(x)])
        return direct, (total[w:] - total[:-w]) / w

    for dtype in (F64, np.int64):
        check_close(rolling, data(dtype, 30), 4)


def test_run_lengths():
    def boundaries(x):
        change = np.concatenate([[True], x[1:] != x[:-1]])
        group = np.cumsum(change) - 1
        counts = np.zeros_like(x, shape=x.shape)
        np.add.at(counts, group, 1)
        return change, group, counts

    check(boundaries, np.array([1, 1, 2, 2, 2, 3, 1, 1]))


def test_broadcasting_puzzles():
    def puzzle(a, b, c):
        return (
            a[:, None] + b[None, :, None] * c,
            (a[..., None] - b).shape,
            a[None] @ np.ones((4, 2), a.dtype),
            c[:1] + c[..., :1],
        )

    for dtype in (F64, np.int32):
        check_close(puzzle, data(dtype, 4), data(dtype, 3), data(dtype, 4, 1, 5))


def test_matrix_normalisations():
    def normalise(a):
        rows = a / np.abs(a).sum(1, keepdims=True)
        columns = a / np.linalg.norm(a, axis=0)
        scaled = (a - a.min()) / np.ptp(a)
        return rows, columns, scaled, a / a.max(), a.trace()

    for dtype in FLOATS:
        check_close(normalise, data(dtype, 5, 5))


def test_tiles_repeats_and_blocks():
    def build(a):
        return (
            np.block([[a, a.T], [np.zeros_like(a), np.eye(3, dtype=a.dtype)]]),
            np.tile(a, (2, 1)),
            np.repeat(a, 2, 1),
            np.kron(a, a),
        )

    for dtype in (F64, np.int32, C64):
        check_close(build, data(dtype, 3, 3))


def test_masked_updates():
    def clean(x):
        y = x.copy()
        y[y < 0] = 0
        y[np.isnan(y)] = -1
        x[x > 1] = 2
        return y, np.nan_to_num(y), np.where(np.isfinite(y), y, 0).sum()

    x = data(F64, 20)
    x[[3, 5]] = np.nan, np.inf
    check_close(clean, x)


def test_matrix_written_through_views():
    def write(a):
        diagonal = a[::2, ::-1]
        diagonal[0] = diagonal[1] + 1
        a.T[1] -= a[0, 0]
        first, *_ = a
        first[:] = 7
        return diagonal.copy(), a.sum()

    for dtype in (F32, np.int32, C128):
        check_close(write, data(dtype, 4, 4))
