"""How long GPUs take for what placement weighs: estimates, but for those that the check on a card has measured.

`python bench/gpu/figures.py RESULTS` writes what was measured into the table.
"""

from __future__ import annotations

from ...dialect.records import dataclass


@dataclass(frozen=True)
class GpuFigures:
    """What a GPU takes for things, in seconds, and what it reaches at most; 0 where that is not known."""

    source: str = "estimated"
    """The card and the driver that were measured."""
    launch: float = 3e-6
    """From one launch to the next, where little is done."""
    read: float = 1e-5
    """What the host waits for a number of the device."""
    step: float = 2e-8
    """For one operation of a thread: some thirty cycles, as it waits for the one before."""
    trip: float = 5e-5
    """To wait for the device, and for what it does not do meanwhile."""
    byte: float = 1e-10
    """To copy a byte to the host or back."""
    bytes_per_second: float = 0.0
    """Of its memory: what a copy reads and writes."""
    f32_per_second: float = 0.0
    """Additions and multiplications in products of float32."""
    f16_per_second: float = 0.0
    """The same of float16."""

    def seconds_of_trip(self, size: int) -> float:
        """How long it takes to let the host do something with arrays of so many bytes.

        >>> GpuFigures().seconds_of_trip(0)
        5e-05
        """
        return self.trip + 2 * size * self.byte


# begin: figures of targets, written by bench/gpu/figures.py
PRODUCTS = ("float32", "tf32", "bf16")
"""What products of float32 may be made of: 24 bits of each factor, 11, or 8."""

FIGURES = {
    "sm_70": GpuFigures(
        bytes_per_second=7.9e11,
        f32_per_second=1.4e13,
        f16_per_second=1e14,
    ),
    "sm_80": GpuFigures(
        bytes_per_second=1.3e12,
        f32_per_second=1.9e13,
        f16_per_second=2.5e14,
    ),
    "sm_90": GpuFigures(
        bytes_per_second=3e12,
        f32_per_second=5e13,
        f16_per_second=7.9e14,
    ),
    "sm_90a": GpuFigures(
        bytes_per_second=3e12,
        f32_per_second=5e13,
        f16_per_second=7.9e14,
    ),
}
# end
