"""How many threads there are: what is asked for, affinity and control groups."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from weft.backend.cpu.threads.count import available_processors, control_group_quota


def ask(code: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    program = f"import os, weft\n{code}\nprint(weft.get_num_threads())"
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env=variables,
        check=False,
    )


def test_number_is_set_and_found_anew() -> None:
    weft.set_num_threads(3)
    assert weft.get_num_threads() == 3
    weft.set_num_threads(None)
    assert 1 <= weft.get_num_threads() <= (os.cpu_count() or 1)


def test_environment_says_the_number() -> None:
    assert ask(WEFT_NUM_THREADS="5").stdout == "5\n"
    assert ask("weft.set_num_threads(7)", WEFT_NUM_THREADS="5").stdout == "7\n"


def test_the_number_for_openmp_is_a_limit() -> None:
    """So workers of Dask, joblib and Ray are told."""
    assert ask(WEFT_NUM_THREADS="", OMP_NUM_THREADS="1").stdout == "1\n"
    assert ask(WEFT_NUM_THREADS="", OMP_NUM_THREADS="1,4").stdout == "1\n"
    assert ask(WEFT_NUM_THREADS="3", OMP_NUM_THREADS="1").stdout == "3\n"
    usual = ask(WEFT_NUM_THREADS="", OMP_NUM_THREADS="").stdout
    for text in ("many", "0", "100000"):
        assert ask(WEFT_NUM_THREADS="", OMP_NUM_THREADS=text).stdout == usual


def test_processes_of_one_machine_share_its_processors() -> None:
    usual = int(ask(WEFT_NUM_THREADS="", OMP_NUM_THREADS="").stdout)
    shared = int(ask(WEFT_NUM_THREADS="", OMP_NUM_THREADS="", MPI_LOCALNRANKS="2").stdout)
    bound = (
        len(os.sched_getaffinity(0)) < (os.cpu_count() or 1) if hasattr(os, "sched_getaffinity") else False
    )
    assert shared == (usual if bound else max(1, usual // 2))
    assert ask(WEFT_NUM_THREADS="3", MPI_LOCALNRANKS="2").stdout == "3\n"


@pytest.mark.parametrize("text", ["0", "-1", "many", "1025", "1.5"])
def test_environment_is_checked(text: str) -> None:
    result = ask(WEFT_NUM_THREADS=text)
    message = f"WEFT_NUM_THREADS={text!r}: expected a number of threads between 1 and 1024"
    assert message in result.stderr


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="there is no affinity on this system")
def test_a_pinned_process_has_one_thread() -> None:
    result = ask("os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})", WEFT_NUM_THREADS="")
    assert result.stdout == "1\n"


@pytest.mark.parametrize("count", [0, -2, 1025])
def test_numbers_out_of_range_are_refused(count: int) -> None:
    with pytest.raises(
        ValueError, match=rf"the number of threads is between 1 and 1024, not {count}"
    ) as error:
        weft.set_num_threads(count)
    assert isinstance(error.value, weft.WeftValueError)


def test_what_is_no_integer_is_refused() -> None:
    with pytest.raises(weft.WeftTypeError, match="the number of threads is an integer, not float"):
        weft.set_num_threads(2.0)  # type: ignore[arg-type]


class Groups:
    """Files as the kernel writes them."""

    def __init__(self, root: Path) -> None:
        self.membership, self.mount = root / "cgroup", root / "mount"
        self.membership.write_text("")

    def write(self, path: str, text: str) -> None:
        (self.mount / path).parent.mkdir(parents=True, exist_ok=True)
        (self.mount / path).write_text(text)

    def quota(self) -> float | None:
        return control_group_quota(self.membership, self.mount)


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups(tmp_path)


def test_version_2_takes_the_tightest_limit_on_the_way_up(groups: Groups) -> None:
    groups.membership.write_text("0::/user.slice/job:1\n")
    groups.write("user.slice/job:1/cpu.max", "max 100000\n")
    assert groups.quota() is None
    groups.write("user.slice/cpu.max", "250000 100000\n")
    assert groups.quota() == 2.5
    groups.write("user.slice/job:1/cpu.max", "50000 100000\n")
    assert groups.quota() == 0.5


def test_version_1_has_quota_and_period(groups: Groups) -> None:
    groups.membership.write_text("4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/\n")
    groups.write("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n")
    groups.write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n")
    assert groups.quota() is None
    groups.write("cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n")
    assert groups.quota() == 3.0


def test_inside_a_container_the_own_group_is_the_root(groups: Groups) -> None:
    groups.membership.write_text("4:cpu:/docker/0123\n0::/\n")
    groups.write("cpu/cpu.cfs_quota_us", "150000")
    groups.write("cpu/cpu.cfs_period_us", "100000")
    assert groups.quota() == 1.5


@pytest.mark.parametrize("text", ["", "nonsense", "100000", "100000 0", "-5 100000", "max"])
def test_what_cannot_be_read_is_no_limit(groups: Groups, text: str) -> None:
    groups.membership.write_text("0::/\nbroken line\n")
    groups.write("cpu.max", text)
    assert groups.quota() is None


def test_without_control_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert control_group_quota(tmp_path / "nothing", tmp_path / "nowhere") is None


def test_a_quota_below_one_processor_leaves_one_thread(
    groups: Groups, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups.membership.write_text("0::/\n")
    groups.write("cpu.max", "20000 100000")
    monkeypatch.setattr("weft.backend.cpu.threads.count.control_group_quota", groups.quota)
    assert available_processors() == 1
