"""The examples for many ranks find the same on any number of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

EXAMPLES = Path(__file__).parents[3] / "examples"
MPIEXEC = Path(sys.executable).with_name("mpiexec")

simulated = weft.distributed.Mesh.simulated


@pytest.fixture
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return __import__(request.param)


@pytest.mark.parametrize("example", ["data_parallel"], indirect=True)
def test_training(example: Any) -> None:
    (alone,) = example.run(simulated(1))
    assert alone[1] < 0.06
    for count in (2, 3):
        for p, value in example.run(simulated(count)):
            assert abs(value - alone[1]) < 1e-12
            for name in p:
                np.testing.assert_allclose(p[name], alone[0][name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("example", ["heat"], indirect=True)
def test_heat(example: Any) -> None:
    u = example.plate()
    for _ in range(100):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = inner + example.SPREADS * (around - 4 * inner)
    for count in (1, 3):
        results = example.run(simulated(count), 100)
        np.testing.assert_allclose(np.concatenate([rows for rows, _ in results]), u, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(results[-1][1], u.sum(), rtol=1e-12)


@pytest.mark.skipif(not MPIEXEC.exists(), reason="there is no mpiexec beside python: pip install mpich")
@pytest.mark.soak
def test_processes_find_the_same() -> None:
    pytest.importorskip("mpi4py")
    losses = []
    for command in ([], [str(MPIEXEC), "-n", "2"]):
        program = [*command, sys.executable, str(EXAMPLES / "data_parallel.py")]
        done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        losses.append(float(done.stdout.split()[-1]))
    assert abs(losses[0] - losses[1]) < 1e-12
