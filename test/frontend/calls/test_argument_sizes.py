"""Sizes that change become unknown by themselves; how much is kept compiled, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.native_calls import native_calls
from weft.backend.cpu.dispatch.objects import is_supported


class TestSizes:
    @pytest.mark.processor  # kernels of GPUs are made for sizes
    def test_one_that_changes_for_the_second_time_becomes_unknown(self):
        f = weft.function(lambda x, y: (x @ y, (x * 2).sum(axis=0)))
        for n in (2, 3, 4, 5, 0, 17, 3):
            x, y = np.arange(3.0 * n).reshape(n, 3), np.ones((3, 2))
            for _ in range(3):
                product, total = f(x, y)
                np.testing.assert_array_equal(product, x @ y)
                np.testing.assert_array_equal(total, (x * 2).sum(axis=0))
            if n == 4:
                assert f.explain_retrace() == (
                    "argument 'x' changed from f64[3,3] to f64[4,3]; x.shape[0] is unknown from now on, for all sizes"
                )
        assert f.trace_count == 3
        assert not is_supported() or native_calls(f) >= 8
        np.testing.assert_array_equal(f(np.ones((1, 3)), np.ones((3, 2)))[0], np.full((1, 2), 3))
        assert f.trace_count == 4, "an extent of 1 broadcasts, and is known"

    @pytest.mark.processor  # kernels of GPUs are made for sizes
    def test_with_numbers_that_are_data_and_state_that_changes(self):
        scale = np.ones(1)

        @weft.function
        def f(x, n):
            return x * n + scale

        for turn, size in enumerate((2, 3, 4, 5, 6, 7)):
            scale[0] = turn
            x = np.arange(float(size))
            np.testing.assert_array_equal(f(x, turn), x * turn + turn)
        assert f.trace_count <= 5

    def test_sizes_that_must_be_equal(self):
        f = weft.function(lambda x, y: x + y)
        for n in (2, 3, 4):
            f(np.ones(n), np.ones(n))
        with pytest.raises(ValueError, match=r"5.*6|could not be broadcast"):
            f(np.ones(5), np.ones(6))
        np.testing.assert_array_equal(f(np.ones(1), np.ones(6)), np.full(6, 2))

    @pytest.mark.processor  # kernels of GPUs are made for sizes
    def test_sizes_that_tracing_needs_stay_known(self):
        names = b"abcde"

        @weft.function
        def f(x):
            total = 0.0
            for _ in names[: x.shape[0]]:
                total = total + x[0]
            return total

        for n in (2, 3, 4, 5):
            assert f(np.ones(n)) == n
        assert f.trace_count == 4, "what failed is not counted"
        assert f.explain_retrace() == "argument 'x' changed from f64[4] to f64[5]"
        f.clear_cache()
        for n in (2, 3, 4):
            f(np.ones(n))
        assert "f64[3] to f64[4]; sizes stay constants, as tracing needs them (Unsupp" in f.explain_retrace()

    def test_settings_of_other_threads_are_left_alone(self):
        seen = []

        @weft.do_not_convert
        def look():
            seen.append(weft.settings.fallback)

        @weft.function
        def f(x):
            look()
            return x + 1

        for n in (2, 3, 4):
            f(np.ones(n))
        assert seen == [True] * 3

    def test_what_may_be_empty_keeps_sizes_known(self):
        def f(x):
            y = x.copy()
            y[:1] = 5
            y[2:3] += 1
            return y.squeeze()

        compiled = weft.function(f)
        for n in (4, 3, 5, 0, 2, 1, 7):
            np.testing.assert_array_equal(compiled(np.ones(n)), f(np.ones(n)), strict=True)

    def test_an_input_signature_says_what_is_known(self):
        f = weft.function(lambda x: x + 1, input_signature=[weft.TensorSpec((None, 2))])
        for n in (2, 3, 4):
            f(np.ones((n, 2)))
        assert f.trace_count == 1
        concrete = weft.function(lambda x: x + 1)
        for n in (2, 3, 4):
            concrete.get_concrete_function(np.ones(n))
        assert concrete.trace_count == 3, "it is asked for"


class TestKept:
    def test_those_used_most_recently(self):
        f = weft.function(lambda x: x + 1, max_specialisations=2)
        for dtype in "fdfdff":
            f(np.ones(2, dtype))
        f(np.ones(2, "i"))  # instead of the second
        traces = f.trace_count
        f(np.ones(2, "f"))
        assert f.trace_count == traces == 3
        f(np.ones(2, "d"))
        assert f.trace_count == 4
        assert f.cache_info()[1:] == (4, 2, 2)
        assert not is_supported() or len(f._native) <= 2

    def test_what_is_counted(self):
        f = weft.function(lambda x: x + 1)
        assert f.cache_info() == (0, 0, None, 0)
        for n in (2, 3, 3, 3, 3, 2):
            f(np.ones(n))
        assert f.cache_info() == (4, 2, None, 2)
        f.clear_cache()
        assert f.cache_info() == (0, 0, None, 0)
        f(np.ones(2)), f(np.ones(2))
        assert f.cache_info()._asdict() == {"hits": 1, "misses": 1, "maxsize": None, "currsize": 1}

    @pytest.mark.parametrize(
        ("most", "error", "message"),
        [
            (0, ValueError, "max_specialisations is at least 1, not 0"),
            ("2", TypeError, "max_specialisations is a whole number, or None for all, not '2'"),
        ],
    )
    def test_numbers_that_are_none(self, most, error, message):
        with pytest.raises(error, match=message):
            weft.function(lambda x: x, max_specialisations=most)
