"""Loops that read and write near both ends of arrays: NumPy's values or its errors, and nothing around is touched."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from support.outcomes import seeds

IN_BATCH = 6
SEEDS = seeds(6)


@pytest.mark.slow
@pytest.mark.parametrize("first", SEEDS[::IN_BATCH])
def test_loops_stay_inside_of_arrays(first: int) -> None:
    count = min(IN_BATCH, SEEDS.stop - first)
    run = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "support.random_indices",
            str(first),
            str(count),
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=pathlib.Path(__file__).parents[2],
        env={**os.environ, "WEFT_CACHE": "0"},
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split() == ["checked", str(count)]
