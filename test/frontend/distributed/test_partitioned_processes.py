"""Functions over split arrays on processes of MPI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")

MPIEXEC = Path(sys.executable).with_name("mpiexec")
PROGRAMS = Path(__file__).with_name("partitioned_processes.py")


@pytest.mark.skipif(not MPIEXEC.exists(), reason="there is no mpiexec beside python: pip install mpich")
def test_processes_have_blocks() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [str(MPIEXEC), "-n", "3", sys.executable, str(PROGRAMS), "programs,edges,files,differ,refused"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert done.returncode == 0, done.stderr
