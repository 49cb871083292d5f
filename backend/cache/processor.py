"""The processor of this machine: looked up, asked for, or measured once and kept with the compiled functions."""

from __future__ import annotations

from functools import cache

from ...dialect.records import replace
from ..processors.description import Processor
from ..processors.families import family_of
from ..processors.system import Cache, caches
from .files import digest
from .store import store

_MEASURED = (
    *("first_level_cache", "second_level_cache", "last_level_cache", "last_level_cores"),
    *("multiplications", "read_ahead", "reduction_read_ahead", "memory_bytes"),
)
"""What is taken from a measurement; not what decides in which order numbers are added, which no processor does."""


@cache
def processor() -> Processor:
    """What schedules ask of this machine's processor.

    The families of the table are known by the name that LLVM gives to the processor; the sizes of caches are those
    that the operating system tells. A processor of no family is measured once, which takes about half a second, and
    what was found is kept in the disk cache; without a disk cache it is assumed to be like the least of the last years.
    """
    import llvmlite.binding as llvm

    name, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    known = family_of(name)
    found = known or _kept(name, features.flatten(), _vector_bytes(features)) or _assumed(name)
    return with_caches(found, caches())


def _vector_bytes(features: dict[str, bool]) -> int:
    return 64 if features.get("avx512f") else 32 if features.get("avx2") else 16


def _kept(name: str, features: str, vector_bytes: int) -> Processor | None:
    """What was measured on this machine, now if not before; None where nothing can be kept."""
    cache = store()
    if cache is None:
        return None
    key = digest(("processor", name, features, tuple(caches())))
    found = cache.read(key)
    if isinstance(found, tuple) and len(found) == len(_MEASURED):
        cache.use(key)
    else:
        from ..processors.measurements import measured

        made = measured(vector_bytes)
        found = tuple(getattr(made, field) for field in _MEASURED)
        cache.write(key, found)
    family = f"{name or 'a processor'}, measured"
    return replace(Processor(family), **dict(zip(_MEASURED, found, strict=True)))


def _assumed(name: str) -> Processor:
    what = (
        f"weft does not know {name or 'this processor'}, and cannot keep measurements without a disk cache: "
        "it is assumed to be like the least of the last years",
    )
    return Processor(name or "unknown", assumed=what)


def with_caches(processor: Processor, told: list[Cache]) -> Processor:
    """A processor with the caches that the operating system tells; what it does not tell is said to be assumed."""
    by_level = {cache.level: cache for cache in told}
    first, second, last = (by_level.get(level) for level in (1, 2, 3))
    if first is not None:
        ways = first.ways or processor.first_level_ways
        processor = replace(processor, first_level_cache=first.size, first_level_ways=ways)
    if second is not None:
        processor = replace(processor, second_level_cache=max(second.share, 2 * processor.first_level_cache))
    if last is not None:
        processor = replace(processor, last_level_cache=last.size, last_level_cores=max(last.cores, 1))
    untold = [name for name, cache in (("first", first), ("second", second)) if cache is None]
    if untold and not processor.family.endswith("measured"):
        levels = " and ".join(untold)
        note = (
            f"the system does not tell the size of the {levels} level of caches: that of {processor.family}"
        )
        processor = replace(processor, assumed=(*processor.assumed, note))
    return processor
