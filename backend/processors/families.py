"""Families of processors of the last years, by the names that LLVM gives to them.

Sizes are those of the makers' optimisation manuals; where models of a family differ, the smallest. What read-ahead and
streaming pay was measured where `MEASURED` says so, and is that of the nearest relative elsewhere.
"""

from __future__ import annotations

from ...dialect.records import NamedTuple, replace
from .description import KIB, MIB, Processor


class _Row(NamedTuple):
    """A line of the table."""

    names: str
    family: str
    caches: tuple[tuple[int, int], int, tuple[int, int]]
    """The first level in KiB, and its ways; the second in KiB; the last in MiB, and the cores that share it."""
    multiplications: int
    kind: str


_ZEN = Processor("", read_ahead=256, reduction_read_ahead=256, column_rows=8, beside_reciprocals=(-1, 4))
_KINDS = {
    "intel": Processor("", read_ahead=2048, reduction_read_ahead=2048),
    "zen": replace(_ZEN, shifted_vector_bytes=32, sorted_digits=8),
    "zen5": _ZEN,
    "arm": Processor("", read_ahead=1024, reduction_read_ahead=0),
}
"""What pays on processors of one descent.

* intel: Ice Lake server, elementary functions beyond the second level 1.1 to 1.3 times as fast with 2 KiB, nothing
  slower.
* zen: Zen 4, sums of two arrays of 1e5 f64 25.5 us with 256 or 512 B against 32.0 with 2 KiB, comparisons of 3e5 52 us
  with 256 B against 67 and 70, the mean of squares of differences of 1e6 numbers 83 us against 91 and 109, maxima of
  rows 224 us against 224 and 250; functions, stencils and what comes from memory take the same with any. Sums of
  columns (2048, 2048) 311 us eight rows at a time against 434 four. Divisions by one number
  in the time of multiplications by its reciprocal: of rows of f32 0.82, in a softmax 0.92, in a layer norm 0.90; of
  rows of f64 1.22, in a softmax 1.04, but in a stencil of seven other operations 0.87. Stencils in vectors of 32 bytes
  instead of 64: of five points on 250x250 doubles 711 us instead of 787, on 350x350 5.9 ms instead of 6.2, of three
  points on 12,000 12.3 ms instead of 13.4, of seven on 40x40x40 2.44 instead of 2.54.
  Sorts byte by byte, as Zen 4 takes long to compress vectors into memory: 1e5 f64 1.45 ms against 3.9 with NumPy's
  sort, 1e5 i32 0.65 against 2.2, 1e6 f64 17 against 53.
  Zen 3: maxima of rows 450 us with 512 B, 494 without, 525 with 2 KiB; sums of columns 438 us eight rows at a time,
  487 four, 730 where the next eight rows are asked for meanwhile, as rows of 8 KiB compete for the same lines; a layer
  norm of 1024 rows 310 us with the next row asked for, 355 without, whatever the distances.
* zen5: whole vectors are loaded and compressed at once. Stencils in vectors of 64 bytes instead of 32: steps of heat
  0.64 of the time, of Burgers' equation 0.50, means of neighbours on 250x250 0.85, seven points on 40x40x40 0.71. NumPy
  sorts in vectors 1e5 f64 and 1e5 i32 in 0.46 of what digits take, 1e5 i64 in 0.83.
* arm: not measured; their own prefetching follows streams across pages.
"""

