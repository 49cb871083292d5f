"""Programs as people write them, on the way to a GPU: `support.device_coverage` runs all of them, and the bench's."""

from __future__ import annotations

import numpy as np
import pytest
from programs.catalogue import PROGRAMS

from support.device_code import device_code, gpu_text, on_host, reads
from weft.backend.gpu.machine.assembler import find_assembler

_SOME = {
    "heat_1d": "one block",
    "lu_in_place": "points",
    "thomas": "",
    "histogram": "",
    "lstm": "one block",
}
"""Programs, and a schedule that one of their kernels has."""


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.name in _SOME], ids=lambda p: p.name)
def test_programs_become_device_kernels(program):
    code = device_code(program.function, *program.arguments(program.sizes[-1]))
    assert code.kernels
    assert any(text.startswith(_SOME[program.name]) for text in code.schedules.values()), code.schedules
    for kernel, found in code.assembled().items() if find_assembler() else ():
        assert (found.spilled, found.stack) == (0, 0), kernel


def test_time_to_schedule_grows_with_the_length():
    """Numbers of which each takes the last one twice: as many steps as there are ways would never end."""

    def total(x):
        result = x[0]
        for i in range(1, 40):
            result = np.where(x[i] > result, x[i] - result, result)
        return result

    assert device_code(total, np.zeros(40)).kernels


def test_numbers_that_follow_each_other_are_one_kernel():
    """An index that may be wrong: whether one is, the search and the check are between the signs and the gather."""
    assert gpu_text(lambda x, i: x[i], np.zeros(9), np.zeros(5, np.int64)).count("gpu.launch_func") == 3


STRAIGHT = ("wave", "trajectory", "moving_average", "prefix_sums", "viterbi", "edit_distance", "search_all")
"""Programs in which the host decides nothing by what it reads."""

READS = {
    "laplace_jacobi": 1,
    "life": 2,
    "conjugate_gradient": 3,
    "gauss_seidel": 3,
    "jacobi": 1,
    "cholesky": 8,
    "lu_in_place": 2,
    "insertion_sort": 1,
    "bubble_sort": 2,
    "histogram": 2,
    "components": 1,
    "newton": 3,
    "gradient_descent": 2,
    "relax": 1,
}
"""Programs whose conditions, extents or bounds are those of data, and at how many places the host reads: 32 in all.

None of them is in a loop, but for those below.
"""

READS_IN_LOOPS = {"lu_in_place": 1}
"""Rows are eliminated at once, by kernels of their own; the host looks each time whether two rows change places."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
@pytest.mark.sampled(4)
def test_the_host_reads_only_what_it_decides_by(program):
    text = gpu_text(program.function, *program.arguments(program.sizes[-1]))
    assert reads(text) <= READS.get(program.name, 0)
    assert reads(text, in_loops=True) <= READS_IN_LOOPS.get(program.name, 0)
    if program.name in STRAIGHT:
        assert not on_host(text)
