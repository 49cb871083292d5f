"""Python's own numbers keep Python's arithmetic in compiled code: positions, lengths, truths, what is converted."""

from __future__ import annotations

import numpy as np

from support.behaviour_harness import same

F64, I64 = np.float64, np.int64


class TestBools:
    def test_truths_add_up(self):
        def count(x, n):
            total = 0
            for i in range(n):
                total += (i < 3) + (i % 2 == 0) + (not i) - True
                total += ((i > 2) & (i < 9)) * 2 + ~(i > 1)
            return total + any(v > 0 for v in x) + all(v > 0 for v in x)

        same(count, (np.ones(3), I64(0)), (np.ones(3), I64(5)))

    def test_truths_of_numpy_do_not(self):
        def count(x):
            return (x[0] > 0) + (x[1] > 0), bool(x[0] > 0) + bool(x[1] > 0), -bool(x[0] > 0)

        same(count, np.ones(3), np.zeros(3))


class TestPromotion:
    def test_bits_of_a_position_are_weak(self):
        def mix(x, n):
            total = np.float32(0)
            for i in range(n):
                total = total + (i & 1) * x[i] + (i << 1) * x[i] + (i >> 1) * x[0]
                total = total + (i ^ 3) * x[0] + (i | 1) * x[0] + (~i) * x[1]
            return total

        same(mix, (np.arange(5, dtype=np.float32), I64(5)))

    def test_complex_numbers_are_weak(self):
        def turn(x, n):
            z = 0j
            for i in range(n):
                z = z * 1j + i
            return z, x * z

        same(turn, (np.ones(2, np.complex64), I64(5)))


class TestDivisionByZero:
    def test_each_division_raises_as_python_does(self):
        def whole(n):
            total = 0
            for i in range(n):
                total += 10 // (i - 2)
            return total

        def true(n):
            total = 0.0
            for i in range(n):
                total += 1 / (i - 2)
            return total

        def modulo(n):
            total = 0
            for i in range(n):
                total += 10 % (i - 2)
            return total

        def both(n):
            total = 0
            for i in range(n):
                total += divmod(10, i - 2)[1]
            return total

        def of_floats(n):
            total = 1.0
            for i in range(n):
                total += 1.5 / (float(i) - 2.0) + 1.5 % (float(i) - 2.0)
            return total

        for function in (whole, true, modulo, both, of_floats):
            same(function, I64(0), I64(2), I64(3))

    def test_numpy_scalars_divide_without_errors(self):
        def divide(x, n):
            total = F64(0)
            for i in range(n):
                total = total + x / i
            return total

        same(divide, (F64(1), I64(3)), (F64(-1), I64(3)))

    def test_what_was_written_before_stays(self):
        def fill(x, n):
            for i in range(n):
                x[i] = 1 / (2 - i)

        same(fill, (np.zeros(4), I64(2)), (np.zeros(4), I64(4)))


class TestRound:
    def test_without_digits_it_is_an_int(self):
        def nearest(x):
            return round(x), round(x * 10), round(int(x)), round(-x)

        same(nearest, F64(2.5), F64(3.5), F64(-0.4), np.float32(7.7), traces=2)

    def test_with_digits_it_keeps_the_type(self):
        def digits(x, n):
            total = 0.0
            for i in range(n):
                total += round(i / 4, 1)
            return round(x, 1), total, round(n, 1)

        same(digits, (F64(2.25), I64(3)))

    def test_what_is_not_finite_raises(self):
        def nearest(x):
            return round(x)

        same(nearest, F64(1), F64("nan"), F64("inf"))
