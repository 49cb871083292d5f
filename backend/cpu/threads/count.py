"""How many threads compiled code uses: what was asked for, else what this process may use.

`WEFT_NUM_THREADS` and `set_num_threads` say it; otherwise it is the number of processors that the process may run on,
or fewer where a control group limits its processor time, or `OMP_NUM_THREADS` says so: Dask, joblib and Ray tell all
libraries in their workers by that one how many threads each may have. Processes that `mpiexec` has started on one
machine share its processors.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from pathlib import Path
from typing import SupportsIndex

from ....dialect.errors import WeftTypeError, WeftValueError

VARIABLE = "WEFT_NUM_THREADS"
OPENMP_VARIABLE = "OMP_NUM_THREADS"
LOCAL_PROCESSES = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")
"""What MPICH and Open MPI tell the processes of a program: how many there are on this machine."""
MOST_THREADS = 1024
"""The pool has room for so many."""

_chosen: list[int] = []
"""The number that was set or found; empty until somebody asks."""

_followers: list[Callable[[int], None]] = []


def get_num_threads() -> int:
    """How many threads a compiled function may use, the calling one included.

    Raises WeftValueError when WEFT_NUM_THREADS is no such number.

    >>> get_num_threads() >= 1
    True
    """
    if not _chosen:
        _chosen[:] = [_from_environment() or min(available_processors(), openmp_threads())]
    return _chosen[0]


def set_num_threads(count: SupportsIndex | None) -> None:
    """Let compiled functions use so many threads, from their next loop on; nothing is compiled again.

    The number is one for the whole process. 1 means that all work is done where the function is called, and None what
    holds when nothing is set, looked up anew. Results do not depend on it, not in a single bit. Raises WeftTypeError
    for what is no integer and WeftValueError for numbers below 1 or above 1024.

    >>> set_num_threads(2)
    >>> get_num_threads()
    2
    >>> set_num_threads(None)
    """
    if count is None:
        _chosen.clear()
    else:
        _chosen[:] = [_checked(count)]
    number = get_num_threads()
    for follow in _followers:
        follow(number)


def follow_num_threads(follow: Callable[[int], None]) -> None:
    """Call a function with the number of threads, now and whenever it changes."""
    _followers.append(follow)
    follow(get_num_threads())


def _checked(count: SupportsIndex) -> int:
    try:
        number = operator.index(count)
    except TypeError:
        raise WeftTypeError(f"the number of threads is an integer, not {type(count).__name__}") from None
    if not 1 <= number <= MOST_THREADS:
        raise WeftValueError(f"the number of threads is between 1 and {MOST_THREADS}, not {number}")
    return number


def _from_environment() -> int | None:
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= MOST_THREADS:
        raise WeftValueError(
            f"{VARIABLE}={text!r}: expected a number of threads between 1 and {MOST_THREADS}"
        )
    return int(text)


def openmp_threads() -> int:
    """How many threads `OMP_NUM_THREADS` allows: its first number, as nested regions have more; no limit otherwise."""
    first = os.environ.get(OPENMP_VARIABLE, "").partition(",")[0].strip()
    return min(int(first), MOST_THREADS) if first.isdecimal() and int(first) else MOST_THREADS


def available_processors() -> int:
    """How many processors this process may use at a time, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    quota = control_group_quota()
    granted = max(1, min(processors, MOST_THREADS if quota is None else int(quota)))
    # A starter of processes that binds them to processors has shared these out already.
    return granted if processors < (os.cpu_count() or 1) else max(1, granted // processes_here())


def processes_here() -> int:
    """How many processes of the same program a starter of MPI's has started on this machine, as it says."""
    return max(
        (int(os.environ[name]) for name in LOCAL_PROCESSES if os.environ.get(name, "").isdigit()), default=1
    )


def control_group_quota(
    membership: Path = Path("/proc/self/cgroup"), mount: Path = Path("/sys/fs/cgroup")
) -> float | None:
    """How many processors' time the control groups of this process grant it; None where there is no limit.

    Reads `cpu.max` of version 2 and `cpu.cfs_quota_us` of version 1, of the group and of those around it
    (https://docs.kernel.org/admin-guide/cgroup-v2.html, https://docs.kernel.org/scheduler/sched-bwc.html).
    """
    quotas: list[float] = []
    for line in _read(membership).splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if not controllers:
            roots, read = [mount, mount / "unified"], _quota_of_version_2
        elif "cpu" in controllers.split(","):
            roots, read = [mount / controllers, mount / "cpu"], _quota_of_version_1
        else:
            continue
        for root in roots:
            found = [read(group) for group in _groups(root, path)]
            quotas += [quota for quota in found if quota is not None]
    return min(quotas, default=None)


def _groups(root: Path, path: str) -> list[Path]:
    """The directories of a group and of those it lies in; inside of a container its own may be mounted at the root."""
    parts = [part for part in path.split("/") if part not in ("", "..")]
    return [root.joinpath(*parts[:count]) for count in range(len(parts), -1, -1)]


def _quota_of_version_2(group: Path) -> float | None:
    quota, _, period = _read(group / "cpu.max").strip().partition(" ")
    return _ratio(quota, period)


def _quota_of_version_1(group: Path) -> float | None:
    return _ratio(*(_read(group / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")))


def _ratio(quota: str, period: str) -> float | None:
    """No limit is written as "max" or -1."""
    if not quota.isdecimal() or not period.isdecimal() or not int(period):
        return None
    return int(quota) / int(period)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
