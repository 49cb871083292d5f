"""Spans and events as the Chrome trace format has them, which Perfetto and chrome://tracing read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...dialect.records import NamedTuple

PROCESS = 1


class Span(NamedTuple):
    """Something that took from one time to another, in nanoseconds, in a thread."""

    name: str
    category: str
    begin: int
    end: int
    thread: int
    told: Mapping[str, Any]


class Event(NamedTuple):
    """Something that happened at a time."""

    name: str
    category: str
    time: int
    thread: int
    told: Mapping[str, Any]


def trace_of(
    spans: Sequence[Span], events: Sequence[Event], start: int, names: Mapping[int, str]
) -> dict[str, Any]:
    """The trace of spans and events, in microseconds since a start; threads are numbered, and bear their names.

    Spans of a thread are in the order in which they begin, those around others first.
    """
    numbers = {thread: number for number, thread in enumerate(names, 1)}
    rows: list[dict[str, Any]] = [
        _row("process_name", "M", PROCESS, 0, args={"name": f"weft, process {os.getpid()}"})
    ]
    for thread, name in names.items():
        number = numbers[thread]
        rows.append(_row("thread_name", "M", PROCESS, number, args={"name": name}))
        rows.append(_row("thread_sort_index", "M", PROCESS, number, args={"sort_index": number}))
    for span in sorted(spans, key=lambda span: (numbers[span.thread], span.begin, -span.end)):
        row = _row(span.name, "X", PROCESS, numbers[span.thread], cat=span.category, args=dict(span.told))
        rows.append(row | {"ts": (span.begin - start) / 1e3, "dur": (span.end - span.begin) / 1e3})
    for event in sorted(events, key=lambda event: event.time):
        row = _row(event.name, "i", PROCESS, numbers[event.thread], cat=event.category, args=dict(event.told))
        rows.append(row | {"ts": (event.time - start) / 1e3, "s": "t"})
    return {"traceEvents": rows, "displayTimeUnit": "ms"}


def _row(name: str, kind: str, process: int, thread: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "ph": kind, "pid": process, "tid": thread, **more}


def thread_names(threads: Iterable[int], first: int, known: Mapping[int, str]) -> dict[int, str]:
    """Names of threads, of Python's those that are known; the first is that one which made the profile."""
    found = {first: known[first]}
    for thread in sorted(set(threads) - {first}, key=lambda thread: thread not in known):
        workers = sum(name.startswith("worker") for name in found.values())
        found[thread] = known.get(thread) or f"worker {workers + 1}"
    return found
