"""What a process has compiled or found is noted for each `with` block that is open."""

from __future__ import annotations

import pytest

from weft.backend.cache import memory


def test_blocks_in_blocks_note_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_used", {})
    with memory.noted() as outer:
        with memory.noted() as inner:
            pass
        memory.note_use("key")
    memory.note_use("other")
    assert (outer, inner) == (["key"], [])
