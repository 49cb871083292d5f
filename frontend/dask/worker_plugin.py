"""What workers of `distributed` run when it comes, and when they start."""

from __future__ import annotations

from typing import Any

from distributed import WorkerPlugin

from ...backend.cache import memory

NAME = "weft-compiled-code"
"""A session has one: another one takes its place."""


class CompiledCode(WorkerPlugin):  # type: ignore[misc]
    """Brings entries of the cache."""

    name = NAME

    def __init__(self, entries: dict[str, bytes]) -> None:
        self.entries = entries

    def setup(self, worker: Any) -> None:
        """Keep them where functions are looked up."""
        memory.put(self.entries)
