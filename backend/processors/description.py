"""What schedules ask of a processor."""

from __future__ import annotations

from ...dialect.records import dataclass

KIB = 1 << 10
MIB = 1 << 20
LINE_BYTES = 64
"""A line of the caches; what it is called by the code of x86-64 and AArch64, also where two are fetched at once."""


@dataclass(frozen=True)
class Processor:
    """One core of a processor and the caches that it reads through; sizes in bytes.

    The defaults are those of a core that nothing is known of: about what the least of the last eight years have.
    """

    family: str
    first_level_cache: int = 32 * KIB
    """Of data, of one core."""
    first_level_ways: int = 8
    """So many lines with the same place in the first-level cache stay in it."""
    second_level_cache: int = 1 * MIB
    """What a core can count on, where several share it."""
    last_level_cache: int = 16 * MIB
    last_level_cores: int = 4
    """So many cores share the last level."""
    multiplications: int = 2
    """Multiply-adds of whole vectors that start in each cycle."""
    read_ahead: int = 2048
    """How far loops that compute something ask for what they read next; 0 where the processor does better alone."""
    reduction_read_ahead: int = 2048
    """The same for loops that add up or compare what they read, and little else."""
    memory_bytes: float = 8.0
    """Bytes in a cycle that a core gets from beyond its second level, and brings there: 25 to 30 GB/s."""
    addition_wait: float = 5.0
    """Cycles between the additions to a sum. Eight sums, two of which can start in a cycle, would do with four, but
    take more: with AVX2, tiles of 2 rows and 4 vectors make 32 GFLOP/s in float64 where those of 4 and 3 make 44."""
    stencil_operations: float = 2.0
    """Vector instructions of stencils in a cycle, which wait for loads as often as for arithmetic."""
    lane_sum: float = 4.0
    """Cycles to add up the lanes of a vector."""
    element_copy: float = 1.0
    """Cycles to copy an element across lines."""
    step_seconds: float = 1e-9
    """What an operation takes, one behind the other."""
    streamed: int = 24 * MIB
    """Smaller results are found in a cache: as measured, a reader that follows at once loses below 24 MB what the
    writer gains. It does not depend on the size of the last-level cache, which many cores share."""
    column_rows: int = 4
    """Rows that a reduction of columns reads side by side."""
    beside_reciprocals: tuple[int, int] = (1 << 30, 1 << 30)
    """Vectors of f32, and of f64, are multiplied by the reciprocal of a number instead of divided by it where a loop
    has at most so many other operations: with more, the divider works while they do."""
    shifted_vector_bytes: int = 64
    """The size of vectors, at most, where a loop reads an array at several places along a row: most of the reads lie
    across two lines of a cache."""
    sorted_digits: int = 2
    """Numbers that differ in at most so many bytes are sorted byte by byte, others by NumPy's sort in vectors."""
    assumed: tuple[str, ...] = ()
    """What is not known of this processor and was assumed, in words."""

    @property
    def way(self) -> int:
        """Addresses this far apart compete for the same lines of the first-level cache."""
        return self.first_level_cache // self.first_level_ways
