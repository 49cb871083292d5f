"""Loops that read and write near both ends of arrays: NumPy's values or its errors, and nothing around is touched."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

IN_BATCH = 12


@pytest.mark.parametrize("batch", range(6))
def test_loops_stay_inside_of_arrays(batch: int) -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "support.random_indices",
            str(batch * IN_BATCH),
            str(IN_BATCH),
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=pathlib.Path(__file__).parents[2],
        env={**os.environ, "WEFT_CACHE": "0"},
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split() == ["checked", str(IN_BATCH)]
