"""What is known of processors, and what is done where nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding
import numpy as np
import pytest

import weft
from support.interpreted import text_of
from weft.backend.cache import processor as kept
from weft.backend.cpu.memory.limit import default_limit
from weft.backend.processors import measurements, system
from weft.backend.processors.description import KIB, MIB, Processor
from weft.backend.processors.families import family_of, names
from weft.backend.processors.system import Cache
from weft.backend.target import compiling_as_if, host, named, processor


def sysfs(directory: Path, caches: list[dict[str, str]], siblings: str = "0") -> str:
    """A directory like that of a processor in sysfs."""
    (directory / "topology").mkdir()
    (directory / "topology" / "thread_siblings_list").write_text(siblings + "\n")
    for number, cache in enumerate(caches):
        index = directory / "cache" / f"index{number}"
        index.mkdir(parents=True)
        for name, text in cache.items():
            (index / name).write_text(text + "\n")
    return str(directory)


def cache(level: int, type: str, size: str, shared: str, ways: str = "8") -> dict[str, str]:
    return {
        "level": str(level),
        "type": type,
        "size": size,
        "shared_cpu_list": shared,
        "ways_of_associativity": ways,
    }


def test_caches_are_read_from_the_system(tmp_path: Path) -> None:
    found = [
        cache(1, "Data", "48K", "0,64", "12"),
        cache(1, "Instruction", "32K", "0,64"),
        cache(2, "Unified", "2048K", "0,64", "16"),
        cache(3, "Unified", "60M", "0-31,64-95", "15"),
    ]
    expected = [Cache(1, 48 * KIB, 12, 1), Cache(2, 2 * MIB, 16, 1), Cache(3, 60 * MIB, 15, 32)]
    assert system.caches(sysfs(tmp_path, found, "0,64")) == expected


def test_a_second_level_that_cores_share_is_shared(tmp_path: Path) -> None:
    found = system.caches(sysfs(tmp_path, [cache(2, "Unified", "12M", "0-3")]))
    assert found == [Cache(2, 12 * MIB, 8, 4)]
    assert kept.with_caches(Processor("some"), found).second_level_cache == 3 * MIB


@pytest.mark.parametrize(
    "damage",
    [
        {"size": ""},
        {"size": "many"},
        {"level": "x"},
        {"type": "Trace"},
    ],
)
def test_what_the_system_does_not_tell_is_not_invented(tmp_path: Path, damage: dict[str, str]) -> None:
    assert system.caches(sysfs(tmp_path, [cache(1, "Data", "32K", "0") | damage])) == []
    assert system.caches(str(tmp_path / "nowhere")) == []


def test_what_is_assumed_is_said() -> None:
    told = kept.with_caches(family_of("znver4") or Processor(""), [])
    assert told.first_level_cache == 32 * KIB
    (note,) = told.assumed
    assert (
        note == "the system does not tell the size of the first and second level of caches: that of AMD Zen 4"
    )


def test_memory_of_a_container(tmp_path: Path) -> None:
    whole = system.memory(str(tmp_path))
    assert whole is not None
    assert whole > 1 << 28
    (tmp_path / "memory.max").write_text("536870912\n")
    assert system.memory(str(tmp_path)) == 536870912
    assert default_limit(536870912) == 64 * MIB
    (tmp_path / "memory.max").write_text("max\n")
    assert system.memory(str(tmp_path)) == whole


def test_every_family_is_plausible() -> None:
    assert len(names()) == len(set(names()))
    for name in names():
        found = family_of(name)
        assert found is not None
        assert found.first_level_cache < found.second_level_cache <= found.last_level_cache, name
        assert found.way & (found.way - 1) == 0, name
        assert found.multiplications in (1, 2, 4)
    assert family_of("a processor of next year") is None


def test_names_of_targets_have_their_processor() -> None:
    assert named("znver4").processor.family == "AMD Zen 4"
    assert named("x86-64-v3").processor == Processor("a processor that is not named")
    assert host().processor == kept.processor()


@pytest.fixture
def unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine with a processor of no family."""
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_name", lambda: "znver9")
    with weft.settings.scope(cache=True, cache_dir=str(tmp_path)):
        yield tmp_path


@pytest.mark.usefixtures("unknown")
def test_an_unknown_processor_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    times = []

    def measured(vector_bytes: int) -> Processor:
        times.append(vector_bytes)
        return Processor("", read_ahead=1024, multiplications=1, memory_bytes=6.5, addition_wait=3.0)

    monkeypatch.setattr(measurements, "measured", measured)
    monkeypatch.setattr(kept, "caches", list)
    first, second = kept.processor.__wrapped__(), kept.processor.__wrapped__()
    assert len(times) == 1
    assert times[0] in (16, 32, 64)
    assert first == second
    assert (first.family, first.read_ahead, first.multiplications) == ("znver9, measured", 1024, 1)
    assert first.memory_bytes == 6.5
    assert first.addition_wait == Processor("").addition_wait  # by which sums are cut into parts
    assert first.assumed == ()


@pytest.mark.usefixtures("unknown")
def test_without_a_cache_an_unknown_processor_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "measured", None)  # is not called
    with weft.settings.scope(cache=False):
        found = kept.processor.__wrapped__()
    assert found.family == "znver9"
    assert found.assumed[0].startswith(
        "weft does not know znver9, and cannot keep measurements without a disk cache"
    )


@pytest.mark.parametrize("vector_bytes", [16, host().vector_bytes])
def test_measurements_are_plausible(vector_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "_STREAM", 1 << 18)
    monkeypatch.setattr(measurements, "_LAST_LEVEL", [1 << 20])
    monkeypatch.setattr(measurements, "_FAR", 1 << 22)
    found = measurements.measured(vector_bytes)
    assert 16 * KIB <= found.first_level_cache < found.second_level_cache <= found.last_level_cache
    assert found.multiplications in (1, 2, 4)
    assert 0.1 < found.memory_bytes < 64
    assert 1 < found.addition_wait < 30
    assert {found.read_ahead, found.reduction_read_ahead} <= {0, 256, 512, 1024, 2048}


def test_schedules_ask_the_processor() -> None:
    def largest(x: Any) -> Any:
        return x.max(1)

    x = np.ones((1000, 1000), np.float32)
    texts = []
    for distance in (0, 512):
        with compiling_as_if(reduction_read_ahead=distance):
            assert processor().reduction_read_ahead == distance
            texts.append(text_of(largest, x, stage="llvm"))
    assert "llvm.prefetch" not in texts[0]
    assert "llvm.prefetch" in texts[1]


@pytest.mark.parametrize("rows", [1, 3, 4, 7, 8, 9, 13, 29])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_number_of_rows_side_by_side_does_not_change_sums(rows: int, dtype: str) -> None:
    x = np.random.default_rng(rows).standard_normal((rows, 301)).astype(dtype)
    results = []
    for count in (4, 8):
        with compiling_as_if(column_rows=count):
            results.append(weft.function(lambda x: (x.sum(0), x.max(0)))(x))
    for first, second in zip(*results, strict=True):
        np.testing.assert_array_equal(first, second, strict=True)
    np.testing.assert_allclose(results[0][0], x.sum(0), rtol=1e-5, atol=1e-5)
