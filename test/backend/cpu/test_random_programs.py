"""Random programs of views, slices, updates, effects, errors and loops do what NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

from support.linalg_programs import compile_text
from support.outcomes import seeds
from support.random_growth import random_growing_program
from support.random_linalg import N, Raised, random_program
from weft.backend.cpu.execution.executable import RuntimeFailure
from weft.backend.planning import interrupts, packing


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", seeds(4))
def test_program(seed, dynamic, monkeypatch):
    if seed % 2:
        # The memory of results holds the smallest intermediates, too.
        monkeypatch.setattr(packing, "_FEW_BYTES", 1)
    program = random_program(seed, dynamic=dynamic)
    executable = compile_text(program.text)
    generator = np.random.default_rng(seed)
    for _ in range(2):
        shapes = [(N,), (N,), (), (N,), (N,)]
        arguments = [np.asarray(generator.integers(-9, 9, shape)) for shape in shapes]
        expected_arguments = [argument.copy() for argument in arguments]
        expected = raised = None
        try:
            expected = program.run(expected_arguments)
        except Raised as error:
            raised = str(error)
        if raised is None:
            for result, value in zip(executable(*arguments), expected, strict=True):
                np.testing.assert_array_equal(result, value)
        else:
            with pytest.raises(RuntimeFailure) as caught:
                executable(*arguments)
            assert caught.value.message == raised
        for argument, value in zip(arguments, expected_arguments, strict=True):
            np.testing.assert_array_equal(argument, value)


@pytest.mark.parametrize("seed", seeds(4))
def test_program_of_vectors_that_change_their_lengths(seed, monkeypatch):
    monkeypatch.setattr(interrupts, "_PIECE", 2)  # loops look for interrupts all the time
    monkeypatch.setattr(interrupts, "_FIRST_PERIOD", 1)
    program = random_growing_program(seed)
    executable = compile_text(program.text, interruptible=seed % 2 == 1)
    generator = np.random.default_rng(seed)
    for trips in (0, 1, 2, 5):
        vectors = [generator.integers(-9, 9, generator.integers(0, 6)) for _ in range(2)]
        arguments = [*vectors, np.zeros(5, np.int64), np.array(trips)]
        expected_arguments = [argument.copy() for argument in arguments]
        expected = raised = None
        try:
            expected = program.run(expected_arguments)
        except Raised as error:
            raised = str(error)
        if raised is None:
            for result, value in zip(executable(*arguments), expected, strict=True):
                np.testing.assert_array_equal(result, value)
        else:
            with pytest.raises(RuntimeFailure) as caught:
                executable(*arguments)
            assert caught.value.message == raised
        np.testing.assert_array_equal(arguments[2], expected_arguments[2])
