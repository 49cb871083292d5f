"""How long the phases of a compilation take: a tree of names and seconds.

Whoever wants to know records; without that a phase costs a look at a variable of the thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from .listening import listening

NOTHING: Mapping[str, int] = MappingProxyType({})
"""What a phase counts that does not count."""


class CompileTimes(Mapping[str, float]):
    """The seconds of the phases of a compilation, by name, in the order in which they began.

    Phases with one name count as one. `within(name)` has the phases inside of one, as the passes of a pipeline;
    printed, they stand indented below it.

    >>> times = CompileTimes()
    >>> with times.recording():
    ...     with phase("optimise"):
    ...         with phase("fold"):
    ...             pass
    ...     with phase("link"):
    ...         pass
    >>> list(times), list(times.within("optimise"))
    (['optimise', 'link'], ['fold'])
    >>> sum(times.values()) == times.total
    True
    """

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._inner: dict[str, CompileTimes] = {}

    def __getitem__(self, name: str) -> float:
        return self._seconds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._seconds)

    def __len__(self) -> int:
        return len(self._seconds)

    @property
    def total(self) -> float:
        """The seconds of all phases together."""
        return sum(self._seconds.values())

    def within(self, name: str) -> CompileTimes:
        """The phases inside of a phase."""
        if name not in self._seconds:
            raise KeyError(name)
        return self._inner.setdefault(name, CompileTimes())

    @contextmanager
    def recording(self) -> Iterator[CompileTimes]:
        """Note the phases of this thread here for the duration of a `with` block, and nowhere else."""
        before, _running.times = _running.times, self
        try:
            yield self
        finally:
            _running.times = before

    def rows(self, depth: int = 0) -> Iterator[tuple[int, str, float]]:
        """All phases with their seconds, each before those inside of it, which are one deeper."""
        for name, seconds in self._seconds.items():
            yield depth, name, seconds
            yield from self.within(name).rows(depth + 1)

    def __str__(self) -> str:
        rows = [(f"{'  ' * depth}{name}", seconds) for depth, name, seconds in self.rows()]
        rows.append(("total", self.total))
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {1e3 * seconds:9.2f} ms" for name, seconds in rows)

    def __repr__(self) -> str:
        return f"<CompileTimes {1e3 * self.total:.1f} ms in {len(self)} phases>"


class _Running(threading.local):
    times: CompileTimes | None = None


_running = _Running()


class phase:
    """Note how long a `with` block takes, under a name, as part of the phase around it, and what it counts."""

    __slots__ = ("_around", "_counted", "_name", "_start")

    def __init__(self, name: str, counted: Mapping[str, int] = NOTHING) -> None:
        self._name = name
        self._counted = counted

    def __enter__(self) -> None:
        around = self._around = _running.times
        if around is not None:
            around._seconds.setdefault(self._name, 0.0)
            _running.times = around.within(self._name)
            self._start = time.perf_counter()

    def __exit__(self, *raised: object) -> None:
        if self._around is not None:
            end = time.perf_counter()
            self._around._seconds[self._name] += end - self._start
            _running.times = self._around
            if listening.listener is not None:
                begin = int(1e9 * self._start)
                listening.listener.span(self._name, "compile", begin, int(1e9 * end), **self._counted)
