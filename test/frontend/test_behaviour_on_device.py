"""Tests of how functions behave, with functions on a device: some of each kind, of which `make soak` runs all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FRONTEND = Path(__file__).parent

CHOSEN = (
    "autograph/test_growing_lists.py::TestChanging::test_a_queue",
    "autograph/test_review_recursion.py::test_it_sees_arrays_of_the_function_around_it",
    "autograph/test_rows_errors.py::TestRaise::test_raise_in_a_loop",
    "indexing/test_run_time_slices.py::test_views_do_not_follow_their_bounds",
    "runtime_values/test_effects.py::TestPyCall::test_it_is_called_each_time_with_numpy_values",
    "test_programs.py::test_newton_square_root",
)


@pytest.mark.slow
@pytest.mark.processor
def test_functions_behave_on_a_device() -> None:
    command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--device", "cuda"]
    environment = os.environ | {"WEFT_CUDA": "emulator"}
    tests = [str(FRONTEND / name) for name in CHOSEN]
    run = subprocess.run([*command, *tests], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
