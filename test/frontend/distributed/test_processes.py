"""Ranks as processes of MPI, by the `mpiexec` of the wheel `mpich`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import weft

pytest.importorskip("mpi4py")

MPIEXEC = Path(sys.executable).with_name("mpiexec")
PROGRAMS = Path(__file__).with_name("processes.py")

pytestmark = pytest.mark.skipif(
    not MPIEXEC.exists(), reason="there is no mpiexec beside python: pip install mpich"
)


def run(
    count: int, programs: str, program: Path = PROGRAMS, limit: float = 240
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [str(MPIEXEC), "-n", str(count), sys.executable, str(program), programs]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=limit, env=environment, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "programs"),
    [
        pytest.param(2, "dtypes", marks=pytest.mark.soak),
        pytest.param(2, "devices", marks=pytest.mark.soak),
        (3, "unchecked,sizes,mixed,native,axes,checked,wrong,freed"),
    ],
)
def test_what_ranks_do_together(count: int, programs: str) -> None:
    done = run(count, programs)
    assert done.returncode == 0, done.stderr


@pytest.mark.soak
def test_more_elements_than_an_int_counts() -> None:
    done = run(2, "", PROGRAMS.with_name("large_arrays.py"), 900)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("raises", "ValueError: only here"),
        ("late", "CommunicationError: rank 1 waits for more than 1 s in all_reduce(sum) at "),
        ("interrupted", "KeyboardInterrupt"),
    ],
)
def test_a_rank_that_fails_ends_all(program: str, message: str) -> None:
    done = run(2, program)
    assert done.returncode != 0
    assert message in done.stderr


def test_what_a_rank_wrote_is_read_before_it_aborts() -> None:
    from weft.frontend.distributed import mpi

    reader, writer = os.pipe()
    try:
        os.write(writer, b"ValueError: only here")
        later = threading.Timer(0.2, os.read, (reader, 100))
        later.start()
        mpi._wait_for_readers(writer)
        assert mpi._unread(writer) == 0
        later.join()
    finally:
        os.close(reader)
    mpi._wait_for_readers(writer)  # nobody is left to read
    os.close(writer)
    mpi._wait_for_readers(writer)  # a closed one is not waited for


def test_a_program_of_several_without_mpi_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.frontend.distributed import mpi

    monkeypatch.setenv("PMI_SIZE", "4")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    mpi.load.cache_clear()
    with pytest.raises(weft.MissingPackageError, match=r"pip install 'weft\[mpi\]'"):
        weft.distributed.Mesh()
