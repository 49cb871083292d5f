"""Engines run compiled functions of all kinds in their threads and processes: each engine is a program of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "support" / "engine_program.py"
NAMED = (
    "module",
    "module, loop",
    "main",
    "main, loop",
    "calls another",
    "bound method",
    "gradient",
    "concrete",
)
BY_VALUE = ("lambda", "closure", "gradient of a closure")
soak = pytest.mark.soak


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "package", "takes_all"),
    [
        ("threads", "weft", True),
        ("fork", "weft", False),
        pytest.param("spawn", "weft", False, marks=soak),
        pytest.param("forkserver", "weft", False, marks=soak),
        pytest.param("futures", "weft", False, marks=soak),
        pytest.param("joblib", "joblib", True, marks=soak),
        pytest.param("delayed", "dask", True, marks=soak),
        ("distributed", "distributed", True),
        pytest.param("mpi", "mpi4py", False, marks=soak),
        pytest.param("ray", "ray", True, marks=soak),
    ],
)
def test_engine_runs_functions_of_all_kinds(engine, package, takes_all, cache):
    pytest.importorskip(package)
    if engine in ("fork", "forkserver") and not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    command = [sys.executable, str(PROGRAM), engine]
    if engine == "mpi":
        launcher = shutil.which("mpiexec", path=os.path.dirname(sys.executable)) or shutil.which("mpiexec")
        if launcher is None:
            pytest.skip("there is no mpiexec")
        command = [launcher, "-n", "2", sys.executable, "-m", "mpi4py.futures", *command[1:]]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
        env={**os.environ, "WEFT_CACHE": "1", "WEFT_CACHE_DIR": cache},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert {name: found[name] for name in NAMED} == dict.fromkeys(NAMED, "right")
    # What has no name is taken by those that send code; pickle refuses it, as it refuses any lambda.
    wanted = "right" if takes_all else "refused"
    assert {name: found[name] for name in BY_VALUE} == dict.fromkeys(BY_VALUE, wanted)
