"""What runs on a card, in which order, and how long it may take: two runs of nine minutes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SECONDS = 540
"""For all parts of a run together: machines that are lent end a command after ten minutes, with all that it had."""


class Part(NamedTuple):
    """How long a part may take, and how many of its programs run beside each other."""

    seconds_each: float
    seconds: float
    workers: int = 1


PARTS: Mapping[str, Part] = {
    "machine": Part(20, 20),
    "first": Part(30, 60),
    "causes": Part(40, 60),
    "correct": Part(40, 100, workers=4),
    "conformance": Part(30, 60),
    "driver": Part(30, 30),
    "speed": Part(40, 200),
    "exchange": Part(30, 50),
    "peers": Part(60, 220),
    "sanitizer": Part(60, 90, workers=6),
    "counters": Part(40, 60),
    "again": Part(40, 60),
}
"""In the order in which they run: what is most worth knowing comes first."""

RUNS: Mapping[str, tuple[str, ...]] = {
    "first": ("machine", "first", "causes", "correct", "conformance", "driver", "speed"),
    "second": ("machine", "exchange", "peers", "sanitizer", "counters", "again"),
}
"""The parts of each run; the second one looks again, by name, at what the first one found wrong."""

FIRST = ("chain", "softmax", "product_f16", "attention_f16", "sort")
"""They tell in a minute whether anything works: if none does, nothing else of the run is tried, but to find out why."""

SANITIZED = ("softmax", "product_f16", "attention_f16", "running_sum", "sort", "bincount")
"""Programs whose blocks share most."""
TOOLS = ("memcheck", "racecheck", "synccheck")
"""Of compute-sanitizer."""

COUNTED = ("product_f16", "attention_f16", "running_sum")
"""Programs whose limit the hardware's counters are to show."""

__all__ = ["COUNTED", "FIRST", "PARTS", "RUNS", "SANITIZED", "SECONDS", "TOOLS", "Part"]