_ROWS = (
    _Row("nehalem westmere", "Intel Nehalem", ((32, 8), 256, (8, 4)), 1, "intel"),
    _Row("sandybridge ivybridge", "Intel Sandy Bridge", ((32, 8), 256, (8, 4)), 1, "intel"),
    _Row("haswell broadwell", "Intel Haswell", ((32, 8), 256, (6, 4)), 2, "intel"),
    _Row("skylake", "Intel Skylake", ((32, 8), 256, (6, 4)), 2, "intel"),
    _Row(
        "skylake-avx512 cascadelake cooperlake",
        "Intel Skylake server",
        ((32, 8), 1024, (11, 8)),
        2,
        "intel",
    ),
    _Row("cannonlake icelake-client rocketlake", "Intel Ice Lake", ((48, 12), 512, (6, 4)), 1, "intel"),
    _Row("tigerlake", "Intel Tiger Lake", ((48, 12), 1280, (8, 4)), 1, "intel"),
    _Row("icelake-server", "Intel Ice Lake server", ((48, 12), 1280, (12, 8)), 2, "intel"),
    _Row(
        "sapphirerapids emeraldrapids graniterapids graniterapids-d",
        "Intel Sapphire Rapids",
        ((48, 12), 2048, (15, 8)),
        2,
        "intel",
    ),
    _Row("alderlake raptorlake meteorlake", "Intel Alder Lake", ((48, 12), 1280, (12, 6)), 2, "intel"),
    _Row(
        "arrowlake arrowlake-s lunarlake pantherlake",
        "Intel Arrow Lake",
        ((48, 12), 2560, (12, 4)),
        2,
        "intel",
    ),
    _Row("silvermont goldmont goldmont-plus", "Intel Silvermont", ((24, 6), 512, (1, 2)), 1, "intel"),
    _Row("tremont gracemont sierraforest", "Intel Gracemont", ((32, 8), 512, (4, 4)), 2, "intel"),
    _Row("znver1", "AMD Zen", ((32, 8), 512, (4, 4)), 1, "zen"),
    _Row("znver2", "AMD Zen 2", ((32, 8), 512, (4, 3)), 2, "zen"),
    _Row("znver3", "AMD Zen 3", ((32, 8), 512, (16, 6)), 2, "zen"),
    _Row("znver4", "AMD Zen 4", ((32, 8), 1024, (16, 6)), 1, "zen"),
    _Row("znver5", "AMD Zen 5", ((48, 12), 1024, (16, 8)), 2, "zen5"),
    _Row("cortex-a53 cortex-a55", "Arm Cortex-A53", ((32, 4), 128, (1, 4)), 1, "arm"),
    _Row("cortex-a57 cortex-a72", "Arm Cortex-A72", ((32, 2), 256, (1, 4)), 1, "arm"),
    _Row("cortex-a76 cortex-a78", "Arm Cortex-A76", ((64, 4), 256, (2, 4)), 2, "arm"),
    _Row("cortex-x1", "Arm Cortex-X1", ((64, 4), 512, (4, 4)), 4, "arm"),
    _Row("neoverse-n1", "Arm Neoverse N1", ((64, 4), 1024, (32, 32)), 2, "arm"),
    _Row("neoverse-n2", "Arm Neoverse N2", ((64, 4), 1024, (32, 32)), 2, "arm"),
    _Row("neoverse-v1", "Arm Neoverse V1", ((64, 4), 1024, (32, 32)), 4, "arm"),
    _Row("neoverse-v2", "Arm Neoverse V2", ((64, 4), 2048, (32, 32)), 4, "arm"),
    _Row("ampere1", "Ampere One", ((64, 4), 2048, (64, 64)), 2, "arm"),
    _Row("apple-m1", "Apple M1", ((128, 8), 3072, (12, 4)), 4, "arm"),
    _Row("apple-m2 apple-m3", "Apple M2", ((128, 8), 4096, (16, 4)), 4, "arm"),
    _Row("apple-m4", "Apple M4", ((128, 8), 4096, (16, 4)), 4, "arm"),
)


def _processor(row: _Row) -> Processor:
    (first, ways), second, (last, cores) = row.caches
    return replace(
        _KINDS[row.kind],
        family=row.family,
        first_level_cache=first * KIB,
        first_level_ways=ways,
        second_level_cache=second * KIB,
        last_level_cache=last * MIB,
        last_level_cores=cores,
        multiplications=row.multiplications,
    )


_BY_NAME = {name: row for row in _ROWS for name in row.names.split()}


def family_of(name: str) -> Processor | None:
    """The processors that LLVM calls by a name; None where it is not in the table.

    >>> family_of("znver4").second_level_cache
    1048576
    """
    row = _BY_NAME.get(name)
    return None if row is None else _processor(row)


def names() -> list[str]:
    """The names of the table."""
    return list(_BY_NAME)
