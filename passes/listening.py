"""Who listens to what happens in this process, if anybody does: `weft.profile`.

Where things happen it is looked whether there is a listener, which costs nothing beside them. Times are those of
`time.perf_counter_ns`.
"""

from __future__ import annotations

from typing import Any, Protocol


class Listener(Protocol):
    """What is told of."""

    def span(self, name: str, category: str, begin: int, end: int, **told: Any) -> dict[str, Any]:
        """Something took from one time to another, in this thread; returns what is told of it, to say more."""

    def event(self, name: str, category: str, **told: Any) -> None:
        """Something happened now."""

    def executable_of(self, concrete: Any) -> Any:
        """What is called in place of the executable of a compiled function."""


class _Listening:
    __slots__ = ("listener",)
    listener: Listener | None

    def __init__(self) -> None:
        self.listener = None


listening = _Listening()
