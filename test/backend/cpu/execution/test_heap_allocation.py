"""What compiled code keeps between calls is freed once when Python exits, although modules are empty by then."""

from __future__ import annotations

import pytest

from weft.backend.cpu.execution import heap_allocation


def test_blocks_are_freed_once_at_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[int] = []
    blocks = heap_allocation.HeapAllocation(2, 0)
    blocks._free = freed.append
    blocks._words[:] = [8, 8, 0, 64, 1, 16, 16, 0, 64, 1]
    for name in [name for name in vars(heap_allocation) if not name.startswith("__")]:
        monkeypatch.setattr(heap_allocation, name, None)
    blocks.__del__()
    blocks._words[:] = [0] * 10
    assert freed == [8, 16]
