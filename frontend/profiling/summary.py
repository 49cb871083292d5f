"""What a profile tells in a few lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...dialect.records import NamedTuple
from .trace_events import Span

MOST_SHOWN = 12


class KernelTime(NamedTuple):
    """All calls of a kernel."""

    line: str
    """Of the program, as `/home/me/model.py:12`."""
    kernel: str
    function: str
    calls: int
    nanoseconds: int
    bytes: int | None
    """None where it is not known for each call."""
    is_launch: bool
    """Whether it is what the host did to launch it on a device."""


class Summary(NamedTuple):
    """A profile in numbers; prints as a table."""

    nanoseconds: int
    compiled: tuple[Span, ...]
    """What was compiled, or loaded from the disk cache."""
    calls: int
    call_nanoseconds: int
    """Of calls that are in no other call."""
    kernels: tuple[KernelTime, ...]
    """What took longest first."""
    preparing: int
    """The nanoseconds that it took to compile functions once more, with time stamps."""
    notes: tuple[str, ...]
    """What is missing."""

    @classmethod
    def of(cls, spans: Sequence[Span], nanoseconds: int, notes: Iterable[str]) -> Summary:
        """The summary of what a profile noted."""
        calls = [span for span in spans if span.category == "call"]
        return cls(
            nanoseconds,
            tuple(span for span in spans if span.category == "compilation"),
            len(calls),
            _sum(_outermost(calls)),
            tuple(sorted(_kernels(spans), key=lambda kernel: -kernel.nanoseconds)),
            _sum(span for span in spans if span.category == "profiler"),
            tuple(notes),
        )

    def __str__(self) -> str:
        compiling = _sum(_outermost(self.compiled))
        prepared = f" (and {shown_time(self.preparing)} to prepare the profile)" if self.preparing else ""
        lines = [
            f"{shown_time(self.nanoseconds - self.preparing)} in all{prepared}: "
            f"{counted(len(self.compiled), 'compilation')} in {shown_time(compiling)}, "
            f"{counted(self.calls, 'call')} in {shown_time(self.call_nanoseconds)}"
        ]
        lines += [
            f"  {span.name}, {shown_time(span.end - span.begin)}: {span.told.get('reason', '')}".rstrip(": ")
            for span in self.compiled[:MOST_SHOWN]
        ]
        if self.kernels:
            lines += ["", *_table(self.kernels[:MOST_SHOWN], self.call_nanoseconds)]
        more = len(self.kernels) - MOST_SHOWN
        if more > 0:
            lines.append(f"and {counted(more, 'more kernel')}")
        return "\n".join([*lines, *self.notes])


def _kernels(spans: Sequence[Span]) -> list[KernelTime]:
    groups: dict[tuple[str, str, str], list[Span]] = {}
    for span in spans:
        if span.category in ("kernel", "launch"):
            name = span.name.rpartition(" ")[2]
            key = str(span.told.get("line", "")), name, str(span.told.get("function", ""))
            groups.setdefault(key, []).append(span)
    return [
        KernelTime(
            *key,
            len(group),
            _sum(group),
            sum(span.told["bytes"] for span in group) if all("bytes" in s.told for s in group) else None,
            group[0].category == "launch",
        )
        for key, group in groups.items()
    ]


def _outermost(spans: Sequence[Span]) -> list[Span]:
    """Spans that are in no other one of the same thread."""
    found: list[Span] = []
    ends: dict[int, int] = {}
    for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
        if span.begin >= ends.get(span.thread, 0):
            found.append(span)
            ends[span.thread] = span.end
    return found


def _sum(spans: Iterable[Span]) -> int:
    """The nanoseconds of spans."""
    return sum(span.end - span.begin for span in spans)


def _table(kernels: tuple[KernelTime, ...], calls: int) -> list[str]:
    rows = [("line", "function", "kernel", "calls", "time", "of calls", "each", "GB/s")]
    for kernel in kernels:
        rate = "" if kernel.bytes is None else f"{kernel.bytes / max(kernel.nanoseconds, 1):.3g}"
        rows.append(
            (
                kernel.line.replace("\\", "/").rpartition("/")[2],
                kernel.function,
                f"{kernel.kernel} (launch)" if kernel.is_launch else kernel.kernel,
                f"{kernel.calls:,}",
                shown_time(kernel.nanoseconds),
                f"{100 * kernel.nanoseconds / max(calls, 1):.0f} %",
                shown_time(kernel.nanoseconds // kernel.calls),
                rate,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column < _WORDS else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


_WORDS = 3
"""The columns of text, which are first."""


def shown_time(nanoseconds: int) -> str:
    """A time in the unit that suits it.

    >>> shown_time(950), shown_time(12_345), shown_time(6_700_000), shown_time(12_000_000_000)
    ('950 ns', '12.3 us', '6.70 ms', '12.0 s')
    """
    for size, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "us")):
        if nanoseconds >= size:
            value = nanoseconds / size
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    return f"{nanoseconds} ns"


def counted(number: int, what: str) -> str:
    """A number of things in words.

    >>> counted(1, "call"), counted(2000, "call")
    ('1 call', '2,000 calls')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
