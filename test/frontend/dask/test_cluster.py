"""Clusters of worker processes: workers that die, Ctrl-C, compiled code for all. Each is a program that ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "support" / "dask_program.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["killed", *(pytest.param(name, marks=pytest.mark.soak) for name in ("interrupted", "installed"))]
)
def test_programs_on_a_cluster(name, tmp_path):
    pytest.importorskip("distributed")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), name, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=240,  # before pytest ends itself
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split()[-1] == "done"
