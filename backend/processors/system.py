"""What the operating system tells of the processor's caches and of memory; where it tells nothing, there is nothing."""

from __future__ import annotations

import os
import sys

from ...dialect.records import NamedTuple

_FIRST = "/sys/devices/system/cpu/cpu0"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MOST_CACHES = 6
_NO_LIMIT = 1 << 60
"""Control groups of version 1 write a limit near 2**63 where there is none."""


class Cache(NamedTuple):
    """A cache that data lies in."""

    level: int
    size: int
    """In bytes."""
    ways: int
    """0 where it is not told."""
    cores: int
    """That share it; 0 where it is not told."""

    @property
    def share(self) -> int:
        """What one core can count on."""
        return self.size // max(self.cores, 1)


def kind_of_processor(processors: str = "/sys/devices/system/cpu") -> str:
    """What tells kinds of processors apart: maker, family, model and features; empty where the system does not tell.

    The name and the features that LLVM asks the processor for follow from these, but to load LLVM for them takes 40 ms.
    """
    if sys.platform != "linux":
        return ""
    features = _read(f"{processors}/modalias")
    if features.startswith("cpu:type:x86,ven"):
        return features
    model = _read(f"{processors}/cpu0/regs/identification/midr_el1")  # of Arm
    return f"{model} {features}" if model and features else ""


def caches(processor: str = _FIRST) -> list[Cache]:
    """The caches of data of the first processor, nearest first; empty where the system does not tell.

    Reads sysfs (https://docs.kernel.org/admin-guide/cputopology.html), or sysctl's `hw.` on macOS.
    """
    if sys.platform == "darwin":
        return _from_sysctl()
    threads = _count(_read(f"{processor}/topology/thread_siblings_list")) or 1
    found = [_cache(f"{processor}/cache/index{number}", threads) for number in range(_MOST_CACHES)]
    return sorted(cache for cache in found if cache is not None)


def _cache(index: str, threads: int) -> Cache | None:
    """A cache of data, given how many threads a core runs."""
    if _read(f"{index}/type") not in ("Data", "Unified"):
        return None
    level, size = _number(_read(f"{index}/level")), _size(_read(f"{index}/size"))
    if not level or not size:
        return None
    cores = _count(_read(f"{index}/shared_cpu_list"))
    ways = _number(_read(f"{index}/ways_of_associativity"))
    return Cache(level, size, ways, -(-cores // threads))


def _size(text: str) -> int:
    """Bytes, of a text like 32K."""
    return _number(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else _number(text)


def _count(text: str) -> int:
    """How many numbers a list like 0-3,8-11 has; 0 where it is not one."""
    total = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return 0
        total += int(last or first) - int(first) + 1
    return max(total, 0)


def _from_sysctl() -> list[Cache]:
    """The caches of the fast cores of a Mac."""
    first = _sysctl("hw.perflevel0.l1dcachesize") or _sysctl("hw.l1dcachesize")
    second = _sysctl("hw.perflevel0.l2cachesize") or _sysctl("hw.l2cachesize")
    cores = _sysctl("hw.perflevel0.cpusperl2")
    found = [Cache(1, first, 0, 1), Cache(2, second, 0, cores), Cache(3, _sysctl("hw.l3cachesize"), 0, 0)]
    return [cache for cache in found if cache.size]


def _sysctl(name: str) -> int:
    """A number that macOS tells by name; 0 where it does not."""
    import ctypes

    value, size = ctypes.c_uint64(0), ctypes.c_size_t(8)
    library = ctypes.CDLL(None)
    failed = library.sysctlbyname(
        name.encode(), ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0)
    )
    return 0 if failed else int(value.value)


def memory(groups: str = "/sys/fs/cgroup") -> int | None:
    """Bytes of memory that this process may use: the machine's, or less in a container; None where it is not told."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    limits = [_number(_read(f"{groups}/{name}")) for name in ("memory.max", "memory/memory.limit_in_bytes")]
    return min([total, *(limit for limit in limits if 0 < limit < _NO_LIMIT)])


def _number(text: str) -> int:
    """A number; 0 where there is none."""
    return int(text) if text.isdecimal() else 0


def _read(path: str) -> str:
    """The text of a file, empty where there is none; without `pathlib`, as every process reads these."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return ""
    try:
        return os.read(file, 4096).decode("ascii", "replace").strip()
    except OSError:
        return ""
    finally:
        os.close(file)
