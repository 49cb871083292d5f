"""Random number generation: generators of NumPy's are what `tf.random.Generator` is there."""

from __future__ import annotations

import numpy as np

import weft


class TestGenerators:
    def test_creating_generators(self):
        g1 = np.random.default_rng(1)
        g2 = np.random.Generator(np.random.Philox(1))

        @weft.function
        def drawn(a, b):
            return a.normal(size=(2, 3)), b.normal(size=(2, 3))

        first, second = drawn(g1, g2)
        np.testing.assert_array_equal(first, np.random.default_rng(1).normal(size=(2, 3)))
        np.testing.assert_array_equal(second, np.random.Generator(np.random.Philox(1)).normal(size=(2, 3)))

    def test_independent_streams(self):
        g = np.random.default_rng(1)
        children = g.spawn(3)
        assert len({float(child.normal()) for child in children}) == 3

        @weft.function
        def total(generators):
            value = 0.0
            for generator in generators:
                value += generator.normal()
            return value

        again = np.random.default_rng(1).spawn(3)
        next_draws = sum([(generator.normal(), generator.normal())[1] for generator in again], 0.0)
        assert total(children) == next_draws


class TestInFunctions:
    def test_a_generator_outside_of_the_function(self):
        g = np.random.default_rng(1)

        @weft.function
        def f():
            return g.normal(size=2)

        expected = np.random.default_rng(1)
        np.testing.assert_array_equal(f(), expected.normal(size=2))
        np.testing.assert_array_equal(f(), expected.normal(size=2))  # it goes on

    def test_a_generator_made_inside_starts_again(self):
        @weft.function
        def f(seed):
            return np.random.default_rng(seed).normal(size=2)

        np.testing.assert_array_equal(f(1), f(1))
        assert not np.array_equal(f(1), f(2))

    def test_generators_as_arguments_do_not_retrace(self):
        @weft.function
        def f(g):
            return g.normal()

        f(np.random.default_rng(1))
        f(np.random.default_rng(2))
        assert f.trace_count == 1

    def test_a_loop_that_draws(self):
        g = np.random.default_rng(3)

        @weft.function
        def walk(g, steps):
            place = 0.0
            for _ in range(steps):
                place = place + g.normal()
            return place

        expected = 0.0
        again = np.random.default_rng(3)
        for _ in range(10):
            expected = expected + again.normal()
        assert walk(g, np.int64(10)) == expected
        assert g.normal() == again.normal()


class TestState:
    def test_saving_and_restoring(self):
        g = np.random.default_rng(7)

        @weft.function
        def drawn(g):
            return g.normal(size=3)

        drawn(g)
        checkpoint = g.bit_generator.state
        once = drawn(g)
        g.bit_generator.state = checkpoint
        np.testing.assert_array_equal(drawn(g), once)

    def test_stateless_numbers(self):
        @weft.function
        def stateless_normal(shape_of, seed):
            return np.random.default_rng(seed).normal(size=shape_of.shape)

        first = stateless_normal(np.zeros((2, 3)), np.array([1, 2], np.uint32))
        np.testing.assert_array_equal(first, stateless_normal(np.zeros((2, 3)), np.array([1, 2], np.uint32)))
