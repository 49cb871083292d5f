"""Arrays in lists, dicts and tuples of attributes are state, as arrays in attributes are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import weft

F64, I64 = np.float64, np.int64


class Carry(NamedTuple):
    """The state of a cell."""

    h: np.ndarray
    rest: list


class Model:
    """Weights and moments as programs keep them."""

    def __init__(self):
        self.moments = [np.zeros(3), np.zeros(2)]
        self.params = {"w": np.ones(3), "layers": [{"b": np.zeros(2)}, (np.zeros(3), 2.0)]}
        self.carry = Carry(np.zeros(2), [np.ones(3)])
        self.pair = (np.zeros(2), np.ones(2))
        self.same = self.moments

    def arrays(self):
        """All arrays."""
        layers = self.params["layers"]
        held = [*self.moments, self.params["w"], layers[0]["b"], layers[1][0]]
        return [*held, self.carry.h, *self.carry.rest, *self.pair]

    @weft.function
    def write(self, x, n):
        """Write in place, through names, in loops and straight lines."""
        self.moments[0] += x
        for _ in range(n):
            for moment in self.moments:
                moment *= 2.0
                moment += x
            for name, value in self.params.items():
                if name == "w":
                    value -= self.same[0]
            self.params["layers"][0]["b"] += x
            array, scale = self.params["layers"][1]
            array[1:] += scale * x
            self.carry.h[...] += x
            self.carry.rest[0] *= 1.5
        if x > 0:
            self.same[1][0] += 7

    @weft.function
    def replace(self, x, n):
        """Put other arrays there."""
        for _ in range(n):
            first, second = self.pair
            self.pair = (first + x, second * 2 + first)
            self.moments[0] = self.moments[0] * 0.5 + x
            self.params["w"] = self.params["w"] + self.moments[0]

    @weft.function
    def total(self):
        """Read everything."""
        return self.moments[0].sum() + self.params["w"].sum() + self.pair[1].sum()


class TestContainersOfAttributes:
    def test_arrays_are_written_in_place(self):
        compiled, eager = Model(), Model()
        arrays = compiled.arrays()
        traces = Model.write.trace_count
        for x in (1.0, -2.0, 3.0):
            compiled.write(F64(x), I64(3))
            Model.write.python_function(eager, F64(x), I64(3))
            for found, expected in zip(compiled.arrays(), eager.arrays(), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-15)
        assert all(one is other for one, other in zip(compiled.arrays(), arrays, strict=True))
        assert Model.write.trace_count == traces + 1

    def test_other_arrays_take_their_places(self):
        compiled, eager = Model(), Model()
        traces = Model.replace.trace_count
        for x in (1.0, -2.0, 3.0):
            compiled.replace(F64(x), I64(2))
            Model.replace.python_function(eager, F64(x), I64(2))
            for found, expected in zip(compiled.arrays(), eager.arrays(), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-15)
        assert Model.replace.trace_count == traces + 1

    def test_what_others_put_there_is_seen_without_compiling_again(self):
        model = Model()
        traces = Model.total.trace_count
        for value in (1.0, 2.0, 3.0):
            model.moments[0][:] = value
            model.params["w"] = np.full(3, value)
            model.pair = (model.pair[0], np.full(2, value))
            assert model.total() == 8 * value
        assert Model.total.trace_count == traces + 1
        model.moments[0] = np.ones(5, np.float32)
        assert model.total() == 5 + 5 * 3
        assert Model.total.trace_count == traces + 2

    def test_one_array_becomes_two(self):
        model = Model()
        model.pair = (model.moments[1], model.moments[1])

        @weft.function
        def increased(x):
            model.pair[0][:] += x
            return model.pair[1] * 1

        np.testing.assert_array_equal(increased(F64(1)), [1, 1])
        model.pair = (np.zeros(2), np.ones(2))
        np.testing.assert_array_equal(increased(F64(5)), [1, 1])
        np.testing.assert_array_equal(model.pair[0], [5, 5])

    def test_a_failed_trace_leaves_everything_as_it_was(self):
        model = Model()
        pair, arrays = model.pair, model.arrays()

        @weft.function
        def failing(x):
            model.moments[0] += x
            model.carry.rest[0] = x
            model.pair = (x, x)
            return input()

        with pytest.raises(weft.UnsupportedError, match="input"):
            failing(np.zeros(3))
        assert model.pair is pair
        assert all(one is other for one, other in zip(model.arrays(), arrays, strict=True))


LARGE = np.zeros(300)
TABLES = [np.zeros(300), np.zeros(3)]
PAIR = (np.zeros(3), "name")
SMALL = np.zeros(3)


def _change_globals(x):
    global LARGE
    LARGE += x
    TABLES[0][:] += x
    TABLES[1][:] += x
    PAIR[0][:] += x


class TestArraysUnderNames:
    def test_what_a_loop_meets_first_is_written_at_each_iteration(self):
        @weft.function
        def repeated(x, n):
            for _ in range(n):
                _change_globals(x)

        large = LARGE
        for calls in (1, 2):
            repeated(F64(1), I64(3))
            for array in (LARGE, *TABLES, PAIR[0]):
                assert array[0] == 3 * calls
        assert LARGE is large

    def test_elements_that_change_compile_once_more(self):
        @weft.function
        def read(x):
            return x + SMALL + TABLES[1] + np.sum(SMALL * 2)

        for value in (1.0, 2.0, 3.0, 4.0):
            SMALL[:] = TABLES[1][:] = value
            np.testing.assert_array_equal(read(np.zeros(3)), np.full(3, 8 * value))
        assert read.trace_count <= 4  # each place once
        assert "the elements of" in read.explain_retrace()
