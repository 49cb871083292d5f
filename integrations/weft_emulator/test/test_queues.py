"""The order of what is asked for, when Python comes in between."""

from __future__ import annotations

import gc
from typing import Any

from weft.backend.gpu.driver.signatures import LEGACY_STREAM
from weft_emulator.queues import Queues


class Waiting:
    """An object that only the garbage collector finds, and that waits for a device when it goes."""

    def __init__(self, queues: Queues) -> None:
        self.queues = queues
        self.own = self

    def __del__(self) -> None:
        self.queues.wait_for_all()


def test_objects_that_go_do_not_come_in_between() -> None:
    queues, order = Queues(0), list[str]()
    threshold = gc.get_threshold()

    def first() -> None:
        order.append("begins")
        kept: list[Any] = [[] for _ in range(100)]
        order.append("ends" if kept else "")

    queues.put(LEGACY_STREAM, first)
    queues.put(LEGACY_STREAM, lambda: order.append("second"))
    gc.collect()
    gc.set_threshold(10)
    try:
        gc.disable()
        Waiting(queues)
        gc.enable()
        queues.step()
    finally:
        gc.set_threshold(*threshold)
    assert order[:2] == ["begins", "ends"]
    queues.wait_for_all()
    assert order == ["begins", "ends", "second"]
