"""Object code that is kept on disk under one key."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.backend.cache import machine, objects
from weft.backend.cache.objects import cached_object
from weft.backend.cache.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    made = Store(str(tmp_path), 1)
    monkeypatch.setattr(objects, "store", lambda: made)
    return made


def refuse() -> bytes:
    raise AssertionError("it is in the cache")


def test_code_is_made_once(store: Store) -> None:
    assert cached_object("text", lambda: b"code") == b"code"
    assert cached_object("text", refuse) == b"code"
    assert cached_object("another text", lambda: b"other code") == b"other code"


def test_code_of_another_machine_or_version_is_not_used(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached_object("text", lambda: b"code")
    monkeypatch.setattr(objects, "machine_key", lambda: "another")
    assert cached_object("text", lambda: b"its code") == b"its code"


def test_what_is_no_code_is_made_again(store: Store) -> None:
    cached_object("text", lambda: b"code")
    (entry,) = store.entries()
    store.write(Path(entry.path).stem, ("no", "code"))
    assert cached_object("text", lambda: b"code again") == b"code again"


def test_without_a_cache_code_is_made_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "store", lambda: None)
    assert [cached_object("text", lambda n=n: bytes([n])) for n in range(2)] == [b"\0", b"\1"]


def test_the_key_of_the_machine_names_all_that_takes_part() -> None:
    import llvmlite
    import numpy

    key = machine.parts()
    assert {numpy.__version__, llvmlite.__version__} <= {part for part in key if isinstance(part, str)}
    mlir, sources = key[-2:]
    assert len(mlir) == 1, "MLIR is found without importing it"
    assert any(path.endswith("frontend/tracing/trace.py") for path, _, _ in sources)
    assert len(sources) > 200
