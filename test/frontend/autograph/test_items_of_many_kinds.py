"""Loops of known length whose lists hold what arrays cannot: strings, slices of many sizes."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


def test_strings_of_the_counter():
    def f(x):
        names = []
        for i in range(20):
            names.append(str(i))
        return names, x

    same(f, np.ones(2))


def test_slices_of_all_sizes():
    def f(x):
        parts = []
        for i in range(20):
            parts.append(x[:i])
        return parts

    same(f, np.arange(30.0))


def test_strings_that_arrays_choose():
    def f(x):
        names = []
        for i in range(20):
            names.append("large" if x[i] > 3 else "small")
        return names

    same(f, np.arange(30.0))


def test_strings_of_a_run_time_counter_are_refused():
    @weft.function
    def f(n):
        names = []
        for i in range(n):
            names.append(str(i))
        return names

    with pytest.raises(
        weft.WeftTypeError, match="strings that are made when the program runs cannot be carried"
    ):
        f(np.int64(3))
