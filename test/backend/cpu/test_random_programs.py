"""Random programs of views, slices, updates, effects, errors and loops do what NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

from support.linalg_programs import compile_text
from support.random_linalg import N, Raised, random_program
from weft.backend.cpu.machine.executable import RuntimeFailure


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", range(60))
def test_program(seed, dynamic):
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
