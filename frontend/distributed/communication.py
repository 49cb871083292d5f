"""What ranks send each other, for people: by line, with bytes, and about how long it takes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ...dialect.records import NamedTuple
from ...passes.partition.messages import Message
from ..source.tracebacks import places_of
from .mesh import Mesh

LATENCY = 1.5e-6
"""Seconds that a message takes to the next node, whatever it holds."""
BANDWIDTH = 25e9
"""Bytes a second that a node sends."""


class Sent(NamedTuple):
    """One collective at one line."""

    kind: str
    axis: str
    bytes: int
    """What a rank hands over; of an all_gather what it has afterwards."""
    line: str
    """Where in the program, as `file.py:3`."""
    seconds: float
    """About how long it takes, each time."""
    in_loop: bool
    reason: str
    """Why a whole array is gathered; empty for others."""


class CommunicationAnalysis(NamedTuple):
    """What ranks send each other in one call of a function over split arrays. It prints as a table.

    Times are estimates for a cluster whose nodes need 1.5 us for a message and send 25 GB/s, one rank on each; what
    is in a loop is counted once.
    """

    ranks: int
    collectives: tuple[Sent, ...]

    @property
    def bytes(self) -> int:
        """All of it, each counted once."""
        return sum(sent.bytes for sent in self.collectives)

    @property
    def seconds(self) -> float:
        """All of it, one after the other."""
        return sum(sent.seconds for sent in self.collectives)

    def __str__(self) -> str:
        rows = [("collective", "axis", "bytes", "about", "where")]
        for sent in self.collectives:
            note = " in a loop" if sent.in_loop else ""
            note += f" ({sent.reason})" if sent.reason else ""
            rows.append(
                (
                    sent.kind,
                    sent.axis,
                    f"{sent.bytes:,}",
                    f"{sent.seconds * 1e6:.1f} us",
                    f"{sent.line}{note}",
                )
            )
        rows.append(("all", "", f"{self.bytes:,}", f"{self.seconds * 1e6:.1f} us", f"on {self.ranks} ranks"))
        widths = [max(len(row[n]) for row in rows) for n in range(4)]
        return "\n".join(
            "  ".join(
                [
                    row[0].ljust(widths[0]),
                    row[1].ljust(widths[1]),
                    row[2].rjust(widths[2]),
                    row[3].rjust(widths[3]),
                    row[4],
                ]
            ).rstrip()
            for row in rows
        )


def analysed(messages: Sequence[Message], mesh: Mesh, ranks: int | None = None) -> CommunicationAnalysis:
    """The collectives of a program, with what they take."""
    sent = []
    for message in messages:
        count = mesh.extent(message.axis) if ranks is None else ranks
        taken = seconds_of(message.kind, message.bytes, count)
        sent.append(
            Sent(
                message.kind,
                message.axis,
                message.bytes,
                line_of(message),
                taken,
                message.in_loop,
                message.reason,
            )
        )
    return CommunicationAnalysis(mesh.size if ranks is None else ranks, tuple(sent))


def seconds_of(kind: str, size: int, ranks: int) -> float:
    """About how long a collective takes on so many ranks.

    >>> f"{seconds_of('all_reduce', 8, 1000) * 1e6:.0f} us"
    '30 us'
    """
    if ranks == 1:
        return 0.0
    steps = math.ceil(math.log2(ranks))
    if kind == "send_receive":
        return LATENCY + size / BANDWIDTH
    if kind == "all_reduce":
        return 2 * steps * LATENCY + 2 * size / BANDWIDTH
    if kind == "all_to_all":
        return (ranks - 1) * LATENCY + size / BANDWIDTH
    return steps * LATENCY + size / BANDWIDTH


def line_of(message: Message) -> str:
    """The line that a collective is for."""
    places = places_of(message.location)
    return f"{places[0].file.rpartition('/')[2]}:{places[0].line}" if places else "unknown"


_COLLECTIVE = re.compile(r'"weft\.(all_reduce|all_gather|all_to_all|send_receive)"')
_NUMBERED = re.compile(r" ?loc\(#loc(\d*)\)")
_FILED = re.compile(r"^#loc(\d*) = loc\((.*)\)$")


_ARGUMENT = re.compile(r' loc\("\w*"\)')
_SHARDING = re.compile(r'weft\.sharding = "(.*?)"')


def partitioned_text(text: str, mesh: Mesh) -> str:
    """The program of a rank, with shardings in Shardy's notation, and the user's line behind what is sent."""
    axes = ", ".join(f'"{name}"={extent}' for name, extent in mesh.shape.items())
    known = {}
    for line in text.splitlines():
        found = _FILED.match(line)
        if found:
            known[found[1]] = found[2]
    lines = []
    for line in text.splitlines():
        if _FILED.match(line):
            continue
        place = _NUMBERED.search(line)
        bare = _NUMBERED.sub("", line)
        if _COLLECTIVE.search(bare):
            places = places_of(_resolved(known, place[1])) if place else []
            size = _bytes_of(bare)
            where = f", {places[0].file.rpartition('/')[2]}:{places[0].line}" if places else ""
            bare = f"{bare}  // {size:,} bytes{where}"
        lines.append(bare)
    shown = _ARGUMENT.sub("", "\n".join(lines).strip())
    shown = _SHARDING.sub(lambda found: f"sdy.sharding = #sdy.sharding<@mesh, {found[1]}>", shown)
    return (
        shown.replace("\\22", '"').replace("module {", f"module {{\n  sdy.mesh @mesh = <[{axes}]>", 1) + "\n"
    )


def _resolved(known: dict[str, str], number: str) -> str:
    """A location with those that it is made of."""
    text = known.get(number, "")
    for _ in range(8):
        inner = re.sub(r"#loc(\d*)", lambda found: known.get(found[1], ""), text)
        if inner == text:
            break
        text = inner
    return text


_TENSOR = re.compile(r"tensor<((?:\d+x)*)([a-z]+)(\d+)(>?)")


def _bytes_of(line: str) -> int:
    """The bytes of the result of an op."""
    found = list(_TENSOR.finditer(line))
    if not found:
        return 0
    extents, kind, bits, _ = found[-1].groups()
    count = math.prod(int(extent) for extent in extents.split("x") if extent)
    return count * max(int(bits) // 8, 1) * (2 if kind == "complex" else 1)
